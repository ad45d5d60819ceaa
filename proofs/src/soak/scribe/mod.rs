//! `cargo xtask soak scribe`: agents in processes of their own write to one team's folder while processes are killed at
//! random; fails where a write is not in the logs exactly once, or a decision not in `decisions.md` exactly once.
//!
//! What each tool really did is in a ledger that the Scribe does not know of ([`ledger`]); what became of it is counted in
//! the files that the team reads ([`audit`]).

mod audit;
mod fleet;
mod ledger;
mod options;
mod worker;

use self::options::Options;
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// Runs the soak, or one process of it.
///
/// # Errors
/// An argument makes no sense, a process cannot be started, or something was lost or done twice.
pub(super) fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["worker", arguments @ ..] => worker::run(arguments),
        arguments => soak(&Options::parse(arguments)?),
    }
}

/// A short one, for CI.
///
/// # Errors
/// Something was lost or done twice.
pub(super) fn check() -> Result {
    soak(&Options { agents: 8, calls: 800, kills: 24, ..Options::default() })
}

fn soak(options: &Options) -> Result {
    let watch = Stopwatch::start();
    let folder = tempfile::tempdir()?;
    worker::lay_out(folder.path())?;
    let kills = fleet::run(folder.path(), options)?;
    let found = audit::audit(folder.path(), options)?;
    println!("{found}, {kills} kills, in {watch}");
    if found.mistakes.is_empty() {
        return Ok(());
    }
    found.mistakes.iter().take(20).for_each(|mistake| println!("  {mistake}"));
    Err(Error::new(format!("{} writes were lost or told twice", found.mistakes.len())))
}

//! `cargo xtask soak scribe`: agents in separate processes write to one team folder while processes are
//! killed at random. Fails if a write is not in the logs exactly once, or a decision is not in `decisions.md`
//! exactly once.
//!
//! The real actions of each tool are recorded in a ledger that the Scribe does not know of ([`ledger`]). They
//! are compared with the files that the team reads ([`audit`]).

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
/// Returns an error if an argument is invalid, a process cannot be started, or something was lost or done
/// twice.
pub(super) fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["worker", arguments @ ..] => worker::run(arguments),
        arguments => soak(&Options::parse(arguments)?),
    }
}

/// Runs a short soak, for CI.
///
/// # Errors
/// Returns an error if something was lost or done twice.
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
    Err(Error::new(format!("{} writes were lost or reported twice", found.mistakes.len())))
}

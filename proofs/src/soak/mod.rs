//! Long runs. The log with millions of records ([`log`]); the Scribe with agents that are killed
//! ([`scribe`]), one process with sessions by the million ([`sessions`]), and rules about the order of calls ([`sequences`]).

mod log;
mod scribe;
mod sequences;
mod sessions;

use crate::error::{Error, Result};

/// Runs a soak, or one process of it.
///
/// # Errors
/// Returns an error if an argument is invalid, or a check fails.
pub(crate) fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["log", arguments @ ..] => log::run(arguments),
        ["scribe", arguments @ ..] => scribe::run(arguments),
        ["sequences", arguments @ ..] => sequences::run(arguments),
        ["sessions", arguments @ ..] => sessions::run(arguments),
        _ => Err(Error::new(
            "name what is to be soaked: `log`, `scribe`, `sequences` or `sessions`; see `cargo xtask help`",
        )),
    }
}

/// Runs a short soak, for CI.
///
/// # Errors
/// Returns an error if something was lost or done twice.
pub(crate) fn check() -> Result {
    scribe::check()?;
    sequences::check()
}

/// Parses a number.
///
/// # Errors
/// Returns an error if the text is not a number.
pub(crate) fn number(text: &str) -> Result<u64> {
    text.replace('_', "").parse().map_err(|cause| Error::doing(format!("`{text}`"), cause))
}

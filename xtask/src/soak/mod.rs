//! What has to hold for long: the log with records by the million ([`log`]), the Scribe with agents that are killed
//! ([`scribe`]), one process with sessions by the million ([`sessions`]).

mod log;
mod scribe;
mod sessions;

use crate::error::{Error, Result};

/// Runs a soak, or one process of it.
///
/// # Errors
/// An argument makes no sense, or something did not hold.
pub(crate) fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["log", arguments @ ..] => log::run(arguments),
        ["scribe", arguments @ ..] => scribe::run(arguments),
        ["sessions", arguments @ ..] => sessions::run(arguments),
        _ => Err(Error::new(
            "name what is to be soaked: `log`, `scribe` or `sessions`; see `cargo xtask help`",
        )),
    }
}

/// A short one, for CI.
///
/// # Errors
/// Something was lost or done twice.
pub(crate) fn check() -> Result {
    scribe::check()
}

/// Reads a number.
///
/// # Errors
/// It is none.
fn number(text: &str) -> Result<u64> {
    text.replace('_', "").parse().map_err(|cause| Error::doing(format!("`{text}`"), cause))
}

//! Command line options.

use super::engine::Engine;
use crate::error::{Error, Result};

/// The options.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) engine: Engine,
    pub(super) operations: u64,
    pub(super) seed: u64,
}

impl Options {
    /// Parses the arguments.
    ///
    /// # Errors
    /// Returns an error if an option is unknown, or its value is missing or not a number.
    pub(super) fn parse(arguments: &[&str]) -> Result<Self> {
        let (engine, mut arguments) = match arguments.split_first() {
            Some((name, rest)) => (Engine::from_name(name)?, rest.iter()),
            None => return Err(Error::new("name an engine; see `cargo xtask help`")),
        };
        let mut options = Self { engine, operations: engine.operations(), seed: 1 };
        while let Some(argument) = arguments.next() {
            let place = match *argument {
                "--operations" => &mut options.operations,
                "--seed" => &mut options.seed,
                other => return Err(Error::new(format!("unknown option `{other}`; see `cargo xtask help`"))),
            };
            let value = arguments.next().ok_or_else(|| Error::new(format!("`{argument}` needs a value")))?;
            *place = number(value)?;
        }
        Ok(options)
    }
}

/// Parses a number.
///
/// # Errors
/// Returns an error if the text is not a number.
pub(super) fn number(text: &str) -> Result<u64> {
    text.replace('_', "").parse().map_err(|cause| Error::doing(format!("`{text}`"), cause))
}

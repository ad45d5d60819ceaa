//! What the command line asks for.

use super::engine::Engine;
use crate::error::{Error, Result};

/// The arguments.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) engine: Engine,
    pub(super) operations: u64,
    pub(super) seed: u64,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// One is not known, or its value is missing or no number.
    pub(super) fn parse(arguments: &[&str]) -> Result<Self> {
        let (engine, mut arguments) = match arguments.split_first() {
            Some((name, rest)) => (Engine::of(name)?, rest.iter()),
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

/// Reads a number.
///
/// # Errors
/// It is none.
pub(super) fn number(text: &str) -> Result<u64> {
    text.replace('_', "").parse().map_err(|cause| Error::doing(format!("`{text}`"), cause))
}

//! What the command line asks for.

use crate::error::{Error, Result};
use crate::soak::number;

/// The arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// So many processes.
    pub(super) agents: u64,
    /// So many tool calls of all of them together.
    pub(super) calls: u64,
    /// So many processes are killed, at most.
    pub(super) kills: u64,
    pub(super) seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { agents: 20, calls: 20_000, kills: 200, seed: 1 }
    }
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// One is not known, or its value is missing or no number.
    pub(super) fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let place = match *argument {
                "--agents" => &mut options.agents,
                "--calls" => &mut options.calls,
                "--kills" => &mut options.kills,
                "--seed" => &mut options.seed,
                other => return Err(Error::new(format!("unknown option `{other}`; see `cargo xtask help`"))),
            };
            let value = arguments.next().ok_or_else(|| Error::new(format!("`{argument}` needs a value")))?;
            *place = number(value)?;
        }
        options.agents = options.agents.max(1);
        Ok(options)
    }

    /// What one agent has to do.
    pub(super) const fn share(&self) -> u64 {
        self.calls / self.agents
    }
}

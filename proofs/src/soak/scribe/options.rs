//! Command line options.

use crate::error::{Error, Result};
use crate::soak::number;

/// The options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Number of processes.
    pub(super) agents: u64,
    /// Number of tool calls of all processes together.
    pub(super) calls: u64,
    /// Most processes that are killed.
    pub(super) kills: u64,
    pub(super) seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { agents: 20, calls: 20_000, kills: 200, seed: 1 }
    }
}

impl Options {
    /// Parses the arguments.
    ///
    /// # Errors
    /// Returns an error if an option is unknown, or its value is missing or not a number.
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

    /// The number of calls of one agent.
    pub(super) const fn share(&self) -> u64 {
        self.calls / self.agents
    }
}

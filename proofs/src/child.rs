//! Processes that do not outlive who started them.

use std::fmt::Display;
use std::io;
use std::process::{Child, Command, Stdio};

use crate::error::{Error, Result};

/// A process that is killed when this is dropped: where a command fails, what it started must not go on.
#[derive(Debug)]
pub(crate) struct KillOnDrop(Child);

impl KillOnDrop {
    /// Starts it, without an input.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command.stdin(Stdio::null()).spawn().map(Self)
    }

    /// Kills it, and waits until it is gone.
    ///
    /// # Errors
    /// It cannot be killed.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.0.kill()?;
        self.0.wait().map(drop)
    }

    /// Whether it has not ended yet.
    ///
    /// # Errors
    /// It has failed; `name` stands for it.
    pub(crate) fn is_running(&mut self, name: impl Display) -> Result<bool> {
        match self.0.try_wait()? {
            None => Ok(true),
            Some(status) if status.success() => Ok(false),
            Some(status) => Err(Error::new(format!("{name} failed ({status})"))),
        }
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // One that has ended cannot be killed any more.
        let _gone = self.kill();
    }
}

//! Child processes that end with their parent.

use std::fmt::Display;
use std::io;
use std::process::{Child, Command, Stdio};

use crate::error::{Error, Result};

/// A process that is killed when this is dropped, so that it does not outlive a failed command.
#[derive(Debug)]
pub(crate) struct KillOnDrop(Child);

impl KillOnDrop {
    /// Starts the process, without an input.
    ///
    /// # Errors
    /// Returns an error if the process cannot be started.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command.stdin(Stdio::null()).spawn().map(Self)
    }

    /// Kills the process, and waits for its end.
    ///
    /// # Errors
    /// Returns an error if the process cannot be killed.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.0.kill()?;
        self.0.wait().map(drop)
    }

    /// Whether the process is still running.
    ///
    /// # Errors
    /// Returns an error with `name` if the process has failed.
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
        // A process that has ended cannot be killed any more.
        let _gone = self.kill();
    }
}

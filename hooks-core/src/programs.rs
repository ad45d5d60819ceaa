//! Other programs, and their output.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Starts programs and waits for them.
pub trait Programs: Send + Sync {
    /// Runs `program` until it ends. If its time is up, it and its children are killed.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started; `TimedOut` if it took too long.
    fn run(&self, program: &Program) -> io::Result<Finished>;
}

/// A program to run, without input. Its standard error is discarded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// Name of the program, looked up in the host's `PATH`.
    pub name: &'static str,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Environment of the program: these variables and the host's `PATH`, nothing else.
    pub variables: Vec<(String, OsString)>,
    /// Working directory of the program.
    pub directory: PathBuf,
    /// The most bytes of output that are read; a program that prints more is killed.
    pub limit: usize,
    /// Time limit of the program.
    pub patience: Duration,
}

impl Program {
    /// A program without arguments and variables, in `directory`.
    pub const fn new(name: &'static str, directory: PathBuf, limit: usize, patience: Duration) -> Self {
        Self { name, arguments: Vec::new(), variables: Vec::new(), directory, limit, patience }
    }
}

/// Result of running a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    /// Output, up to the limit.
    pub output: Vec<u8>,
    /// Whether the output was cut at the limit.
    pub is_cut: bool,
}

//! Traits through which builtins reach the machine.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::Disk;
use hooks_core::time::Clock;
use serde_json::Value;

/// Access of builtins to the machine. Cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub struct World {
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Reads and writes files.
    pub disk: Arc<dyn Disk>,
    /// Describes the machine and its user.
    pub machine: Arc<dyn Machine>,
    /// Starts programs; only git is started.
    pub programs: Arc<dyn Programs>,
    /// Folder for snapshots and long results; it has to exist.
    pub store: PathBuf,
    /// Renders templates; `add_context` needs it.
    pub templates: Option<Arc<dyn Templates>>,
    /// Removes secrets from text; `redact_secrets` needs it.
    pub redact: Option<Arc<dyn Redact>>,
}

impl World {
    /// A world with an unknown machine, without templates and without redaction.
    pub fn new(
        clock: Arc<dyn Clock>,
        disk: Arc<dyn Disk>,
        programs: Arc<dyn Programs>,
        store: impl Into<PathBuf>,
    ) -> Self {
        let machine = Arc::new(UnknownMachine);
        Self { clock, disk, machine, programs, store: store.into(), templates: None, redact: None }
    }

    /// Sets the description of the machine.
    #[must_use]
    pub fn on(mut self, machine: Arc<dyn Machine>) -> Self {
        self.machine = machine;
        self
    }

    /// Sets the renderer of templates.
    #[must_use]
    pub fn filling(mut self, templates: Arc<dyn Templates>) -> Self {
        self.templates = Some(templates);
        self
    }

    /// Sets the redaction of secrets.
    #[must_use]
    pub fn redacting(mut self, redact: Arc<dyn Redact>) -> Self {
        self.redact = Some(redact);
        self
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("store", &self.store).finish_non_exhaustive()
    }
}

/// Describes a machine and its user. Unknown facts are left out of outputs.
pub trait Machine: Send + Sync {
    /// Returns an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the user of the machine.
    fn user(&self) -> Option<User>;

    /// Returns the name of the machine in the network.
    fn host_name(&self) -> Option<String>;

    /// Returns the operating system, as Rust names it (`linux`, `macos`, `windows`).
    fn operating_system(&self) -> &'static str {
        std::env::consts::OS
    }

    /// Returns the processor architecture, as Rust names it (`x86_64`, `aarch64`).
    fn architecture(&self) -> &'static str {
        std::env::consts::ARCH
    }

    /// Returns the current offset of local time from UTC, in minutes.
    fn minutes_ahead_of_utc(&self) -> i32 {
        0
    }
}

/// User of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Login name.
    pub name: String,
    /// Full name; often empty.
    pub full_name: String,
}

/// A machine without any known facts.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownMachine;

impl Machine for UnknownMachine {
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn user(&self) -> Option<User> {
        None
    }

    fn host_name(&self) -> Option<String> {
        None
    }
}

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
    pub(super) fn new(name: &'static str, directory: PathBuf, limit: usize, patience: Duration) -> Self {
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

/// Renders templates; expressions in double braces refer to the event.
pub trait Templates: Send + Sync {
    /// Renders `template` with the values of `input`.
    ///
    /// # Errors
    /// Returns a message for the operator if `template` is invalid or refers to a missing value.
    fn render(&self, template: &str, input: &Value) -> Result<String, String>;
}

/// Removes secrets from text.
pub trait Redact: Send + Sync {
    /// Returns `text` without its secrets, or `None` if it has no secrets.
    fn redact(&self, text: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Redact for F {
    fn redact(&self, text: &str) -> Option<String> {
        self(text)
    }
}

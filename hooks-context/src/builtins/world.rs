//! What builtins see of the machine, through traits.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::Disk;
use hooks_core::time::Clock;
use serde_json::Value;

/// The machine, as builtins see it. Cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub struct World {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Reads and writes files.
    pub disk: Arc<dyn Disk>,
    /// Knows who and what it is.
    pub machine: Arc<dyn Machine>,
    /// Starts programs: git.
    pub programs: Arc<dyn Programs>,
    /// Where snapshots and long results are kept; it has to be there.
    pub store: PathBuf,
    /// Fills templates: what `add_context` needs.
    pub templates: Option<Arc<dyn Templates>>,
    /// Takes secrets out of text: what `redact_secrets` needs.
    pub redact: Option<Arc<dyn Redact>>,
}

impl World {
    /// A world with an unknown machine on it, which neither fills templates nor redacts.
    pub fn new(
        clock: Arc<dyn Clock>,
        disk: Arc<dyn Disk>,
        programs: Arc<dyn Programs>,
        store: impl Into<PathBuf>,
    ) -> Self {
        let machine = Arc::new(UnknownMachine);
        Self { clock, disk, machine, programs, store: store.into(), templates: None, redact: None }
    }

    /// Says who and what the machine is.
    #[must_use]
    pub fn on(mut self, machine: Arc<dyn Machine>) -> Self {
        self.machine = machine;
        self
    }

    /// Gives what fills templates.
    #[must_use]
    pub fn filling(mut self, templates: Arc<dyn Templates>) -> Self {
        self.templates = Some(templates);
        self
    }

    /// Gives what takes secrets out.
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

/// Knows who and what a machine is. What it does not know is left out of answers.
pub trait Machine: Send + Sync {
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;

    /// Who uses it.
    fn user(&self) -> Option<User>;

    /// Its name in the network.
    fn host_name(&self) -> Option<String>;

    /// Its operating system, as Rust calls it (`linux`, `macos`, `windows`).
    fn operating_system(&self) -> &'static str {
        std::env::consts::OS
    }

    /// Its processor, as Rust calls it (`x86_64`, `aarch64`).
    fn architecture(&self) -> &'static str {
        std::env::consts::ARCH
    }

    /// By how many minutes the clocks on its walls are ahead of UTC now.
    fn minutes_ahead_of_utc(&self) -> i32 {
        0
    }
}

/// Who uses a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name to log in with.
    pub name: String,
    /// The name in life; often empty.
    pub full_name: String,
}

/// A machine of which nothing is known.
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
    /// Runs `program` to its end, or to the end of its time: then it and what it started are killed.
    ///
    /// # Errors
    /// It cannot be started, or took too long (`TimedOut`).
    fn run(&self, program: &Program) -> io::Result<Finished>;
}

/// A program to run: without input, its complaints unheard.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// Its name, looked for where the host looks for programs.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its environment: these and the host's `PATH`, nothing else.
    pub variables: Vec<(String, OsString)>,
    /// Where it runs.
    pub directory: PathBuf,
    /// How many bytes of its output are read; behind them it is killed.
    pub limit: usize,
    /// How long it may take.
    pub patience: Duration,
}

impl Program {
    /// A program without arguments and variables, in `directory`.
    pub(super) fn new(name: &'static str, directory: PathBuf, limit: usize, patience: Duration) -> Self {
        Self { name, arguments: Vec::new(), variables: Vec::new(), directory, limit, patience }
    }
}

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// What it printed, up to the limit.
    pub output: Vec<u8>,
    /// Whether it had more to print.
    pub is_cut: bool,
}

/// Fills templates: what stands between double braces is about the event.
pub trait Templates: Send + Sync {
    /// `template` with what `input` says.
    ///
    /// # Errors
    /// It is no template, or asks for something that is not there: why, for whoever wrote it.
    fn render(&self, template: &str, input: &Value) -> Result<String, String>;
}

/// Takes secrets out of text.
pub trait Redact: Send + Sync {
    /// `text` without its secrets; nothing where it has none.
    fn redact(&self, text: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Redact for F {
    fn redact(&self, text: &str) -> Option<String> {
        self(text)
    }
}

//! Access to the outside world, all of it through traits: clock, randomness, file system, background tasks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::failure::{FailureSink, Unrecorded};
use crate::fs::{Entry, FileSystem};
use crate::future::HookFuture;
use crate::time::{Clock, Random, SeededRandom, StoppedClock};

/// The operating system whose rules for file names apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Platform {
    /// Linux and other systems where a file name is a string of bytes.
    #[default]
    Posix,
    /// macOS: file names are not case-sensitive.
    Macos,
    /// Windows: drive letters, backslashes, reserved names, alternate streams.
    Windows,
}

/// Runs a future in the background. A driver that is dropped uses this for the events that it still has to
/// fire.
pub trait Background: Send + Sync {
    /// Runs `work` to its end.
    fn run(&self, work: HookFuture<'static, ()>);
}

/// Access to the outside world for the hooks of one process. Cheap to clone.
///
/// [`Environment::detached`] has no access: its clock stands still, and its file system answers every
/// question with an error, so that a guard denies paths that it cannot resolve (law 4). `hooks-system`
/// has an environment for the real system.
#[derive(Clone)]
pub struct Environment {
    /// Reads the current time.
    pub clock: Arc<dyn Clock>,
    /// Random numbers.
    pub random: Arc<dyn Random>,
    /// File system, for looking up names.
    pub files: Arc<dyn FileSystem>,
    /// The system whose rules for file names apply.
    pub platform: Platform,
    /// The user's home folder, which `~` stands for in patterns and commands; `None` if it is unknown.
    pub home: Option<Arc<str>>,
    /// Whether the agent can write to the standard input of a command later, by a call that no hook judges. A shell or an
    /// interpreter that reads its code from there runs unknown code.
    pub has_open_input: bool,
    /// Runs the events that a dropped driver still has to fire. Without it, only events whose hooks answer at
    /// once are fired then.
    pub background: Option<Arc<dyn Background>>,
    /// Receives a record of every hook that failed.
    pub failures: Arc<dyn FailureSink>,
}

impl Environment {
    /// An environment without access to the outside world.
    pub fn detached() -> Self {
        // These three have no state. Each context begins with this environment, so they are made once.
        static CLOCK: LazyLock<Arc<StoppedClock>> = LazyLock::new(Arc::default);
        static FILES: LazyLock<Arc<UnknownFiles>> = LazyLock::new(|| Arc::new(UnknownFiles));
        static FAILURES: LazyLock<Arc<Unrecorded>> = LazyLock::new(|| Arc::new(Unrecorded));
        Self {
            clock: CLOCK.clone(),
            random: Arc::new(SeededRandom::default()),
            files: FILES.clone(),
            platform: Platform::default(),
            home: None,
            has_open_input: false,
            background: None,
            failures: FAILURES.clone(),
        }
    }
}

impl Default for Environment {
    fn default() -> Self {
        Self::detached()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("platform", &self.platform).finish_non_exhaustive()
    }
}

/// A file system that answers every question with an error.
#[derive(Debug)]
struct UnknownFiles;

impl FileSystem for UnknownFiles {
    fn entry(&self, _path: &Path) -> io::Result<Option<Entry>> {
        Err(io::Error::other("no file system was given to the hooks"))
    }

    fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
        Err(io::Error::other("no file system was given to the hooks"))
    }
}

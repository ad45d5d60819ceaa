//! What hooks know of the world, all of it through traits: clock, randomness, file system, state.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::failure::{FailureSink, Unrecorded};
use crate::fs::{Entry, FileSystem};
use crate::future::HookFuture;
use crate::time::{Clock, Random, SeededRandom, StoppedClock};

/// The operating system whose rules names follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Platform {
    /// Linux and other systems where a name is a string of bytes.
    #[default]
    Posix,
    /// macOS: names without regard to case.
    Macos,
    /// Windows: drive letters, back slashes, reserved names, streams.
    Windows,
}

/// Runs a future that nobody waits for any more: what a driver still has to fire when it is dropped.
pub trait Background: Send + Sync {
    /// Runs `work` to its end.
    fn run(&self, work: HookFuture<'static, ()>);
}

/// The world as the hooks of one process see it. Cheap to clone.
///
/// [`Environment::detached`] knows nothing: its clock stands still and its file system answers every
/// question with an error, so that a guard refuses what it cannot resolve (law 4). The `hooks` crate has
/// the real one.
#[derive(Clone)]
pub struct Environment {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Random numbers.
    pub random: Arc<dyn Random>,
    /// What is on disk.
    pub files: Arc<dyn FileSystem>,
    /// The system whose rules names follow.
    pub platform: Platform,
    /// Finishes what a dropped driver still has to fire; without one, only what needs no waiting fires.
    pub background: Option<Arc<dyn Background>>,
    /// Hears of every hook that failed.
    pub failures: Arc<dyn FailureSink>,
}

impl Environment {
    /// A world of which nothing is known.
    pub fn detached() -> Self {
        Self {
            clock: Arc::new(StoppedClock::default()),
            random: Arc::new(SeededRandom::default()),
            files: Arc::new(UnknownFiles),
            platform: Platform::default(),
            background: None,
            failures: Arc::new(Unrecorded),
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

/// A file system that cannot be asked.
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

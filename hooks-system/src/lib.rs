//! The operating system's clock, randomness, files, programs and tokio runtime, as the traits of `hooks-core`.
//!
//! `hooks-core` reaches the outside world through traits only. This crate implements them for this machine;
//! a host without an environment of its own uses [`system`].
//!
//! | trait | implementation | feature |
//! | --- | --- | --- |
//! | [`Clock`](hooks_core::time::Clock), [`Random`](hooks_core::time::Random) | [`SystemClock`], [`SystemRandom`] | |
//! | [`FileSystem`](hooks_core::fs::FileSystem), [`Disk`](hooks_core::fs::Disk), [`LogDisk`](hooks_core::fs::LogDisk) | [`StdFileSystem`], [`PrivateFileSystem`] | |
//! | [`Machine`](hooks_core::machine::Machine), [`Programs`](hooks_core::programs::Programs) | `SystemMachine`, `SystemPrograms` | `programs` |
//! | [`Timer`](hooks_core::time::Timer), [`Background`](hooks_core::Background) | `TokioTimer`, `TokioBackground` | `tokio` |

mod access;
mod archive;
mod clock;
mod disk;
mod files;
mod log;
#[cfg(feature = "programs")]
mod machine;
mod private;
#[cfg(feature = "programs")]
mod programs;
mod random;
#[cfg(feature = "tokio")]
mod runtime;

use std::path::Path;
use std::sync::Arc;

use hooks_core::{Environment, HookContext, Platform};

pub use self::clock::SystemClock;
pub use self::files::StdFileSystem;
#[cfg(feature = "programs")]
pub use self::machine::SystemMachine;
pub use self::private::PrivateFileSystem;
#[cfg(feature = "programs")]
pub use self::programs::SystemPrograms;
pub use self::random::SystemRandom;
#[cfg(feature = "tokio")]
pub use self::runtime::{TokioBackground, TokioTimer};

/// The environment of this machine. If this is called within a tokio runtime (feature `tokio`), events that a
/// dropped driver still has to fire run on that runtime.
///
/// ```
/// use hooks_core::HookContext;
///
/// let context = HookContext::new("session-1", "backend").with_environment(hooks_system::system());
/// assert!(context.timestamp.0 > 0);
/// ```
pub fn system() -> Environment {
    let mut environment = Environment::detached();
    environment.clock = Arc::new(SystemClock);
    environment.random = Arc::new(SystemRandom);
    environment.files = Arc::new(StdFileSystem);
    environment.platform = platform();
    environment.home = home();
    #[cfg(feature = "tokio")]
    {
        environment.background = TokioBackground::current().map(|background| Arc::new(background) as _);
    }
    environment
}

/// A context of `agent` in `session`, in the working directory of this process, with the environment of this machine. If the
/// process has no working directory, the context has none either, and guards deny calls with a relative path.
///
/// ```
/// let context = hooks_system::local_context("session-1", "backend");
/// assert_eq!(context.root(), std::env::current_dir()?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn local_context(session: impl Into<String>, agent: impl Into<String>) -> HookContext {
    let folder = std::env::current_dir().unwrap_or_default();
    HookContext::new(session, agent).in_dir(folder).with_environment(system())
}

/// The home folder of the user of this process.
fn home() -> Option<Arc<str>> {
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = std::env::var(variable).ok().filter(|home| Path::new(home).is_absolute())?;
    Some(if cfg!(windows) { home.replace('\\', "/") } else { home }.into())
}

const fn platform() -> Platform {
    if cfg!(windows) {
        Platform::Windows
    } else if cfg!(target_vendor = "apple") {
        Platform::Macos
    } else {
        Platform::Posix
    }
}

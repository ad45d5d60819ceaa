//! The operating system's clock, randomness, files and programs, for hosts without an environment of their
//! own.
//!
//! `hooks-core` reaches the outside world through traits only. This module implements them for this machine.

mod access;
mod clock;
mod disk;
mod files;
mod log;
#[cfg(feature = "context")]
mod machine;
mod private;
#[cfg(feature = "context")]
mod programs;
mod random;
#[cfg(feature = "tokio")]
mod runtime;

use std::sync::Arc;

use hooks_core::{Environment, Platform};

pub use self::clock::SystemClock;
pub use self::files::StdFileSystem;
#[cfg(feature = "context")]
pub use self::machine::SystemMachine;
pub use self::private::PrivateFileSystem;
#[cfg(feature = "context")]
pub use self::programs::SystemPrograms;
pub use self::random::SystemRandom;
#[cfg(feature = "tokio")]
pub use self::runtime::{TokioBackground, TokioTimer};

/// The environment of this machine. If this is called within a tokio runtime (feature `tokio`), events that a
/// dropped driver still has to fire run on that runtime.
///
/// ```
/// let context = hooks::HookContext::new("session-1", "backend").with_environment(hooks::system());
/// assert!(context.timestamp.0 > 0);
/// ```
pub fn system() -> Environment {
    let mut environment = Environment::detached();
    environment.clock = Arc::new(SystemClock);
    environment.random = Arc::new(SystemRandom);
    environment.files = Arc::new(StdFileSystem);
    environment.platform = platform();
    #[cfg(feature = "tokio")]
    {
        environment.background = TokioBackground::current().map(|background| Arc::new(background) as _);
    }
    environment
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

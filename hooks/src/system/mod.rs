//! The world as it is: clock, randomness and file system of the machine, for a host that has no others.
//!
//! `hooks-core` sees the world through traits only; this is where they meet the operating system.

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

/// The machine this runs on. Called within a tokio runtime (feature `tokio`), what a dropped driver still has
/// to fire runs on that runtime.
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

//! Sources of context.
//!
//! A [`ContextSource`] gets one [`Ask`] at each moment and returns a [`Section`]: entries, the most relevant
//! first, and the command that shows the rest. All sources are loaded at once; [`Workers`] do work that needs
//! a disk or a process.
//!
//! | source | context |
//! | --- | --- |
//! | [`team`] | a `.squad` folder: decisions, directives, history, skills, focus, wisdom, ceremonies |
//! | [`FileSource`] | a file, whole |
//! | [`CommandSource`] | output of a program that the host runs |
//! | [`ServiceSource`] | answer of a tower service |
//! | [`StoreSource`] | a value of the state store |

mod ask;
mod file;
mod section;
mod service;
mod store;
pub mod team;
mod words;

pub use self::ask::{Ask, Moment};
pub use self::file::FileSource;
pub use self::section::{Item, Section};
pub use self::service::{Command, CommandSource, ServiceSource};
pub use self::store::StoreSource;
pub use self::words::Words;
pub use hooks_core::beside::{Here, Threads, Work, Workers};

use std::sync::Arc;

use hooks_core::{BoxError, HookFuture};

/// A source of context.
pub trait ContextSource: Send + Sync {
    /// Returns the name of the source, which identifies it in notes and reports.
    fn name(&self) -> &str;

    /// Loads the section for `ask`. If the source fails or is late, it is left out, and that is reported. At
    /// the deadline the future is dropped.
    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>>;

    /// Returns the shell command that shows all of the source, if it is known before loading.
    fn command(&self, _ask: &Ask) -> Option<String> {
        None
    }
}

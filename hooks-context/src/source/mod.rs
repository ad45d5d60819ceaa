//! Where context comes from.
//!
//! A [`ContextSource`] is asked once at each moment (an [`Ask`]) and answers a [`Section`]: entries, the most relevant
//! first, and how to read the rest. All are asked at once; what needs a disk or a process is done by [`Workers`].
//!
//! | source | what it gives |
//! | --- | --- |
//! | [`team`] | a `.squad` folder: decisions, directives, history, skills, focus, wisdom, ceremonies |
//! | [`FileSource`] | a file, whole |
//! | [`CommandSource`] | what a program prints, which the host runs |
//! | [`ServiceSource`] | what a tower service answers |
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
pub use hooks_team::beside::{Here, Threads, Work, Workers};

use std::sync::Arc;

use hooks_core::{BoxError, HookFuture};

/// Gives a part of the context.
pub trait ContextSource: Send + Sync {
    /// Its name: what the part is called in reports, and by which it is known again.
    fn name(&self) -> &str;

    /// What it has for this moment. It is given up on when the deadline passes, and left out where it fails; either
    /// is said.
    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>>;

    /// How a person or a model reads all of it, where that is known before it is loaded.
    fn command(&self, _ask: &Ask) -> Option<String> {
        None
    }
}

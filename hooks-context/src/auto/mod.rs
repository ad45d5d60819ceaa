//! Context that a session, a turn or a child begins with: history, decisions, skills, focus, and other
//! sources that the host adds. No prompt has to ask an agent to read them.
//!
//! | event | what is added |
//! | --- | --- |
//! | `session_start` | all entries, for the session; on a resume, only new entries |
//! | `turn_start` | new entries, for the session |
//! | `subagent_start` | all entries for the child, within its own budget, the most relevant for its task first |
//!
//! All sources are loaded at once, at the same time as the inner hook runs. A source that is not ready at the
//! deadline is left out. The text for the model, the outcome for the host, and the failure sink of the
//! environment report it.
//!
//! The layer never decides and never fails: the answer of the inner hook stands. Put it outermost, so that no
//! other hook has to wait for it to finish.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::auto::AutoContext;
//! use hooks_context::source::{FileSource, Here, team};
//! use hooks_core::fs::Disk;
//! use hooks_core::time::Timer;
//! use hooks_core::{Environment, Hooks};
//! use hooks_team::Team;
//!
//! # fn hooks(disk: Arc<dyn Disk>, timer: Arc<dyn Timer>, environment: &Environment) -> Hooks {
//! let team = Team::new(Arc::clone(&disk), "/srv/shop/.squad", environment);
//! let context = AutoContext::new(timer)
//!     .with_team(team, Here, team::Limits::default())
//!     .with_source(2, FileSource::new(disk, Here, "CONTRIBUTING.md"));
//! context.add_to(Hooks::builder()).build()
//! # }
//! ```

mod gather;
mod occasion;
mod sent;
mod settings;

#[cfg(test)]
mod tests;

pub use self::gather::Gathered;
pub use self::occasion::Occasion;
pub use self::settings::{AutoContext, AutoSettings};

/// Adds context to the answer of the inner hook, at the same time as that runs.
pub type AutoContextLayer = hooks_core::beside::BesideLayer<AutoContext>;

//! What a session, a turn or a child begins with: history, decisions, skills, focus and whatever else the host names, so
//! that no prompt has to ask an agent to read it.
//!
//! | event | what is added |
//! | --- | --- |
//! | `session_start` | everything, for the session; where it is resumed, what is new since |
//! | `turn_start` | what is new since, for the session |
//! | `subagent_start` | everything for the child, within a budget of its own, the entries about its task first |
//!
//! All sources are asked at once, and together with the inner hook. What is not there at the deadline is left out; that
//! is said to the model in the text, to the host in the outcome, and to the environment's failure sink. It never
//! decides, and never fails: an inner hook's answer stands. Goes outermost, so that nobody waits for it in turn.
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
mod layer;
mod occasion;
mod sent;
mod service;
mod settings;

#[cfg(test)]
mod tests;

pub use self::gather::Gathered;
pub use self::layer::AutoContextLayer;
pub use self::occasion::Occasion;
pub use self::service::AutoContextService;
pub use self::settings::{AutoContext, AutoSettings};

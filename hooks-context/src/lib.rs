//! Context that is always there: code gives an agent the facts it needs, instead of a prompt that asks it to
//! read files.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`auto`] | context at the start of a session, a turn or a child, within a budget of tokens |
//! | [`brief`] | a text built from several sources, within a budget |
//! | [`budget`] | sharing a budget of tokens |
//! | [`builtins`] | small named handlers: the date, the branch, a file of prompts |
//! | [`compaction`] | texts that survive when a conversation is compacted |
//! | [`config`] | the same as plain data, for a configuration file |
//! | [`directive`] | standing wishes of a user, found in messages |
//! | [`model_choice`] | models that sessions and children begin with |
//! | [`prompt`] | checks and additions to a user's message before a model sees it |
//! | [`session_end`] | archives, metrics and recaps at the end of a session |
//! | [`source`] | sources of context |
//!
//! The parts work alone or together. Here, all of them are on one set, and share the state of sessions:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::auto::AutoContext;
//! use hooks_context::compaction::{Compacting, CompactionSettings};
//! use hooks_context::session_end::SessionEnding;
//! use hooks_context::source::{Here, team};
//! use hooks_context::{SessionMemory, TeamPlace};
//! use hooks_core::testing::{FakeDisk, VirtualTime};
//! use hooks_core::{EventKind, Hooks};
//!
//! let (memory, timer) = (SessionMemory::default(), Arc::new(VirtualTime::default()));
//! let squad = TeamPlace::below(Arc::new(FakeDisk::default()), ".squad");
//! let context = AutoContext::new(timer.clone()).with_team(squad.clone(), Here, team::Limits::default());
//! let compacting = Compacting::new(CompactionSettings::default(), timer)
//!     .with_context(context.clone())
//!     .remembering_in(&memory);
//! let ending = SessionEnding::new(squad, Here).remembering_in(&memory);
//! let hooks = ending.add_to(compacting.add_to(context.add_to(Hooks::builder()))).build();
//! for kind in [EventKind::SessionStart, EventKind::SubagentStart, EventKind::PreCompact, EventKind::SessionEnd] {
//!     assert!(hooks.hooked().contains(&kind));
//! }
//! ```

/// Includes a table that the build script has checked and written.
macro_rules! table {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))
    };
}

pub mod auto;
pub mod brief;
pub mod budget;
pub mod builtins;
pub mod compaction;
pub mod config;
pub mod directive;
mod limit;
pub mod model_choice;
pub mod prompt;
pub mod session_end;
mod sessions;
pub mod source;

pub use self::sessions::SessionMemory;
pub use hooks_team::TeamPlace;

#[cfg(test)]
mod tests;

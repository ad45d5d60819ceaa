//! The `.squad` team folder as typed data, read and written without losing a byte.
//!
//! [`Team`] is the folder: [`Team::read`] reads all of it, and each change is a method. The modules below it,
//! from the bytes up:
//!
//! | module | content |
//! | --- | --- |
//! | [`text`] | Markdown as bytes with a structure on top; edits that touch nothing else |
//! | [`ledger`] | files with a list of entries |
//! | [`files`] | typed views of each file: roster, routing, ceremonies, decisions, histories, charters, skills, identity |
//! | [`folder`] | atomic replacement of files, under a lock, within the folder |
//! | [`tools`] | tools for a model: decide, remember, keep a skill, see the status of the team, route |
//!
//! Reading is tolerant: a part that cannot be parsed stays as it is, and does not keep other parts from being
//! read. Writing is careful: content that the writer has not seen is never overwritten, files are replaced
//! atomically, and an acknowledged write survives a power cut. This crate has no policy: it reports what a
//! team wrote, not what follows from it.
//!
//! A new team is read at once. A missing or damaged file is reported and does not hide the others:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::Environment;
//! use hooks_core::testing::FakeDisk;
//! use hooks_team::{NewTeam, Team};
//!
//! let disk = FakeDisk::default().with_directory("/repo");
//! let team = Team::new(Arc::new(disk), "/repo/.squad", &Environment::detached());
//! team.init(&NewTeam::default())?;
//! let snapshot = team.read();
//! assert!(snapshot.problems.is_empty());
//! assert!(snapshot.inbox.is_empty());
//! # Ok::<(), hooks_team::TeamError>(())
//! ```

mod digest;
mod error;
pub mod files;
pub mod folder;
pub mod ledger;
mod moves;
mod name;
mod place;
mod team;
pub mod text;
pub mod tools;
mod when;
mod worktree;

pub use self::digest::Digest;
pub use self::error::TeamError;
pub use self::moves::Moved;
pub use self::name::{BadName, Name};
pub use self::place::TeamPlace;
pub use self::team::{
    Agent, Delivery, HeldCeremony, NewCharter, NewRoute, NewTeam, Participants, Recovered, Snapshot,
    StatedFiles, StatedIn, StatedWord, Team, Unloaded,
};

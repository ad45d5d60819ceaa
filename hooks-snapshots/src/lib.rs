//! Snapshots of a workspace before and after the commands of agents, what a command has destroyed, and its undo.
//!
//! | step | type |
//! | --- | --- |
//! | the folder that is kept, and what is left out of it | [`Scope`] |
//! | a store of contents and trees, outside of the workspace | [`Store`] |
//! | what a command changed | [`Change`] |
//! | what of it exists nowhere else | [`Loss`] |
//! | new files that tools start or obey by themselves | [`ToolFile`] |
//!
//! [`Store::begin`] takes a snapshot before a command, [`Store::finish`] one after it, and [`Store::undo`] restores the first. Calls of tools
//! that name their files have snapshots of these files alone: [`Store::begin_call`], [`Store::finish_call`]. A snapshot is
//! whole or absent, and an undo is finished or not begun, also if the process is killed: the next [`Store::open`] finishes it.
//!
//! Contents are stored once, under their digest. A file with the inode, size, mode and times of the last snapshot is not read again.

#[cfg(unix)]
mod apply;
#[cfg(unix)]
mod blobs;
#[cfg(unix)]
mod changes;
mod config;
#[cfg(unix)]
mod error;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod history;
#[cfg(unix)]
mod loss;
#[cfg(unix)]
mod prune;
#[cfg(unix)]
mod record;
#[cfg(unix)]
mod scope;
#[cfg(unix)]
mod store;
#[cfg(unix)]
mod tool_files;
#[cfg(unix)]
mod tracked;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod undo;
#[cfg(unix)]
mod walk;

#[cfg(unix)]
pub use self::changes::{Change, ChangeKind};
pub use self::config::{EffectsConfig, OnLoss};
#[cfg(unix)]
pub use self::error::SnapshotError;
#[cfg(unix)]
pub use self::loss::{Loss, LossKind};
#[cfg(unix)]
pub use self::record::{Origin, Record};
#[cfg(unix)]
pub use self::scope::{LeftOut, Scope};
#[cfg(unix)]
pub use self::store::{Effects, Running, Store};
#[cfg(unix)]
pub use self::tool_files::ToolFile;
#[cfg(unix)]
pub use self::undo::{Undoing, Undone};

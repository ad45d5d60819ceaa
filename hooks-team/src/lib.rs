//! The `.squad` team folder as typed data, read and written without losing a byte.
//!
//! [`Team`] is the folder: [`Team::read`] gives all of it, and each change is a method. Below it, from the bytes up:
//!
//! | module | what it is |
//! | --- | --- |
//! | [`text`] | Markdown as bytes with a structure on top; edits that touch nothing else |
//! | [`ledger`] | files that are a list of entries |
//! | [`files`] | what each file says: roster, routing, ceremonies, decisions, histories, charters, skills, identity |
//! | [`folder`] | files replaced whole, under a lock, within the folder |
//! | [`tools`] | what a model may do: decide, remember, keep a skill, see who works, route |
//! | [`beside`] | work on the folder's disk, done beside what an agent waits for |
//!
//! Reading is tolerant: what is not understood stays as it is and keeps nothing else from being read. Writing is
//! careful: nothing is overwritten that the writer has not seen, every file is old or new and never half, and what is
//! acknowledged survives a loss of power. This crate has no policy: it says what a team wrote, not what follows from it.

pub mod beside;
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

pub use self::digest::Digest;
pub use self::error::TeamError;
pub use self::moves::Moved;
pub use self::name::{BadName, Name};
pub use self::place::TeamPlace;
pub use self::team::{Agent, Delivery, NewTeam, Recovered, Snapshot, Team, Unloaded};

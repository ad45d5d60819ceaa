//! wip

mod digest;
mod error;
pub mod files;
pub mod folder;
pub mod ledger;
mod moves;
mod name;
pub use self::moves::Moved;
pub mod text;
mod when;
pub use self::digest::Digest;
pub use self::error::TeamError;
pub use self::name::{BadName, Name};

//! Edits JSON as text: what is not edited stays as it is, byte for byte, comments and trailing commas included.
//!
//! [`parse()`] finds where things stand. [`append`], [`set_missing`] and [`remove`] change it by splices into the text, and in the
//! style that the text has: its indentation, its line ends, all on one line or one below the other.

mod edit;
mod parse;
mod style;

pub(super) use self::edit::{EditError, append, remove, set_missing};
pub(super) use self::parse::{Kind, Malformed};
pub(crate) use self::parse::{Node, parse};

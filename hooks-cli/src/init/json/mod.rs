//! Edits JSON as text: everything else stays the same byte for byte, including comments and trailing commas.
//!
//! [`parse()`] finds the positions of values. [`append`], [`set_missing`] and [`remove`] splice changes into
//! the text, in its own style: indentation, line ends, and whether items are on one line or on several.

mod edit;
mod parse;
mod style;

pub(super) use self::edit::{EditError, append, remove, set_missing};
pub(super) use self::parse::{Kind, Malformed};
pub(crate) use self::parse::{Node, parse};

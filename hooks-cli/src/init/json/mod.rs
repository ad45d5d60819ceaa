//! Edits JSON as text: everything else stays the same byte for byte, including comments and trailing commas.
//!
//! [`parse()`] finds the positions of values. [`append`], [`set_missing`] and [`remove`] splice changes into
//! the text, in its own style: indentation, line ends, and whether items are on one line or on several.
//!
//! The CST of `jsonc-parser` 0.34 breaks a container on one line over several when an object is appended, and
//! does not restore the line when the object is removed: `{"a":1}` becomes `{\n  "a":1\n}`. Its parser
//! accepts an empty text, a line end in a string and `1.`, and reports an unclosed array at its start.

mod edit;
mod member;
mod parse;
mod style;

pub(super) use self::edit::{EditError, append, remove, set_missing, splice};
pub(super) use self::member::{has_object, remove_in, set_in, text_in};
pub(super) use self::parse::{Kind, Malformed, Member};
pub(crate) use self::parse::{Node, parse};

//! Rules of JavaScript that affect Squad's answers: truth, conversions, formatting of numbers and JSON, the
//! order of keys, and the errors of the engine.

mod convert;
mod error;
mod json;
mod keys;
mod number;

pub(super) use convert::{is_above_zero, is_truthy, length_is_above_zero, to_number, to_text};
pub use error::JsError;
pub(super) use json::{Cut, write_json};
pub(super) use keys::{PROTOTYPE, is_in_order, rank};

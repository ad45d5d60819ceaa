//! Determines the files that a path can stand for, in every plausible reading.
//!
//! A tool receives a text. The file that it opens depends on whether it decodes `%2e`, folds full-width
//! letters or treats `\` as a separator, and on the links on the way. [`Resolver::resolve`] returns all
//! plausible readings, each relative to the root and free of `.` and `..`; a write is safe only if a policy
//! allows every one of them. A text that never is a plain path (`~`, `$HOME/x`, `file:/x`, control
//! characters, devices, loops of links) is a [`PathError`] with advice.
//!
//! A path is put into normal form twice: as text, without the file system, and component by component as the
//! system would follow it, where `..` after a link leads to the parent of the link's target. Each component
//! is looked up at most once in a call.

mod characters;
mod error;
mod lexical;
mod links;
mod resolver;
mod root;
mod spellings;
mod windows;

pub use error::PathError;
pub(crate) use links::MAX_LENGTH;
pub use resolver::{Evidence, Reading, Resolution, Resolver};
pub use root::ResolvedRoot;

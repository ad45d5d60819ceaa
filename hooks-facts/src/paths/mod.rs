//! Says which files a path can stand for, in every plausible reading.
//!
//! A tool is given a text; what it opens depends on whether it decodes `%2e`, folds full-width letters,
//! takes `\` for a separator, and on the links on its way. [`Resolver::resolve`] gives all readings that
//! are plausible, each relative to the root and free of `.` and `..`; a write is fine only if a policy
//! allows every one of them. What is never a plain path (`~`, `$HOME/x`, `file:/x`, control characters,
//! devices, loops of links) is a [`PathError`] with the way out.
//!
//! A path is put into normal form twice: as text, without asking the file system, and component by
//! component as the system would follow it, where `..` behind a link leads to the parent of the link's
//! target. Each component is asked for at most once in a call.

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

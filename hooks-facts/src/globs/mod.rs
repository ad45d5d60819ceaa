//! Matches a path against many patterns at once, and says which one it was.
//!
//! `*` and `?` stay inside a path segment, `**` stands for zero or more whole segments, `{a,b}` for
//! alternatives, `\x` for the character `x`. Everything else is itself, so `app/[id]/(auth)/+page.ts` is a
//! plain path. Wildcards match leading dots. `src/**` matches `src/` and what is below, not the bare `src`.
//!
//! A path must be in normal form, as [`paths`](crate::paths) gives it: a pattern knows nothing of `..`.
//! Patterns are found by letters that they need, so ten thousand cost a path about as much as ten, and
//! matching never takes more than (length of the path) times (length of the candidates).
//!
//! ```
//! use hooks_facts::globs::{GlobOptions, Globs};
//!
//! let globs = Globs::compile(["docs/*.md", "src/**"], &GlobOptions::default()).unwrap();
//! assert_eq!(globs.find("src/a/b.rs"), Some(1));
//! assert_eq!(globs.find("docs/a/b.md"), None);
//! ```
//!
//! Other clients read patterns in other ways; [`Dialect`] says how.

mod dialect;
mod error;
mod index;
mod matcher;
mod outline;
mod pattern;
mod set;
mod wild;

pub use dialect::Dialect;
pub use error::{PatternError, PatternProblem, PatternWarning};
pub use outline::{Gap, may_be, shown};
pub use set::{GlobOptions, Globs};

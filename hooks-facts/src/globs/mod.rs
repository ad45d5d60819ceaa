//! Matches a path against many patterns at once, and returns the one that matched.
//!
//! `*` and `?` stay inside a path segment, `**` matches zero or more whole segments, `{a,b}` lists
//! alternatives, `\x` is the character `x`. All other characters are literal, so `app/[id]/(auth)/+page.ts`
//! is a plain path. Wildcards match leading dots. `src/**` matches `src/` and everything below it, but not
//! the bare `src`.
//!
//! A path must be in normal form, as [`paths`](crate::paths) returns it: patterns do not resolve `..`.
//! Patterns are found by letters that they need, so a look-up among ten thousand costs about as much as among
//! ten. Matching never takes more than (length of the path) times (length of the candidates).
//!
//! ```
//! use hooks_facts::globs::{GlobOptions, Globs};
//!
//! let globs = Globs::compile(["docs/*.md", "src/**"], &GlobOptions::default()).unwrap();
//! assert_eq!(globs.find("src/a/b.rs"), Some(1));
//! assert_eq!(globs.find("docs/a/b.md"), None);
//! ```
//!
//! Squad has another syntax ([`PatternDialect::Squad`]): a backslash is a slash, and `?` matches any one
//! character, also a slash. `**` matches anything but a line break, also inside of a segment, and `**/` may
//! match nothing. All other characters are literal, also braces.

mod dialect;
mod error;
mod examples;
mod index;
mod matcher;
mod outline;
mod pattern;
mod set;
mod wild;

pub use dialect::PatternDialect;
pub use error::{PatternError, PatternProblem, PatternWarning};
pub use examples::examples;
pub use outline::{Gap, may_be, shown};
pub(crate) use set::folded;
pub use set::{GlobOptions, Globs};

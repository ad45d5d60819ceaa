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
//!
//! ```
//! use hooks_core::Platform;
//! use hooks_facts::paths::{ResolvedRoot, Resolver};
//! # use std::io;
//! # use std::path::{Path, PathBuf};
//! # use hooks_core::fs::{Entry, EntryKind, FileSystem};
//! # struct Fake;
//! # impl FileSystem for Fake {
//! #     fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
//! #         let kind = match path.to_str() {
//! #             Some("/repo/link") => EntryKind::Symlink,
//! #             Some("/repo" | "/repo/src" | "/repo/secrets") => EntryKind::Directory,
//! #             _ => return Ok(None),
//! #         };
//! #         Ok(Some(Entry { kind, names: 1 }))
//! #     }
//! #     fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
//! #         Ok("/repo/secrets".into())
//! #     }
//! # }
//!
//! // A file system in which `/repo/link` is a link to `/repo/secrets`.
//! let fs = Fake;
//! let root = ResolvedRoot::new(&fs, "/repo", "/repo", Platform::Posix).unwrap();
//! let resolver = Resolver { fs: &fs, root: &root, home: Some("/home/dev"), case_insensitive: false, is_encoded: true };
//! let readings = |path| resolver.resolve(path).unwrap().readings.into_iter().map(|it| it.path).collect::<Vec<_>>();
//!
//! assert_eq!(readings("./src/../src/a.rs"), ["src/a.rs"]);
//! // A tool may decode the name, and the system follows the link: all readings are judged.
//! assert!(readings("%73rc/a.rs").contains(&"src/a.rs".to_owned()));
//! assert!(readings("link/key").contains(&"secrets/key".to_owned()));
//! // What leaves the root or is no plain path is an error.
//! assert!(resolver.resolve("../etc/passwd").is_err());
//! assert!(resolver.resolve("~/x").unwrap_err().to_string().contains("/home/dev"));
//! ```

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
pub(crate) use spellings::decoded;

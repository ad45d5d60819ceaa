//! Errors for paths that are not plain paths below the root.

use std::fmt;
use std::io;

/// Defect of a path; each message has advice.
///
/// ```
/// use hooks_facts::paths::PathError;
///
/// let error = PathError::Variable { path: "$HOME/x".to_owned() };
/// assert!(error.to_string().contains("$HOME/x"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// The path is empty.
    Empty,
    /// The root is relative, so it is not known which folder it is.
    RelativeRoot {
        /// The root.
        root: String,
    },
    /// The path is longer than any system accepts.
    TooLong {
        /// Limit in bytes.
        limit: usize,
        /// Limit in components.
        components: usize,
    },
    /// The path has a control or format character, a NUL or a line break.
    ControlCharacter {
        /// Escaped path.
        path: String,
        /// The character, as `U+202E`.
        character: String,
    },
    /// The path starts with `~`.
    Tilde {
        /// The path.
        path: String,
        /// Home folder that the tilde would stand for.
        home: Option<String>,
    },
    /// The path starts with a variable.
    Variable {
        /// The path.
        path: String,
    },
    /// The path has a `scheme:/` prefix, or a drive on a system without drives.
    Scheme {
        /// The path.
        path: String,
    },
    /// The path has percent-encoding that does not decode to text.
    Encoding {
        /// The path.
        path: String,
    },
    /// The path is outside of the root.
    OutsideRoot {
        /// The path.
        path: String,
        /// Resolved path.
        target: String,
        /// The root.
        root: String,
    },
    /// Links on the path lead in a circle, or there are too many of them.
    Loop {
        /// The path.
        path: String,
        /// Limit of links.
        limit: usize,
    },
    /// The path is a fifo, a socket or a device.
    Special {
        /// The path.
        path: String,
    },
    /// The path has a name that Windows reserves for a device, or a short name for another file.
    ReservedName {
        /// The path.
        path: String,
        /// The name.
        name: String,
    },
    /// The path is a device path, a network path, or relative to a drive's own folder.
    DevicePath {
        /// The path.
        path: String,
    },
    /// The path is a stream of a file on Windows, as in `a.txt:b`.
    Stream {
        /// The path.
        path: String,
    },
    /// The file system returned an error, so the target of the path is unknown.
    Unreadable {
        /// Part of the path that was requested.
        path: String,
        /// Error of the system.
        kind: io::ErrorKind,
    },
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path is empty; name a file"),
            Self::RelativeRoot { root } => {
                write!(
                    f,
                    "the root `{root}` is relative; the host has to give the working directory as an absolute path"
                )
            }
            Self::TooLong { limit, components } => write!(
                f,
                "the path is longer than {limit} bytes or {components} components; use a shorter one"
            ),
            Self::ControlCharacter { path, character } => {
                write!(f, "`{path}` holds the invisible character {character}; leave it out")
            }
            Self::Tilde { path, home } => write!(
                f,
                "`{path}` begins with `~`{}; write the path relative to the root",
                expansion(home.as_deref())
            ),
            Self::Variable { path } => {
                write!(f, "`{path}` begins with a variable; write out what it stands for")
            }
            Self::Scheme { path } => write!(f, "`{path}` is an address; write a path relative to the root"),
            Self::Encoding { path } => {
                write!(f, "`{path}` holds percent-encoding that is not valid UTF-8; write the name itself")
            }
            Self::OutsideRoot { path, target, root } => {
                write!(f, "`{path}` leads to `{target}`, outside of `{root}`; use a path below it")
            }
            Self::Loop { path, limit } => write!(
                f,
                "`{path}` has links that lead in a circle, or more than {limit}; use the file's own path"
            ),
            Self::Special { path } => {
                write!(f, "`{path}` is a fifo, a socket or a device; use an ordinary file")
            }
            Self::ReservedName { path, name } => write!(
                f,
                "`{name}` in `{path}` stands for a device or another file on Windows; use another name"
            ),
            Self::DevicePath { path } => write!(
                f,
                "`{path}` is a network, device or drive-relative path; write it relative to the root"
            ),
            Self::Stream { path } => write!(f, "`{path}` names a stream of a file; use a name without `:`"),
            Self::Unreadable { path, kind } => {
                write!(f, "`{path}` cannot be looked at ({kind}); make it readable, or use another path")
            }
        }
    }
}

impl std::error::Error for PathError {}

fn expansion(home: Option<&str>) -> String {
    home.map(|home| format!(", which stands for `{home}`")).unwrap_or_default()
}

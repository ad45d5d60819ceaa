//! Why a path is no plain path below the root.

use std::fmt;
use std::io;

/// What makes a path unfit; each says the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// Nothing in it.
    Empty,
    /// Longer than any system takes.
    TooLong {
        /// The limit in bytes.
        limit: usize,
        /// The limit in components.
        components: usize,
    },
    /// A control or format character, a NUL or a line break.
    ControlCharacter {
        /// The path, escaped.
        path: String,
        /// The character, as `U+202E`.
        character: String,
    },
    /// A leading `~`.
    Tilde {
        /// The path.
        path: String,
        /// The home it would stand for.
        home: Option<String>,
    },
    /// A leading variable.
    Variable {
        /// The path.
        path: String,
    },
    /// A `scheme:/` prefix, or a drive where there are none.
    Scheme {
        /// The path.
        path: String,
    },
    /// Percent-encoding that stands for no text.
    Encoding {
        /// The path.
        path: String,
    },
    /// A place outside of the root.
    OutsideRoot {
        /// The path.
        path: String,
        /// Where it leads.
        target: String,
        /// The root.
        root: String,
    },
    /// Links that lead in a circle, or too many of them.
    Loop {
        /// The path.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// A fifo, a socket or a device.
    Special {
        /// The path.
        path: String,
    },
    /// A name that Windows keeps for a device, or a short name for another file.
    ReservedName {
        /// The path.
        path: String,
        /// The name.
        name: String,
    },
    /// A device path, a network path, or a path relative to a drive's own folder.
    DevicePath {
        /// The path.
        path: String,
    },
    /// A stream of a file on Windows, as in `a.txt:b`.
    Stream {
        /// The path.
        path: String,
    },
    /// The file system gives no answer, so that nobody knows what is there.
    Unreadable {
        /// The part that was asked for.
        path: String,
        /// What the system says.
        kind: io::ErrorKind,
    },
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path is empty; name a file"),
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
                write!(f, "`{path}` holds percent-encoding that is no text; write the name itself")
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

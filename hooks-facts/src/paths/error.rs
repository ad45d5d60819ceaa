//! Why a path is no plain path below the root.

use std::io;

use thiserror::Error;

/// What makes a path unfit; each says the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// Nothing in it.
    #[error("the path is empty; name a file")]
    Empty,
    /// Longer than any system takes.
    #[error("the path is longer than {limit} bytes or {components} components; use a shorter one")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
        /// The limit in components.
        components: usize,
    },
    /// A control or format character, a NUL or a line break.
    #[error("`{path}` holds the invisible character {character}; leave it out")]
    ControlCharacter {
        /// The path, escaped.
        path: String,
        /// The character, as `U+202E`.
        character: String,
    },
    /// A leading `~`.
    #[error("`{path}` begins with `~`{}; write the path relative to the root", expansion(.home.as_deref()))]
    Tilde {
        /// The path.
        path: String,
        /// The home it would stand for.
        home: Option<String>,
    },
    /// A leading variable.
    #[error("`{path}` begins with a variable; write out what it stands for")]
    Variable {
        /// The path.
        path: String,
    },
    /// A `scheme:/` prefix, or a drive where there are none.
    #[error("`{path}` is an address; write a path relative to the root")]
    Scheme {
        /// The path.
        path: String,
    },
    /// Percent-encoding that stands for no text.
    #[error("`{path}` holds percent-encoding that is no text; write the name itself")]
    Encoding {
        /// The path.
        path: String,
    },
    /// A place outside of the root.
    #[error("`{path}` leads to `{target}`, outside of `{root}`; use a path below it")]
    OutsideRoot {
        /// The path.
        path: String,
        /// Where it leads.
        target: String,
        /// The root.
        root: String,
    },
    /// Links that lead in a circle, or too many of them.
    #[error("`{path}` has links that lead in a circle, or more than {limit}; use the file's own path")]
    Loop {
        /// The path.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// A fifo, a socket or a device.
    #[error("`{path}` is a fifo, a socket or a device; use an ordinary file")]
    Special {
        /// The path.
        path: String,
    },
    /// A name that Windows keeps for a device, or a short name for another file.
    #[error("`{name}` in `{path}` stands for a device or another file on Windows; use another name")]
    ReservedName {
        /// The path.
        path: String,
        /// The name.
        name: String,
    },
    /// A device path, a network path, or a path relative to a drive's own folder.
    #[error("`{path}` is a network, device or drive-relative path; write it relative to the root")]
    DevicePath {
        /// The path.
        path: String,
    },
    /// A stream of a file on Windows, as in `a.txt:b`.
    #[error("`{path}` names a stream of a file; use a name without `:`")]
    Stream {
        /// The path.
        path: String,
    },
    /// The file system gives no answer, so that nobody knows what is there.
    #[error("`{path}` cannot be looked at ({kind}); make it readable, or use another path")]
    Unreadable {
        /// The part that was asked for.
        path: String,
        /// What the system says.
        kind: io::ErrorKind,
    },
}

fn expansion(home: Option<&str>) -> String {
    home.map(|home| format!(", which stands for `{home}`")).unwrap_or_default()
}

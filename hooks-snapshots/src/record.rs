//! Records of commands.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::SnapshotError;

/// The cause of a change: a command, or a call of a tool.
///
/// ```
/// use hooks_snapshots::Origin;
///
/// let origin = Origin::from("make test").in_session("session-1").of_call("call-7");
/// assert_eq!((&*origin.label, &*origin.session, &*origin.call), ("make test", "session-1", "call-7"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Origin {
    /// Description for a person: the command, or the tool and its files.
    pub label: String,
    /// Id of the session of the agent; empty if a person started the command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Id that the client gave the call; empty if it gave none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
}

impl Origin {
    /// Sets the session.
    #[must_use]
    pub fn in_session(mut self, session: impl Into<String>) -> Self {
        self.session = session.into();
        self
    }

    /// Sets the call.
    #[must_use]
    pub fn of_call(mut self, call: impl Into<String>) -> Self {
        self.call = call.into();
        self
    }
}

impl From<&str> for Origin {
    fn from(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }
}

/// A command or a call, with the snapshots around it.
///
/// ```
/// use hooks_snapshots::Record;
///
/// fn state(record: &Record) -> &'static str {
///     if record.is_undone { "undone" } else if record.has_ended() { "ended" } else { "did not end" }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Name by which `hooks undo` finds it.
    pub id: String,
    /// Position in the order of commands.
    pub number: u64,
    /// Milliseconds since 1970 at which it began.
    pub at: u64,
    /// The command or call.
    #[serde(flatten)]
    pub origin: Origin,
    /// The files that a call named, relative to the workspace; the snapshots have only these. Empty for a command, whose snapshots
    /// have all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// Digest of the tree before it.
    pub(crate) before: String,
    /// Digest of the tree after it; `None` if it did not end.
    pub(crate) after: Option<String>,
    /// The command that this undid; `None` for a command.
    pub undoes: Option<String>,
    /// Whether it was undone.
    pub is_undone: bool,
}

impl Record {
    /// Whether the snapshot after it was taken.
    pub const fn has_ended(&self) -> bool {
        self.after.is_some()
    }

    /// Whether this is a call that waits for its end, in the same session. A call without an id is found by its description.
    pub(crate) fn waits_for(&self, origin: &Origin) -> bool {
        let is_call = match origin.call.is_empty() {
            true => self.origin.label == origin.label,
            false => self.origin.call == origin.call,
        };
        !self.has_ended() && !self.files.is_empty() && self.origin.session == origin.session && is_call
    }

    pub(crate) fn place(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:012}-{}.json", self.number, self.id))
    }

    pub(crate) fn trees(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.before).chain(&self.after)
    }
}

/// All records of a folder, oldest first. Files of another form are no records.
pub(crate) fn all(folder: &Path) -> Result<Vec<Record>, SnapshotError> {
    newest(folder, usize::MAX).map(|mut found| {
        found.reverse();
        found
    })
}

/// The newest records of a folder, at most so many, the newest first.
pub(crate) fn newest(folder: &Path, most: usize) -> Result<Vec<Record>, SnapshotError> {
    let mut places = Vec::new();
    for entry in fs::read_dir(folder).map_err(SnapshotError::io(folder))? {
        places.push(entry.map_err(SnapshotError::io(folder))?.path());
    }
    places.retain(|place| place.extension().is_some_and(|end| end == "json"));
    places.sort();
    let mut found = Vec::new();
    for place in places.iter().rev().take(most) {
        match fs::read(place) {
            Ok(bytes) => found.extend(serde_json::from_slice::<Record>(&bytes).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(SnapshotError::io(place)(error)),
        }
    }
    Ok(found)
}

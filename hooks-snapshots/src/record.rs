//! Records of commands.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::SnapshotError;

/// A command, with the snapshots around it.
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
    /// Description for a person: the command.
    pub label: String,
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

    pub(crate) fn place(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:012}-{}.json", self.number, self.id))
    }

    pub(crate) fn trees(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.before).chain(&self.after)
    }
}

/// All records of a folder, oldest first. Files of another form are no records.
pub(crate) fn all(folder: &Path) -> Result<Vec<Record>, SnapshotError> {
    let mut places = Vec::new();
    for entry in fs::read_dir(folder).map_err(SnapshotError::io(folder))? {
        places.push(entry.map_err(SnapshotError::io(folder))?.path());
    }
    places.sort();
    let mut found = Vec::new();
    for place in places.iter().filter(|place| place.extension().is_some_and(|end| end == "json")) {
        match fs::read(place) {
            Ok(bytes) => found.extend(serde_json::from_slice::<Record>(&bytes).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(SnapshotError::io(place)(error)),
        }
    }
    Ok(found)
}

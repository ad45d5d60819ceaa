//! Internal errors, and their messages.

use std::io;
use std::path::Path;

use hooks_core::state::StoreError;
use rusqlite::ErrorCode;

/// The reason why a transaction failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// An error of SQLite.
    Sql(rusqlite::Error),
    /// A file operation failed.
    Io(io::Error),
    /// A row is invalid, although the file is intact.
    Row(String),
    /// The file was written by another version of this program.
    Version(i64),
    /// The file is a database of another program.
    Foreign,
    /// A store was kept in the file, and the file is empty or missing.
    Lost,
    /// The store that was used before is missing or is another one, with a message.
    Forgotten(String),
    /// The witness of the identity failed.
    Witness(StoreError),
    /// The file is missing or is another one than the one that was opened.
    Replaced,
    /// A rollback journal is beside the file, which no process of the store has left.
    Journal,
    /// The file is not on a local disk.
    Disk,
    /// The store was closed before, for this reason.
    Closed(String),
    /// The engine does not know this operation.
    Unsupported,
}

impl Fault {
    /// Whether the fault means that the data is damaged.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Lost | Self::Row(_) | Self::Sql(rusqlite::Error::FromSqlConversionFailure(..)) => true,
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => {
                matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            }
            _ => false,
        }
    }

    /// Whether a wait timed out.
    pub(super) fn is_busy(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == io::ErrorKind::TimedOut,
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => {
                matches!(error.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            }
            _ => false,
        }
    }

    /// Describes the damage in a few words.
    pub(super) fn damage(&self) -> String {
        match self {
            Self::Sql(error) => error.to_string(),
            Self::Row(what) => format!("no version of this program writes {what}"),
            _ => "a store was kept in it, and it holds nothing".to_owned(),
        }
    }

    /// Returns the error for the caller, about the store at `path`.
    pub(super) fn told(&self, path: &Path) -> StoreError {
        let path = path.display();
        let sqlite_code = match self {
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => Some(error.code),
            _ => None,
        };
        match (self, sqlite_code) {
            (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => StoreError::Unavailable(
                format!("`{path}` is busy: another program has a transaction open on it; end that program"),
            ),
            (_, Some(ErrorCode::DiskFull)) => {
                StoreError::Unavailable(format!("`{path}`: the disk is full; free some space"))
            }
            (_, Some(ErrorCode::SystemIoFailure)) => StoreError::Unavailable(format!(
                "its disk cannot read or write `{path}`; see whether the disk is there and whole"
            )),
            (_, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)) => {
                StoreError::Unavailable(format!(
                    "`{path}` cannot be opened for writing; see who may write there, or name another file"
                ))
            }
            (Self::Sql(error), _) => StoreError::Unavailable(format!("SQLite reports for `{path}`: {error}")),
            (Self::Io(error), _) if error.kind() == io::ErrorKind::TimedOut => {
                StoreError::Unavailable(format!(
                    "`{path}` is locked: {error}; see whether one is stopped (`fuser {path}.lock` names them)"
                ))
            }
            (Self::Io(error), _) => StoreError::Unavailable(format!("`{path}`: {error}")),
            (Self::Lost | Self::Row(_), _) => {
                StoreError::Closed(format!("`{path}` is damaged: {}", self.damage()))
            }
            (Self::Version(version), _) => StoreError::Unavailable(format!(
                "`{path}` has schema {version}, this program knows {}; run the same version of it everywhere",
                super::schema::VERSION
            )),
            (Self::Foreign, _) => StoreError::Unavailable(format!(
                "`{path}` is a database of another program; name another file"
            )),
            (Self::Replaced, _) => StoreError::Unavailable(format!(
                "`{path}` was moved, deleted or replaced while it was open; put it back, or start this program \
                 anew"
            )),
            (Self::Journal, _) => StoreError::Unavailable(format!(
                "`{path}-journal` would change the store back, and only another program can have made it; find out which, and \
                 remove that file"
            )),
            (Self::Disk, _) => StoreError::Unavailable(format!(
                "`{path}` is not on a disk of this machine, which processes need to share it; name another file"
            )),
            (Self::Forgotten(what), _) => StoreError::Closed(what.clone()),
            (Self::Witness(error), _) => error.clone(),
            (Self::Closed(reason), _) => StoreError::Closed(reason.clone()),
            (Self::Unsupported, _) => StoreError::Unsupported,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

//! Errors of snapshots.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a snapshot cannot be taken or restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A file or folder cannot be used.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The folder is no workspace: a home, or the root of the disk.
    NotAWorkspace(PathBuf),
    /// There are too many files.
    TooMany {
        /// Files and folders that a snapshot may have.
        most: usize,
    },
    /// The contents of one snapshot exceed the quota.
    TooLarge {
        /// The quota, in bytes.
        quota: u64,
    },
    /// A stored file is missing, or has another content.
    Damaged(PathBuf),
    /// No snapshot has this id.
    Unknown(String),
    /// These paths were changed later, so the undo would destroy newer work.
    ChangedLater(Vec<PathBuf>),
    /// The command did not end, so its changes cannot be separated from later ones.
    NoEnd(String),
    /// The command was undone already.
    Undone(String),
    /// Other processes use the store for longer than the caller waits.
    Busy,
}

impl SnapshotError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.to_path_buf(), source }
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "`{}` cannot be used: {source}", path.display()),
            Self::NotAWorkspace(path) => write!(
                f,
                "`{}` is a home or the root of the disk; put the rules into the folder of a project",
                path.display()
            ),
            Self::TooMany { most } => {
                write!(f, "the workspace has more than {most} files and folders; a snapshot cannot have more")
            }
            Self::TooLarge { quota } => {
                let megabytes = quota / (1 << 20);
                write!(
                    f,
                    "the files of the workspace exceed the quota of {megabytes} MB; raise `effects.quota_mb`"
                )
            }
            Self::Damaged(path) => write!(
                f,
                "the stored file `{}` is missing or damaged, so nothing was changed; undo an older command",
                path.display()
            ),
            Self::Unknown(id) => {
                write!(f, "no command has the id `{id}`; `hooks snapshots` lists all")
            }
            Self::ChangedLater(paths) => {
                write!(f, "these were changed later, so nothing was undone; `--force` overwrites them:")?;
                paths.iter().try_for_each(|path| write!(f, "\n  {}", path.display()))
            }
            Self::NoEnd(id) => write!(
                f,
                "the command `{id}` did not end, so its changes cannot be separated from later ones; `--force` undoes both"
            ),
            Self::Busy => f.write_str("another process is taking or restoring a snapshot"),
            Self::Undone(id) => {
                write!(f, "the command `{id}` was undone already; `--force` restores it again")
            }
        }
    }
}

impl std::error::Error for SnapshotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

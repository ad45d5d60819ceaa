//! What a file is told by: where it is, how long, when it was changed, what is in it.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// What a file looks like from outside. Two looks that differ are of two files, or of two states of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// Whether it is an ordinary file.
    pub is_file: bool,
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// How many names it has.
    pub names: u64,
    /// Its length in bytes.
    pub length: u64,
    /// When its content was changed, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything about it was changed, which nobody can set.
    pub changed: i128,
}

/// Asks a file system what files look like. Links are followed, as the tool follows them.
pub trait Stamps: Send + Sync {
    /// What the file at `path` looks like; `None` where nothing stands.
    ///
    /// # Errors
    /// Whatever the system answers.
    fn look(&self, path: &Path) -> io::Result<Option<Look>>;

    /// The SHA-256 of the file at `path`, which is `limit` bytes long at most.
    ///
    /// # Errors
    /// `FileTooLarge` if it is longer, and whatever the system answers.
    fn digest(&self, path: &Path, limit: u64) -> io::Result<[u8; 32]>;

    /// `path` without links, `.` and `..`; it has to exist.
    ///
    /// # Errors
    /// Whatever the system answers, also that nothing stands there.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
}

/// The files of this machine. A look is one `stat`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemStamps;

impl Stamps for SystemStamps {
    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        match path.metadata() {
            Ok(metadata) => Ok(Some(look(&metadata))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn digest(&self, path: &Path, limit: u64) -> io::Result<[u8; 32]> {
        // Asked before it is opened, because opening a fifo waits.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not an ordinary file"));
        }
        let (mut file, mut digest, mut length) =
            (File::open(path)?.take(limit.saturating_add(1)), Sha256::new(), 0);
        let mut part = vec![0; 64 << 10];
        loop {
            match file.read(&mut part)? {
                0 => return Ok(digest.finalize().into()),
                read => {
                    length += read as u64;
                    digest.update(part.get(..read).unwrap_or_default());
                }
            }
            if length > limit {
                return Err(ErrorKind::FileTooLarge.into());
            }
        }
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }
}

#[cfg(unix)]
fn look(metadata: &std::fs::Metadata) -> Look {
    use std::os::unix::fs::MetadataExt;

    let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    Look {
        is_file: metadata.is_file(),
        device: metadata.dev(),
        inode: metadata.ino(),
        names: metadata.nlink(),
        length: metadata.len(),
        modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    }
}

/// Elsewhere the standard library does not tell files apart, nor when a time was set back: a file always looks as
/// if it was changed just now, so that its content decides.
#[cfg(not(unix))]
fn look(metadata: &std::fs::Metadata) -> Look {
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX));
    let length = metadata.len();
    Look { is_file: metadata.is_file(), names: 1, length, modified, changed: i128::MAX, ..Look::default() }
}

//! State of a file as the file system reports it: inode, length, times; and its content.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Metadata of a file. Two different values mean two files, or two states of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// Whether it is an ordinary file.
    pub is_file: bool,
    /// Device that holds the file.
    pub device: u64,
    /// Inode number on that device.
    pub inode: u64,
    /// Number of its names (hard links).
    pub names: u64,
    /// Length in bytes.
    pub length: u64,
    /// Time of the last change of content, in nanoseconds since 1970.
    pub modified: i128,
    /// Time of the last change of content or metadata, in nanoseconds since 1970; programs cannot set it.
    pub changed: i128,
}

/// Reads the state of files. Links are followed, as tools follow them.
///
/// An implementation for files that are stored elsewhere:
///
/// ```
/// use std::io;
/// use std::path::{Path, PathBuf};
/// use hooks_cache::{CacheConfig, Look, ResultCache, Stamps};
///
/// struct Remote;
///
/// impl Stamps for Remote {
///     fn look(&self, path: &Path) -> io::Result<Option<Look>> {
///         let mut look = Look::default();
///         (look.is_file, look.length) = (true, 3);
///         Ok(path.starts_with("/shared").then_some(look))
///     }
///
///     fn digest(&self, _path: &Path, _limit: u64) -> io::Result<[u8; 32]> {
///         // Without a digest, a recently changed file is not cached.
///         Err(io::ErrorKind::Unsupported.into())
///     }
///
///     fn real(&self, path: &Path) -> io::Result<PathBuf> {
///         Ok(path.to_owned())
///     }
/// }
///
/// let cache = ResultCache::new(CacheConfig::new())?.with_files(Remote);
/// assert_eq!(cache.counts().results, 0);
/// # Ok::<(), hooks_cache::CacheConfigError>(())
/// ```
pub trait Stamps: Send + Sync {
    /// Returns the metadata of the file at `path`; `None` if there is no file.
    ///
    /// # Errors
    /// Returns the error of the system if the metadata cannot be read.
    fn look(&self, path: &Path) -> io::Result<Option<Look>>;

    /// Returns the SHA-256 of the file at `path`, which has at most `limit` bytes.
    ///
    /// # Errors
    /// Returns `FileTooLarge` if the file is longer than `limit`; otherwise the error of the system if it
    /// cannot be read.
    fn digest(&self, path: &Path, limit: u64) -> io::Result<[u8; 32]>;

    /// Returns `path` without links, `.` and `..`; it has to exist.
    ///
    /// # Errors
    /// Returns the error of the system, also if `path` does not exist.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
}

/// The files of this machine. A look costs one `stat`.
///
/// ```
/// use std::io::ErrorKind;
/// use hooks_cache::{Stamps, SystemStamps};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt");
/// assert_eq!(SystemStamps.look(&path)?, None);
/// std::fs::write(&path, "abc")?;
/// assert_eq!(SystemStamps.look(&path)?.map(|look| look.length), Some(3));
/// // The limit protects against reading a huge file.
/// assert_eq!(SystemStamps.digest(&path, 2).map_err(|error| error.kind()), Err(ErrorKind::FileTooLarge));
/// # Ok::<(), std::io::Error>(())
/// ```
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
        // Checked before the file is opened, because opening a fifo blocks.
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

/// On other systems the standard library has no inode numbers and no time that programs cannot set. The
/// change time is always in the future there, so that the content decides.
#[cfg(not(unix))]
fn look(metadata: &std::fs::Metadata) -> Look {
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX));
    let length = metadata.len();
    Look { is_file: metadata.is_file(), names: 1, length, modified, changed: i128::MAX, ..Look::default() }
}

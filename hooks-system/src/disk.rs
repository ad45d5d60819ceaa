//! The system's files, read and written.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use hooks_core::fs::{Disk, DiskLock};
use hooks_core::time::{Clock, Random};

use super::access::Access;
use super::{StdFileSystem, SystemClock, SystemRandom};

/// First and last pause between tries to take a lock; each pause doubles the one before.
const PAUSES: (Duration, Duration) = (Duration::from_micros(250), Duration::from_millis(16));

/// Most times that a file may be replaced while it is being opened.
const REPLACED: u32 = 64;

impl Disk for StdFileSystem {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        // Other processes may replace the file meanwhile; each failed try means that one of them made
        // progress.
        for _ in 0..REPLACED {
            // Checked before the file is opened, because opening a fifo blocks.
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_file() => {}
                Ok(_) => return Err(not_a_file()),
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
            let file = match File::open(path) {
                Ok(file) => file,
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => return Err(error),
            };
            if !is_at(&file, path)? {
                continue;
            }
            let length = file.metadata()?.len().min(limit);
            let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
            if file.take(limit.saturating_add(1)).read_to_end(&mut content)? as u64 > limit {
                return Err(ErrorKind::FileTooLarge.into());
            }
            return Ok(Some(content));
        }
        Err(io::Error::new(ErrorKind::ResourceBusy, "the file was replaced each time it was opened"))
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<OsString>>> {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(ErrorKind::NotADirectory.into()),
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut names =
            fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok(Some(names))
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        create_directory(path, Access::Umask)
    }

    fn create(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        create(path, content, Access::Umask)
    }

    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = grown(path, Access::Umask)?;
        file.write_all(content)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    #[cfg(unix)]
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        match File::open(path)?.sync_all() {
            // Some network file systems cannot do this, and write names through by themselves.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
            synced => synced,
        }
    }

    /// On other systems a folder cannot be opened as a file; the system journals its names.
    #[cfg(not(unix))]
    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, path: &Path, wait: Duration) -> io::Result<DiskLock> {
        lock(path, wait, Access::Umask)
    }
}

/// Creates the folder at `path` if it is missing.
pub(super) fn create_directory(path: &Path, access: Access) -> io::Result<()> {
    let mut folder = DirBuilder::new();
    access.of_folder(path, &mut folder);
    match folder.create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.symlink_metadata()?.is_dir() => Ok(()),
        made => made,
    }
}

/// Creates a file and writes it through to the device.
pub(super) fn create(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    // `create_new` never follows a link.
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    access.of_file(path, &mut options);
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// The file at `path`, opened for appending; created if it is missing.
pub(super) fn grown(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    open(path, options, access)
}

/// Locks the file at `path`, which is created if it is missing.
pub(super) fn lock(path: &Path, wait: Duration, access: Access) -> io::Result<DiskLock> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = open(path, options, access)?;
    let start = SystemClock.tick();
    let mut pause = PAUSES.0;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(DiskLock::new(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if SystemClock.tick().since(start) >= wait {
            return Err(ErrorKind::TimedOut.into());
        }
        // A random part between half and all of the pause, so that waiting processes do not retry in step.
        let part = (SystemRandom.next_u64() % 1_024) as u32;
        sleep(pause / 2 + pause / 2 * part / 1_024);
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Opens an ordinary file, which `options` may create. A link is refused.
fn open(path: &Path, mut options: OpenOptions, access: Access) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => return Err(not_a_file()),
        Ok(_) => {}
        Err(_) => access.of_file(path, &mut options),
    }
    let file = options.open(path)?;
    if is_at(&file, path)? { Ok(file) } else { Err(not_a_file()) }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a lock between processes is waited for here only, and tests have another disk"
)]
fn sleep(pause: Duration) {
    std::thread::sleep(pause);
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

pub(super) fn not_a_file() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "not an ordinary file")
}

/// Returns whether `file` is the one at `path`, and not the target of a link there.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let opened = file.metadata()?;
    match path.symlink_metadata() {
        Ok(named) => Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino())),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// On other systems the standard library does not identify files. The caller has checked that the name is not
/// a link.
#[cfg(not(unix))]
pub(super) fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        let disk = StdFileSystem;
        assert_eq!(disk.read(&at("file"), 4).unwrap().unwrap(), b"text");
        assert_eq!(disk.read(&at("file"), 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(disk.read(&at("missing"), 3).unwrap(), None);
        assert_eq!(disk.read(&at("link"), 9).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert!(disk.append(&at("link"), b"more").is_err());
        assert!(disk.create(&at("link"), b"more").is_err());
        assert!(disk.lock(&at("link"), Duration::ZERO).is_err());
        assert!(disk.read(dir.path(), 9).is_err());
        assert_eq!(fs::read(at("file")).unwrap(), b"text");
    }

    #[test]
    fn a_file_is_made_named_and_taken_away() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let disk = StdFileSystem;
        disk.create_directory(&at("d")).unwrap();
        disk.create_directory(&at("d")).unwrap();
        disk.create(&at("d/a"), b"a").unwrap();
        disk.append(&at("d/a"), b"b").unwrap();
        disk.link(&at("d/a"), &at("d/b")).unwrap();
        assert_eq!(disk.link(&at("d/a"), &at("d/b")).unwrap_err().kind(), ErrorKind::AlreadyExists);
        disk.rename(&at("d/a"), &at("d/c")).unwrap();
        disk.sync_directory(&at("d")).unwrap();
        assert_eq!(disk.list(&at("d")).unwrap().unwrap(), ["b", "c"]);
        disk.remove(&at("d/b")).unwrap();
        assert_eq!(disk.read(&at("d/c"), 9).unwrap().unwrap(), b"ab");
        assert_eq!(disk.list(&at("none")).unwrap(), None);
        assert!(disk.create_directory(&at("d/c")).is_err());
    }

    #[test]
    fn a_lock_excludes_others_also_within_a_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = StdFileSystem.lock(&path, Duration::ZERO).unwrap();
        let wait = Duration::from_millis(2);
        assert_eq!(StdFileSystem.lock(&path, wait).unwrap_err().kind(), ErrorKind::TimedOut);
        drop(held);
        drop(StdFileSystem.lock(&path, Duration::ZERO).unwrap());
    }
}

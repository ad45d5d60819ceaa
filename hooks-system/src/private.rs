//! The system's files, for content that only its owner may read: the audit log.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_core::fs::{Disk, DiskLock, Entry, FileSystem, LogDisk, LogFile};

use super::StdFileSystem;
use super::access::Access;
use super::disk::{create, create_directory, grown, lock};
use super::log::Growing;

/// The files of this machine as in [`StdFileSystem`], but new files and folders are for their owner alone:
/// files have mode 0600, folders 0700. In a folder with the set-group-ID bit, the group has what the umask
/// allows. Existing files keep their mode.
///
/// ```
/// # #[cfg(unix)] {
/// use std::os::unix::fs::PermissionsExt;
/// use hooks_core::fs::Disk;
/// use hooks_system::PrivateFileSystem;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("record");
/// PrivateFileSystem.create(&file, b"one")?;
/// assert_eq!(file.metadata()?.permissions().mode() & 0o777, 0o600);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PrivateFileSystem;

impl FileSystem for PrivateFileSystem {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        StdFileSystem.entry(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        StdFileSystem.read_link(path)
    }
}

impl Disk for PrivateFileSystem {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        StdFileSystem.read(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<OsString>>> {
        StdFileSystem.list(path)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        create_directory(path, Access::Private)
    }

    fn create(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        create(path, content, Access::Private)
    }

    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = grown(path, Access::Private)?;
        file.write_all(content)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        StdFileSystem.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        StdFileSystem.link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        StdFileSystem.remove(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        StdFileSystem.sync_directory(path)
    }

    fn lock(&self, path: &Path, wait: Duration) -> io::Result<DiskLock> {
        lock(path, wait, Access::Private)
    }
}

impl LogDisk for PrivateFileSystem {
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(Growing(grown(path, Access::Private)?)))
    }

    fn read_part(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Option<Vec<u8>>> {
        StdFileSystem.read_part(path, offset, limit)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_made_is_its_owners_unless_its_folder_says_that_it_is_the_groups() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        let disk = PrivateFileSystem;
        fs::write(at("old"), "").unwrap();
        fs::set_permissions(at("old"), Permissions::from_mode(0o644)).unwrap();
        let make = |folder: &str| {
            let at = |name: &str| at(folder).join(name);
            disk.create_directory(&at("folder")).unwrap();
            disk.create(&at("made"), b"").unwrap();
            disk.append(&at("added"), b"").unwrap();
            drop(disk.lock(&at("lock"), Duration::ZERO).unwrap());
            disk.open_log(&at("log")).unwrap().append(b"1").unwrap();
        };
        make("");
        disk.append(&at("old"), b"1").unwrap();
        disk.open_log(&at("old")).unwrap().append(b"2").unwrap();
        assert_eq!((mode("old"), mode("folder")), (0o644, 0o700));
        for name in ["made", "added", "lock", "log"] {
            assert_eq!(mode(name), 0o600, "{name}");
        }
        fs::set_permissions(at("folder"), Permissions::from_mode(0o2750)).unwrap();
        make("folder");
        for name in ["folder/made", "folder/added", "folder/lock", "folder/log"] {
            // The umask decides whether the group may write.
            assert_eq!(mode(name) & 0o647, 0o640, "{name}");
        }
        assert_eq!(mode("folder/folder") & 0o757, 0o750);
    }
}

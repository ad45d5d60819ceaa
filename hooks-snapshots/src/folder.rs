//! A folder of the workspace that stays the same while its name may get another one.
//!
//! Other commands may run in the workspace. One could replace a folder by a link at any time, and by a path a file elsewhere would be
//! kept, written or removed.

use std::ffi::OsStr;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::tree::{as_path, parent};

/// Longest name of a folder, in bytes. In a chain of folders, the lengths of the names add up to the square of their number.
const LONGEST: usize = 4_096;

/// An open folder. Its own rights are not needed to open it.
#[derive(Debug)]
pub(crate) struct Folder {
    #[cfg(target_os = "linux")]
    _descriptor: std::os::fd::OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder with this name below the root.
    ///
    /// # Errors
    /// Returns an error if a part of the name is a link or no folder.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(root: &Path, name: &[u8]) -> io::Result<Self> {
        use std::os::fd::AsRawFd;

        use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat, openat2};
        use rustix::io::Errno;

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut descriptor = open(root, flags, Mode::empty())?;
        let name = as_path(name);
        if name.as_os_str().len() >= LONGEST {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        match openat2(&descriptor, name, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // An old kernel, or a container that forbids the call.
            Err(Errno::NOSYS | Errno::PERM) => {
                for part in name {
                    descriptor = openat(&descriptor, part, flags, Mode::empty())?;
                }
            }
            _ if name.as_os_str().is_empty() => {}
            opened => descriptor = opened?,
        }
        let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd()).into();
        Ok(Self { _descriptor: descriptor, path })
    }

    /// No command runs in a sandbox here, so none gains anything by a link.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(root: &Path, name: &[u8]) -> io::Result<Self> {
        let mut path = root.to_path_buf();
        if name.len() >= LONGEST {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        for part in as_path(name) {
            path.push(part);
            if !path.symlink_metadata()?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        Ok(Self { path })
    }

    /// Opens the folder of a file; returns it, and a path of the file that leads there as long as the folder is open.
    ///
    /// # Errors
    /// Returns an error if a part of the name of the folder is a link or no folder.
    pub(crate) fn above(root: &Path, name: &[u8]) -> io::Result<(Self, PathBuf)> {
        let above = parent(name).unwrap_or_default();
        let folder = Self::open(root, above)?;
        let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let path = folder.path.join(OsStr::from_bytes(last));
        Ok((folder, path))
    }

    pub(crate) fn about(&self) -> io::Result<Metadata> {
        fs::metadata(&self.path)
    }

    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        fs::set_permissions(&self.path, Permissions::from_mode(mode))
    }

    /// A path that leads to the folder, as long as it is open.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Sets the mode of a file, which is no link.
#[cfg(target_os = "linux")]
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{Mode, OFlags, open};

    let file = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // A path to an open link leads to the link, whose mode cannot be set.
    fs::set_permissions(path, Permissions::from_mode(mode))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

//! A folder that stays the same while its name may get another one.
//!
//! Commands of other agents may run in the same workspace. One could replace a folder by a link at any time, and what is removed
//! or changed by a path would be elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
const FLAGS: rustix::fs::OFlags = {
    use rustix::fs::OFlags;
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC)
};

/// An open folder. Its own rights are not needed to open it.
#[derive(Debug)]
pub(super) struct FolderHandle {
    #[cfg(target_os = "linux")]
    descriptor: std::os::fd::OwnedFd,
    path: PathBuf,
}

impl FolderHandle {
    /// Opens the folder at an absolute path.
    ///
    /// # Errors
    /// Returns `NotADirectory` if a part of the path is a link or no folder.
    #[cfg(target_os = "linux")]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        use std::path::Component;

        use rustix::fs::{Mode, open, openat};

        let mut components = path.components();
        if components.next() != Some(Component::RootDir) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut descriptor = open("/", FLAGS, Mode::empty())?;
        for component in components {
            let Component::Normal(name) = component else { return Err(ErrorKind::InvalidInput.into()) };
            descriptor = openat(&descriptor, name, FLAGS, Mode::empty())?;
        }
        Ok(Self::of_descriptor(descriptor))
    }

    #[cfg(target_os = "linux")]
    fn of_descriptor(descriptor: std::os::fd::OwnedFd) -> Self {
        use std::os::fd::AsRawFd;

        let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd()).into();
        Self { descriptor, path }
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// Returns `NotADirectory` if it is a link or no folder.
    #[cfg(target_os = "linux")]
    pub(super) fn inner(&self, name: &OsStr) -> io::Result<Self> {
        use rustix::fs::{Mode, openat};

        Ok(Self::of_descriptor(openat(&self.descriptor, name, FLAGS, Mode::empty())?))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn inner(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.file(name))
    }

    /// No command runs in a sandbox here, so none is beside another.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path)?.is_dir() {
            true => Ok(Self { path: path.to_path_buf() }),
            false => Err(ErrorKind::NotADirectory.into()),
        }
    }

    /// A path that leads to the folder, as long as the handle is open.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A path that leads to a file in the folder, as long as the handle is open.
    pub(super) fn file(&self, name: &OsStr) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn rights(&self) -> io::Result<fs::Permissions> {
        fs::metadata(&self.path).map(|of| of.permissions())
    }

    pub(super) fn set_rights(&self, rights: fs::Permissions) -> io::Result<()> {
        fs::set_permissions(&self.path, rights)
    }
}

/// The folder of a file, and the file's name.
pub(super) fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| ErrorKind::InvalidInput.into())
}

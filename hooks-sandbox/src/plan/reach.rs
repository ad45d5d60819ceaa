//! Names that are reached without following a link. A command can put a link in place of a folder, also another command while this
//! one is cleaned up after: by the name alone, the clean-up would change files that no command could.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A name in a folder that is open.
#[derive(Debug)]
pub(super) struct Reached {
    _folder: File,
    path: PathBuf,
}

impl Reached {
    /// Opens the folder of an absolute path.
    ///
    /// # Errors
    /// Returns an error if the folder is missing, or a part of the way to it is a link.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let (above, name) = path.parent().zip(path.file_name()).ok_or(ErrorKind::InvalidInput)?;
        let folder = open(above)?;
        let path = inside(&folder, above).join(name);
        Ok(Self { _folder: folder, path })
    }

    /// The name, as a path that leads through the open folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Rights on a folder.
pub(super) fn rights(folder: &Path) -> io::Result<Permissions> {
    Ok(open(folder)?.metadata()?.permissions())
}

/// Sets the rights on a folder.
pub(super) fn set_rights(folder: &Path, rights: Permissions) -> io::Result<()> {
    let opened = open(folder)?;
    fs::set_permissions(inside(&opened, folder), rights)
}

/// Opens an absolute path to a folder, part by part.
#[cfg(target_os = "linux")]
fn open(folder: &Path) -> io::Result<File> {
    use std::path::Component;

    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut parts = folder.components();
    if parts.next() != Some(Component::RootDir) {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut opened = openat(CWD, "/", flags, Mode::empty())?;
    for part in parts {
        let Component::Normal(name) = part else { return Err(ErrorKind::InvalidInput.into()) };
        opened = openat(&opened, name, flags, Mode::empty())?;
    }
    Ok(opened.into())
}

#[cfg(target_os = "linux")]
fn inside(opened: &File, _folder: &Path) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", opened.as_raw_fd()).into()
}

/// There is no sandbox here whose commands could be cleaned up after.
#[cfg(not(target_os = "linux"))]
fn open(_folder: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn inside(_opened: &File, folder: &Path) -> PathBuf {
    folder.to_path_buf()
}

//! Changes after a command: removes a file, restores a link or the rights on a folder.
//!
//! Each goes through a handle of the folder, so that it happens nowhere else.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::folder_handle::{FolderHandle, split};

/// Most rounds of a removal. Each removes one level of folders; another command may add some meanwhile.
const MOST_ROUNDS: usize = 1_000_000;

/// Removes a file or folder, also one that the command has closed. `path` has no link on its way.
pub(super) fn removed(path: &Path) -> io::Result<()> {
    let (folder, name) = split(path)?;
    let folder = FolderHandle::open(folder)?;
    match removed_in_open_folder(&folder, name) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let rights = opened(&folder)?;
            let done = removed_in_open_folder(&folder, name);
            folder.set_rights(rights)?;
            done
        }
        done => done,
    }
}

fn removed_in_open_folder(folder: &FolderHandle, name: &OsStr) -> io::Result<()> {
    let path = folder.file(name);
    // Neither follows a link.
    if path.symlink_metadata()?.is_dir() { removed_folder(folder, name) } else { fs::remove_file(path) }
}

/// Removes a folder whose inner folders may stand deeper in each other than files can be open: they are moved up first.
fn removed_folder(above: &FolderHandle, name: &OsStr) -> io::Result<()> {
    let folder = above.inner(name)?;
    drop(opened(&folder));
    let mut moved = 0_usize;
    for _ in 0..MOST_ROUNDS {
        let inner = emptied_of_files(&folder)?;
        if inner.is_empty() {
            return fs::remove_dir(above.file(name));
        }
        for name in inner {
            let inner = folder.inner(&name)?;
            for deeper in emptied_of_files(&inner)? {
                // Without its own rights, it cannot be moved.
                drop(inner.inner(&deeper).and_then(|deeper| opened(&deeper)));
                move_up(&inner.file(&deeper), &folder, &mut moved)?;
            }
            fs::remove_dir(folder.file(&name))?;
        }
    }
    Err(io::Error::other("another command adds folders to it"))
}

/// Gives the owner all rights on a folder, and removes the files in it; returns the names of the folders in it.
fn emptied_of_files(folder: &FolderHandle) -> io::Result<Vec<OsString>> {
    // If it stays closed, the removal fails and is reported.
    drop(opened(folder));
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => folders.push(entry.file_name()),
            false => fs::remove_file(entry.path())?,
        }
    }
    Ok(folders)
}

/// Moves a folder into another one, under a name that is free there.
fn move_up(from: &Path, to: &FolderHandle, moved: &mut usize) -> io::Result<()> {
    loop {
        *moved += 1;
        match fs::rename(from, to.file(format!(".removed-{moved}").as_ref())) {
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
            }
            done => return done,
        }
    }
}

/// Restores a folder that the command has removed, or replaced by a file or a link.
pub(super) fn restore_folder(path: &Path) -> io::Result<()> {
    let (folder, name) = split(path)?;
    let folder = FolderHandle::open(folder)?;
    let here = folder.file(name);
    match here.symlink_metadata() {
        Ok(of) if of.is_dir() => return Ok(()),
        Ok(_) => removed(path)?,
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    fs::create_dir(here)
}

/// Restores a link in an existing folder; returns whether it had to be.
pub(super) fn restore_link(link: &Path, target: &Path) -> io::Result<bool> {
    let (folder, name) = split(link)?;
    let folder = FolderHandle::open(folder)?;
    let here = folder.file(name);
    if fs::read_link(&here).is_ok_and(|now| now == target) {
        return Ok(false);
    }
    match removed(link) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    symlink(target, &here)?;
    Ok(true)
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn symlink(_target: &Path, _link: &Path) -> io::Result<()> {
    Err(io::Error::from(ErrorKind::Unsupported))
}

/// Gives a folder its rights back; returns whether they were others. A folder that the command has removed or moved has none.
pub(super) fn given_back(folder: &Path, rights: &Permissions) -> io::Result<bool> {
    let folder = match FolderHandle::open(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        folder => folder?,
    };
    if folder.rights()? == *rights {
        return Ok(false);
    }
    folder.set_rights(rights.clone()).map(|()| true)
}

/// Gives the owner all rights on a folder; returns those that it had.
pub(super) fn open_for_owner(folder: &Path) -> io::Result<Permissions> {
    opened(&FolderHandle::open(folder)?)
}

/// The same through a handle.
pub(super) fn opened(folder: &FolderHandle) -> io::Result<Permissions> {
    let rights = folder.rights()?;
    folder.set_rights(for_owner(&rights))?;
    Ok(rights)
}

#[cfg(unix)]
fn for_owner(rights: &Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(rights.mode() | 0o700)
}

#[cfg(not(unix))]
fn for_owner(rights: &Permissions) -> Permissions {
    rights.clone()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    use super::*;

    /// Settings outside of the workspace, and a link in the workspace where a folder was.
    fn replaced() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (outside, link) = (root.join("outside"), root.join("repo/sub"));
        fs::create_dir_all(outside.join(".claude")).unwrap();
        fs::create_dir(root.join("repo")).unwrap();
        fs::write(outside.join(".claude/settings.json"), "x").unwrap();
        symlink(&outside, &link).unwrap();
        (folder, outside, link)
    }

    #[test]
    fn nothing_is_changed_behind_a_link_in_place_of_a_folder() {
        let (_folder, outside, link) = replaced();
        for path in ["", ".claude"] {
            let rights = fs::metadata(outside.join(path)).unwrap().permissions();
            assert!(!given_back(&link.join(path), &Permissions::from_mode(0o777)).unwrap());
            assert!(open_for_owner(&link.join(path)).is_err());
            assert_eq!(fs::metadata(outside.join(path)).unwrap().permissions(), rights);
        }
        for path in [".claude", ".claude/settings.json"] {
            assert_eq!(removed(&link.join(path)).unwrap_err().kind(), ErrorKind::NotADirectory);
            assert!(restore_link(&link.join(path), Path::new("x")).is_err());
            assert!(restore_folder(&link.join(path)).is_err());
        }
        assert_eq!(fs::read_to_string(outside.join(".claude/settings.json")).unwrap(), "x");
    }

    #[test]
    fn a_link_in_place_of_a_file_is_removed_and_not_its_target() {
        let (_folder, outside, link) = replaced();
        removed(&link).unwrap();
        assert!(link.symlink_metadata().is_err() && outside.is_dir());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_of_any_depth_and_rights_is_removed() {
        use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join(".claude");
        fs::create_dir(&root).unwrap();
        fs::create_dir_all(root.join(".removed-1/x")).unwrap(); // a name of ours
        fs::write(root.join("settings.json"), "x").unwrap();
        let mut inner = openat(CWD, &root, OFlags::PATH, Mode::empty()).unwrap();
        for _ in 0..21_000 {
            mkdirat(&inner, "a", Mode::RWXU).unwrap();
            inner = openat(&inner, "a", OFlags::PATH, Mode::empty()).unwrap();
        }
        fs::create_dir(root.join("closed")).unwrap();
        fs::write(root.join("closed/file"), "x").unwrap();
        fs::set_permissions(root.join("closed"), Permissions::from_mode(0o000)).unwrap();
        removed(&root).unwrap();
        assert!(root.symlink_metadata().is_err());
    }
}

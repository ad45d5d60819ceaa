//! Changes after a command: removes a file, restores a link or the rights on a folder.
//!
//! Each goes through a handle of the folder, so that it happens nowhere else.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::folder_handle::{FolderHandle, split};

/// Removes a file or folder, also one that the command has closed. `path` has no link on its way.
pub(super) fn removed(path: &Path) -> io::Result<()> {
    let (folder, name) = split(path)?;
    let folder = FolderHandle::open(folder)?;
    let here = folder.file(name);
    match removed_in_open_folder(&here) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let rights = opened(&folder)?;
            open_below(path);
            let done = removed_in_open_folder(&here);
            folder.set_rights(rights)?;
            done
        }
        done => done,
    }
}

fn removed_in_open_folder(path: &Path) -> io::Result<()> {
    // Neither follows a link.
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
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

fn opened(folder: &FolderHandle) -> io::Result<Permissions> {
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

/// Gives the owner all rights on a folder and on the folders in it, which is to be removed.
fn open_below(folder: &Path) {
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        // If it stays closed, the removal fails and is reported.
        let Ok(folder) = FolderHandle::open(&path) else { continue };
        drop(opened(&folder));
        let entries = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        open.extend(folders.map(|one| path.join(one.file_name())));
    }
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
}

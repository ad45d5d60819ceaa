//! The main working copy of a Git repository, seen from a further one (`git worktree add`).

use std::io;
use std::path::{Component, Path, PathBuf};

use hooks_core::fs::{Disk, EntryKind};

/// Longest file `.git` that is read.
const LONGEST: u64 = 64 << 10;

/// Returns the root of the main working copy if `root` is that of a further one; `None` for any other folder.
///
/// # Errors
/// Returns the error of the disk if the file `.git` cannot be read.
pub(crate) fn main_root(disk: &dyn Disk, root: &Path) -> io::Result<Option<PathBuf>> {
    let file = root.join(".git");
    if disk.entry(&file)?.is_none_or(|entry| entry.kind != EntryKind::File) {
        return Ok(None);
    }
    let content = disk.read(&file, LONGEST)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let Some(folder) = text.lines().find_map(|line| line.strip_prefix("gitdir:")) else { return Ok(None) };
    Ok(main_of(&plain(&root.join(folder.trim()))))
}

/// Returns the working copy that has the folder `.git/worktrees/NAME`.
fn main_of(folder: &Path) -> Option<PathBuf> {
    let worktrees = folder.parent().filter(|parent| parent.ends_with("worktrees"))?;
    let repository = worktrees.parent().filter(|parent| parent.ends_with(".git"))?;
    repository.parent().map(Path::to_owned)
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::FakeDisk;

    use super::*;

    #[test]
    fn only_a_worktree_has_another_root() {
        for (content, wanted) in [
            ("gitdir: /repo/.git/worktrees/topic\n", Some("/repo")),
            ("gitdir: ../repo/.git/worktrees/topic", Some("/repo")),
            ("gitdir: ../.git/modules/lib\n", None),
            ("gitdir: /bare.git/worktrees/topic\n", None),
            ("nonsense", None),
            ("", None),
        ] {
            let disk = FakeDisk::default().with_file("/topic/.git", content);
            let found = main_root(&disk, Path::new("/topic")).unwrap();
            assert_eq!(found.as_deref(), wanted.map(Path::new), "{content}");
        }
        let disk = FakeDisk::default().with_directory("/repo/.git");
        assert_eq!(main_root(&disk, Path::new("/repo")).unwrap(), None);
        assert_eq!(main_root(&disk, Path::new("/other")).unwrap(), None);
    }
}

//! Paths that git tracks, from the index of a repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Most bytes of an index.
const LARGEST: u64 = 1 << 28;

/// Bytes of an entry before its name: times, numbers, mode, owner, size, id, flags.
const FIXED: usize = 62;
/// Place of the flags.
const FLAGS: usize = 60;
const EXTENDED: u16 = 0x4000;

/// The sorted paths of an index.
#[derive(Debug, Default)]
pub(crate) struct Tracked(Vec<Vec<u8>>);

impl Tracked {
    /// Reads the index of the repository in `root`. Without one, or if it cannot be read, nothing is tracked.
    pub(crate) fn read(root: &Path) -> Self {
        let index = repository(root).map(|folder| folder.join("index"));
        let bytes = index.and_then(|index| {
            (fs::metadata(&index).ok()?.len() <= LARGEST).then(|| fs::read(&index).ok()).flatten()
        });
        let mut paths = bytes.and_then(|bytes| parse(&bytes)).unwrap_or_default();
        paths.sort_unstable();
        Self(paths)
    }

    /// Whether a file below a folder is tracked, or the folder itself, as another repository.
    pub(crate) fn has_below(&self, folder: &[u8]) -> bool {
        if self.0.binary_search_by(|path| (**path).cmp(folder)).is_ok() {
            return true;
        }
        let below = [folder, b"/"].concat();
        let at = self.0.partition_point(|path| *path < below);
        self.0.get(at).is_some_and(|path| path.starts_with(&below))
    }
}

/// The folder of a repository: `.git`, or the one that a file of this name names.
fn repository(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The paths of an index of version 2, 3 or 4.
fn parse(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    let mut paths: Vec<Vec<u8>> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let entry = bytes.get(at..)?;
        let flags = u16::from_be_bytes(entry.get(FLAGS..FIXED)?.try_into().ok()?);
        let mut begin = FIXED + if version >= 3 && flags & EXTENDED != 0 { 2 } else { 0 };
        let mut path = Vec::new();
        if version == 4 {
            let (cut, used) = varint(entry.get(begin..)?)?;
            begin = begin.checked_add(used)?;
            if let Some(last) = paths.last() {
                path.extend(last.get(..last.len().checked_sub(cut)?)?);
            }
        }
        let rest = entry.get(begin..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        path.extend(rest.get(..length)?);
        let end = begin.checked_add(length)?;
        // Up to version 3 an entry ends with one to eight zeros, at a multiple of eight.
        let size =
            if version == 4 { end.checked_add(1)? } else { (end / 8).checked_add(1)?.checked_mul(8)? };
        at = at.checked_add(size)?;
        paths.push(path);
    }
    Some(paths)
}

/// A number of variable length, as git writes offsets; and its bytes.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().enumerate() {
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some((value, index + 1));
        }
        value = value.checked_add(1)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the test starts git")]
    fn git(folder: &Path, words: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.current_dir(folder).args(words).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let done = git.output().expect("git");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn every_version_of_the_index_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q"]);
        assert!(!Tracked::read(root).has_below(b"build"));
        for name in ["build/a/x.mk", "build/a/y.mk", "src/lib.rs", "builder", "src/a-long-name-of-a-file.rs"]
        {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), name).unwrap();
        }
        git(root, &["add", "-A"]);
        for version in ["2", "3", "4"] {
            // Version 3 is written only if an entry needs it.
            git(root, &["update-index", "--index-version", version]);
            git(
                root,
                &[
                    "update-index",
                    if version == "3" { "--skip-worktree" } else { "--no-skip-worktree" },
                    "builder",
                ],
            );
            let tracked = Tracked::read(root);
            assert_eq!(tracked.0.len(), 5, "{version}");
            assert!(tracked.has_below(b"build") && tracked.has_below(b"build/a"), "{version}");
            assert!(!tracked.has_below(b"buil") && !tracked.has_below(b"build/a/z"), "{version}");
        }
        // Any part of it is read without a panic.
        let bytes = fs::read(root.join(".git/index")).unwrap();
        for end in 0..bytes.len() {
            parse(&bytes[..end]);
        }
    }
}

//! Paths in a configuration: resolving, canonical names, and paths that cannot be meant.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Real names of folders, each looked up once. The settings of many clients are in a few folders of one home, and
/// a process that is started for every call looks for all of them.
#[derive(Debug, Default)]
pub(super) struct Folders(RefCell<HashMap<PathBuf, Option<PathBuf>>>);

impl Folders {
    /// Canonical name of `place` behind all links, even if it does not exist yet.
    pub(super) fn canonical(&self, place: &Path) -> PathBuf {
        let place = std::path::absolute(place).unwrap_or_else(|_| place.to_path_buf());
        self.real(&place).or_else(|| resolved(&place).into_iter().next()).unwrap_or(place)
    }

    /// `place` with the links of its existing part resolved, and the missing part appended.
    fn real(&self, place: &Path) -> Option<PathBuf> {
        if let Some(known) = self.0.borrow().get(place) {
            return known.clone();
        }
        // The target of `..` behind a missing folder is unknown.
        let behind_missing = || Some(self.real(place.parent()?)?.join(place.file_name()?));
        let real = place.canonicalize().ok().or_else(behind_missing);
        self.0.borrow_mut().insert(place.to_path_buf(), real.clone());
        real
    }
}

/// `place`, relative to the folder of the configuration at `path`.
pub(super) fn beside(path: Option<&Path>, place: &Path) -> PathBuf {
    path.and_then(Path::parent).map_or_else(|| place.to_path_buf(), |folder| folder.join(place))
}

/// Absolute paths without `..` that `place` stands for; a pattern with `..` is refused. There are two if `..`
/// follows a link, because the target is then not the one that the text suggests.
pub(super) fn resolved(place: &Path) -> Vec<PathBuf> {
    let Ok(place) = std::path::absolute(place) else { return Vec::new() };
    let real = if place.components().any(|part| part == Component::ParentDir) {
        Folders::default().real(&place)
    } else {
        None
    };
    let mut named = PathBuf::new();
    for part in place.components() {
        match part {
            // The parent of the file system's root is the root.
            Component::ParentDir => _ = named.pop(),
            part => named.push(part),
        }
    }
    let real = real.filter(|real| *real != named);
    std::iter::once(named).chain(real).collect()
}

/// Canonical name of `place` behind all links, even if it does not exist yet.
pub(super) fn canonical(place: &Path) -> PathBuf {
    Folders::default().canonical(place)
}

/// Reason why `place` cannot be meant, and advice on what to write instead.
pub(super) fn flaw(place: &Path) -> Option<(String, &'static str)> {
    let name = place.display();
    if place.as_os_str().is_empty() {
        return Some(("an empty text is no path".to_owned(), "name one, or leave the option out"));
    }
    if place.starts_with("~") {
        let problem = format!("`{name}` would be below a folder called `~`: no home is put in here");
        return Some((problem, "write the path out, such as `/home/ada/log`"));
    }
    let is_root = place.has_root() && !place.components().any(|part| matches!(part, Component::Normal(_)));
    is_root.then(|| (format!("`{name}` is the root of the file system"), "name a folder below it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_the_root_is_the_root() {
        let root = std::path::absolute("/").unwrap();
        assert_eq!(resolved(Path::new("/../../no/such/../log")), [root.join("no/log")]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_looked_up_once() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let at = |name: &str| folder.join(name);
        for name in ["a", "b"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        symlink("a", at("link")).unwrap();
        let folders = Folders::default();
        assert_eq!(folders.canonical(&at("link/missing")), at("a/missing"));
        std::fs::remove_file(at("link")).unwrap();
        symlink("b", at("link")).unwrap();
        assert_eq!(folders.canonical(&at("link/other")), at("a/other"));
        assert_eq!(Folders::default().canonical(&at("link/other")), at("b/other"));
    }

    #[test]
    fn what_nobody_can_mean_is_told() {
        for text in ["", "~", "~/log", "/", "//", "/..", "/./.."] {
            assert!(flaw(Path::new(text)).is_some(), "{text}");
        }
        for text in [".", "..", "log", "~log", "a/~", "../x", "/log"] {
            assert_eq!(flaw(Path::new(text)), None, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn behind_a_link_there_are_two_places_with_one_name() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(folder.join("far/inner")).unwrap();
        std::os::unix::fs::symlink("far/inner", folder.join("link")).unwrap();
        assert_eq!(resolved(&folder.join("link/../log")), [folder.join("log"), folder.join("far/log")]);
        for place in ["far/inner/a/b", "link/a/b", "./link/../inner/a/b"] {
            assert_eq!(canonical(&folder.join(place)), folder.join("far/inner/a/b"), "{place}");
        }
        assert_eq!(canonical(&folder.join("none/../log")), folder.join("log"));
    }
}

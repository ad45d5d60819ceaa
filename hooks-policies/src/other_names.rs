//! Other names (hard links) of the files that artifacts stand for. A write to one of them changes the artifact.
//!
//! Only a written file with several names is compared, and only with artifacts that have as many names. Artifacts are
//! searched where their patterns begin: at a plain path, or in the folder before the first wildcard. A pattern in any
//! folder (`**/name`) is searched between the root and the working directory.

use std::cell::OnceCell;
use std::io;
use std::path::{Path, PathBuf};

use hooks_core::fs::{EntryKind, FileSystem};
use hooks_facts::calls::{Call, NamedPath};
use hooks_facts::paths::ResolvedRoot;
use hooks_facts::tools::PathRole;

use crate::artifacts::{Artifacts, trimmed};

/// Most files and folders that are looked at for a call. A write to a file with several names is denied if there are
/// more.
const MOST_LOOKED_AT: usize = 50_000;

/// Existing artifacts with several names, which are searched at most once for a call.
pub(crate) struct OtherNames<'r> {
    call: Call<'r>,
    linked: OnceCell<io::Result<Vec<LinkedFile>>>,
}

/// Artifact with several names.
struct LinkedFile {
    path: PathBuf,
    names: u64,
    artifact: String,
}

/// Artifact that a written file is under another name.
#[derive(Debug)]
pub(crate) struct OtherName<'a> {
    pub(crate) path: &'a Path,
    pub(crate) artifact: &'a str,
}

impl<'r> OtherNames<'r> {
    pub(crate) fn new(call: Call<'r>) -> Self {
        Self { call, linked: OnceCell::new() }
    }

    /// Returns the artifact that a written file is under another name. All calls have to be for the same artifacts.
    ///
    /// # Errors
    /// Returns an error if the file has several names, and they cannot be compared.
    pub(crate) fn find(
        &self,
        artifacts: &Artifacts,
        place: &NamedPath,
    ) -> Result<Option<OtherName<'_>>, io::ErrorKind> {
        // Without one of its names, a file is unchanged.
        let is_changed = place.is_written() && place.role != PathRole::Removed && !place.is_partial();
        let Some(names) = place.names(self.call).filter(|names| is_changed && *names > 1) else {
            return Ok(None);
        };
        let linked = self.linked.get_or_init(|| Search::new(self.call, artifacts)?.all());
        let linked = linked.as_ref().map_err(io::Error::kind)?;
        let files = files(self.call);
        for reading in place.from_top(self.call).unwrap_or_default() {
            let written = PathBuf::from(format!("/{reading}"));
            for one in linked.iter().filter(|one| one.names == names) {
                if files.is_same_file(&written, &one.path).map_err(|error| error.kind())? {
                    return Ok(Some(OtherName { path: &one.path, artifact: &one.artifact }));
                }
            }
        }
        Ok(None)
    }
}

fn files(call: Call<'_>) -> &dyn FileSystem {
    &*call.request().context().environment.files
}

/// Search for artifacts with several names.
struct Search<'a> {
    files: &'a dyn FileSystem,
    artifacts: &'a Artifacts,
    root: &'a ResolvedRoot,
    left: usize,
    found: Vec<LinkedFile>,
}

/// File or folder to look at.
struct Open {
    path: PathBuf,
    /// Levels of folders below it in which artifacts may be.
    levels: usize,
    /// The artifact that it is, or is below.
    artifact: Option<String>,
}

impl<'a> Search<'a> {
    fn new(call: Call<'a>, artifacts: &'a Artifacts) -> io::Result<Self> {
        let root = call.resolved_root().map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self { files: files(call), artifacts, root, left: MOST_LOOKED_AT, found: Vec::new() })
    }

    fn all(mut self) -> io::Result<Vec<LinkedFile>> {
        for name in self.artifacts.names() {
            for start in self.starts(name) {
                self.walk(start)?;
            }
        }
        Ok(self.found)
    }

    /// Returns the files and folders from which all files of an artifact can be reached.
    fn starts(&self, name: &str) -> Vec<Open> {
        let start = |folder: &str, pattern: &str| {
            let (path, levels) = plain_start(pattern);
            let artifact = (levels == 0).then(|| name.to_owned());
            Open { path: Path::new(folder).join(path), levels, artifact }
        };
        let pattern = trimmed(name);
        let root = self.root.real_path();
        if name.starts_with('/') {
            return vec![start("/", pattern)];
        }
        match pattern.strip_prefix("**/") {
            Some(deep) => folders(root, self.root.real_cwd()).map(|folder| start(folder, deep)).collect(),
            None => vec![start(root, pattern)],
        }
    }

    fn walk(&mut self, start: Open) -> io::Result<()> {
        let mut open = vec![start];
        while let Some(Open { path, levels, artifact }) = open.pop() {
            self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::FileTooLarge)?;
            let Some(entry) = self.files.entry(&path)? else { continue };
            let is_linked = entry.kind == EntryKind::File && entry.names > 1;
            if !is_linked && entry.kind != EntryKind::Directory {
                continue;
            }
            let artifact = artifact.or_else(|| self.artifact(&path));
            if is_linked {
                let names = entry.names;
                self.found.extend(artifact.map(|artifact| LinkedFile { path, names, artifact }));
            } else if levels > 0 || artifact.is_some() {
                let levels = levels.saturating_sub(1);
                let below = self.files.names_in(&path, self.left)?.into_iter();
                open.extend(below.map(|name| Open {
                    path: path.join(name),
                    levels,
                    artifact: artifact.clone(),
                }));
            }
        }
        Ok(())
    }

    fn artifact(&self, path: &Path) -> Option<String> {
        // A name that is not UTF-8 matches no pattern.
        let text = path.to_str()?;
        let below_root = path.strip_prefix(self.root.real_path()).ok().and_then(Path::to_str);
        self.artifacts.find_path(text, below_root).map(str::to_owned)
    }
}

/// Returns the part of a pattern before its first wildcard, and the levels of folders below it that the rest
/// reaches.
fn plain_start(pattern: &str) -> (PathBuf, usize) {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !is_wild(part)).count();
    let (plain, rest) = parts.split_at(plain);
    let levels = if rest.iter().any(|part| part.contains("**") || part.contains('{')) {
        usize::MAX
    } else {
        rest.len()
    };
    (plain.iter().map(|part| unescaped(part)).collect(), levels)
}

/// Returns whether a part of a pattern has a wildcard, or may have one.
fn is_wild(part: &str) -> bool {
    let mut characters = part.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => _ = characters.next(),
            '*' | '?' | '{' | '[' => return true,
            _ => {}
        }
    }
    false
}

fn unescaped(part: &str) -> String {
    let mut characters = part.chars();
    let mut text = String::new();
    while let Some(c) = characters.next() {
        text.push(if c == '\\' { characters.next().unwrap_or(c) } else { c });
    }
    text
}

/// Returns the root, and all folders below it on the way to the working directory.
fn folders<'t>(root: &'t str, cwd: &'t str) -> impl Iterator<Item = &'t str> {
    let below = Path::new(cwd).ancestors().take_while(move |folder| *folder != Path::new(root));
    let below = below.take(if Path::new(cwd).starts_with(root) { usize::MAX } else { 0 });
    std::iter::once(root).chain(below.filter_map(Path::to_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_begins_where_a_pattern_does() {
        for (pattern, path, levels) in [
            ("hooks.yaml", "hooks.yaml", 0),
            (r"home/\{a\}/x", "home/{a}/x", 0),
            ("log/*.jsonl", "log", 1),
            ("*/x/*.lock", "", 3),
            ("state/**", "state", usize::MAX),
            ("a/{b,c/d}/e", "a", usize::MAX),
        ] {
            assert_eq!(plain_start(pattern), (path.into(), levels), "{pattern}");
        }
    }

    #[test]
    fn the_folders_of_a_session() {
        let of = |cwd: &'static str| folders("/repo", cwd).collect::<Vec<_>>();
        assert_eq!(of("/repo"), ["/repo"]);
        assert_eq!(of("/repo/a/b"), ["/repo", "/repo/a/b", "/repo/a"]);
        assert_eq!(of("/elsewhere"), ["/repo"]);
        assert_eq!(of("/repository"), ["/repo"]);
    }
}

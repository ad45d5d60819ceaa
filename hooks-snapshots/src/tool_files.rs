//! New files that tools start or obey by themselves.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hooks_core::programs::Programs;

use crate::changes::{ChangeKind, is_in_git};
use crate::history::repositories;
use crate::store::{Effects, Store};
use crate::tree::{Content, Id};

/// Settings that a tool obeys without being asked, and what it does.
const SETTINGS: &str = include_str!("../data/tool_files.txt");

/// Bits of a mode that let a user execute a file.
const EXECUTABLE: u32 = 0o111;

/// A new file that a tool starts or obeys by itself, outside of the sandbox.
///
/// ```
/// use hooks_core::programs::Programs;
/// use hooks_snapshots::{Effects, Store};
///
/// fn print(store: &Store, effects: &Effects, programs: &dyn Programs) {
///     for file in store.tool_files(effects, programs) {
///         println!("`{}` is new: {}", file.path.display(), file.why.unwrap_or("it can be executed"));
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolFile {
    /// The path, relative to the workspace.
    pub path: PathBuf,
    /// The tool and what it does with the file; `None` for a file that can be executed.
    pub why: Option<&'static str>,
}

impl Store {
    /// The new files of a command that tools start or obey by themselves, in order, without those that are committed. This is no loss.
    pub fn tool_files(&self, effects: &Effects, programs: &dyn Programs) -> Vec<ToolFile> {
        let created = effects.changes.iter().filter(|change| change.kind == ChangeKind::Created);
        let created = created.filter(|change| !is_in_git(&change.path));
        let found: Vec<(ToolFile, Id)> = created.filter_map(|change| found(effects, &change.path)).collect();
        if found.is_empty() {
            return Vec::new();
        }
        let repositories = repositories(&effects.after, self.scope.root(), programs);
        let contents = found.iter().map(|(_, content)| *content).collect();
        let mut committed = BTreeSet::new();
        for repository in &repositories {
            let ids = repository.ids(&contents, &self.blobs);
            let versions = repository.committed("HEAD");
            let is_one = |(file, content): &&(ToolFile, Id)| {
                versions.get(file.path.as_os_str().as_bytes()).is_some_and(|id| ids.get(content) == Some(id))
            };
            committed.extend(found.iter().filter(is_one).map(|(file, _)| file.path.clone()));
        }
        found.into_iter().map(|(file, _)| file).filter(|file| !committed.contains(&file.path)).collect()
    }
}

/// A new file that is one, with its content.
fn found(effects: &Effects, path: &Path) -> Option<(ToolFile, Id)> {
    let entry = effects.after.entries.get(path.as_os_str().as_bytes())?;
    let Content::File(Some(content)) = entry.content else { return None };
    let why = reason(path);
    (why.is_some() || entry.mode & EXECUTABLE != 0)
        .then(|| (ToolFile { path: path.to_path_buf(), why }, content))
}

/// The tool that obeys a file by itself, and what it does.
fn reason(path: &Path) -> Option<&'static str> {
    let rows = SETTINGS.lines().filter(|line| !line.starts_with('#'));
    let mut rows = rows.filter_map(|line| line.split_once('\t'));
    let is_it = |place: &str| match place.strip_suffix("/*") {
        Some(folder) => path.parent().is_some_and(|above| above.ends_with(folder)),
        None => path.ends_with(place),
    };
    rows.find(|(place, _)| is_it(place)).map(|(_, why)| why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_at_every_depth() {
        let why = |path: &str| reason(Path::new(path));
        assert!(why(".envrc").is_some_and(|why| why.starts_with("direnv")));
        assert!(why("a/.github/workflows/ci.yml").is_some_and(|why| why.contains("GitHub")));
        assert!(why(".github/ci.yml").is_none() && why("envrc").is_none() && why("x.envrc").is_none());
        for line in SETTINGS.lines().filter(|line| !line.starts_with('#')) {
            assert!(
                line.split_once('\t').is_some_and(|(place, why)| !place.is_empty() && !why.is_empty()),
                "{line}"
            );
        }
    }
}

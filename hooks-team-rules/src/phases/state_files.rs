//! The state files of a project: one file, or one in each folder of a folder.

use std::io;
use std::path::{Path, PathBuf};

use hooks_core::fs::Disk;

use super::pipeline::Pipeline;
use super::state_text;

/// Longest state file that is read.
const LONGEST: u64 = 4 << 20;
/// Most state files of a project.
const MOST: usize = 4096;

/// Pattern of the state files of a project: folders, at most one of which is `*`, and the name of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateFiles {
    /// Folder above the wildcard, or above the file.
    base: PathBuf,
    has_wildcard: bool,
    /// Path below the folder that the wildcard stands for.
    rest: PathBuf,
}

impl StateFiles {
    /// Parses a pattern, as in `.specs/*/state.json`.
    pub(super) fn parse(pattern: &str) -> Result<Self, (String, String)> {
        let hint = "write one as in `.specs/*/state.json`".to_owned();
        let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        let is_plain = |part: &&str| !part.contains(['*', '?', '[', ']', '{', '}', '\\']);
        let wild = parts.iter().position(|part| *part == "*");
        let others_are_plain = parts.iter().enumerate().all(|(at, part)| Some(at) == wild || is_plain(part));
        if parts.is_empty() || pattern.ends_with('/') {
            return Err((format!("`{pattern}` names no file"), hint));
        }
        if !others_are_plain {
            return Err((format!("`{pattern}` has another wildcard than one whole folder `*`"), hint));
        }
        if parts.contains(&"..") || wild == Some(parts.len() - 1) {
            return Err((format!("`{pattern}` is not a file below the root"), hint));
        }
        let start = if pattern.starts_with('/') { PathBuf::from("/") } else { PathBuf::new() };
        let folders = |parts: &[&str]| parts.iter().collect::<PathBuf>();
        let (base, rest) = match wild {
            Some(at) => (
                folders(parts.get(..at).unwrap_or_default()),
                folders(parts.get(at + 1..).unwrap_or_default()),
            ),
            None => {
                let (file, above) = parts.split_last().unwrap_or((&"", &[]));
                (folders(above), PathBuf::from(file))
            }
        };
        Ok(Self { base: start.join(base), has_wildcard: wild.is_some(), rest })
    }

    /// Returns the folder above the wildcard, in a project.
    pub(super) fn base_in(&self, root: &Path) -> PathBuf {
        root.join(&self.base)
    }

    /// Returns whether a path below the base, in parts, is that of a state file.
    pub(super) fn is_state_below_base<'p>(
        &self,
        mut parts: impl Iterator<Item = &'p str>,
        folds: bool,
    ) -> bool {
        if self.has_wildcard && parts.next().is_none_or(str::is_empty) {
            return false;
        }
        let same = |one: &str, other: &str| {
            if folds { one.to_lowercase() == other.to_lowercase() } else { one == other }
        };
        let mut wanted = self.rest.iter().map(|part| part.to_string_lossy());
        loop {
            match (wanted.next(), parts.next()) {
                (None, None) => return true,
                (Some(wanted), Some(part)) if same(&wanted, part) => {}
                _ => return false,
            }
        }
    }

    /// Returns whether a folder with so many parts below the base may hold state files.
    pub(super) fn may_hold_states(&self, parts: usize) -> bool {
        parts < self.rest.iter().count() + usize::from(self.has_wildcard)
    }

    /// Reads all pipelines of a project. A file that cannot be read is a pipeline with a problem.
    pub(super) fn read(&self, disk: &dyn Disk, root: &Path) -> Vec<Pipeline> {
        let base = self.base_in(root);
        if !self.has_wildcard {
            return self.read_one(disk, &base).into_iter().collect();
        }
        let names = match disk.list(&base) {
            Ok(names) => names.unwrap_or_default(),
            Err(error) => {
                return vec![Pipeline::unreadable(base, format!("the folder cannot be listed: {error}"))];
            }
        };
        if names.len() > MOST {
            return vec![Pipeline::unreadable(base, format!("the folder has more than {MOST} entries"))];
        }
        let visible = names.into_iter().filter(|name| !name.to_string_lossy().starts_with('.'));
        visible.filter_map(|name| self.read_one(disk, &base.join(name))).collect()
    }

    fn read_one(&self, disk: &dyn Disk, folder: &Path) -> Option<Pipeline> {
        let file = folder.join(&self.rest);
        let workspace = file.parent().unwrap_or(folder).to_owned();
        let pipeline = match disk.read(&file, LONGEST) {
            Ok(Some(content)) => state_text::read(&workspace, &content),
            Ok(None) => return None,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return None,
            Err(error) => Pipeline::unreadable(workspace, format!("it cannot be read: {error}")),
        };
        Some(Pipeline { state_file: Some(file), ..pipeline })
    }
}

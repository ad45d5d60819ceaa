//! The search for the workspace that governs.

use std::io;
use std::path::{Path, PathBuf};

use hooks_core::fs::Disk;

use super::jq::Values;

/// Longest state file that is read.
const LONGEST: u64 = 16 << 20;

/// A folder with runs, as the scripts see it.
pub(super) struct Project<'a> {
    pub(super) disk: &'a dyn Disk,
    /// The working directory of the scripts.
    pub(super) cwd: &'a Path,
    /// Text of `${CLAUDE_PROJECT_DIR:-.}`.
    pub(super) folder: &'a str,
}

/// A governing workspace.
pub(super) struct Workspace {
    /// Path as the scripts print it.
    pub(super) path: String,
    pub(super) state: Values,
}

impl Project<'_> {
    /// Returns the workspace whose state is active by `activity` and was written last, compared as text. `activity`
    /// returns the time of an active state.
    pub(super) fn workspace(&self, activity: impl Fn(&Values) -> Option<String>) -> Option<Workspace> {
        let mut latest: Option<(Workspace, String)> = None;
        for name in self.names() {
            let path = format!("{}/.specs/{name}", self.folder);
            let Some(state) = self.state(&path) else { continue };
            let Some(time) = activity(&state) else { continue };
            if latest.as_ref().is_none_or(|(_, known)| known.is_empty() || time > *known) {
                latest = Some((Workspace { path, state }, time));
            }
        }
        latest.map(|(workspace, _)| workspace)
    }

    /// Reads the state file of a workspace; `None` if there is no such file. A file that cannot be read has no values.
    pub(super) fn state(&self, workspace: &str) -> Option<Values> {
        match self.read(&format!("{workspace}/state.json")) {
            Ok(Some(content)) => Some(Values::read(&content)),
            Ok(None) => None,
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => None,
            Err(_) => Some(Values::read(b"")),
        }
    }

    /// Returns whether there is a file.
    pub(super) fn is_file(&self, path: &str) -> bool {
        matches!(self.read(path), Ok(Some(_)))
    }

    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        self.disk.read(&self.place(path), LONGEST)
    }

    /// Names of the folders that `.specs/*` stands for, in the order of their bytes.
    fn names(&self) -> Vec<String> {
        let listed = self.disk.list(&self.place(&format!("{}/.specs", self.folder)));
        let names = listed.ok().flatten().unwrap_or_default();
        let names = names.into_iter().map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort_unstable();
        names
    }

    fn place(&self, path: &str) -> PathBuf {
        self.cwd.join(path)
    }
}

//! Snapshots around calls of tools that write files, so that `hooks undo` restores these files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::config::Config;
use hooks::facts::tools::{PathRole, ToolTable, WorkingFolder, paths_of};
use hooks::snapshots::{OnLoss, Origin, Store};
use hooks::time::Clock;
use hooks::{EventKind, SystemClock};
use hooks_protocols::Decoded;

use super::Notes;
use crate::snapshots;

/// Time that a call waits for a snapshot of another process.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of a path that the system refuses. A longer one has no file to keep, and its folders are not looked up one by one.
const TOO_LONG: usize = 4_096;

/// Takes a snapshot of the files of a call before or after it. Without one, the call goes on; a failure is noted.
pub(super) fn keep(decoded: &Decoded, config: &Config, root: &Path, notes: &Notes) {
    if config.effects().loss == OnLoss::Unchecked {
        return;
    }
    if let Err(why) = kept(decoded, config, root) {
        notes.failed(&format!("no snapshot was taken, so this call cannot be undone: {why}"));
    }
}

fn kept(decoded: &Decoded, config: &Config, root: &Path) -> Result<(), String> {
    let Some((tool, arguments)) = decoded.call() else { return Ok(()) };
    let kind = ToolTable::default().kind_of_call(tool, arguments);
    if !kind.writes_files() || kind.runs_commands() {
        return Ok(());
    }
    let workspace = config.policy().paths.root.as_ref().map_or(root, Path::new);
    let Ok(workspace) = workspace.canonicalize() else { return Ok(()) };
    let folder = WorkingFolder::of_file_tool(arguments);
    let written = paths_of(kind, arguments).found.into_iter();
    let written = written
        .filter(|path| matches!(path.role, PathRole::Written | PathRole::Removed | PathRole::Filled))
        .map(|path| folder.of_name(&path.text).unwrap_or(path.text));
    let mut files: Vec<PathBuf> = written
        .flat_map(|name| inside(&workspace, &decoded.context.cwd.join(name)))
        .filter(|file| !file.as_os_str().is_empty())
        .collect();
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    let origin = Origin::from(&*snapshots::label(config, &format!("{tool} {}", shown.join(" "))));
    let origin = origin
        .in_session(&decoded.context.session_id)
        .of_call(decoded.context.call_id.as_deref().unwrap_or_default());
    let plain = |failure| snapshots::plain(&failure);
    let scope = snapshots::scope(config, &workspace).map_err(plain)?.waiting_at_most(PATIENCE);
    let store =
        Store::open(&snapshots::folder().map_err(plain)?, scope).map_err(|error| error.to_string())?;
    let now = SystemClock.now().0;
    let done = match decoded.event.as_ref().map(hooks::event::WireEvent::kind) {
        Some(EventKind::PreToolUse) => store.begin_call(&origin, &files, now),
        _ => store.finish_call(&origin, now).map(drop),
    };
    done.map_err(|error| error.to_string())
}

/// A file in the workspace, relative to it: the one of this name, and the one that it leads to if it is a link.
fn inside(workspace: &Path, path: &Path) -> Vec<PathBuf> {
    if path.as_os_str().len() >= TOO_LONG {
        return Vec::new();
    }
    let own = || Some(real(path.parent()?)?.join(path.file_name()?));
    let found = [own(), real(path)].into_iter().flatten();
    found.filter_map(|real| Some(real.strip_prefix(workspace).ok()?.to_path_buf())).collect()
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Some(real),
        Err(_) => Some(real(path.parent()?)?.join(path.file_name()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_no_file_can_have_is_not_looked_up() {
        let long = PathBuf::from("a/".repeat(500_000));
        assert_eq!(inside(Path::new("/"), &Path::new("/").join(long)), Vec::<PathBuf>::new());
        assert_eq!(inside(Path::new("/"), Path::new("/missing/x")), vec![PathBuf::from("missing/x"); 2]);
    }
}

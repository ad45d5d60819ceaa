//! What a configuration protects besides itself: where the clients of agents keep their hooks.
//!
//! An agent that can edit these switches its own guards off.

use std::env;
use std::path::{Path, PathBuf};

/// In the project and in the user's own folder.
const SETTINGS: [&str; 9] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".copilot/settings.json",
    ".cursor/hooks.json",
    ".gemini/settings.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
];

/// A folder all of whose files are hooks.
const FOLDERS: [&str; 1] = [".github/hooks/**"];

/// The settings of agent clients, relative to the project and absolute for the user's own.
pub(super) fn client_settings() -> Vec<String> {
    let in_project = SETTINGS.iter().chain(&FOLDERS).map(|path| (*path).to_owned());
    let of_user = home().into_iter().flat_map(|home| SETTINGS.map(|path| text(&home.join(path))));
    in_project.chain(of_user).collect()
}

/// The configuration at `path` itself: as it is named, and where that leads.
pub(super) fn itself(path: &Path) -> Vec<String> {
    let named = std::path::absolute(path).ok();
    let real = path.canonicalize().ok();
    let mut paths: Vec<_> = named.iter().chain(&real).map(|path| text(path)).collect();
    paths.dedup();
    paths
}

fn home() -> Option<PathBuf> {
    let home = env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
    let home = PathBuf::from(home);
    home.is_absolute().then_some(home)
}

/// Paths in a configuration are text; one that is none cannot be named by an agent either.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

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
const FOLDERS: [&str; 1] = [".github/hooks"];

/// What the configuration at `path` keeps its agents from.
pub(super) fn all(path: &Path) -> Vec<String> {
    let mut all = itself(path);
    all.extend(client_settings());
    all
}

/// The settings of agent clients, relative to the project and absolute for the user's own.
fn client_settings() -> Vec<String> {
    let in_project = SETTINGS.iter().chain(&FOLDERS).map(|path| (*path).to_owned());
    let of_user = home().into_iter().flat_map(|home| SETTINGS.map(|path| text(&home.join(path))));
    in_project.chain(of_user).collect()
}

/// The configuration at `path` itself: as it is named, and where that leads.
fn itself(path: &Path) -> Vec<String> {
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

/// A path as a pattern that means it alone. One that is no text cannot be named by an agent either.
fn text(path: &Path) -> String {
    let mut pattern = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            '\\' if cfg!(windows) => pattern.push('/'),
            '*' | '?' | '{' | '}' | '\\' => pattern.extend(['\\', c]),
            c => pattern.push(c),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_no_pattern() {
        assert_eq!(text(Path::new("/a/{b}*")), r"/a/\{b\}\*");
    }
}

//! Files that a configuration protects besides itself: the hook settings of agent clients.
//!
//! An agent that can edit them can switch its own guards off.

use std::path::{Component, Path, PathBuf};

use super::paths::{Folders, resolved};
use super::places::Places;

/// Settings in the project and in the user's own folder: hooks, and the folders that are trusted, without which
/// a client skips the hooks of a project.
const SETTINGS: [&str; 36] = [
    ".claude.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codeium/hooks.json",
    ".codeium/windsurf/hooks.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".config/Code/User/settings.json",
    ".config/goose/config.yaml",
    ".config/goose/settings.json",
    ".config/goose/settings.local.json",
    ".config/opencode/config.json",
    ".config/opencode/opencode.json",
    ".config/opencode/opencode.jsonc",
    ".copilot/config.json",
    ".copilot/settings.json",
    ".cursor/hooks.json",
    ".factory/hooks.json",
    ".factory/hooks/hooks.json",
    ".factory/settings.json",
    ".factory/settings.local.json",
    ".gemini/settings.json",
    ".gemini/trustedFolders.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".kimi/config.json",
    ".kimi/config.toml",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".qwen/settings.json",
    ".qwen/trustedFolders.json",
    ".vscode/settings.json",
    ".windsurf/hooks.json",
    "Library/Application Support/Code/User/settings.json",
    "opencode.json",
    "opencode.jsonc",
];

/// Folders in which every file is a hook or can bring one, and the folder in which hooks leave work for each
/// other.
const FOLDERS: [&str; 15] = [
    ".agents/plugins",
    ".claude/plugins",
    ".config/opencode/plugin",
    ".config/opencode/plugins",
    ".config/opencode/tool",
    ".config/opencode/tools",
    ".copilot/hooks",
    ".gemini/extensions",
    ".github/hooks",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/tool",
    ".opencode/tools",
    ".qwen/extensions",
    ".squad/.hooks",
];

/// Transcripts of the user's sessions, in which the answers of the model are counted.
const TRANSCRIPTS: [&str; 4] = [
    ".claude/projects/**/*.jsonl",
    ".codex/sessions/**",
    ".copilot/session-state/*/events.jsonl",
    ".qwen/projects/*/chats/**",
];

/// Settings of the whole machine, which users cannot switch off.
const MANAGED: [&str; 7] = [
    "/etc/claude-code/**",
    "/etc/codex/**",
    "/etc/gemini-cli/**",
    "/etc/github-copilot/**",
    "/etc/hooks/**",
    "/etc/qwen-code/**",
    "/etc/windsurf/**",
];

/// Names of a project's configuration.
const CONFIGURATIONS: [&str; 2] = [".hooks/hooks.yaml", "hooks.yaml"];

/// Most links that are followed in a row; systems follow 40.
const MOST_LINKS: usize = 40;

/// All files that the configuration at `path` protects from its agents.
pub(super) fn all(path: &Path) -> Vec<String> {
    let folders = Folders::default();
    let mut all = itself(path, &folders);
    all.extend(client_settings(Places::here(), &folders));
    all.extend(settings_beside(path, &folders));
    all
}

/// Settings of agent clients: relative for the project, absolute for the user, below the home and in the
/// folder that a variable names. A client that is started without the variable reads those of the home.
fn client_settings(user: Places<'_>, folders: &Folders) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for path in SETTINGS.iter().chain(&FOLDERS) {
        let (folder, file) = path.split_once('/').unwrap_or((path, ""));
        // A client that is started in a folder below reads the settings there.
        all.push(format!("**/{path}"));
        all.extend(user.home().iter().flat_map(|home| all_names(&home.join(path), folders)));
        all.extend(user.moved(folder).iter().flat_map(|moved| all_names(&moved.join(file), folders)));
    }
    for path in TRANSCRIPTS {
        let Some((folder, files)) = path.split_once('/') else { continue };
        // The folder of the sessions, which may be a link, and the files in it.
        let (sessions, files) = files.split_once('/').unwrap_or((files, "**"));
        let below = |folder: &Path| -> Vec<String> {
            let sessions = all_names(&folder.join(sessions), folders);
            sessions.iter().map(|folder| format!("{folder}/{files}")).collect()
        };
        all.extend(user.home().iter().flat_map(|home| below(&home.join(folder))));
        all.extend(user.moved(folder).iter().flat_map(|moved| below(moved)));
    }
    // They govern every project that has no rules of its own.
    let below =
        |folder: PathBuf| all_names(&folder, folders).into_iter().map(|folder| format!("{folder}/**"));
    all.extend(user.config().into_iter().flat_map(|config| below(config.join("hooks"))));
    all.extend(user.state().into_iter().flat_map(|state| below(state.join("hooks"))));
    all.extend(MANAGED.map(str::to_owned));
    all
}

/// Settings in the folder of the configuration. An agent may work in a folder below it, where a pattern
/// relative to its root means another file. The other configurations there govern nothing now, but `hooks init`
/// would find them.
fn settings_beside(path: &Path, folders: &Folders) -> Vec<String> {
    let absolute = std::path::absolute(path).ok();
    let Some(path) = absolute.and_then(|path| in_real_folder(&path, folders)) else { return Vec::new() };
    let folder = path.parent().unwrap_or(&path);
    let folder = folder.parent().filter(|_| folder.ends_with(".hooks")).unwrap_or(folder);
    let others = CONFIGURATIONS.iter().map(|name| folder.join(name)).filter(|other| *other != path);
    let settings = SETTINGS.iter().chain(&FOLDERS).map(|name| folder.join(name));
    others.chain(settings).map(|file| as_pattern(&file)).collect()
}

/// Patterns of a file or folder of the user: as it is named, without the links on its way, every link that it is,
/// and the target. The home or a settings file is often a link, and an agent may use the real path.
fn all_names(path: &Path, folders: &Folders) -> Vec<String> {
    let mut all = as_patterns(path);
    for name in itself(path, folders) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The configuration at `path` itself: the path as given, every link that leads to it, and the targets. An
/// agent that can change one of the links can make the next start read another file.
fn itself(path: &Path, folders: &Folders) -> Vec<String> {
    let Ok(named) = std::path::absolute(path) else { return Vec::new() };
    let mut paths = Vec::new();
    // A pattern with `..` would match nothing, because paths are resolved before they are compared.
    if !named.components().any(|part| part == Component::ParentDir) {
        paths.push(named.clone());
    }
    let mut next = Some(named);
    for _ in 0..MOST_LINKS {
        let Some(place) = next.as_deref().and_then(|path| in_real_folder(path, folders)) else { break };
        next = place.read_link().ok().and_then(|target| Some(place.parent()?.join(target)));
        paths.push(place);
    }
    let mut paths: Vec<_> = paths.iter().map(|path| as_pattern(path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The same name in its real folder, without the links that lead to the folder, which may not exist yet.
fn in_real_folder(path: &Path, folders: &Folders) -> Option<PathBuf> {
    Some(folders.canonical(path.parent()?).join(path.file_name()?))
}

/// A path as a pattern that matches this path alone. An agent cannot name a path that is not UTF-8 either.
///
/// ```
/// use std::path::Path;
/// use hooks_config::as_pattern;
///
/// assert_eq!(as_pattern(Path::new("/repo/{draft}/*.md")), r"/repo/\{draft\}/\*.md");
/// ```
pub fn as_pattern(path: &Path) -> String {
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

/// Patterns that match this path alone, without `..`, which no pattern may have. There are two if `..` follows a
/// link.
///
/// ```
/// use std::path::Path;
/// use hooks_config::as_patterns;
///
/// # if cfg!(unix) {
/// assert_eq!(as_patterns(Path::new("/no/such/../folder/x*")), [r"/no/folder/x\*"]);
/// # }
/// ```
pub fn as_patterns(path: &Path) -> Vec<String> {
    resolved(path).iter().map(|path| as_pattern(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_no_pattern() {
        assert_eq!(as_pattern(Path::new("/a/{b}*")), r"/a/\{b\}\*");
    }

    #[cfg(unix)]
    #[test]
    fn the_users_settings_are_protected_where_a_variable_moves_them() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/ada".into()),
            "CLAUDE_CONFIG_DIR" => Some("/srv/claude".into()),
            "COPILOT_HOME" => Some("/srv/copilot".into()),
            "KIMI_SHARE_DIR" => Some("/srv/kimi".into()),
            "OPENCODE_CONFIG_DIR" => Some("/srv/opencode".into()),
            _ => None,
        };
        let all = client_settings(Places::told_by(&variable), &Folders::default());
        for wanted in [
            "**/.claude/settings.json",
            "/home/ada/.claude/settings.json",
            "/srv/claude/settings.json",
            "/srv/claude/settings.local.json",
            "/srv/copilot/settings.json",
            "/srv/copilot/hooks",
            "/home/ada/.copilot/hooks",
            "/home/ada/.codex/config.toml",
            "/home/ada/.config/Code/User/settings.json",
            "**/.vscode/settings.json",
            "**/.qwen/settings.json",
            "**/.windsurf/hooks.json",
            "/home/ada/.codeium/windsurf/hooks.json",
            "**/.agents/plugins",
            "/home/ada/.config/goose/settings.json",
            "**/.factory/hooks.json",
            "/home/ada/.qwen/extensions",
            "/home/ada/.config/opencode/plugin",
            "/home/ada/.kimi/config.toml",
            "/srv/kimi/config.toml",
            "/srv/opencode/plugins",
            "**/.opencode/plugin",
            "**/opencode.json",
        ] {
            assert!(all.iter().any(|pattern| pattern == wanted), "{wanted}: {all:?}");
        }
    }

    #[test]
    fn a_name_with_dots_in_it_is_protected_where_it_leads() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("sub")).unwrap();
        std::fs::write(folder.join("hooks.yaml"), "").unwrap();
        assert_eq!(
            itself(&folder.join("sub/../hooks.yaml"), &Folders::default()),
            [as_pattern(&folder.join("hooks.yaml"))]
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_users_settings_are_protected_behind_links() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        for made in ["real/.claude", "dotfiles/codex"] {
            std::fs::create_dir_all(folder.join(made)).unwrap();
        }
        symlink("real", folder.join("home")).unwrap();
        symlink("../../dotfiles/claude.json", folder.join("real/.claude/settings.json")).unwrap();
        symlink("../dotfiles/codex", folder.join("real/.codex")).unwrap();
        let variable = |name: &str| (name == "HOME").then(|| folder.join("home").into());
        let all = client_settings(Places::told_by(&variable), &Folders::default());
        for wanted in [
            "home/.claude/settings.json",
            "real/.claude/settings.json",
            "dotfiles/claude.json",
            "dotfiles/codex/config.toml",
            "dotfiles/codex/sessions/**",
            "real/.claude/projects/**/*.jsonl",
            // These do not exist yet.
            "real/.gemini/settings.json",
            "home/.local/state/hooks/**",
            "real/.local/state/hooks/**",
            "real/.config/hooks/**",
        ] {
            let wanted = as_pattern(&folder.join(wanted)).replace("\\*", "*");
            assert!(all.contains(&wanted), "{wanted}: {all:#?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn every_link_to_the_file_is_protected() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let at = |name: &str| folder.join(name);
        std::fs::write(at("real.yaml"), "").unwrap();
        std::os::unix::fs::symlink("real.yaml", at("between.yaml")).unwrap();
        std::os::unix::fs::symlink("between.yaml", at("hooks.yaml")).unwrap();
        std::os::unix::fs::symlink("round.yaml", at("round.yaml")).unwrap();
        let mut wanted = ["between.yaml", "hooks.yaml", "real.yaml"].map(|name| as_pattern(&at(name)));
        wanted.sort();
        assert_eq!(itself(&at("hooks.yaml"), &Folders::default()), wanted);
        assert_eq!(itself(&at("round.yaml"), &Folders::default()), [as_pattern(&at("round.yaml"))]);
    }
}

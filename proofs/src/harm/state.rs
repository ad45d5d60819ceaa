//! Files of a world, before and after a script.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files by name: kind, mode, time, content.
pub(super) type Tree = BTreeMap<PathBuf, String>;

/// The folder of the snapshots in a home.
pub(super) const SNAPSHOTS: &str = ".local/state/hooks/snapshots";

/// Settings of repositories, below the one of the world.
const SETTINGS: [&str; 9] = [
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/info/attributes",
    ".git/modules/lib/config",
    ".git/modules/lib/hooks",
    ".git/modules/lib/commondir",
    "lib/.git",
];

/// Protected files that govern agents, without their instructions.
const OWN: [&str; 9] = [
    "hooks.yaml",
    ".hooks/hooks.yaml",
    ".claude",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".github/hooks",
    ".cursor/hooks.json",
    ".opencode/plugin",
];

/// Files that no script may change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) outside: [Tree; 2],
    pub(super) own: [Tree; OWN.len()],
    pub(super) git: Vec<Tree>,
    /// The repository, but for objects and build output.
    pub(super) work: Tree,
}

impl State {
    /// The state of the world in `folder`.
    pub(super) fn read(folder: &Path) -> Self {
        let home = folder.join("home");
        let repository = home.join("repo");
        let all = |path: PathBuf| tree(folder, &path, &|_| false);
        Self {
            // Snapshots are the work of `hooks exec` itself, and caches may be written.
            outside: [
                tree(folder, &home, &|path| {
                    path == repository || path.ends_with(SNAPSHOTS) || is_cache(&home, path)
                }),
                all(folder.join("out")),
            ],
            own: OWN.map(|name| tree(folder, &repository.join(name), &is_instruction)),
            work: tree(folder, &repository, &|path| {
                [".git/objects", "target", "__pycache__"].iter().any(|name| path.ends_with(name))
            }),
            git: SETTINGS.iter().map(|name| all(repository.join(name))).collect(),
        }
    }
}

impl State {
    /// The files outside of the repository that differ.
    pub(super) fn changed_outside(&self, after: &Self) -> Vec<PathBuf> {
        let pairs = self.outside.iter().zip(&after.outside).flat_map(|(before, after)| {
            let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
            names.filter(|name| before.get(*name) != after.get(*name))
        });
        pairs.cloned().collect()
    }
}

/// Whether a path in the folder of Claude Code is not one of its settings.
fn is_instruction(path: &Path) -> bool {
    let is_in_folder = path.parent().is_some_and(|above| above.ends_with(".claude"));
    is_in_folder && !["settings.json", "settings.local.json"].iter().any(|name| path.ends_with(name))
}

/// Caches in the home that commands may write.
const CACHES: [&str; 8] = [
    ".cache",
    ".cargo/git",
    ".cargo/registry",
    ".ccache",
    ".gradle/caches",
    ".m2/repository",
    ".npm",
    "go/pkg",
];

/// Folders above these caches.
pub(super) const ABOVE_CACHES: [&str; 4] = [".cargo", ".gradle", ".m2", "go"];

fn is_cache(home: &Path, path: &Path) -> bool {
    path.strip_prefix(home).is_ok_and(|below| CACHES.iter().any(|cache| below == Path::new(cache)))
}

/// Whether two trees have the same files with the same content; rights and times may differ.
pub(super) fn has_same_content(one: &Tree, other: &Tree) -> bool {
    let content = |(path, text): (&PathBuf, &String)| {
        let (mode, rest) = text.split_once(' ').unwrap_or((text, ""));
        let kind = mode.get(..mode.len().saturating_sub(4)).unwrap_or_default().to_owned();
        // In the text of a file, a time stands before the content.
        let content =
            if kind == "10" { rest.split_once(' ').map_or("", |(_, content)| content) } else { rest };
        (path.clone(), kind, content.to_owned())
    };
    one.len() == other.len() && one.iter().map(content).eq(other.iter().map(content))
}

/// Whether everything that was there is there still, with the same content.
pub(super) fn has_all(before: &Tree, after: &Tree) -> bool {
    before.iter().all(|(path, text)| after.get(path) == Some(text))
}

/// All files at and below a path.
pub(super) fn tree(world: &Path, path: &Path, is_left_out: &dyn Fn(&Path) -> bool) -> Tree {
    let mut all = BTreeMap::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let Ok(kind) = fs::symlink_metadata(&path) else { continue };
        if is_left_out(&path) {
            continue;
        }
        let mode = kind.permissions().mode();
        let text = if kind.is_symlink() {
            format!("{:?}", fs::read_link(&path).ok())
        } else if kind.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
            String::new()
        } else if kind.is_file() {
            let time = if path.ends_with("notes.txt") { kind.mtime() } else { 0 };
            format!("{time} {}", String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()))
        } else {
            String::new()
        };
        // A world has its own name in each run.
        let text = text.replace(&*world.to_string_lossy(), "WORLD");
        let name = path.strip_prefix(world).unwrap_or(&path).to_path_buf();
        all.insert(name, format!("{mode:o} {text}"));
    }
    all
}

//! Workspaces that are made, changed and looked at.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use hooks_core::time::Clock;
use hooks_snapshots::{EffectsConfig, LeftOut, Scope, Store};
use hooks_system::SystemClock;
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    time: Cell<u64>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn in_folder(folder: tempfile::TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap().join("workspace");
        fs::create_dir(&root).unwrap();
        Self { folder, root, time: Cell::new(0) }
    }

    pub(crate) fn store(&self) -> Store {
        self.store_with(Vec::new(), &EffectsConfig::default())
    }

    pub(crate) fn store_with(&self, left_out: Vec<LeftOut>, config: &EffectsConfig) -> Store {
        let scope = Scope::new(&self.root, left_out).unwrap().bounded(config);
        Store::open(&self.folder.path().join("state"), scope).unwrap()
    }

    /// A time of its own for each step.
    pub(crate) fn tick(&self) -> u64 {
        self.time.set(self.time.get().max(self.now()) + 1);
        self.time.get()
    }

    pub(crate) fn now(&self) -> u64 {
        SystemClock.now().0
    }

    /// Temporary files that were not removed.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let names = files(self.folder.path()).into_iter().map(|path| path.to_string_lossy().into_owned());
        names.filter(|name| name.contains(".hooks-undo-") || name.ends_with("undo.json")).collect()
    }
}

/// Number of cases, or the one in a variable.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("HOOKS_UNDO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// A file, link or folder, and the name that it gets.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) name: String,
    pub(crate) kind: u8,
    pub(crate) content: Vec<u8>,
    pub(crate) mode: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Put(Seed),
    Remove(String),
    Move(String, String),
    Mode(String, u32),
    Append(String),
}

/// Few names, so that changes meet: a file becomes a folder and the other way round.
fn name() -> impl Strategy<Value = String> {
    vec(prop_oneof!["[abc]", Just(".git".to_owned()), Just("objects".to_owned())], 1..4)
        .prop_map(|parts| parts.join("/"))
}

fn seed() -> impl Strategy<Value = Seed> {
    let mode = prop_oneof![Just(0o644), Just(0o755), Just(0o400), Just(0o600), Just(0o750)];
    (name(), 0_u8..4, vec(any::<u8>(), 0..20), mode).prop_map(|(name, kind, content, mode)| Seed {
        name,
        kind,
        content,
        mode,
    })
}

pub(crate) fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    vec(seed(), 0..20)
}

pub(crate) fn changes() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => seed().prop_map(Step::Put),
        3 => name().prop_map(Step::Remove),
        2 => (name(), name()).prop_map(|(from, to)| Step::Move(from, to)),
        1 => (name(), prop_oneof![Just(0o555), Just(0o700), Just(0o644)]).prop_map(|(name, mode)| Step::Mode(name, mode)),
        1 => name().prop_map(Step::Append),
    ];
    vec(step, 0..12)
}

pub(crate) fn grow(root: &Path, seeds: &[Seed]) {
    seeds.iter().for_each(|seed| put(root, seed));
}

/// Makes a file of any kind. What does not work, such as a file below a file, is no change.
fn put(root: &Path, seed: &Seed) {
    let path = root.join(&seed.name);
    if let Some(above) = path.parent() {
        drop(fs::create_dir_all(above));
    }
    match seed.kind {
        0 => drop(fs::create_dir_all(&path)),
        1 => {
            let target = String::from_utf8_lossy(&seed.content).replace('\0', "x");
            drop(symlink(format!("to-{target}"), &path));
        }
        _ => {
            if fs::symlink_metadata(&path).is_ok_and(|about| !about.is_file()) {
                return;
            }
            if fs::write(&path, &seed.content).is_ok() {
                drop(fs::set_permissions(&path, fs::Permissions::from_mode(seed.mode)));
            }
        }
    }
}

pub(crate) fn change(root: &Path, step: &Step) {
    match step {
        Step::Put(seed) => put(root, seed),
        Step::Remove(name) => {
            let path = root.join(name);
            if path.symlink_metadata().is_ok_and(|about| about.is_dir()) {
                drop(fs::remove_dir_all(path));
            } else {
                drop(fs::remove_file(path));
            }
        }
        Step::Move(from, to) => drop(fs::rename(root.join(from), root.join(to))),
        Step::Mode(name, mode) => {
            let path = root.join(name);
            if path.symlink_metadata().is_ok_and(|about| !about.is_symlink()) {
                let mode = if path.is_dir() { mode | 0o500 } else { *mode };
                drop(fs::set_permissions(path, fs::Permissions::from_mode(mode)));
            }
        }
        Step::Append(name) => {
            let path = root.join(name);
            if let Ok(mut text) = fs::read(&path) {
                text.push(b'+');
                drop(fs::write(path, text));
            }
        }
    }
}

/// Everything below a folder: kind, mode and content. Objects of repositories are left out, as new ones stay.
pub(crate) fn picture(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut all = everything(root);
    all.retain(|path, _| !is_object(path));
    all
}

/// Whether a path is that of git's objects, or one of them.
pub(crate) fn is_object(path: &Path) -> bool {
    let inside = path.iter().skip_while(|part| *part != ".git");
    inside.skip(1).any(|part| part == "objects")
}

/// Everything below a folder: kind, mode and content.
pub(crate) fn everything(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let text = if about.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                all.insert(path, (0, target.into_os_string().into_encoded_bytes()));
                continue;
            } else if about.is_dir() {
                open.push(path.clone());
                b"/".to_vec()
            } else {
                fs::read(&path).unwrap()
            };
            all.insert(path, (about.permissions().mode(), text));
        }
    }
    all
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.symlink_metadata().unwrap().is_dir() {
                open.push(path);
            } else {
                all.push(path);
            }
        }
    }
    all
}

pub(crate) fn size(folder: &Path) -> u64 {
    files(folder).iter().map(|path| path.symlink_metadata().unwrap().len()).sum()
}

/// Runs git; returns its output.
#[expect(clippy::disallowed_methods, reason = "the test starts git")]
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    let mut git = std::process::Command::new("git");
    git.current_dir(folder).args(words).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "ada").env(format!("GIT_{who}_EMAIL"), "ada@localhost");
    }
    let done = git.output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

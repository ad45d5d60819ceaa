//! A process that takes snapshots and undoes them is killed at random moments. Nothing may be lost, and an undo is finished or not begun.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hooks_core::time::Clock;
use hooks_snapshots::{Scope, Store};
use hooks_system::SystemClock;

use crate::support::picture;

const FOLDER: &str = "HOOKS_KILLED_IN";
const ROUNDS: u32 = 40;

fn store(folder: &Path) -> Store {
    let scope = Scope::new(&folder.join("workspace"), Vec::new()).unwrap();
    Store::open(&folder.join("state"), scope).unwrap()
}

/// The state of the workspace in a round: each file has another content, and there are others.
fn write(root: &Path, round: u32) {
    for at in 0..30_u32 {
        let folder = root.join(format!("folder-{}", at % 5));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("file-{at}")), format!("{round} {at}").repeat(500)).unwrap();
    }
    drop(fs::remove_dir_all(root.join(format!("folder-{}", round % 5))));
}

/// The process that is killed. It prints each step before it begins it, and waits for permission.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let root = PathBuf::from(&folder).join("workspace");
    let now = || SystemClock.now().0;
    let say = |word: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n> {word}").unwrap();
        out.flush().unwrap();
        std::io::stdin().read_exact(&mut [0]).unwrap();
    };
    let store = store(Path::new(&folder));
    for round in 0.. {
        say("begin");
        let running = store.begin("round", now()).unwrap();
        write(&root, round);
        say("finish");
        let effects = store.finish(running, now()).unwrap();
        say(&format!("undo {}", effects.id));
        store.undo(&effects.id, false, now()).unwrap();
    }
}

struct Killed {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Killed {
    #[expect(clippy::disallowed_methods, reason = "the test starts itself")]
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "kill::child", "--nocapture"]).env(FOLDER, folder);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next step of the child, which it has not begun.
    fn step(&mut self) -> String {
        let is_step = |line: &String| line.starts_with("> ");
        let line = self.lines.by_ref().map(Result::unwrap).find(is_step).unwrap();
        line.trim_start_matches("> ").to_owned()
    }

    fn go_on(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b".").unwrap();
    }

    /// Lets it begin its step, and kills it after so many turns of a loop.
    fn kill_after(mut self, turns: u32) {
        self.go_on();
        for turn in 0..turns {
            std::hint::black_box(turn);
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A new workspace, and a process for it that has not begun its first step.
fn started() -> (tempfile::TempDir, PathBuf, Killed) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("workspace");
    fs::create_dir(&root).unwrap();
    write(&root, 99);
    let child = Killed::start(folder.path());
    (folder, root, child)
}

/// Numbers that are spread over many magnitudes, always the same.
fn turns(round: u32) -> u32 {
    let mixed = round.wrapping_mul(2_654_435_761);
    (1_000 << (mixed >> 28)) + (mixed & 0xffff)
}

fn rounds() -> u32 {
    crate::support::cases(ROUNDS)
}

#[test]
fn an_undo_is_finished_or_not_begun() {
    let (mut finished, mut not_begun) = (0, 0);
    for round in 0..rounds() {
        let (folder, root, mut child) = started();
        let before = picture(&root);
        for word in ["begin", "finish"] {
            assert_eq!(child.step(), word);
            child.go_on();
        }
        let id = child.step().strip_prefix("undo ").unwrap().to_owned();
        let after = picture(&root);
        child.kill_after(turns(round));
        // The next process finishes it.
        let store = store(folder.path());
        let now = picture(&root);
        assert!(now == before || now == after, "round {round}");
        if now == after {
            not_begun += 1;
            store.undo(&id, false, SystemClock.now().0).unwrap();
            assert_eq!(picture(&root), before);
        } else {
            finished += 1;
            let undo = store.records().unwrap().into_iter().find(|record| record.undoes.is_some()).unwrap();
            store.undo(&undo.id, false, SystemClock.now().0).unwrap();
            assert_eq!(picture(&root), after);
        }
        let left = crate::support::files(folder.path()).into_iter().map(|path| path.display().to_string());
        assert_eq!(
            left.filter(|name| name.contains(".hooks-undo-") || name.ends_with("undo.json")).count(),
            0
        );
    }
    println!("{finished} finished, {not_begun} not begun");
}

#[test]
fn a_snapshot_is_whole_or_absent() {
    let (mut whole, mut absent) = (0, 0);
    for round in 0..rounds() {
        let (folder, root, mut child) = started();
        let before = picture(&root);
        assert_eq!(child.step(), "begin");
        if round % 2 == 0 {
            child.kill_after(turns(round));
        } else {
            child.go_on();
            assert_eq!(child.step(), "finish");
            child.kill_after(turns(round));
        }
        let store = store(folder.path());
        match store.records().unwrap().as_slice() {
            [] => {
                absent += 1;
                assert_eq!(picture(&root), before, "no change without a snapshot, round {round}");
            }
            [record] => {
                whole += 1;
                let is_changed = picture(&root) != before;
                let undone = store.undo(&record.id, true, SystemClock.now().0).unwrap();
                assert_eq!(undone.left, vec![]);
                assert_eq!(undone.restored.is_empty(), !is_changed);
                assert_eq!(picture(&root), before, "round {round}");
            }
            more => panic!("{more:?}"),
        }
        // The store works on.
        let running = store.begin("next", SystemClock.now().0).unwrap();
        fs::write(root.join("next"), "x").unwrap();
        assert_eq!(store.finish(running, SystemClock.now().0).unwrap().changes.len(), 1);
    }
    println!("{whole} whole, {absent} absent");
}

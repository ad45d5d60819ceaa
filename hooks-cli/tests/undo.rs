//! `hooks exec` undoes commands that destroy work, and `hooks undo` takes any command back: real processes, in throw-away folders.
//!
//! Where the kernel refuses the sandbox, the command must not run; `guards-only` lets it, so that these tests need no privilege.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct World {
    _folder: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
}

const RULES: &str = "version: 1\nsandbox: { unavailable: guards-only }\n";

/// A repository with two commits, uncommitted changes, a stash, a branch that is not merged, and files that are not tracked.
const REPOSITORY: &str = "git init -q -b main . && printf '%s\\n' a b c d e f > tracked && mkdir src && echo 1 > src/one && git add -A \
    && git commit -qm one && git checkout -q -b topic && echo 2 > src/two && git add -A && git commit -qm two && git checkout -q main \
    && echo stashed >> tracked && git stash -q && echo changed >> tracked && echo staged > staged && git add staged && mkdir draft \
    && echo draft > draft/text && echo precious > precious && echo other > other && mkdir target && echo built > target/x";

impl World {
    fn new(rules: &str) -> Self {
        let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
        let root = folder.path().canonicalize().unwrap();
        let world = Self { _folder: folder, home: root.join("home"), project: root.join("home/project") };
        fs::create_dir_all(&world.project).unwrap();
        fs::write(world.project.join("hooks.yaml"), rules).unwrap();
        let made = world.command("sh", &["-c", REPOSITORY]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        world
    }

    #[expect(clippy::disallowed_methods, reason = "the test starts the program")]
    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(&self.project).env_clear();
        command.env("HOME", &self.home).env("PATH", "/usr/bin:/bin");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "ada").env(format!("GIT_{who}_EMAIL"), "ada@localhost");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn hooks(&self, words: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_hooks"), words).output().unwrap()
    }

    fn exec(&self, script: &str) -> Output {
        self.hooks(&["exec", "--", "sh", "-c", script])
    }

    /// All files of the project but build output and objects of git.
    fn picture(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.project.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with("target") || path.ends_with(".git/objects") {
                    continue;
                }
                if path.is_dir() {
                    all.insert(path.clone(), Vec::new());
                    open.push(path);
                } else {
                    all.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        all
    }
}

fn errors(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Whatever destroys work without naming it is undone byte for byte, and the model reads why.
#[test]
fn what_destroys_work_is_undone() {
    for script in [
        "rm -rf draft",
        "rm -rf -- *",
        "find . -name .git -prune -o -type f -exec rm {} +",
        "git clean -fdq",
        "git checkout -q -- .",
        "git reset -q --hard",
        "git stash clear",
        "git branch -q -D topic && git reflog expire --expire=now --all",
        "rm -rf .git",
        "git reflog expire --expire=now --all && git update-ref -d refs/heads/topic && git gc -q --prune=now",
        "for o in .git/objects/??/*; do chmod u+w $o; : > $o; done",
        "for f in prec*; do : > $f; done",
        "for f in oth* prec*; do head -c 64 /dev/urandom > $f; done",
        "python3 -c \"import os;[os.remove(n) for n in os.listdir('.') if n[0]=='p']\" 2>/dev/null || rm p*s",
        "mv draft target/gone",
        "echo '*' > .gitignore; rm -rf draft",
        "mkdir x && mv prec* x/ && tar czf x.tgz x && rm -r x",
    ] {
        let world = World::new(RULES);
        let before = world.picture();
        let done = world.exec(script);
        assert_eq!(done.status.code(), Some(122), "{script}: {}", errors(&done));
        assert!(errors(&done).contains("undone"), "{script}: {}", errors(&done));
        let after = world.picture();
        let differ =
            before.iter().filter(|(path, text)| after.get(*path) != Some(text)).map(|(path, _)| path);
        let new = after.keys().filter(|path| !before.contains_key(*path));
        assert_eq!(differ.chain(new).collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "{script}");
        let check = world.command("git", &["fsck", "--strict"]).output().unwrap();
        assert!(check.status.success(), "{script}: {check:?}");
    }
}

#[test]
fn ordinary_work_passes_without_a_word() {
    for script in [
        "true",
        "echo new > new; mkdir -p a/b; rm -r a",
        "sed -i s/a/A/ tracked; echo more >> precious; echo x > made",
        "git add -A && git commit -qm more",
        "git stash -qu && git stash pop -q --index",
        "git commit -qam wip && git checkout -q topic",
        "mv draft moved && cp precious copy",
        "git rm -qf src/one && git commit -qm gone",
        "rm -rf target; mkdir target; echo again > target/y",
        "git gc -q",
        "rm src/one",
    ] {
        let world = World::new(RULES);
        let done = world.exec(script);
        assert!(done.status.success(), "{script}: {}", errors(&done));
        let own = errors(&done)
            .lines()
            .filter(|line| line.contains("destroyed") || line.contains("undone"))
            .count();
        assert_eq!(own, 0, "{script}: {}", errors(&done));
    }
}

#[test]
fn later_stash_pops_and_made_files_are_no_loss() {
    let world = World::new(RULES);
    for script in [
        "git stash -q",
        "git stash pop -q",
        "seq 1 50 > results",
        "seq 100 150 > $(echo results)",
        "git commit -qam wip && git commit -q --amend -m better",
    ] {
        let done = world.exec(script);
        assert!(done.status.success(), "{script}: {}", errors(&done));
        assert!(!errors(&done).contains("destroyed"), "{script}: {}", errors(&done));
    }
    let done = world.exec("git reset -q --hard HEAD~1");
    assert!(done.status.success() && errors(&done).contains("reflog"), "{}", errors(&done));
}

#[test]
fn a_file_that_is_named_is_removed_and_can_come_back() {
    let world = World::new(RULES);
    let done = world.exec("rm precious ./draft/text");
    assert!(done.status.success(), "{}", errors(&done));
    assert!(errors(&done).contains("`precious`: removed") && errors(&done).contains("hooks undo"));
    assert!(!world.project.join("precious").exists());
    let list = world.hooks(&["snapshots"]);
    assert!(String::from_utf8_lossy(&list.stdout).contains("rm precious"), "{list:?}");
    let before = world.picture();
    // Without a terminal it cannot ask.
    let asked = world.hooks(&["undo"]);
    assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    assert_eq!(world.picture(), before);
    let undone = world.hooks(&["undo", "--yes"]);
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(fs::read_to_string(world.project.join("precious")).unwrap(), "precious\n");
    // An agent client above, as its variable shows, may not.
    let agent = world
        .command(env!("CARGO_BIN_EXE_hooks"), &["undo", "--yes"])
        .env("CLAUDECODE", "1")
        .output()
        .unwrap();
    assert!(errors(&agent).contains("is for a person"), "{agent:?}");
}

#[test]
fn later_work_is_kept_without_force() {
    let world = World::new("version: 1\nsandbox: { unavailable: guards-only }\neffects: { loss: report }\n");
    let place = world.project.join("precious");
    world.exec("echo agent > precious; echo new > made");
    fs::write(&place, "person\n").unwrap();
    let refused = world.hooks(&["undo", "--yes"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(errors(&refused).contains("precious") && errors(&refused).contains("--force"), "{refused:?}");
    assert_eq!(fs::read_to_string(&place).unwrap(), "person\n");
    assert!(world.project.join("made").exists());
    assert!(world.hooks(&["undo", "--yes", "--force"]).status.success());
    assert_eq!(fs::read_to_string(&place).unwrap(), "precious\n");
    assert!(!world.project.join("made").exists());
}

#[test]
fn the_settings_decide() {
    let rules = |loss: &str| format!("{RULES}effects: {{ loss: {loss} }}\n");
    for (loss, status, stays) in [("report", 0, false), ("unchecked", 0, false), ("ask", 122, true)] {
        let world = World::new(&rules(loss));
        let done = world.exec("rm -rf draft");
        assert_eq!(done.status.code(), Some(status), "{loss}: {}", errors(&done));
        assert_eq!(world.project.join("draft/text").exists(), stays, "{loss}");
        let listed = String::from_utf8_lossy(&world.hooks(&["snapshots"]).stdout).contains("rm -rf draft");
        assert_eq!(listed, loss != "unchecked", "{loss}");
    }
    let world = World::new(RULES);
    fs::write(world.project.join("hooks.yaml"), "version: 1\neffects: { loss: never }\n").unwrap();
    assert_eq!(world.hooks(&["check", "hooks.yaml"]).status.code(), Some(1));
}

/// The store has the contents of all files, so commands may not read it; and without a place for it, they run all the same.
#[test]
fn the_store_is_closed_to_commands() {
    let world = World::new("version: 1\n");
    let store = world.home.join(".local/state/hooks/snapshots");
    for _ in 0..2 {
        let done = world.exec("find ~/.local/state/hooks/snapshots -type f | wc -l");
        if done.status.code() != Some(125) {
            assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), "0", "{}", errors(&done));
        }
    }
    assert!(has_files(&store));
    let world = World::new(RULES);
    fs::write(world.home.join(".local"), "").unwrap();
    let done = world.exec("echo ran");
    assert_eq!(&*done.stdout, b"ran\n");
    assert!(errors(&done).contains("no snapshot was taken"), "{}", errors(&done));
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().next().is_some())
}

/// The answer of `hooks run` to an event of a client.
fn event(world: &World, name: &str, call: &str, file: &str) -> Output {
    use std::io::Write;

    let payload = serde_json::json!({
        "session_id": "session-1", "hook_event_name": name, "cwd": world.project, "tool_name": "Write",
        "tool_input": {"file_path": file, "content": "agent\n"}, "tool_use_id": call,
        "tool_response": {"success": true},
    });
    let mut hooks = world.command(env!("CARGO_BIN_EXE_hooks"), &["run", "--client", "claude"]);
    let mut hooks = hooks.stdin(Stdio::piped()).spawn().unwrap();
    hooks.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    hooks.wait_with_output().unwrap()
}

/// A call of a client's own tool that writes a file.
fn write(world: &World, call: &str, file: &str) {
    let before = event(world, "PreToolUse", call, file);
    assert!(
        before.status.success() && !String::from_utf8_lossy(&before.stdout).contains("deny"),
        "{before:?}"
    );
    let place = world.project.join(file);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, "agent\n").unwrap();
    let after = event(world, "PostToolUse", call, file);
    assert!(after.status.success(), "{after:?}");
}

#[test]
fn files_that_a_client_writes_can_come_back() {
    let world = World::new(RULES);
    let before = world.picture();
    write(&world, "call-1", "precious");
    write(&world, "call-2", "new/deep/file");
    write(&world, "call-3", "precious");
    let list = world.hooks(&["snapshots", "--session", "session-1"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    // The third call changed nothing.
    assert!(list.contains("Write precious") && list.contains("Write new/deep/file"), "{list}");
    assert_eq!(list.matches("Write precious").count(), 1, "{list}");
    assert!(
        String::from_utf8_lossy(&world.hooks(&["snapshots", "--session", "other"]).stdout).lines().count()
            < 2
    );
    // A person changed it later.
    fs::write(world.project.join("precious"), "person\n").unwrap();
    let refused = world.hooks(&["undo", "call-1", "--yes"]);
    assert!(errors(&refused).contains("precious") && errors(&refused).contains("--force"), "{refused:?}");
    assert_eq!(fs::read_to_string(world.project.join("precious")).unwrap(), "person\n");
    fs::write(world.project.join("precious"), "agent\n").unwrap();
    let undone = world.hooks(&["undo", "--session", "session-1", "--yes"]);
    assert!(undone.status.success(), "{undone:?}");
    let shown = String::from_utf8_lossy(&undone.stdout).into_owned();
    assert!(shown.contains("-agent") && shown.contains("+precious"), "{shown}");
    assert_eq!(world.picture(), before);
    assert!(errors(&world.hooks(&["undo", "--yes"])).contains("nothing that can be undone"));
}

#[test]
fn the_last_ones_are_undone_newest_first() {
    let world = World::new("version: 1\nsandbox: { unavailable: guards-only }\neffects: { loss: report }\n");
    let before = world.picture();
    for script in ["echo 1 > precious", "echo 2 > precious", "echo 3 > made"] {
        assert!(world.exec(script).status.success());
    }
    let undone = world.hooks(&["undo", "--last", "2", "--yes"]);
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(fs::read_to_string(world.project.join("precious")).unwrap(), "1\n");
    assert!(!world.project.join("made").exists());
    assert!(world.hooks(&["undo", "--last", "9", "--yes"]).status.success());
    assert_eq!(world.picture(), before);
}

#[test]
fn losses_and_undos_are_in_the_log_without_names_and_contents() {
    let world = World::new(&format!("{RULES}audit: {{ folder: ../log }}\n"));
    assert_eq!(world.exec("rm -rf draft").status.code(), Some(122));
    let done = world.exec("echo evil > .envrc");
    assert!(done.status.success() && errors(&done).contains("`.envrc` is new: direnv"), "{done:?}");
    assert!(world.hooks(&["undo", "--yes"]).status.success());
    let log = world.home.join("log");
    let exported = world.hooks(&["audit", "--log", &log.to_string_lossy(), "export"]);
    let text = String::from_utf8_lossy(&exported.stdout).into_owned();
    for part in [
        "notification",
        "1 removed; all changes were undone",
        "1 new settings of tools",
        "by a person: 1 paths",
    ] {
        assert!(text.contains(part), "{part}: {text} {}", errors(&exported));
    }
    assert!(!text.contains("draft") && !text.contains("envrc") && !text.contains("evil"), "{text}");
}

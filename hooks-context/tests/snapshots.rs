//! Builtins and snapshots with a real git in temporary folders.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(unix)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks_context::builtins::snapshot::Shadow;
use hooks_context::builtins::{Call, World, run};
use hooks_core::programs::{Finished, Program, Programs};
use hooks_core::testing::FakeClock;
use hooks_core::time::{Clock, Timestamp};
use hooks_system::{StdFileSystem, SystemMachine, SystemPrograms};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Desk {
    _folder: TempDir,
    project: PathBuf,
    clock: Arc<FakeClock>,
    world: World,
}

#[expect(clippy::disallowed_methods, reason = "tests play the user")]
fn git(project: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=u", "-c", "user.email=u@localhost"];
    let mut command = Command::new("git");
    command.args(identity).args(arguments).current_dir(project).stderr(Stdio::null());
    let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    String::from_utf8(done.stdout).unwrap()
}

fn desk() -> Desk {
    let folder = TempDir::new().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (project, store) = (base.join("project"), base.join("store"));
    fs::create_dir(&project).unwrap();
    fs::create_dir(&store).unwrap();
    git(&project, &["init", "-q", "-b", "main"]);
    fs::write(project.join("a.txt"), "one\r\n").unwrap();
    fs::write(project.join(".gitignore"), "*.log\n").unwrap();
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    let clock = Arc::new(FakeClock::at(Timestamp(1_795_390_200_000)));
    let world = World::new(Arc::clone(&clock) as _, Arc::new(StdFileSystem), Arc::new(SystemPrograms), store)
        .on(Arc::new(SystemMachine));
    Desk { _folder: folder, project, clock, world }
}

impl Desk {
    fn ask(&self, name: &str, args: &[&str], input: impl Into<Value>) -> Value {
        let input = input.into();
        let args: Vec<_> = args.iter().map(ToString::to_string).collect();
        let call = Call { name, args: &args, cwd: Some(&self.project), input: &input };
        serde_json::to_value(run(&call, &self.world).unwrap()).unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.project.join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project.join(name)).ok()
    }

    fn shadow(&self) -> Shadow<'_> {
        Shadow::open(&self.world, &self.project).unwrap().unwrap()
    }

    /// Returns the contents of the user's `.git` folder.
    fn repository(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut open = vec![self.project.join(".git")];
        let mut found = Vec::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
        found.sort();
        found
    }
}

#[test]
fn what_git_says_of_a_real_repository() {
    let desk = desk();
    desk.write("a.txt", "two\n");
    let status = desk.ask("add_git_status", &[], json!({}));
    let content = &status["hook_specific_output"]["instruction_context"][0]["content"];
    assert_eq!(content, "Current git status:\n\n## main\n M a.txt");
    let diff = desk.ask("add_git_diff", &["full"], json!({}));
    let content = diff["hook_specific_output"]["instruction_context"][0]["content"].as_str().unwrap();
    assert!(content.contains("-one\r\n+two"), "{content}");
    let commits = desk.ask("add_recent_commits", &["1"], json!({}));
    let content = commits["hook_specific_output"]["additional_context"].as_str().unwrap();
    assert!(content.starts_with("Recent commits:\n\n") && content.ends_with(" first"), "{content}");
}

#[test]
fn nothing_that_a_configuration_names_is_started() {
    let desk = desk();
    let trap = desk.project.join("sprung.log");
    let program = format!("sh -c 'touch {}; cat'", trap.display());
    for setting in [
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "filter.x.clean",
        "filter.a=b.clean",
        "diff.x.textconv",
        "diff.x.command",
    ] {
        git(&desk.project, &["config", setting, &program]);
    }
    desk.write(".gitattributes", "*.txt filter=x diff=x\n");
    desk.write("a.txt", "two\n");
    for (name, args) in [
        ("add_git_status", &[][..]),
        ("add_git_diff", &["full"]),
        ("add_recent_commits", &[]),
        ("snapshot", &[]),
    ] {
        desk.ask(name, args, json!({"session_id": "s", "hook_event_name": "turn_start"}));
        assert!(!trap.exists(), "{name}");
    }
    // The trap works: git without our settings starts it.
    git(&desk.project, &["status"]);
    assert!(trap.exists());
}

#[test]
fn files_go_back_to_what_they_were_and_forward_again() {
    let desk = desk();
    desk.write("new.txt", "untracked");
    desk.write("x.log", "ignored");
    desk.write(".gitattributes", "* text eol=lf\n");
    let before = desk.repository();
    let shadow = desk.shadow();
    let first = shadow.take("s", "turn_start").unwrap();
    assert_eq!(shadow.take("s", "turn_end").unwrap(), first, "nothing changed");

    desk.write("a.txt", "changed");
    desk.write("later.txt", "added");
    fs::remove_file(desk.project.join("new.txt")).unwrap();
    let second = shadow.take("s", "post_tool_use edit").unwrap();
    let listed: Vec<_> = shadow.list("s").unwrap().into_iter().map(|one| one.label).collect();
    assert_eq!(listed, ["post_tool_use edit", "turn_start"]);
    assert_eq!(shadow.list("another").unwrap(), []);

    desk.write("never-kept.txt", "since the last snapshot");
    let restored = shadow.restore("s", &first.id).unwrap();
    assert_eq!(restored.files, ["a.txt", "later.txt", "never-kept.txt", "new.txt"]);
    assert_eq!(desk.read("a.txt").unwrap(), "one\r\n");
    assert_eq!(desk.read("new.txt").unwrap(), "untracked");
    assert_eq!((desk.read("later.txt"), desk.read("never-kept.txt")), (None, None));
    assert_eq!(desk.read("x.log").unwrap(), "ignored");

    shadow.restore("s", &restored.before).unwrap();
    assert_eq!(desk.read("never-kept.txt").unwrap(), "since the last snapshot");
    shadow.restore("s", &second.id).unwrap();
    assert_eq!(desk.read("a.txt").unwrap(), "changed");
    assert_eq!(desk.repository(), before, "the user's repository is as it was");

    assert!(shadow.restore("s", "--help").is_err());
    assert!(shadow.restore("s", "deadbeef").is_err());
}

#[test]
fn old_sessions_are_dropped() {
    let desk = desk();
    let event = |event: &str| json!({"session_id": "old", "hook_event_name": event});
    assert_eq!(desk.ask("snapshot", &[], event("turn_start")), json!({}));
    assert_eq!(desk.shadow().list("old").unwrap().len(), 1);
    desk.clock.advance(Duration::from_secs(8 * 86_400));
    assert_eq!(desk.ask("snapshot", &[], event("session_end")), json!({}));
    assert_eq!(desk.shadow().list("old").unwrap(), []);
}

#[test]
fn outside_of_a_repository_there_is_nothing_to_keep() {
    let mut desk = desk();
    desk.project = desk.world.store.clone();
    let event = json!({"session_id": "s", "hook_event_name": "turn_start"});
    assert_eq!(desk.ask("snapshot", &[], event), json!({}));
    assert!(Shadow::open(&desk.world, &desk.project).unwrap().is_none());
}

#[test]
fn files_that_are_no_text_and_folders_of_others_are_kept_as_they_are() {
    let desk = desk();
    std::os::unix::fs::symlink("a.txt", desk.project.join("link")).unwrap();
    fs::create_dir(desk.project.join("inner")).unwrap();
    git(&desk.project.join("inner"), &["init", "-q"]);
    fs::write(desk.project.join("bytes"), [0, 255, 13, 10]).unwrap();
    let shadow = desk.shadow();
    let first = shadow.take("s", "here").unwrap();
    fs::remove_file(desk.project.join("link")).unwrap();
    fs::write(desk.project.join("bytes"), [1]).unwrap();
    shadow.restore("s", &first.id).unwrap();
    assert_eq!(fs::read(desk.project.join("bytes")).unwrap(), [0, 255, 13, 10]);
    assert_eq!(fs::read_link(desk.project.join("link")).unwrap(), Path::new("a.txt"));
    assert!(desk.project.join("inner/.git").exists());
}

/// Git on a machine where every step takes four seconds.
struct Slow(Arc<FakeClock>);

impl Programs for Slow {
    fn run(&self, program: &Program) -> io::Result<Finished> {
        let takes = Duration::from_secs(4);
        self.0.advance(takes.min(program.patience));
        if program.patience < takes {
            return Err(io::ErrorKind::TimedOut.into());
        }
        SystemPrograms.run(program)
    }
}

#[test]
fn all_steps_of_a_slow_snapshot_have_one_budget() {
    let mut desk = desk();
    desk.world.programs = Arc::new(Slow(Arc::clone(&desk.clock)));
    let before = desk.clock.now();
    let input = json!({"session_id": "s", "hook_event_name": "pre_tool_use", "tool_name": "edit"});
    let told = desk.ask("snapshot", &[], input);
    assert_eq!(desk.clock.now().since(before), Duration::from_secs(15));
    assert!(told.to_string().contains("no snapshot was taken"), "{told}");
    assert!(!told.to_string().contains("deny") && !told.to_string().contains("block"), "{told}");
}

#[test]
fn a_git_that_was_killed_keeps_no_later_snapshot_from_being_taken() {
    let desk = desk();
    let shadow = desk.shadow();
    shadow.take("s", "first").unwrap();
    let snapshots = desk.world.store.join("snapshots");
    let folder = fs::read_dir(snapshots).unwrap().next().unwrap().unwrap().path();
    fs::write(folder.join("git/index.lock"), "").unwrap();
    desk.write("a.txt", "two");
    shadow.take("s", "second").unwrap();
    assert_eq!(shadow.list("s").unwrap().len(), 2);
}

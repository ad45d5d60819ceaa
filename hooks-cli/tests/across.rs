//! The audit log across processes, each of which lives for one event. Records that cannot be written to the
//! log are written to another file, or counted until a later process can record the count. Also checks the
//! owners of its files.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with a team folder.
struct World {
    folder: TempDir,
}

impl World {
    fn new(config: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.at("app/.squad")).unwrap();
        fs::create_dir_all(world.at("app/.git")).unwrap();
        fs::write(world.at("app/hooks.yaml"), config).unwrap();
        world
    }

    /// A project with a file at the path of the log's folder.
    fn without_log(config: &str) -> Self {
        let world = Self::new(config);
        fs::write(world.at("app/.squad/orchestration-log"), "").unwrap();
        world
    }

    fn mend(&self) {
        fs::remove_file(self.at("app/.squad/orchestration-log")).unwrap();
    }

    fn at(&self, place: &str) -> PathBuf {
        self.folder.path().join(place)
    }

    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    fn start(&self, options: &[&str], home: &str, input: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(options).current_dir(self.at("app")).env_clear().env("HOME", self.at(home));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input may close it.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child
    }

    fn start_call(&self, tool: &str, home: &str) -> Child {
        let input =
            if tool == "Bash" { json!({"command": "ls"}) } else { json!({"file_path": self.at("app/a")}) };
        let payload = json!({
            "session_id": "s", "cwd": self.at("app"), "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "tool_use_id": "t1", "transcript_path": "",
        });
        self.start(&["run", "--client", "claude", "--event", "PreToolUse"], home, &payload.to_string())
    }

    /// Runs a call through `hooks run` as an agent client does.
    fn call(&self, tool: &str) -> Output {
        self.start_call(tool, "").wait_with_output().unwrap()
    }

    fn audit(&self, options: &[&str]) -> Output {
        self.start(&[&["audit"], options].concat(), "", "").wait_with_output().unwrap()
    }

    /// The records of the log that `options` name, or of the project's log.
    fn records(&self, options: &[&str]) -> Vec<Value> {
        let output = self.audit(&[options, &["query"]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line.split_once(' ').unwrap().1).unwrap()).collect()
    }

    /// The numbers of records that the log reports as missing or in another file, with the notes.
    fn told(&self, event: &str) -> Vec<(u64, String)> {
        let records = self.records(&[]).into_iter().filter(|record| record["event"] == event);
        let told = |record: Value| {
            let field = |place| record.pointer(place).unwrap();
            (field("/covers/0/1").as_u64().unwrap(), field("/note").as_str().unwrap().to_owned())
        };
        records.map(told).collect()
    }
}

fn is_denied(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("\"deny\"")
}

#[test]
fn what_cannot_be_put_down_is_spilt_at_once_and_the_log_says_where() {
    let world = World::without_log("version: 1\naudit: { spill: ../other }\n");
    for _ in 0..3 {
        let output = world.call("Bash");
        assert!(!is_denied(&output), "{output:?}");
    }
    let (other, there) = (world.at("other"), ["--log", "../other"]);
    assert_eq!(world.records(&there).len(), 3);
    assert_eq!(world.audit(&[&there[..], &["verify"]].concat()).status.code(), Some(0));

    world.mend();
    assert!(!is_denied(&world.call("Bash")));
    let told = world.told("log.spilled");
    let name = other.canonicalize().unwrap().display().to_string();
    let is_right =
        |(count, note): &(u64, String)| *count == 3 && note.contains("../other") || note.contains(&name);
    assert!(told.len() == 1 && told.iter().all(is_right), "{told:?}");
    assert!(world.told("log.gap").is_empty());
    assert!(!is_denied(&world.call("Bash")));
    assert_eq!(world.told("log.spilled").len(), 1, "it is said once");
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
}

#[test]
fn what_eight_processes_at_a_time_lose_the_next_one_says() {
    let world = World::without_log("version: 1\n");
    for tool in ["Read", "Bash"] {
        let started: Vec<_> = (0..8).map(|_| world.start_call(tool, "")).collect();
        for child in started {
            let output = child.wait_with_output().unwrap();
            assert_eq!(is_denied(&output), tool == "Bash", "{output:?}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "it is kept where the next one finds it");
        }
    }
    world.mend();
    for _ in 0..2 {
        assert!(!is_denied(&world.call("Bash")));
        let told = world.told("log.gap");
        assert!(matches!(&told[..], [(16, why)] if why.contains("cannot be opened")), "{told:?}");
    }
}

#[test]
fn a_kill_at_any_moment_forgets_nothing_that_was_answered() {
    let world = World::without_log("version: 1\n");
    let mut answered = 0;
    for delay in [0, 2, 4, 6, 8, 12] {
        let mut started: Vec<_> = (0..8).map(|_| world.start_call("Read", "")).collect();
        pause(delay);
        for child in &mut started {
            child.kill().unwrap();
        }
        for child in started {
            answered += u64::from(child.wait_with_output().unwrap().status.success());
        }
    }
    answered += u64::from(world.call("Read").status.success());
    world.mend();
    assert!(!is_denied(&world.call("Bash")));
    let told: u64 = world.told("log.gap").iter().map(|(count, _)| count).sum();
    assert!(told >= answered && told <= 49, "{told} of {answered}");
}

#[test]
fn where_nothing_can_be_written_standard_error_says_so() {
    // With self-protection, the rules of the session have to be stored first.
    let world = World::without_log("version: 1\n");
    fs::write(world.at("home"), "").unwrap();
    let denied = world.start_call("Read", "home").wait_with_output().unwrap();
    assert!(is_denied(&denied), "{denied:?}");
    let told = String::from_utf8_lossy(&denied.stdout).into_owned();
    assert!(told.contains("name another folder with `XDG_STATE_HOME`"), "{told}");

    let world = World::without_log("version: 1\nself_protection: false\n");
    fs::write(world.at("home"), "").unwrap();
    for tool in ["Read", "Bash"] {
        let output = world.start_call(tool, "home").wait_with_output().unwrap();
        assert_eq!(is_denied(&output), tool == "Bash", "{output:?}");
        let printed = String::from_utf8_lossy(&output.stderr);
        // A denial contains the message itself.
        let is_said = printed.starts_with("hooks: 1 records are missing from the audit log, between ");
        assert_eq!((is_said, printed.is_empty()), (tool == "Read", tool == "Bash"), "{printed}");
    }
}

#[test]
fn what_is_made_is_its_owners_and_a_group_reads_it_where_its_folder_says_so() {
    let modes = |folder: PathBuf| {
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
        let modes: Vec<_> =
            entries.map(|entry| entry.metadata().unwrap().permissions().mode() & 0o777).collect();
        assert!(modes.len() >= 3, "{folder:?}: {modes:?}");
        modes
    };
    let world = World::new("version: 1\naudit: { folder: ../log, checkpoints: { folder: ../kept } }\n");
    fs::create_dir(world.at("kept")).unwrap();
    assert!(!is_denied(&world.call("Bash")));
    let hold = ["--log", "../log", "hold", "add", "case", "--reason", "a reason", "--session", "s"];
    assert_eq!(world.audit(&hold).status.code(), Some(0));
    assert_eq!(fs::metadata(world.at("log")).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(modes(world.at("log")).iter().all(|mode| *mode == 0o600));

    let world = World::new("version: 1\naudit: { folder: ../log }\n");
    fs::create_dir(world.at("log")).unwrap();
    fs::set_permissions(world.at("log"), fs::Permissions::from_mode(0o2750)).unwrap();
    assert!(!is_denied(&world.call("Bash")));
    assert!(modes(world.at("log")).iter().all(|mode| mode & 0o747 == 0o640));
}

#[expect(clippy::disallowed_methods, reason = "processes of the system take real time")]
fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

//! `hooks audit`, and what the other commands put on the record.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with the folder of a team.
struct World {
    folder: TempDir,
}

impl World {
    fn new(config: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.app().join(".squad")).unwrap();
        fs::create_dir_all(world.app().join(".git")).unwrap();
        fs::write(world.app().join("hooks.yaml"), config).unwrap();
        world
    }

    fn app(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    fn log(&self) -> PathBuf {
        self.app().join(".squad/orchestration-log")
    }

    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(options).current_dir(self.app()).env_clear().env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn ask(&self, options: &[&str], input: &str) -> Output {
        let mut child = self.command(options).spawn().unwrap();
        // A program that does not read is right to close it.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    }

    /// Has a call of `session` judged as an agent client has it.
    fn call(&self, session: &str, command: &str) -> Output {
        let payload = json!({
            "session_id": session, "cwd": self.app(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "t1", "transcript_path": "",
        });
        self.ask(&["run", "--client", "claude", "--event", "PreToolUse"], &payload.to_string())
    }

    fn audit(&self, options: &[&str]) -> Output {
        self.ask(&[&["audit"], options].concat(), "")
    }
}

/// The records that were printed, without their positions.
fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line.split_once(' ').unwrap().1).unwrap()).collect()
}

#[test]
fn a_team_has_a_log_unless_it_is_switched_off() {
    let world = World::new("version: 1\ncommand_guard: { block: [sudo] }\n");
    for command in ["ls", "sudo ls", "cat a"] {
        assert_eq!(world.call("s1", command).status.code(), Some(0));
    }
    let records = records(&world.audit(&["tail"]));
    let outcomes: Vec<_> = records.iter().map(|record| record["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["no_opinion", "deny", "no_opinion"]);
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
    let files = fs::read_dir(world.log()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "jsonl")
    });
    assert_eq!(files.count(), 1, "each process goes on in the file of the one before");

    let off = World::new("version: 1\naudit: false\n");
    assert_eq!(off.call("s1", "ls").status.code(), Some(0));
    assert!(!off.log().exists());
}

#[test]
fn what_is_asked_about_is_not_on_the_record() {
    let world = World::new("version: 1\naudit: {}\ncommand_guard: {}\n");
    let event = r#"{"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": "ls"}}"#;
    for options in [
        &["check", "hooks.yaml"][..],
        &["eval", "-c", "hooks.yaml"],
        &["explain", "-c", "hooks.yaml", "--tool", "bash", "--args", r#"{"command": "ls"}"#],
        &["bench", "-c", "hooks.yaml", "--time", "1"],
    ] {
        let output = world.ask(options, event);
        assert_eq!(output.status.code(), Some(0), "{options:?}: {output:?}");
        assert!(!world.log().exists(), "{options:?}");
    }
    assert_eq!(world.ask(&["eval", "-c", "hooks.yaml", "--record"], event).status.code(), Some(0));
    assert_eq!(records(&world.audit(&["tail"])).len(), 1);
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn payloads_are_erased_once_that_is_confirmed_but_not_what_is_held() {
    let world = World::new("version: 1\n");
    for session in ["s1", "s1", "s2", "s3"] {
        world.call(session, "ls");
    }
    let add = ["hold", "add", "case", "--reason", "asked for by counsel", "--session", "s2", "--by", "ada"];
    assert_eq!(world.audit(&add).status.code(), Some(0));
    assert_eq!(world.audit(&add).status.code(), Some(2), "there is one of that name");
    assert!(
        said(&world.audit(&["hold", "list"]))
            .contains("case: records of session `s2`: asked for by counsel (ada)")
    );

    let why = ["--why", "asked for by the person"];
    let erase = |options: &[&str]| world.audit(&[&["erase"], options, &why].concat());
    assert_eq!(erase(&[]).status.code(), Some(2), "nobody said of whom");
    assert_eq!(erase(&["--before", "yesterday", "--yes"]).status.code(), Some(2));
    let asked = erase(&["--agent", "main"]);
    assert_eq!(asked.status.code(), Some(1), "{asked:?}");
    let asked = erase(&["--session", "s1"]);
    assert!(
        asked.status.code() == Some(1) && said(&asked).contains("2 payloads would be erased"),
        "{asked:?}"
    );
    let shown = |position: &str| said(&world.audit(&["show", position]));
    assert!(shown("w0:1").contains("\"command\": \"ls\""));
    let done = erase(&["--session", "s1", "--yes"]);
    assert!(done.status.code() == Some(0) && said(&done).contains("2 payloads erased"), "{done:?}");
    assert!(shown("w0:1").contains("\"erased\"") && !shown("w0:1").contains("\"command\""));
    let held = erase(&["--since", "2020", "w0:3", "w0:4", "--yes"]);
    assert!(said(&held).contains("held by `case`") && said(&held).contains("1 payloads erased"), "{held:?}");
    assert!(shown("w0:3").contains("\"command\": \"ls\""));

    let record = records(&world.audit(&["query", "--event", "log.erased"])).remove(0);
    assert!(record["note"].as_str().unwrap().contains("asked for by the person ("), "{record}");
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
    assert_eq!(world.audit(&["hold", "release", "case"]).status.code(), Some(0));
    assert_eq!(records(&world.audit(&["query", "--event", "log.released"])).len(), 1);
}

#[test]
fn the_end_of_a_session_and_maintenance_compress_and_delete() {
    let world = World::new("version: 1\naudit: { file_bytes: 500, keep: 7 years }\n");
    for _ in 0..4 {
        world.call("s1", "ls");
    }
    let count = |end: &str| {
        let files = fs::read_dir(world.log()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.to_str().unwrap().ends_with(end)).count()
    };
    let plan = said(&world.audit(&["-c", "hooks.yaml", "maintain", "--dry-run"]));
    assert!(plan.contains("would be compressed: w0.00000001.jsonl") && count(".gz") == 0, "{plan}");
    let end = json!({"session_id": "s1", "cwd": world.app(), "hook_event_name": "SessionEnd", "reason": "exit",
        "transcript_path": ""});
    let ended = world.ask(&["run", "--client", "claude", "--event", "SessionEnd"], &end.to_string());
    assert_eq!(ended.status.code(), Some(0));
    assert!(count(".gz") >= 3 && count(".jsonl") <= 2, "{}", count(".gz"));
    let before = records(&world.audit(&["tail"])).len();
    assert_eq!((before, world.audit(&["verify"]).status.code()), (5, Some(0)));
    let done = world.audit(&["-c", "hooks.yaml", "maintain"]);
    assert!(done.status.code() == Some(0) && !said(&done).contains("deleted"), "{done:?}");
    assert_eq!(records(&world.audit(&["tail"])).len(), 5);
    let wrong = World::new("version: 1\naudit: { keep: 7 yaers }\n").ask(&["check", "hooks.yaml"], "");
    assert!(said(&wrong).contains("`7 yaers` is no age"), "{wrong:?}");
}

#[test]
fn a_log_is_followed_until_nobody_reads_any_more() {
    let world = World::new("version: 1\naudit: { file_bytes: 500 }\n");
    world.call("s0", "ls");
    let mut follows = world.command(&["audit", "tail", "-n", "1", "--follow", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(follows.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["record"]["session"], "s0");
    // Each of these begins another file.
    for session in ["s1", "s2", "s3"] {
        world.call(session, "ls");
        assert_eq!(next()["record"]["session"], session);
    }
    drop(lines);
    assert_eq!(follows.wait().unwrap().code(), Some(0));
}

#[test]
fn sinks_are_fed_and_what_they_have_is_remembered() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let config = format!("version: 1\nsinks:\n  - {{ name: ops, webhook: {{ url: \"{url}\" }} }}\n");
    let world = World::new(&config);
    world.call("s1", "ls");
    world.call("s2", "ls");
    // Takes one batch, and no other.
    let takes = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut taken = Vec::new();
        let mut part = [0; 4096];
        while !String::from_utf8_lossy(&taken).contains("\"s2\"") {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0);
            taken.extend_from_slice(&part[..read]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").unwrap();
        taken
    });
    let feed = || world.audit(&["feed", "--once", "-c", "hooks.yaml"]);
    let fed = feed();
    assert!(fed.status.code() == Some(0) && said(&fed).contains("ops: has everything"), "{fed:?}");
    assert!(String::from_utf8_lossy(&takes.join().unwrap()).contains("w0:1"));
    // There is nothing left to send, and the server is gone.
    assert_eq!(feed().status.code(), Some(0));
    world.call("s3", "ls");
    let behind = feed();
    assert!(behind.status.code() == Some(1) && said(&behind).contains("ops: behind"), "{behind:?}");
    assert_eq!(world.audit(&["feed"]).status.code(), Some(2));
}

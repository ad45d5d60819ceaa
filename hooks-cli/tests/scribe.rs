//! The Scribe with `hooks run`: one process for each event of a client, some of which are killed or never
//! start.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes are recorded without delay, and a call without a result is given up after a second.
const CONFIG: &str = "version: 1\nscribe: { settle: 0ms, given_up_after: 1s }\n\
    rules: [{ name: r, action: deny, tools: [write], paths: ['**/denied*'], reason: no }]\n";

/// A project with a team folder.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(world.0.path().join(".git")).unwrap();
        fs::create_dir_all(world.0.path().join(".squad/decisions/inbox")).unwrap();
        fs::write(world.0.path().join("hooks.yaml"), CONFIG).unwrap();
        world
    }

    /// Starts `hooks run` with the payload of `client` for `event`.
    fn start(&self, client: &str, event: &str, sent: &Value) -> Child {
        let mut payload = json!({ "session_id": "s", "cwd": self.0.path(), "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(["run", "--client", client, "--event", event]).current_dir(self.0.path()).env_clear();
        command.env("HOME", self.0.path().join("home")).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // The pipe closes when it is dropped; a killed process does not read it.
        drop(child.stdin.take().map(|mut stdin| stdin.write_all(payload.to_string().as_bytes())));
        child
    }

    fn run(&self, client: &str, event: &str, sent: &Value) -> String {
        let output = self.start(client, event, sent).wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Ends another session, after all calls without a result were given up.
    fn finish(&self) {
        pause(Duration::from_millis(1_100));
        for _ in 0..2 {
            self.run("claude", "SessionStart", &json!({ "session_id": "next", "source": "startup" }));
        }
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).unwrap_or_default()
    }

    /// The lines of all sessions.
    fn lines(&self) -> Vec<String> {
        let Ok(files) = fs::read_dir(self.0.path().join(".squad/log")) else { return Vec::new() };
        let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        lines.filter(|line| line.starts_with("- ")).collect()
    }
}

fn call(tool: &str, file: &str, id: Option<&str>) -> Value {
    let mut call = json!({ "tool_name": tool, "tool_input": { "file_path": file, "content": "x" } });
    if let Some(id) = id {
        call.as_object_mut().unwrap().insert("tool_use_id".to_owned(), id.into());
    }
    call
}

fn returned(mut call: Value) -> Value {
    call.as_object_mut().unwrap().insert("tool_response".to_owned(), json!({ "type": "create" }));
    call
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "it lets real processes do real work")]
fn pause(time: Duration) {
    thread::sleep(time);
}

#[test]
fn each_call_that_is_let_through_has_one_line() {
    // One client sends IDs of its calls, the other does not.
    for (client, before, after, tool, id) in [
        ("claude", "PreToolUse", "PostToolUse", "Write", Some(["1", "2", "3"])),
        ("gemini", "BeforeTool", "AfterTool", "write_file", None),
    ] {
        let world = World::new();
        let id = |number: usize| id.and_then(|ids: [&'static str; 3]| ids.get(number).copied());
        let told = call(tool, ".squad/told.md", id(0));
        assert!(world.run(client, before, &told).is_empty());
        world.run(client, after, &returned(told));
        assert!(world.run(client, before, &call(tool, ".squad/untold.md", id(1))).is_empty());
        assert!(world.run(client, before, &call(tool, ".squad/denied.md", id(2))).contains("no"));
        assert_eq!(world.lines().len(), 1, "{client}: {:?}", world.lines());
        world.finish();
        let lines = world.lines();
        let has_one = |words: &[&str]| {
            lines.iter().filter(|line| words.iter().all(|word| line.contains(word))).count() == 1
        };
        assert!(has_one(&["`told.md`", " wrote "]), "{client}: {lines:?}");
        assert!(has_one(&["untold.md", "its end was not reported"]), "{client}: {lines:?}");
        assert_eq!(lines.len(), 2, "{client}: {lines:?}");
    }
}

#[test]
fn no_answer_waits_for_whoever_works_and_does_not_end() {
    let world = World::new();
    let written = call("Write", ".squad/a.md", Some("1"));
    world.run("claude", "PreToolUse", &written);
    let lock = fs::File::create(world.0.path().join(".squad/.hooks/lock-scribe")).unwrap();
    lock.lock().unwrap();
    let started = now();
    world.run("claude", "PostToolUse", &returned(written));
    let ended = world.start("claude", "SessionEnd", &json!({ "reason": "other" }));
    assert!(ended.wait_with_output().unwrap().status.success());
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(world.lines().is_empty());
    drop(lock);
    world.finish();
    let lines = world.lines();
    assert!(lines.len() == 2 && lines.iter().any(|line| line.contains("** wrote `a.md`")), "{lines:?}");
}

#[test]
fn no_answer_waits_for_a_folder_that_has_grown_large_nor_is_anything_denied_for_it() {
    let world = World::new();
    let file = ".squad/decisions/inbox/large.md";
    let written = call("Write", file, Some("1"));
    world.run("claude", "PreToolUse", &written);
    let decision = "### 2026-11-22: Decide\n**By:** A\n\n";
    fs::write(world.0.path().join(file), decision.repeat((24 << 20) / decision.len())).unwrap();
    let started = now();
    let answer = world.run("claude", "PostToolUse", &returned(written));
    assert!(answer.is_empty() && started.elapsed() < Duration::from_secs(12), "{:?}", started.elapsed());
}

/// The number of calls: `HOOKS_SCRIBE_CALLS`, or a small default for CI.
fn calls() -> usize {
    std::env::var("HOOKS_SCRIBE_CALLS").ok().and_then(|count| count.parse().ok()).unwrap_or(48)
}

#[test]
fn whichever_processes_are_killed_each_write_has_one_line_and_each_decision_is_there_once() {
    const AGENTS: usize = 4;
    let world = World::new();
    thread::scope(|scope| {
        for agent in 0..AGENTS {
            let world = &world;
            scope.spawn(move || work(world, agent, calls() / AGENTS));
        }
    });
    world.finish();
    let lines = world.lines().join("\n");
    let decisions = world.text(".squad/decisions.md");
    let mut missing = HashMap::new();
    for entry in world.text("ledger").lines() {
        let of_line = lines.matches(&format!("/{entry}.md`")).count();
        let of_entry = decisions.matches(&format!("Decide {entry}\n")).count();
        if (of_line, of_entry) != (1, 1) {
            missing.insert(entry.to_owned(), (of_line, of_entry));
        }
    }
    let written = world.text("ledger").lines().count();
    println!("{written} writes, {} without one line and one entry", missing.len());
    assert!(written > 0 && missing.is_empty(), "{missing:?}\n{lines}");
    // The home is below the project here, so the files of calls are not kept for an undo.
    let log = world.text("home/.local/state/hooks/run.log");
    let others: Vec<_> = log.lines().filter(|line| !line.contains("no snapshot was taken")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// Runs a tool that writes to the inbox if the answer allows it, and kills some processes.
fn work(world: &World, agent: usize, calls: usize) {
    for number in 0..calls {
        // The value differs between calls, and is the same in each run.
        let dice = (number * 37 + agent * 101) % 60;
        let name = format!("a{agent}n{number}x");
        let file = format!(".squad/decisions/inbox/{name}.md");
        let (client, before, after, tool, id) = match dice % 2 {
            0 => ("claude", "PreToolUse", "PostToolUse", "Write", Some(&*name)),
            _ => ("gemini", "BeforeTool", "AfterTool", "write_file", None),
        };
        let call = call(tool, &file, id);
        let mut child = world.start(client, before, &call);
        if dice.is_multiple_of(5) {
            pause(Duration::from_millis(dice as u64 / 4));
            child.kill().unwrap();
        }
        // The line in a client's settings denies if there is no answer.
        if child.wait_with_output().unwrap().status.code() != Some(0) {
            continue;
        }
        let text = format!("### 2026-11-22: Decide {name}\n**By:** A\n");
        fs::write(world.0.path().join(&file), text).unwrap();
        let mut ledger = fs::File::options().append(true).create(true).open(world.0.path().join("ledger"));
        ledger.as_mut().unwrap().write_all(format!("{name}\n").as_bytes()).unwrap();
        if dice.is_multiple_of(3) {
            continue;
        }
        let mut told = world.start(client, after, &returned(call));
        if dice % 7 < 4 {
            pause(Duration::from_millis(dice as u64 / 2));
            // The process can have ended already.
            drop(told.kill());
        }
        drop(told.wait_with_output().unwrap());
    }
}

//! `hooks eval` on a pipe while the files of its rules change, break, move and are cut off by a writer that is killed.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for a change to be in force, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Eval {
    dir: tempfile::TempDir,
    child: Child,
    stdin: Option<ChildStdin>,
    out: BufReader<ChildStdout>,
}

/// Rules that block one command.
fn blocking(blocked: &str) -> String {
    format!("version: 1\nreload: {{ every: 10ms }}\ncommand_guard: {{ block: [{blocked}] }}\n...\n")
}

impl Eval {
    /// Starts the program for `text` in the file `rules/hooks.yaml`.
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    fn start(text: &str, options: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("rules")).unwrap();
        fs::write(dir.path().join("rules/hooks.yaml"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(["eval", "-c", "rules/hooks.yaml"]).args(options).current_dir(dir.path());
        command.env("XDG_STATE_HOME", dir.path().join("state"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { stdin: child.stdin.take(), dir, child, out }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.at("rules/hooks.yaml")
    }

    fn ask(&mut self, command: &str) -> Value {
        let event = json!({
            "event": "pre_tool_use", "at": {"session_id": "s", "agent_name": "a"}, "tool_name": "bash",
            "tool_args": {"command": command},
        });
        writeln!(self.stdin.as_mut().unwrap(), "{event}").unwrap();
        let mut answer = String::new();
        self.out.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// Asks until the answer to `command` is a denial, or is not.
    #[expect(clippy::disallowed_methods, reason = "the program under test takes the system's time")]
    fn wait(&mut self, command: &str, is_denied: bool) -> Value {
        let start = Instant::now();
        loop {
            let answer = self.ask(command);
            if (answer["decision"] == "deny") == is_denied {
                return answer;
            }
            assert!(start.elapsed() < PATIENCE, "{command} is denied: {}", !is_denied);
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the input, and returns the messages to the operator.
    fn end(mut self) -> String {
        drop(self.stdin.take());
        let mut told = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(self.child.wait().unwrap().success());
        told
    }
}

/// Waits for several looks at the files.
#[expect(clippy::disallowed_methods, reason = "the program under test takes the system's time")]
fn looks() {
    thread::sleep(Duration::from_millis(200));
}

fn version(answer: &Value) -> String {
    answer["rules"].as_str().unwrap().to_owned()
}

#[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
#[test]
fn a_changed_file_governs_the_next_events_and_answers_name_their_rules() {
    let mut eval = Eval::start(&blocking("git push"), &[]);
    let first = eval.ask("git push");
    assert_eq!(first["decision"], "deny");
    assert_eq!(version(&first), version(&eval.ask("ls")));
    fs::write(eval.file(), blocking("git pull")).unwrap();
    let second = eval.wait("git pull", true);
    assert_ne!(version(&first), version(&second));
    assert_ne!(eval.ask("git push")["decision"], "deny");
    let (first, second) = (version(&first), version(&second));
    // `explain` names the same rules.
    let mut explain = Command::new(env!("CARGO_BIN_EXE_hooks"));
    explain.args(["explain", "-c", "rules/hooks.yaml", "--tool", "bash", "--format", "json"]);
    explain.args(["--args", "{\"command\": \"ls\"}"]).current_dir(eval.dir.path());
    let explained = explain.env("XDG_STATE_HOME", eval.at("state")).output().unwrap();
    let explained: Value = serde_json::from_slice(&explained.stdout).unwrap();
    assert_eq!(version(&explained), second);
    let told = eval.end();
    assert!(told.contains(&format!("hooks eval: the rules changed from {first} to {second}")), "{told}");
}

#[test]
fn a_broken_file_is_reported_once_and_replaces_nothing() {
    let mut eval = Eval::start(&blocking("git push"), &[]);
    let before = version(&eval.ask("ls"));
    fs::write(eval.file(), "version: 1\ncomand_guard: {}\n...\n").unwrap();
    looks();
    let answer = eval.ask("git push");
    assert_eq!((version(&answer), &answer["decision"]), (before, &json!("deny")));
    fs::write(eval.file(), blocking("git pull")).unwrap();
    eval.wait("git pull", true);
    let told = eval.end();
    assert_eq!(told.matches("unknown option `comand_guard`").count(), 1, "{told}");
    assert!(
        told.contains("rules/hooks.yaml:2:1") && told.contains("did you mean `command_guard`?"),
        "{told}"
    );
    assert!(told.contains("the earlier rules go on until that is corrected"), "{told}");
}

#[test]
fn on_error_deny_denies_until_the_file_is_mended() {
    let text = "version: 1\nreload: { every: 10ms, on_error: deny }\n";
    let mut eval = Eval::start(text, &[]);
    assert_ne!(eval.ask("ls")["decision"], "deny");
    fs::remove_file(eval.file()).unwrap();
    let denied = eval.wait("ls", true);
    let reason = &denied["reasons"][0];
    assert_eq!((&reason["policy"], &reason["kind"]), (&json!("reload"), &json!("failure")), "{denied}");
    fs::write(eval.file(), text).unwrap();
    eval.wait("ls", false);
    assert!(eval.end().contains("everything is denied until that is corrected"));
}

#[test]
fn a_file_is_followed_wherever_it_goes() {
    let mut eval = Eval::start(&blocking("git push"), &[]);
    // Renamed over.
    fs::write(eval.at("new"), blocking("git pull")).unwrap();
    fs::rename(eval.at("new"), eval.file()).unwrap();
    eval.wait("git pull", true);
    // Deleted.
    fs::remove_file(eval.file()).unwrap();
    looks();
    assert_eq!(eval.ask("git pull")["decision"], "deny");
    // Replaced by a link.
    fs::write(eval.at("elsewhere.yaml"), blocking("git fetch")).unwrap();
    symlink("../elsewhere.yaml", eval.file()).unwrap();
    eval.wait("git fetch", true);
    fs::write(eval.at("elsewhere.yaml"), blocking("git merge")).unwrap();
    eval.wait("git merge", true);
    // Its folder is moved, and another one is in its place.
    fs::rename(eval.at("rules"), eval.at("old")).unwrap();
    looks();
    assert_eq!(eval.ask("git merge")["decision"], "deny");
    fs::create_dir(eval.at("rules")).unwrap();
    fs::write(eval.file(), blocking("git rebase")).unwrap();
    eval.wait("git rebase", true);
    assert_ne!(eval.ask("git merge")["decision"], "deny");
    let told = eval.end();
    assert_eq!(told.matches("cannot be read").count(), 2, "{told}");
}

#[test]
fn a_policy_of_the_team_is_followed() {
    let mut eval = Eval::start("version: 1\nreload: { every: 10ms }\n", &[]);
    let folder = eval.at("rules/.squad/policies");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("one.yaml"), "blockedCommands: [git push]\n").unwrap();
    eval.wait("git push", true);
    fs::remove_file(folder.join("one.yaml")).unwrap();
    eval.wait("git push", false);
}

#[test]
fn no_reload_keeps_the_rules() {
    let mut eval = Eval::start(&blocking("git push"), &["--no-reload"]);
    assert_eq!(eval.ask("git push")["decision"], "deny");
    fs::write(eval.file(), blocking("git pull")).unwrap();
    looks();
    assert_eq!(eval.ask("git push")["decision"], "deny");
    assert_eq!(eval.end(), "");
}

/// Writes the first `length` bytes of `text` into the file, in a process that is killed before it writes more.
#[expect(clippy::disallowed_methods, reason = "a program that is killed is a process")]
fn write_and_be_killed(file: &Path, text: &str, length: usize) {
    let script = "exec > \"$0\"; printf %s \"$1\"; echo written >&2; exec sleep 60";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(file).arg(text.split_at(length).0);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn half_a_file_of_a_killed_writer_is_never_in_force() {
    let mut eval = Eval::start(&blocking("git push"), &[]);
    let before = version(&eval.ask("ls"));
    let text = "version: 1\nreload: { every: 10ms }\nrules:\n- { name: a, action: deny, commands: [ls] }\n\
                - { name: b, action: deny, commands: [rm] }\n...\n";
    for length in (0..text.len()).step_by(11) {
        write_and_be_killed(&eval.file(), text, length);
        looks();
        let answer = eval.ask("git push");
        assert_eq!((version(&answer), &answer["decision"]), (before.clone(), &json!("deny")), "{length}");
    }
    fs::write(eval.file(), text).unwrap();
    eval.wait("rm x", true);
    assert_eq!(eval.ask("ls")["decision"], "deny");
}

//! `hooks top`: a log that the program recorded, printed once, and shown at a terminal while records arrive.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

const RULES: &str = "version: 1
audit: { folder: log }
command_guard: { block: [rm -rf] }
";

fn hooks(dir: &Path, args: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env("XDG_STATE_HOME", dir.join("state"));
    command.env("HOME", dir.join("home")).env_remove("XDG_CONFIG_HOME").env_remove("HOOKS_CONFIG");
    command
}

fn record(dir: &Path, agent: &str, commands: &[&str]) {
    fs::write(dir.join("hooks.yaml"), RULES).unwrap();
    let mut eval = hooks(dir, &["eval", "--config", "hooks.yaml", "--record"]);
    let mut eval = eval.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = eval.stdin.take().unwrap();
    for command in commands {
        let at = json!({"session_id": "s1", "agent_name": agent, "cwd": dir});
        let event = json!({"event": "pre_tool_use", "at": at, "tool_name": "Bash", "tool_args": {"command": command}});
        writeln!(input, "{event}").unwrap();
    }
    drop(input);
    assert!(eval.wait().unwrap().success());
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn it_is_printed_once_and_nothing_in_the_log_steers_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    record(&path, "ada\u{1b}[2J\u{202e}", &["ls", "rm -rf out", "git status"]);
    let output = hooks(&path, &["top", "--once", "--log", "log"]).output().unwrap();
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    for part in
        ["3 calls, 1 denied, 0 asked, $0 spent", "1 sessions", "s1", "ada\\u001b", "command-guard/block"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    let refused = hooks(&path, &["top", "--log", "log"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("add `--once`"), "{}", text(&refused));
}

#[test]
fn it_is_drawn_again_as_records_arrive() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    record(&path, "ada", &["rm -rf out"]);
    let mut master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map(File::from).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = hooks(&path, &["top", "--log", "log"]);
    let mut top = command.stdin(Stdio::null()).stdout(terminal).spawn().unwrap();
    // Its copy of the terminal has to be closed, or reading never ends.
    drop(command);
    let (mut shown, mut bytes) = (String::new(), [0; 4096]);
    let mut more = |shown: &mut String| match master.read(&mut bytes) {
        Ok(count) => {
            shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
            count > 0
        }
        Err(_) => false,
    };
    while !shown.contains("1 calls, 1 denied") && more(&mut shown) {}
    record(&path, "bob", &["ls", "rm -rf other"]);
    while !shown.contains("3 calls, 2 denied") && more(&mut shown) {}
    kill_process(Pid::from_child(&top), Signal::INT).unwrap();
    while more(&mut shown) {}
    assert_eq!(top.wait().unwrap().code(), Some(0), "{shown}");
    assert!(shown.contains("3 calls, 2 denied") && shown.contains("\u{1b}[?1049l"), "{shown}");
}

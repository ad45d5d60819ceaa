//! A governed project, with commands that run the program in it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with a team folder.
pub(crate) struct World {
    pub(crate) folder: TempDir,
}

impl World {
    pub(crate) fn new(config: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.app().join(".squad")).unwrap();
        fs::create_dir_all(world.app().join(".git")).unwrap();
        fs::write(world.app().join("hooks.yaml"), config).unwrap();
        world
    }

    pub(crate) fn app(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.app().join(".squad/orchestration-log")
    }

    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    pub(crate) fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(options).current_dir(self.app()).env_clear().env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn ask(&self, options: &[&str], input: &str) -> Output {
        let mut child = self.command(options).spawn().unwrap();
        // A program that does not read its input may close it.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    }

    /// Runs a call of `session` through `hooks run` as an agent client does.
    pub(crate) fn call(&self, session: &str, command: &str) -> Output {
        let payload = json!({
            "session_id": session, "cwd": self.app(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "t1", "transcript_path": "",
        });
        self.ask(&["run", "--client", "claude", "--event", "PreToolUse"], &payload.to_string())
    }

    pub(crate) fn audit(&self, options: &[&str]) -> Output {
        self.ask(&[&["audit"], options].concat(), "")
    }
}

/// The printed records, without their positions.
pub(crate) fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line.split_once(' ').unwrap().1).unwrap()).collect()
}

/// The complete output.
pub(crate) fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

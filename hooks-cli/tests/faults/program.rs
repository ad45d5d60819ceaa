//! Runs the program with the line of the client's settings.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use hooks_protocols::command_line;
use tempfile::TempDir;

use super::cases::Case;

/// A configuration that allows the cases, and needs a store for tool calls.
pub(super) const CONFIG: &str = "version: 1
limits:
  calls:
    - { most: 1000, of: team, per: session }
";

/// The output of the program.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) exit: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// The program with its input and environment.
pub(super) struct Program<'a> {
    case: &'a Case,
    pub(super) folder: TempDir,
    binary: String,
    event: String,
    /// Shell commands to run before the line.
    before: String,
    payload: Vec<u8>,
    variables: Vec<(&'static str, String)>,
    options: Vec<String>,
}

impl<'a> Program<'a> {
    /// The program for a case, with a configuration that allows it.
    pub(super) fn new(case: &'a Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = folder.path().join("app");
        // With a team folder, events are recorded.
        fs::create_dir_all(app.join(".squad")).unwrap();
        fs::write(app.join("hooks.yaml"), CONFIG).unwrap();
        let config = app.join("hooks.yaml").to_str().unwrap().to_owned();
        let payload = case.payload.replace("/home/ada/app", app.to_str().unwrap()).into_bytes();
        Self {
            case,
            folder,
            binary: env!("CARGO_BIN_EXE_hooks").to_owned(),
            event: case.event.to_owned(),
            before: String::new(),
            payload,
            variables: Vec::new(),
            options: vec!["--config".to_owned(), config],
        }
    }

    pub(super) fn binary(mut self, binary: &str) -> Self {
        binary.clone_into(&mut self.binary);
        self
    }

    pub(super) fn event(mut self, event: &str) -> Self {
        event.clone_into(&mut self.event);
        self
    }

    pub(super) fn before(mut self, before: &str) -> Self {
        before.clone_into(&mut self.before);
        self
    }

    pub(super) fn payload(mut self, payload: impl Into<Vec<u8>>) -> Self {
        self.payload = payload.into();
        self
    }

    pub(super) fn sent(&self) -> &[u8] {
        &self.payload
    }

    #[cfg(any(debug_assertions, feature = "faults"))]
    pub(super) fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    pub(super) fn options(mut self, options: &[&str]) -> Self {
        self.options.extend(options.iter().map(|option| (*option).to_owned()));
        self
    }

    /// Removes the option `--config`.
    pub(super) fn unconfigured(mut self) -> Self {
        self.options.clear();
        self
    }

    /// Path of the configuration.
    pub(super) fn config(&self) -> PathBuf {
        self.folder.path().join("app").join("hooks.yaml")
    }

    /// Path of the state.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join("app").join("state.db")
    }

    /// Keeps the state in a file at a known path.
    pub(super) fn with_store(self) -> Self {
        let store = format!("{CONFIG}store: {{ path: state.db }}\n");
        fs::write(self.config(), store).unwrap();
        self
    }

    /// Starts the program.
    pub(super) fn start(&self) -> Child {
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        let line = command_line(&self.binary, self.case.client, &self.event, &options);
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &format!("{}{line}", self.before)])
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Starts the program, writes the payload, and waits.
    pub(super) fn run(&self) -> Told {
        let mut child = self.start();
        let (stdin, payload) = (child.stdin.take(), self.payload.clone());
        // A thread writes the payload, so that a full pipe cannot block the test. A program that does not
        // read may close it.
        let writer = thread::spawn(move || drop(stdin.map(|mut stdin| stdin.write_all(&payload))));
        let told = self.told(child);
        drop(writer.join());
        told
    }

    /// Waits for the program.
    pub(super) fn told(&self, child: Child) -> Told {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Told { exit: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

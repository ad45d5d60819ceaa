//! `hooks exec` as a wrapper: signals, closed pipes, and output that is redacted as it streams. Real processes, in throw-away
//! folders.
//!
//! Where the kernel refuses a mechanism, the command must not run; the tests then have nothing to look at, and fail
//! if `HOOKS_SANDBOX_REQUIRED` is set.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "support/held.rs"]
mod held;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Without snapshots, as the folder is a home too.
const RULES: &str =
    "version: 1\nredaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }\neffects: { loss: unchecked }\n";

/// Time in which a command has to end that ends at once.
const SOON: Duration = Duration::from_secs(30);

fn world() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    fs::write(folder.path().join("hooks.yaml"), RULES).unwrap();
    folder
}

#[expect(clippy::disallowed_methods, reason = "the test starts the program")]
fn start(folder: &Path, script: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["exec", "--", "sh", "-c", script]).current_dir(folder).env_clear();
    command.env("HOME", folder).env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whether the sandbox holds here, so that commands run.
fn runs() -> bool {
    let folder = world();
    let done = start(folder.path(), "exit 0").wait_with_output().unwrap();
    let is_held = held::is_held(&done);
    assert!(!is_held || done.status.success(), "{done:?}");
    is_held
}

#[test]
fn a_signal_is_forwarded_and_the_answer_is_kept() {
    if !runs() {
        return;
    }
    let folder = world();
    let mut child = start(
        folder.path(),
        "trap 'echo TICKET-123456; exit 7' TERM; echo ready; while :; do sleep 0.05; done",
    );
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "[TICKET_REDACTED]");
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

/// A command whose reader has gone ends, as in a pipe of a shell.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test waits for real processes")]
fn a_closed_pipe_ends_the_command() {
    if !runs() {
        return;
    }
    let folder = world();
    let mut child = start(folder.path(), "exec yes");
    let mut output = child.stdout.take().unwrap();
    let mut beginning = [0; 2];
    output.read_exact(&mut beginning).unwrap();
    drop(output);
    let beginning = Instant::now();
    let status = child.wait().unwrap();
    assert!(beginning.elapsed() < SOON);
    assert_eq!(status.code(), Some(128 + 13), "it got a broken pipe");
}

/// The same where the text of the command is held back, so that nothing is passed on.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test waits for real processes")]
fn a_closed_pipe_ends_a_command_whose_text_is_held_back() {
    if !runs() {
        return;
    }
    let folder = world();
    let mut child = start(folder.path(), "exec sh -c 'while :; do printf x; sleep 0.05; done'");
    drop(child.stdout.take());
    let beginning = Instant::now();
    let status = child.wait().unwrap();
    assert!(beginning.elapsed() < SOON);
    assert_eq!(status.code(), Some(128 + 13), "it got a broken pipe");
}

#[test]
fn output_streams_and_no_secret_is_cut_in_two() {
    if !runs() {
        return;
    }
    let folder = world();
    let script = "echo first; printf TICKET-; sleep 0.2; printf 123; sleep 0.2; echo 456; read -r line < go; echo last";
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("go"), rustix::fs::Mode::from_raw_mode(0o600))
        .unwrap();
    let mut child = start(folder.path(), script);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    // These arrive while the command waits.
    assert_eq!(lines.next().as_deref(), Some("first"));
    assert_eq!(lines.next().as_deref(), Some("[TICKET_REDACTED]"));
    fs::write(folder.path().join("go"), "on\n").unwrap();
    assert_eq!(lines.next().as_deref(), Some("last"));
    assert_eq!(lines.next(), None);
    assert!(child.wait().unwrap().success());
}

/// A line without an end is not held back without bound.
#[test]
fn a_long_line_arrives_before_it_ends() {
    if !runs() {
        return;
    }
    let folder = world();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("go"), rustix::fs::Mode::from_raw_mode(0o600))
        .unwrap();
    let script = "head -c 1000000 /dev/zero | tr '\\0' x; read -r line < go; echo TICKET-123456 >&2; exit 3";
    let mut child = start(folder.path(), script);
    let mut output = child.stdout.take().unwrap();
    // The rest has room in the pipes, so that the command can go on.
    let mut beginning = vec![0; 930_000];
    output.read_exact(&mut beginning).unwrap();
    assert!(beginning.iter().all(|byte| *byte == b'x'));
    fs::write(folder.path().join("go"), "on\n").unwrap();
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).unwrap();
    assert_eq!(beginning.len() + rest.len(), 1_000_000);
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), &*done.stderr), (Some(3), &b"[TICKET_REDACTED]\n"[..]));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test waits for real processes")]
fn standard_input_is_closed() {
    if !runs() {
        return;
    }
    let folder = world();
    let mut child = start(folder.path(), "cat; sh; echo end");
    let mut input = child.stdin.take().unwrap();
    // The command may have ended already.
    drop(input.write_all(b"echo typed\n"));
    let beginning = Instant::now();
    let done = child.wait_with_output().unwrap();
    drop(input);
    assert!(beginning.elapsed() < SOON);
    assert_eq!(&*done.stdout, b"end\n", "{done:?}");
}

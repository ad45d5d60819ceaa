//! Counts the system calls of a start of `hooks run`. Measured times would vary on a machine with other work.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "the programs under test are processes")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

const GUARDS: &str =
    "version: 1\nwrite_guard: { allow: [src/**] }\ncommand_guard: { block: [rm -rf] }\nredaction: {}\n";

const STATE: &str = "limits: { calls: [{ tools: [bash], most: 1000000, of: team, per: always }] }\n";

/// Runs `hooks run` for a call with this number. With `calls`, it runs under `strace`, which lists the system
/// calls of these kinds. `None` if tracing is not possible.
fn run(folder: &Path, number: u32, calls: Option<&str>) -> Option<String> {
    let payload = json!({"session_id": "s", "cwd": folder, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "cargo test"}, "tool_use_id": format!("toolu_{number}")});
    let (hooks, trace) = (env!("CARGO_BIN_EXE_hooks"), folder.join("trace"));
    let mut command = Command::new(if calls.is_some() { "strace" } else { hooks });
    if let Some(calls) = calls {
        command.args(["-f", "-qq", "-e", &format!("trace={calls}"), "-e", "signal=none", "-o"]);
        command.arg(&trace).arg(hooks);
    }
    command.args(["run", "--client", "claude", "--event", "PreToolUse", "--config"]);
    command.arg(folder.join("hooks.yaml")).current_dir(folder);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", folder.join("home"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("no `strace` is installed ({error}): what is counted with it was not tested");
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    if calls.is_some() && printed.contains("ptrace") {
        eprintln!("no process may be traced here ({printed}): what is counted so was not tested");
        return None;
    }
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    Some(calls.map_or_else(String::new, |_| fs::read_to_string(&trace).unwrap()))
}

/// The number of times that `call` begins in `trace`, which is the trace of an event after several equal
/// ones.
fn count(trace: &str, call: &str) -> usize {
    let is_begun = |line: &&str| {
        line.split_whitespace().nth(1).is_some_and(|what| what.starts_with(&format!("{call}(")))
    };
    trace.lines().filter(is_begun).count()
}

fn traced(config: &str, has_team: bool, calls: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    fs::write(folder.join("hooks.yaml"), config).unwrap();
    if has_team {
        fs::create_dir(folder.join(".squad")).unwrap();
    }
    for number in 0..3 {
        run(&folder, number, None);
    }
    run(&folder, 3, Some(calls))
}

#[test]
fn guards_alone_start_one_thread_and_lock_write_and_sync_nothing() {
    let Some(trace) = traced(GUARDS, false, "flock,fsync,fdatasync,pwrite64,unlink,clone,clone3") else {
        return;
    };
    for (call, most) in [("flock", 0), ("fsync", 0), ("fdatasync", 0), ("pwrite64", 0), ("unlink", 0)] {
        assert_eq!(count(&trace, call), most, "{call}: {trace}");
    }
    assert_eq!(count(&trace, "clone") + count(&trace, "clone3"), 1, "{trace}");
}

/// A record has to be synced to the device before the answer.
#[test]
fn with_a_record_nothing_else_is_synced() {
    let Some(trace) = traced(GUARDS, true, "fsync,fdatasync") else { return };
    assert_eq!((count(&trace, "fsync"), count(&trace, "fdatasync")), (0, 1), "{trace}");
}

/// Counts are reserved in one turn of the store and settled in another. The last process to close the store
/// folds the log of SQLite in a third one. The command runs files, so two more find the top of the session's tree and the
/// files that were written in it.
#[test]
fn with_state_and_a_record_there_are_five_turns_of_the_store() {
    let config = format!("{GUARDS}{STATE}");
    let Some(trace) = traced(&config, true, "flock,fsync,fdatasync,clone,clone3") else { return };
    // A turn locks two files and unlocks each; the chain of the record has one more, and the call's turn among the
    // lines of the settings too.
    assert_eq!(count(&trace, "flock"), 5 * 4 + 2, "{trace}");
    // Syncs: the log of SQLite and its folder when the log is begun, the log and the database when the log is
    // folded; and the record.
    assert_eq!((count(&trace, "fsync"), count(&trace, "fdatasync")), (4, 1), "{trace}");
    // Threads: the watch over the time, and the writer of the record.
    assert_eq!(count(&trace, "clone") + count(&trace, "clone3"), 2, "{trace}");
}

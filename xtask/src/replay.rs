//! `cargo xtask bench replay`: measures how long `hooks replay` takes for a record of a million decisions.
//!
//! `hooks eval --record` records a day of calls, once with file tools alone, and once with a third of shell commands. Copies of
//! it, with sessions and files of their own, are the record of a hundred days. Each is replayed twice, under the rules that it
//! was made with: every decision has to be the same, and both runs have to give the same bytes.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::dist;
use crate::error::{Error, Result};
use crate::process::Program;
use crate::stopwatch::Stopwatch;

/// Decisions of a record.
const DECISIONS: u64 = 1_000_000;
/// Decisions of a day, which the program judges and records before they are copied.
const OF_A_DAY: u64 = 10_000;
/// Calls of a session.
const OF_A_SESSION: u64 = 250;
/// Most seconds for a million decisions: of file tools, and with a third of shell commands.
const BARS: [f64; 2] = [5.0, 20.0];

const RULES: &str = "version: 1
audit: { folder: log }
store: { engine: memory }
write_guard: { allow: [src/**, docs/**, tests/**] }
read_guard: { deny: [.env, secrets/**] }
command_guard: { block: [rm -rf, git push] }
limits: { calls: [{ tools: [WebFetch], most: 100, of: session, per: session }] }
rules:
  - { name: generated, action: deny, paths: [src/generated/**], reason: it is generated }
";

/// Commands; `FILE` becomes a name of its own in each call.
const COMMANDS: [&str; 8] = [
    "cargo test --workspace FILE 2>&1 | tail -n 20",
    "git status --short && git diff --stat src/FILE.rs",
    "ls -la src tests/FILE",
    "grep -rn 'fn FILE' src | head",
    "rm -rf target/FILE",
    "cd src && sed -n '1,80p' FILE.rs",
    "for f in a b c; do echo \"$f FILE\"; done",
    "python3 -c 'print(1 + 1)' > docs/FILE.txt",
];

/// Measures the program, or the one that `dist` builds.
///
/// # Errors
/// Returns an error if the program cannot be built or run, a decision changed, or a bar is missed.
pub(crate) fn run(program: Option<&str>) -> Result {
    let program = match program {
        Some(program) => PathBuf::from(program),
        None => dist::build()?,
    };
    let mut misses = Vec::new();
    for (of_shell, bar) in [(0, BARS[0]), (3, BARS[1])] {
        let folder = tempfile::tempdir()?;
        let took = measure(&program, folder.path(), of_shell)?;
        if took > bar {
            misses.push(format!("{took:.1} s, at most {bar:.0} s"));
        }
    }
    if misses.is_empty() {
        Ok(())
    } else {
        Err(Error::new(format!("bars are missed: {}", misses.join("; "))))
    }
}

/// Records and replays; every `of_shell`th call is a shell command. Returns the seconds of the faster replay.
fn measure(program: &Path, folder: &Path, of_shell: u64) -> Result<f64> {
    fs::write(folder.join("hooks.yaml"), RULES)?;
    let (program, folder) = (program.to_string_lossy(), folder.to_string_lossy());
    let named = |name: &str| format!("{folder}/{name}");
    let recording = Stopwatch::start();
    let mut events = BufWriter::new(File::create(named("events.jsonl"))?);
    for number in 0..OF_A_DAY {
        writeln!(events, "{}", call(number, of_shell, &folder))?;
    }
    events.into_inner().map_err(|cause| Error::doing("the events cannot be written", cause))?.sync_all()?;
    let line = "\"$1\" eval --config \"$2\" --record --no-reload < \"$3\" > /dev/null";
    Program::new("sh", ["-c", line, "sh", &program, &named("hooks.yaml"), &named("events.jsonl")]).run()?;
    repeat(&named("log"), &named("long"), DECISIONS / OF_A_DAY)?;
    println!("{DECISIONS} decisions were recorded in {recording}");
    let (mut best, mut outputs) = (f64::MAX, Vec::new());
    for _ in 0..2 {
        let replaying = Stopwatch::start();
        let arguments = ["replay", "--log", &named("long"), "-c", &named("hooks.yaml"), "--format", "json"];
        outputs.push(Program::new(&program, arguments).output()?);
        best = replaying.elapsed().as_secs_f64().min(best);
    }
    let same = format!("\"same\":{DECISIONS}");
    if outputs.iter().any(|output| Some(output) != outputs.first() || !output.contains(&same)) {
        return Err(Error::new(format!("decisions changed, or two runs differ:\n{}", outputs.join("\n"))));
    }
    let what = if of_shell == 0 { "file tools" } else { "a third of shell commands" };
    println!("{what}: {DECISIONS} decisions were judged again in {best:.2} s");
    Ok(best)
}

/// Writes a log of copies of another one.
fn repeat(from: &str, into: &str, copies: u64) -> Result {
    let copies = copies.to_string();
    let example =
        ["run", "--quiet", "--profile", "fast", "--package", "tower-hooks-audit", "--example", "repeat"];
    Program::cargo(example.into_iter().chain(["--", from, into, &copies])).run()
}

/// The line of a call.
fn call(number: u64, of_shell: u64, folder: &str) -> String {
    let at = json!({
        "session_id": format!("session-{}", number / OF_A_SESSION),
        "agent_name": if number.is_multiple_of(3) { "ada" } else { "bob" },
        "cwd": folder,
    });
    let command = usize::try_from(number / 3).ok().and_then(|pick| COMMANDS.get(pick % COMMANDS.len()));
    let command = command.map(|command| command.replace("FILE", &format!("file_{number}")));
    let (tool, args) = match number.checked_rem(of_shell) {
        Some(0) => ("Bash", json!({"command": command, "description": "a step"})),
        _ if number.is_multiple_of(2) => (
            "Read",
            json!({"file_path": format!("{folder}/src/module_{}/file_{}.rs", number % 40, number % 997)}),
        ),
        _ => (
            "Edit",
            json!({"file_path": format!("src/module_{}/file_{}.rs", number % 40, number % 997), "old_string": "let a = 1;", "new_string": "let a = 2;"}),
        ),
    };
    json!({"event": "pre_tool_use", "at": at, "tool_name": tool, "tool_args": args, "tool_use_id": format!("call-{number}")})
        .to_string()
}

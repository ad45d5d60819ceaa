//! A second program (`proofs/replay/replay.py`), which shares no code with `hooks`, decides the calls of signed logs again: it
//! reaches the same decisions, and finds what was changed.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Simple rules: paths, commands by program, limits.
const RULES: [&str; 4] = [
    "write_guard: { allow: [src/**, '*.md'], deny: [src/generated/**] }\n",
    "read_guard: { deny: ['**/.env', secrets/**], except: ['**/example.env', secrets/public/*] }
command_guard: { block: [rm -rf, git push, \"npm publish\"] }
",
    "limits:
  calls:
    - { tools: [WebFetch], most: 3, of: session, per: session }
    - { tools: [Edit, 'ask*'], most: 4, of: agent, per: session }
rules:
  - { name: a, action: ask, commands: [git push, npm publish], reason: it leaves }
  - name: b
    agents: [bob]
    paths: [migrations/**, '**/*.sql']
  - { name: c, tools: ['web*'], agents: [ada], action: allow }
",
    "write_guard:
  allow:
    - src/**
    - out/** # what is built
  deny: [src/*/lock?]
read_guard: { deny: [src/keys/**] }
command_guard: { block: [git push --force, rm -r] }
limits: { calls: [{ tools: ['*'], most: 30, of: session, per: session }] }
rules:
  - { name: x, action: ask, tools: [Bash], paths: [out/**] }
  - { name: y, action: deny, tools: [Edit, Write], paths: [src/api/**], agents: [bob] }
",
];

const FILES: [&str; 18] = [
    "src/a.rs",
    "src/generated/b.rs",
    "README.md",
    "docs/x.md",
    ".env",
    "a/.env",
    "a/example.env",
    "secrets/k",
    "secrets/public/k",
    "migrations/1.sql",
    "x/y.sql",
    "src/api/z.rs",
    "src/keys/k",
    "out/o",
    "src/m/lock1",
    "src/m/lock22",
    "../other/f",
    "./docs/../src/a.rs",
];

const COMMANDS: [&str; 20] = [
    "rm -rf FILE",
    "rm -fr 'FILE'",
    "rm -r FILE",
    "rm -r -f FILE",
    "rm --recursive --force FILE",
    "rm FILE",
    "touch FILE",
    "cat FILE",
    "cat \"FILE\"",
    "sort FILE",
    "git push origin main",
    "git push --force",
    "git push -f origin x",
    "git status",
    "npm publish",
    "npm test",
    "cargo test --workspace",
    "echo git push",
    "echo 'rm -rf x'",
    "true",
];

/// Calls of each log.
const CALLS: u64 = 150;

/// Numbers that look random, and are the same in each run.
struct Dice(u64);

impl Dice {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(self.0 >> 33).unwrap() % from.len();
        from.get(at).unwrap()
    }

    fn call(&mut self) -> (&'static str, Value) {
        let file = self.pick(&FILES);
        match self.pick(&["Read", "Write", "Edit", "WebFetch", "AskUserQuestion", "Bash", "Bash", "Bash"]) {
            "Read" => ("Read", json!({"file_path": file})),
            "Write" => ("Write", json!({"file_path": file, "content": "x"})),
            "Edit" => ("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"})),
            "WebFetch" => ("WebFetch", json!({"url": "https://example.com/"})),
            "AskUserQuestion" => ("AskUserQuestion", json!({"question": "which one?"})),
            _ => {
                let mut command = self.pick(&COMMANDS).replace("FILE", file);
                while self.pick(&["end", "end", "more"]) == "more" {
                    command += self.pick(&[" && ", " || ", "; ", " | "]);
                    command += &self.pick(&COMMANDS).replace("FILE", self.pick(&FILES));
                }
                ("Bash", json!({"command": command}))
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the programs under test are processes")]
fn run(program: &str, dir: &Path, args: &[&str], input: &str) -> (i32, String) {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).env("HOME", dir).env("XDG_STATE_HOME", dir.join("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

fn hooks(dir: &Path, args: &[&str], input: &str) -> String {
    let (status, text) = run(env!("CARGO_BIN_EXE_hooks"), dir, args, input);
    assert_eq!(status, 0, "{text}");
    text
}

/// Runs the second program on the log in `dir`; returns its status and output.
fn second(dir: &Path, rules: &str) -> (i32, String) {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs/replay/replay.py");
    let args = ["-B", program, "log", rules, "--checkpoints", "checkpoints", "--key", "verifier"];
    let (status, text) = run("python3", dir, &args, "");
    assert!(!text.contains("Traceback"), "{text}");
    (status, text)
}

/// Records calls under `rules` in a signed log, with a decision of each strength that `rules` give.
fn record(dir: &Path, rules: &str, seed: u64) -> Vec<String> {
    let path = dir.canonicalize().unwrap();
    let head = "version: 1\naudit: { folder: log }\nstore: { engine: memory }\n";
    fs::write(path.join("hooks.yaml"), format!("{head}{rules}")).unwrap();
    let mut dice = Dice(seed);
    let events = (0..CALLS).map(|number| {
        let (tool, args) = dice.call();
        let at = json!({"session_id": format!("s{}", number / 50), "agent_name": dice.pick(&["ada", "bob"]), "cwd": path});
        let event = json!({"event": "pre_tool_use", "tool_name": tool, "tool_args": args, "tool_use_id": number.to_string(), "at": at});
        format!("{event}\n")
    });
    let events: String = events.collect();
    let answers = hooks(&path, &["eval", "--config", "hooks.yaml", "--record", "--no-reload"], &events);
    let verifier = hooks(&path, &["audit", "keygen", "example.com/test", "--out", "audit.key"], "");
    let verifier = verifier.lines().find(|line| line.starts_with("example.com/test+")).unwrap();
    fs::write(path.join("verifier"), verifier).unwrap();
    fs::create_dir(path.join("checkpoints")).unwrap();
    hooks(&path, &["audit", "checkpoint", "log", "--to", "checkpoints", "--key", "audit.key"], "");
    let answers = answers.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.filter_map(|answer| Some(answer.get("decision")?.as_str()?.to_owned())).collect()
}

fn log_file(dir: &Path) -> std::path::PathBuf {
    dir.join("log/w0.00000001.jsonl")
}

#[test]
fn a_second_program_decides_each_call_alike() {
    let mut decisions = Vec::new();
    for (seed, rules) in (1..).zip(RULES) {
        let dir = tempfile::tempdir().unwrap();
        decisions.extend(record(dir.path(), rules, seed));
        let (status, text) = second(dir.path(), "hooks.yaml");
        assert_eq!(text, format!("{CALLS} same, 0 different, 0 not known\n"), "{rules}");
        assert_eq!(status, 0);
    }
    for (decision, least) in [("deny", 100), ("allow", 30), ("ask", 10), ("no_opinion", 100)] {
        let count = decisions.iter().filter(|one| *one == decision).count();
        assert!(count >= least, "{count} decisions are {decision}");
    }
}

#[test]
fn it_finds_changed_records_and_decisions() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), RULES[2], 7);
    let whole = fs::read_to_string(log_file(dir.path())).unwrap();
    let changed = |from: &str, to: &str| {
        let text = whole.replacen(from, to, 1);
        assert_ne!(text, whole, "the log has {from}");
        fs::write(log_file(dir.path()), text).unwrap();
        let (status, text) = second(dir.path(), "hooks.yaml");
        assert_eq!(status, 3, "{text}");
    };
    // A decision, its arguments, and its time.
    changed("\"outcome\":\"deny\"", "\"outcome\":\"allow\"");
    changed("src/api/z.rs", "src/api/x.rs");
    changed("\"seq\":9,\"at\":\"2", "\"seq\":9,\"at\":\"1");
    let lines: Vec<_> = whole.lines().collect();
    fs::write(log_file(dir.path()), lines.get(..lines.len() - 3).unwrap().join("\n") + "\n").unwrap();
    assert_eq!(second(dir.path(), "hooks.yaml").0, 3, "the last records are missing");
    fs::write(log_file(dir.path()), whole.get(..whole.len() - 30).unwrap()).unwrap();
    assert_eq!(second(dir.path(), "hooks.yaml").0, 3, "it was cut");
    fs::write(log_file(dir.path()), &whole).unwrap();
    // Other rules than those of the log: each decision that changes is named.
    let rules = fs::read_to_string(dir.path().join("hooks.yaml")).unwrap();
    fs::write(dir.path().join("other.yaml"), rules.replace("action: ask", "action: deny")).unwrap();
    let (status, text) = second(dir.path(), "other.yaml");
    assert_eq!(status, 1);
    assert!(text.contains("ask in the log, different: deny"), "{text}");
    // What it does not know is not guessed.
    fs::write(dir.path().join("other.yaml"), format!("{rules}redaction: {{}}\n")).unwrap();
    assert_eq!(second(dir.path(), "other.yaml").0, 2);
}

/// A log whose lines all have hashes that fit is not the one that was signed.
#[test]
fn it_finds_a_log_that_was_written_anew() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    record(dir.path(), RULES[0], 11);
    record(other.path(), RULES[0], 12);
    assert_eq!(second(dir.path(), "hooks.yaml").0, 0);
    fs::copy(log_file(other.path()), log_file(dir.path())).unwrap();
    let (status, text) = second(dir.path(), "hooks.yaml");
    assert_eq!(status, 3);
    assert!(text.contains("are not those that were signed"), "{text}");
}

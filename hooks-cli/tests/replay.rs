//! `hooks replay`: events that the program recorded, and transcripts of real sessions, judged again.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Runs `hooks` in `dir`; returns its status and output.
fn hooks(dir: &Path, args: &[&str], input: &str) -> (i32, String) {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env("XDG_STATE_HOME", dir.join("state"));
    command.env("HOME", dir.join("home")).env_remove("XDG_CONFIG_HOME").env_remove("HOOKS_CONFIG");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Its answers fill the pipe while it is still written to.
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.as_bytes().to_vec());
    let writing = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

/// A folder with a log, which `hooks eval` wrote under `rules`.
struct Recorded(tempfile::TempDir);

impl Recorded {
    fn new(rules: &str, events: &[Value]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        fs::write(path.join("hooks.yaml"), format!("version: 1\naudit: {{ folder: log }}\n{rules}")).unwrap();
        let lines = events.iter().map(|event| {
            let mut event = event.clone();
            let at = json!({"session_id": "s", "agent_name": "ada", "cwd": path});
            event["at"] = event.get("at").cloned().unwrap_or(at);
            event.to_string() + "\n"
        });
        let (status, out) =
            hooks(&path, &["eval", "--config", "hooks.yaml", "--record"], &lines.collect::<String>());
        assert_eq!(status, 0, "{out}");
        Self(dir)
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    /// Replays under `rules`; returns the status, the decisions that changed or are not known, and the summary.
    fn replay(&self, rules: &str, more: &[&str]) -> (i32, Vec<Value>, Value) {
        let path = self.path();
        fs::write(path.join("new.yaml"), format!("version: 1\naudit: {{ folder: log }}\n{rules}")).unwrap();
        let before = contents(&path);
        let args = [&["replay", "--log", "log", "-c", "new.yaml", "--format", "json"], more].concat();
        let (status, out) = hooks(&path, &args, "");
        assert_eq!(hooks(&path, &args, ""), (status, out.clone()), "two runs give the same bytes");
        assert_eq!(contents(&path), before, "nothing was written");
        let mut lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let summary = lines.pop().unwrap()["summary"].clone();
        (status, lines, summary)
    }
}

/// All files below a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.insert(path, bytes);
            }
        }
    }
    files
}

fn call(id: u32, tool: &str, args: Value) -> Value {
    json!({"event": "pre_tool_use", "tool_name": tool, "tool_args": args, "tool_use_id": id.to_string()})
}

const RULES: &str = "write_guard: { allow: [src/**] }
command_guard: { block: [rm -rf] }
ask_user: { max_per_session: 2 }
limits: { calls: [{ tools: [WebFetch], most: 2, of: session, per: session }] }
rules:
  - { name: publishing, action: ask, commands: [git push], reason: a push leaves this machine }
";

fn events() -> Vec<Value> {
    vec![
        call(1, "Write", json!({"file_path": "src/a.rs", "content": "x"})),
        call(2, "Write", json!({"file_path": "README.md", "content": "x"})),
        call(3, "Bash", json!({"command": "rm -rf out"})),
        call(4, "Bash", json!({"command": "git push origin main"})),
        call(5, "AskUserQuestion", json!({"question": "a?"})),
        call(6, "AskUserQuestion", json!({"question": "b?"})),
        call(7, "AskUserQuestion", json!({"question": "c?"})),
        call(8, "WebFetch", json!({"url": "https://example.com/1"})),
        call(9, "WebFetch", json!({"url": "https://example.com/2"})),
        call(10, "WebFetch", json!({"url": "https://example.com/3"})),
        call(11, "Bash", json!({"command": "ls src"})),
        json!({"event": "post_tool_use", "tool_name": "Write", "tool_args": {"file_path": "src/a.rs", "content": "x"},
            "tool_use_id": "1", "tool_result": "ok", "duration_ms": 3}),
        json!({"event": "user_prompt_submitted", "prompt": "go on", "kind": "initial"}),
        json!({"event": "session_end", "reason": "complete"}),
    ]
}

#[test]
fn the_same_rules_decide_the_same() {
    let recorded = Recorded::new(RULES, &events());
    let (status, changed, summary) = recorded.replay(RULES, &[]);
    assert_eq!((status, &changed[..]), (0, &[][..]));
    assert_eq!((&summary["decisions"], &summary["same"]), (&json!(13), &json!(13)));
    // The same file against itself, and a host whose decisions are in the record.
    assert_eq!(recorded.replay(RULES, &["--against", "hooks.yaml"]).0, 0);
}

#[test]
fn other_rules_change_what_they_are_about_and_count_again() {
    let recorded = Recorded::new(RULES, &events());
    let rules =
        RULES.replace("src/**", "src/**, \"*.md\"").replace("max_per_session: 2", "max_per_session: 1");
    let rules = rules.replace("most: 2", "most: 3").replace("action: ask", "action: deny");
    for more in [&[][..], &["--against", "hooks.yaml"]] {
        let (status, changed, summary) = recorded.replay(&rules, more);
        let changed: Vec<_> = changed
            .iter()
            .map(|change| {
                let side = |name: &str| change[name]["decision"].as_str().unwrap().to_owned();
                format!("{}: {} -> {}", change["subject"].as_str().unwrap(), side("before"), side("after"))
            })
            .collect();
        assert_eq!(
            changed,
            [
                "README.md: deny -> allow",
                "git push origin main: ask -> deny",
                "b?: no_opinion -> deny",
                "https://example.com/3: deny -> no_opinion",
            ]
        );
        assert_eq!(status, 1);
        assert_eq!(summary["changed_to_deny"], 2);
        assert_eq!(summary["changed_by_rule"]["rules/publishing"], 1);
    }
}

#[test]
fn what_the_record_does_not_have_is_not_known() {
    let long = "x".repeat(5_000);
    let key = ["AKIA", "Q3EGRIXAMPLEWLXZ"].concat();
    let mut elsewhere = call(4, "Bash", json!({"command": "ls"}));
    elsewhere["at"] = json!({"session_id": "s", "agent_name": "ada", "cwd": "/"});
    let recorded = Recorded::new(
        "command_guard: { block: [rm -rf] }\nredaction: {}\n",
        &[
            call(1, "Write", json!({"file_path": "a.txt", "content": long})),
            call(2, "Bash", json!({"command": format!("echo {key}")})),
            call(3, "Write", json!({"file_path": "run.sh", "content": "rm -rf out"})),
            elsewhere,
        ],
    );
    let path = recorded.path();
    fs::write(path.join("run.sh"), "rm -rf out").unwrap();
    let at = json!({"session_id": "s", "agent_name": "ada", "cwd": path});
    let mut run = call(5, "Bash", json!({"command": "sh run.sh"}));
    run["at"] = at;
    let (_, out) = hooks(&path, &["eval", "--config", "hooks.yaml", "--record"], &(run.to_string() + "\n"));
    assert!(out.contains("\"deny\""), "{out}");
    let (status, found, summary) = recorded.replay("command_guard: { block: [rm -rf] }\n", &[]);
    let why: Vec<_> = found.iter().map(|change| (&change["subject"], &change["not_known"])).collect();
    assert_eq!(status, 0, "{found:?}");
    assert_eq!(summary["not_known"], 3, "{why:?}");
    assert_eq!(found[0]["not_known"], json!(["the record is shortened"]));
    assert_eq!(found[1]["not_known"], json!(["the record is redacted"]));
    assert_eq!(found[2]["not_known"], json!(["it depends on files as they were then"]));
    // The files of today are those of then.
    let (status, found, _) = recorded.replay("command_guard: { block: [rm -rf] }\n", &["--files-now"]);
    assert_eq!((status, found.len()), (0, 2), "{found:?}");
}

/// Regression test: facts that were read ahead for guards which the rules do not have counted as questions of the decision.
#[test]
fn a_decision_that_asks_for_no_file_is_known() {
    let recorded = Recorded::new(
        "rules: [{ name: none, action: deny, tools: [None], reason: an example }]\n",
        &[call(1, "Bash", json!({"command": "cat /*"})), call(2, "Read", json!({"file_path": "src/a.rs"}))],
    );
    let every = "rules: [{ name: every, action: deny, tools: [Bash, Read], reason: an example }]\n";
    let (status, found, summary) = recorded.replay(every, &[]);
    assert_eq!(
        (status, &summary["changed_to_deny"], &summary["not_known"]),
        (1, &json!(2), &json!(0)),
        "{found:?}"
    );
    let reads = "read_guard: { deny: ['**/*.pem'] }\n";
    let (status, found, _) = recorded.replay(reads, &[]);
    assert_eq!((status, found.len()), (0, 1), "{found:?}");
    assert_eq!(found[0]["not_known"], json!(["it depends on files as they were then"]));
}

#[test]
fn each_call_of_real_transcripts_is_judged() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/protocols/transcripts");
    let dir = tempfile::tempdir().unwrap();
    let rules = "version: 1\nrules: [{ name: marked, action: deny, commands: [echo DENYME], reason: the hook did it }]\n";
    fs::write(dir.path().join("hooks.yaml"), rules).unwrap();
    let (mut all, mut denied) = (0, 0);
    for client in ["claude", "codex", "copilot", "gemini", "qwen"] {
        for run in fs::read_dir(transcripts.join(client)).unwrap() {
            let run = run.unwrap().path();
            let expected: Value =
                serde_json::from_slice(&fs::read(run.join("expected.json")).unwrap()).unwrap();
            let expected = expected["calls_seen_by_the_hook"].as_array().unwrap();
            let args =
                ["replay", "--transcripts", run.to_str().unwrap(), "-c", "hooks.yaml", "--format", "json"];
            let args = [&args[..], &["--cwd", "/home/dev/project"]].concat();
            let (status, out) = hooks(dir.path(), &args, "");
            // The hook of these sessions denied what this rule denies.
            assert_eq!(status, 0, "{out}");
            let summary: Value = serde_json::from_str(&out).unwrap();
            assert_eq!(summary["summary"]["same"], expected.len(), "{out}");
            all += expected.len();
            denied += expected.iter().filter(|call| call["denied"] == true).count();
        }
    }
    assert!(all > 60 && denied > 10, "{all} calls, {denied} denied");
}

#[test]
fn mistakes_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hooks.yaml"), "version: 1\n").unwrap();
    for (args, wanted) in [
        (&["-c", "hooks.yaml"][..], "--log <FOLDER>"),
        (&["-c", "none.yaml", "--log", "."], "`none.yaml` cannot be read"),
        (&["-c", "hooks.yaml", "--transcripts", "."], "there is no transcript of a known client"),
        (&["-c", "hooks.yaml", "--log", "missing"], "missing"),
    ] {
        let (status, out) = hooks(dir.path(), &[&["replay"], args].concat(), "");
        assert_eq!(status, 2, "{out}");
        assert!(out.contains(wanted), "{out}");
    }
}

#[test]
fn a_log_that_was_cut_is_reported() {
    let recorded = Recorded::new(RULES, &events());
    let path = recorded.path();
    let whole = recorded.replay(RULES, &[]).2;
    assert_eq!(whole["incomplete_ends"], json!([]));
    let file = path.join("log/w0.00000001.jsonl");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 30]).unwrap();
    let (status, out) = hooks(&path, &["replay", "--log", "log", "-c", "new.yaml", "--format", "json"], "");
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("bytes of `w0.00000001.jsonl` are not a complete record"), "{out}");
    assert!(out.contains(r#""incomplete_ends":["w0.00000001.jsonl"]"#), "{out}");
    let (_, out) = hooks(&path, &["replay", "--log", "log", "-c", "new.yaml"], "");
    assert!(
        out.contains("the end of `w0.00000001.jsonl` is not a complete record, and was not judged"),
        "{out}"
    );
}

/// A transcript of Claude Code with these commands, in a folder of its own.
fn transcript(folder: &Path, cwd: &Path, commands: &[&str]) -> PathBuf {
    let line = |(number, command): (usize, &&str)| {
        let input = json!({"command": command, "description": "a step"});
        let call =
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": "Bash", "input": input});
        let message = json!({"type": "message", "role": "assistant", "model": "m", "content": [call]});
        json!({"type": "assistant", "message": message, "sessionId": "s", "cwd": cwd, "version": "2.1.0",
            "uuid": number.to_string(), "timestamp": format!("2026-11-20T10:00:0{number}.000Z")})
        .to_string()
    };
    fs::create_dir_all(folder).unwrap();
    let file = folder.join("s.jsonl");
    let lines: Vec<_> = commands.iter().enumerate().map(line).collect();
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    file
}

#[test]
fn the_last_line_of_a_transcript_is_read_or_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    fs::write(path.join("hooks.yaml"), "version: 1\ncommand_guard: { block: [rm -rf] }\n").unwrap();
    let file = transcript(&path.join("t"), &path, &["ls", "rm -rf x"]);
    let replay = || {
        hooks(&path, &["replay", "--transcripts", "t", "-c", "hooks.yaml", "--against", "hooks.yaml"], "").1
    };
    let whole = fs::read(&file).unwrap();
    assert!(replay().contains("2 decisions"), "{}", replay());
    // All of it but its end of line.
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    assert!(replay().contains("2 decisions"), "{}", replay());
    fs::write(&file, &whole[..whole.len() - 20]).unwrap();
    let out = replay();
    assert!(out.contains("1 decisions"), "{out}");
    assert!(out.contains("s.jsonl` is not complete, and is left out"), "{out}");
    assert!(out.contains("the end of `s.jsonl` is not a complete record"), "{out}");
}

#[test]
fn the_page_has_the_changes_and_sums_and_loads_nothing() {
    let mut events = events();
    events.push(call(20, "Bash", json!({"command": "rm -rf '<script>alert(1)</script>'"})));
    let recorded = Recorded::new(RULES, &events);
    let path = recorded.path();
    fs::write(path.join("new.yaml"), "version: 1\naudit: { folder: log }\n").unwrap();
    let (status, page) = hooks(&path, &["replay", "--log", "log", "-c", "new.yaml", "--format", "html"], "");
    assert_eq!(status, 1);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"), "{page}");
    assert!(
        page.contains("<span class=\"deny\">deny</span> command-guard/") && page.contains("14 decisions"),
        "{page}"
    );
    assert!(!page.contains("http") || !page.contains("src="), "{page}");
    assert!(!page.contains('\u{1b}'), "no colours of a terminal");
}

#[test]
fn memory_and_bytes_do_not_depend_on_the_length_of_the_record() {
    let most_memory = |calls: u32| {
        let args = |number: u32| json!({"file_path": format!("src/{}.rs", number % 500), "content": "x".repeat(300)});
        let made = (0..calls).map(|number| {
            let mut event = call(number, "Write", args(number));
            // Sessions are remembered: the same few of them.
            event["at"] = json!({"session_id": format!("s{}", number % 4), "agent_name": "ada", "cwd": "/w"});
            event
        });
        let recorded = Recorded::new("write_guard: { allow: [src/**] }\n", &made.collect::<Vec<_>>());
        let args = ["replay", "--log", "log", "-c", "hooks.yaml", "--format", "json"];
        let outputs = [0, 1].map(|_| hooks(&recorded.path(), &args, ""));
        assert_eq!(outputs[0], outputs[1], "two runs give the same bytes");
        assert!(outputs[0].1.contains(&format!("\"decisions\":{calls}")), "{}", outputs[0].1);
        peak_of(&recorded.path(), &args)
    };
    let (few, many) = (most_memory(1_000), most_memory(8_000));
    if let (Some(few), Some(many)) = (few, many) {
        assert!(many < few + 16 * 1024, "{few} KiB for few records, {many} KiB for many");
    }
}

/// The most memory that the program used, in KiB, as the kernel counts it; `None` without `time`.
fn peak_of(dir: &Path, args: &[&str]) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new("/usr/bin/time");
    let output = command.args(["-f", "%M", env!("CARGO_BIN_EXE_hooks")]).args(args).current_dir(dir).output();
    let text = String::from_utf8(output.ok()?.stderr).unwrap();
    text.lines().last().and_then(|line| line.trim().parse().ok())
}

#[test]
fn init_prints_what_its_rules_would_have_denied() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    transcript(&path.join("home/.claude/projects/p"), &path, &["ls", "git reset --hard"]);
    let (status, out) = hooks(&path, &["init", "claude"], "");
    assert_eq!(status, 0, "{out}");
    let line = "in past sessions, these rules would have denied 1 and asked about 0 of 2 calls; `hooks replay --transcripts ";
    assert!(out.contains(line), "{out}");
}

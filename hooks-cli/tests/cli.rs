//! The program as a user runs it: real processes, their output and exit status.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, thread};

use insta::assert_snapshot;
use serde_json::{Value, json};

/// The output of the program.
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

/// Runs `hooks` in `dir` with `args` and `input`.
fn hooks(dir: &Path, args: &[&str], input: &str) -> Ran {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env("XDG_STATE_HOME", dir.join("state"));
    // The developer's own rules do not govern the tests.
    command.env("HOME", dir.join("home")).env_remove("XDG_CONFIG_HOME").env_remove("HOOKS_CONFIG");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.spawn().and_then(|mut child| {
        let (stdin, input) = (child.stdin.take(), input.to_owned());
        // A thread writes the input, so that a full pipe cannot block the test. A program that does not read
        // may close it.
        let writer = thread::spawn(move || drop(stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))));
        let output = child.wait_with_output();
        drop(writer.join());
        output
    });
    let Output { status, stdout, stderr } = output.unwrap_or_else(|error| Output {
        status: Default::default(),
        stdout: Vec::new(),
        stderr: error.to_string().into_bytes(),
    });
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { status: status.code(), out: text(stdout), err: text(stderr) }
}

const CONFIG: &str = "version: 1
write_guard: { allow: [src/**] }
command_guard: { block: [rm -rf] }
ask_user: { max_per_session: 1 }
redaction: {}
rules:
  - { name: publishing, action: ask, commands: [git push], reason: a push leaves this machine }
";

const BAD: &str = "version: 1
write_gaurd:
  allow: [src/**]
command_guard:
  block: rm -rf
  unresolvable: dney
redaction:
rules:
  - name: push
    commands: [git push]
    match:
      - { tool: bash, args: { command: git status } }
";

/// A folder with `hooks.yaml` and `bad.yaml`.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hooks.yaml"), CONFIG).unwrap();
    fs::write(dir.path().join("bad.yaml"), BAD).unwrap();
    dir
}

fn call(agent: &str, tool: &str, args: &Value) -> String {
    json!({"event": "pre_tool_use", "at": {"session_id": "s", "agent_name": agent}, "tool_name": tool, "tool_args": args})
        .to_string()
}

#[test]
fn check_shows_every_mistake_at_its_place() {
    let dir = folder();
    let ran = hooks(dir.path(), &["check", "bad.yaml"], "");
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    assert_snapshot!(ran.out);
}

/// Regression test: the exit status was lost if the reader of the output closed it.
#[cfg(unix)]
#[test]
fn check_and_explain_keep_their_status_behind_a_closed_pipe() {
    let dir = folder();
    let explain = "explain --config hooks.yaml --tool bash --args '{\"command\": \"rm -rf x\"}'";
    for command in
        ["check bad.yaml", "check --format json bad.yaml", explain, &format!("{explain} --format json")]
    {
        let script = format!("{} {command} | true; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_hooks"));
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut shell = Command::new("bash");
        shell.args(["-c", &script]).current_dir(dir.path()).env("HOME", dir.path().join("home"));
        let status = shell.stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{command}");
    }
}

/// Regression test: a folder with the name of a configuration was no file at all, and a FIFO was waited for.
#[cfg(unix)]
#[test]
fn a_configuration_that_is_no_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("hooks.yaml")).unwrap();
    for words in [&["check"][..], &["explain", "--tool", "bash"], &["check", "hooks.yaml"]] {
        let ran = hooks(dir.path(), words, "");
        let told = format!("{}{}", ran.out, ran.err);
        assert!(
            ran.status != Some(0) && told.contains("a folder, and rules are a file"),
            "{words:?}: {told}"
        );
    }
    fs::remove_dir(dir.path().join("hooks.yaml")).unwrap();
    #[expect(clippy::disallowed_methods, reason = "there is no call for it in the standard library")]
    let made = Command::new("mkfifo").arg(dir.path().join("hooks.yaml")).status().unwrap();
    assert!(made.success());
    for words in [&["check"][..], &["check", "hooks.yaml"]] {
        let ran = hooks(dir.path(), words, "");
        let told = format!("{}{}", ran.out, ran.err);
        assert!(ran.status != Some(0) && told.contains("a FIFO, a socket or a device"), "{words:?}: {told}");
    }
}

/// A project whose rules are a link without a target had the rules of the user instead, without a word.
#[cfg(unix)]
#[test]
fn rules_that_are_no_file_deny_where_other_rules_would_govern() {
    let dir = tempfile::tempdir().unwrap();
    let (project, user) = (dir.path().join("project"), dir.path().join("project/home/.config/hooks"));
    fs::create_dir_all(&user).unwrap();
    fs::write(user.join("hooks.yaml"), "version: 1\n").unwrap();
    let event = json!({"session_id": "s", "cwd": project, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let ask = || hooks(&project, &["run", "--client", "claude", "--event", "PreToolUse"], &event.to_string());
    assert!(!ask().out.contains("deny"), "the rules of the user let it through");
    std::os::unix::fs::symlink("/nowhere/hooks.yaml", project.join("hooks.yaml")).unwrap();
    let ran = ask();
    assert!(
        ran.out.contains("\"deny\"") && ran.out.contains("project/hooks.yaml"),
        "{} {}",
        ran.out,
        ran.err
    );
}

#[test]
fn check_reports_to_programs() {
    let dir = folder();
    let ran = hooks(dir.path(), &["check", "--format", "json", "bad.yaml", "hooks.yaml"], "");
    assert_eq!(ran.status, Some(1));
    let reports: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports[0]["errors"].as_array().map(Vec::len), Some(5), "{}", ran.out);
    assert_eq!(
        reports[0]["errors"][0],
        json!({
            "line": 2,
            "column": 1,
            "path": "write_gaurd",
            "level": "error",
            "message": "unknown option `write_gaurd`",
            "hint": "did you mean `write_guard`?",
            "text": "line 2, column 1: write_gaurd: unknown option `write_gaurd`; did you mean `write_guard`?",
        })
    );
    assert_eq!(reports[1], json!({"file": "hooks.yaml", "ok": true, "errors": [], "warnings": []}));
}

#[test]
fn a_good_file_is_said_to_be_one() {
    let dir = folder();
    let ran = hooks(dir.path(), &["check", "hooks.yaml"], "");
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (Some(0), "ok hooks.yaml: governs pre_tool_use, post_tool_use, session_end\n")
    );
}

#[test]
fn what_cannot_be_read_is_status_two() {
    let dir = folder();
    for args in [
        &["check", "none.yaml"][..],
        &["eval", "--config", "none.yaml"],
        &["eval", "--config", "bad.yaml"],
        &["demo", "--script", "none.jsonl"],
        &["explain", "--config", "hooks.yaml", "--tool", "bash", "--args", "{"],
        &["schema", "nothing"],
        &["unknown"],
        &[],
    ] {
        let ran = hooks(dir.path(), args, "");
        assert_eq!(ran.status, Some(2), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}");
    }
}

#[test]
fn eval_answers_line_by_line_and_goes_on_behind_a_bad_one() {
    let dir = folder();
    let lines = [
        call("a", "bash", &json!({"command": "rm -r -f x"})),
        "nonsense".to_owned(),
        call("a", "edit", &json!({"path": "src/a.rs"})),
        String::new(),
        json!({"event": "pre_tool_use", "tool_nam": "bash"}).to_string(),
        call("a", "ask_user", &json!({})),
        call("b", "ask_user", &json!({})),
        json!({"event": "post_tool_use", "tool_name": "bash", "tool_result": "by a@example.com"}).to_string(),
        json!({"event": "session_start"}).to_string(),
    ];
    let ran = hooks(dir.path(), &["eval", "--config", "hooks.yaml"], &lines.join("\n"));
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    let printed: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(printed.len(), 8, "{}", ran.out);
    assert_eq!(printed[0]["decision"], "deny");
    assert_eq!(printed[0]["reasons"][0]["policy"], "command-guard");
    assert_eq!(printed[1]["error"]["line"], 2);
    assert_ne!(printed[2]["decision"], "deny");
    assert!(printed[3]["error"]["message"].as_str().unwrap().contains("tool_nam"), "{}", ran.out);
    assert_ne!(printed[4]["decision"], "deny");
    assert_eq!(printed[5]["decision"], "deny", "the limit is the session's");
    assert_eq!(printed[6]["effective"]["tool_result"], "by [EMAIL_REDACTED]");
    // Each answer names the rules that gave it.
    assert_eq!(printed[7], json!({"event": "session_start", "rules": printed[0]["rules"]}));
    assert!(printed[0]["rules"].is_string(), "{}", ran.out);
}

#[test]
fn a_line_that_can_be_read_in_two_ways_is_no_event() {
    let dir = folder();
    let lines = [
        r#"{"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": "rm -rf x", "command": "ls"}}"#,
        r#"{"event": "pre_tool_use", "at": {"cwd": "src"}, "tool_name": "read", "tool_args": {}}"#,
        r#"{"event": "pre_tool_use", "at": {"team_root": "."}, "tool_name": "read", "tool_args": {}}"#,
    ];
    let ran = hooks(dir.path(), &["eval", "-c", "hooks.yaml"], &lines.join("\n"));
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    let wanted =
        ["`command` is given twice", "`at.cwd` is relative: `src`", "`at.team_root` is relative: `.`"];
    assert_eq!(ran.out.lines().count(), wanted.len());
    for (line, wanted) in ran.out.lines().zip(wanted) {
        let printed: Value = serde_json::from_str(line).unwrap();
        assert!(printed["error"]["message"].as_str().unwrap().contains(wanted), "{line}");
    }
}

#[test]
fn explain_tells_the_whole_story() {
    let dir = folder();
    let args = json!({"command": "git push; rm -fr build"}).to_string();
    let ran =
        hooks(dir.path(), &["explain", "--config", "hooks.yaml", "--tool", "bash", "--args", &args], "");
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    assert_snapshot!(ran.out);
}

/// Regression test: `explain`, `eval`, `check`, `state` and `bench` wanted a file that `run` finds by itself.
#[test]
fn the_rules_of_the_folder_are_found_as_run_finds_them() {
    let dir = folder();
    let below = dir.path().join("src/deep");
    fs::create_dir_all(&below).unwrap();
    fs::create_dir(dir.path().join(".git")).unwrap();
    let args = json!({"command": "git push; rm -fr build"}).to_string();
    let explain = ["explain", "--tool", "bash", "--args", &args];
    for folder in [dir.path(), &below] {
        let found = hooks(folder, &explain, "");
        assert_eq!(found.status, Some(1), "{}", found.err);
        assert!(found.err.contains("hooks.yaml"), "{}", found.err);
        assert_eq!(hooks(folder, &["check"], "").status, Some(0));
        let line = call("a", "bash", &json!({"command": "rm -fr build"}));
        let answered = hooks(folder, &["eval"], &line);
        assert!(answered.out.contains("deny"), "{}", answered.out);
    }
    let empty = tempfile::tempdir().unwrap();
    for words in [&explain[..], &["check"], &["eval"], &["bench"], &["state"]] {
        let ran = hooks(empty.path(), words, "");
        assert_eq!(ran.status, Some(2), "{words:?}");
        assert!(ran.err.contains("name one with `--config`"), "{}", ran.err);
    }
}

/// Regression test: a rule with the name of another client held in `run` only.
#[test]
fn explain_eval_and_test_know_the_names_of_a_client_as_run_does() {
    let dir = tempfile::tempdir().unwrap();
    let rules = "version: 1\nrules:\n  - { name: pages, tools: [web_fetch], reason: no pages }\n  - { name: searches, tools: [google_web_search], reason: no searches }\n";
    fs::write(dir.path().join("hooks.yaml"), rules).unwrap();
    // Only the first two are names of Claude Code.
    for (tool, by_any, by_claude) in [
        ("WebFetch", true, true),
        ("WebSearch", true, true),
        ("FetchURL", true, false),
        ("fetch_all", false, false),
    ] {
        let sent = serde_json::json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": dir.path(),
            "tool_name": tool, "tool_input": {}, "tool_use_id": "t",
        });
        let run = hooks(dir.path(), &["run", "--client", "claude", "-c", "hooks.yaml"], &sent.to_string());
        assert_eq!(run.out.contains("\"deny\""), by_claude, "{tool}: {}", run.out);
        let event =
            serde_json::json!({"event": "pre_tool_use", "at": {}, "tool_name": tool, "tool_args": {}});
        fs::write(
            dir.path().join("hooks.test.yaml"),
            format!("[{{ call: {{ tool: {tool} }}, expect: deny }}]"),
        )
        .unwrap();
        for (client, is_denied) in [(None, by_any), (Some("claude"), by_claude)] {
            let names = client.map(|client| ["--client", client]);
            let with =
                |words: &[&'static str]| [words, names.as_ref().map_or(&[], |names| &names[..])].concat();
            let explained = hooks(
                dir.path(),
                &[&with(&["explain", "-c", "hooks.yaml"])[..], &["--tool", tool]].concat(),
                "",
            );
            assert_eq!(explained.status, Some(i32::from(is_denied)), "{tool} {client:?}: {}", explained.out);
            let evaluated = hooks(dir.path(), &with(&["eval", "-c", "hooks.yaml"]), &event.to_string());
            // A host of its own has names of its own.
            let is_denied_live = is_denied && client.is_some();
            assert_eq!(
                evaluated.out.contains("\"deny\""),
                is_denied_live,
                "{tool} {client:?}: {}",
                evaluated.out
            );
            let tested = hooks(dir.path(), &with(&["test", "-c", "hooks.yaml"]), "");
            assert_eq!(tested.status, Some(i32::from(!is_denied)), "{tool} {client:?}: {}", tested.out);
        }
    }
}

#[test]
fn explain_tells_it_to_programs() {
    let dir = folder();
    let event = call("a", "bash", &json!({"command": "git push"}));
    let ran = hooks(dir.path(), &["explain", "--config", "hooks.yaml", "--format", "json"], &event);
    let story: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.status, &story["decision"]), (Some(1), &json!("ask")));
    let policies = story["policies"].as_array().unwrap();
    assert!(
        policies.iter().any(|printed| printed["verdict"] == "ask" && printed["policy"] == "rules"),
        "{}",
        ran.out
    );

    let event = call("a", "edit", &json!({"path": "src/a.rs"}));
    let ran = hooks(dir.path(), &["explain", "--config", "hooks.yaml"], &event);
    assert_eq!(ran.status, Some(0), "{}", ran.out);
}

#[test]
fn a_squad_policy_is_judged_by_either_profile() {
    let dir = folder();
    fs::write(dir.path().join("policy.json"), r#"{"blockedCommands": ["rm -rf"]}"#).unwrap();
    let event = call("a", "bash", &json!({"command": "rm -fr x"}));
    let decision = |profile: &str| {
        let ran = hooks(dir.path(), &["eval", "--config", "policy.json", "--profile", profile], &event);
        serde_json::from_str::<Value>(&ran.out).unwrap()["decision"].clone()
    };
    assert_eq!(decision("strict"), "deny");
    assert_eq!(decision("squad-compat"), "allow", "Squad looks for the text");
}

#[test]
fn schemas_are_json() {
    let dir = folder();
    for of in ["config", "pre_tool_use", "session_end"] {
        let ran = hooks(dir.path(), &["schema", of], "");
        let schema: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.status, &schema["type"]), (Some(0), &json!("object")));
    }
    let ran = hooks(dir.path(), &["schema", "pre_tool_use"], "");
    let schema: Value = serde_json::from_str(&ran.out).unwrap();
    let at = &schema["properties"]["at"];
    for name in ["session_id", "agent_name", "cwd", "team_root", "timestamp"] {
        assert!(at["properties"][name].is_object(), "{at}");
        if let Some(reference) = at["properties"][name]["$ref"].as_str() {
            assert!(schema.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
        }
    }
}

#[test]
fn bench_measures_every_policy() {
    let dir = folder();
    let ran = hooks(dir.path(), &["bench", "--config", "hooks.yaml", "--time", "5", "--format", "json"], "");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let costs = report["costs"].as_array().unwrap();
    assert!(
        costs.len() >= 5 && costs.iter().all(|cost| cost["nanoseconds"].as_f64() > Some(0.0)),
        "{}",
        ran.out
    );
    assert!(costs[0]["policies"].as_array().unwrap().iter().any(|share| share["policy"] == "write-guard"));
}

#[test]
fn the_demo_tells_what_happened() {
    let dir = folder();
    let ran = hooks(dir.path(), &["demo"], "");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let (_, summary) = ran.out.split_once("What came of it").unwrap();
    assert_snapshot!(summary);
    for printed in [
        "changed   to `git status --short`",
        "denied    `rm -rf build` is blocked",
        "- Jane Doe, [EMAIL_REDACTED]",
        "asked     a push leaves this machine",
        "denied    not on a Friday",
        "which `backend` is locked out of by `lead`",
        "denied    the documents are frozen",
        "hello, world",
    ] {
        assert!(ran.out.contains(printed), "{printed:?} is not in\n{}", ran.out);
    }
    assert!(!ran.out.contains("example.com") && !ran.out.contains('\u{1b}'), "{}", ran.out);
}

#[test]
fn the_demo_runs_a_script_under_a_configuration_of_the_users() {
    let dir = folder();
    let script = [
        json!({"agent": "a", "tool": "write", "args": {"path": "src/new.txt", "content": "new"}}),
        json!({"agent": "a", "tool": "bash", "args": {"command": "cat src/new.txt; exit 3"}}),
        json!({"agent": "a", "tool": "write", "args": {"path": "docs/no.txt", "content": ""}}),
        json!({"agent": "a", "tool": "bash", "args": {"command": "git push"}}),
    ];
    let script: String = script.iter().map(|step| format!("{step}\n")).collect();
    fs::write(dir.path().join("steps.jsonl"), script).unwrap();
    let ran = hooks(dir.path(), &["demo", "--config", "hooks.yaml", "--script", "steps.jsonl"], "");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    for printed in
        ["│ new", "and it failed: exit status: 3", "denied by", "Files written by the tools: src/new.txt"]
    {
        assert!(ran.out.contains(printed), "{printed:?} is not in\n{}", ran.out);
    }
}

#[test]
fn help_teaches() {
    let dir = folder();
    for command in ["demo", "eval", "check", "explain", "schema", "bench"] {
        let ran = hooks(dir.path(), &[command, "--help"], "");
        assert_eq!(ran.status, Some(0));
        assert!(ran.out.contains("Example"), "{command}: {}", ran.out);
    }
}

#[test]
fn packs_are_listed_and_shown() {
    let dir = folder();
    let list = hooks(dir.path(), &["packs"], "");
    assert_eq!(list.status, Some(0), "{}", list.err);
    assert!(list.out.contains("git ") && list.out.contains("postgres "), "{}", list.out);
    let all: Value = serde_json::from_str(&hooks(dir.path(), &["packs", "--json"], "").out).unwrap();
    assert!(all["packs"].as_array().unwrap().len() >= 30);
    let shown = hooks(dir.path(), &["packs", "show", "git"], "");
    assert!(shown.out.contains("force-push (critical, denies)"), "{}", shown.out);
    let one: Value =
        serde_json::from_str(&hooks(dir.path(), &["packs", "show", "git", "--json"], "").out).unwrap();
    assert_eq!(one["name"], "git");
    let unknown = hooks(dir.path(), &["packs", "show", "giit"], "");
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.err.contains("did you mean `git`?"), "{}", unknown.err);
}

#[test]
fn explain_names_pack_and_rule() {
    let dir = folder();
    fs::write(dir.path().join("packs.yaml"), "version: 1\npacks: [git]\n").unwrap();
    let args = json!({"command": "sudo git push --force"}).to_string();
    let explained =
        hooks(dir.path(), &["explain", "--config", "packs.yaml", "--tool", "bash", "--args", &args], "");
    assert!(explained.out.contains("pack `git`, rule `force-push`"), "{}", explained.out);
}

//! State that outlives the process: budgets and lockouts hold for concurrent processes on one store, and
//! changes by hand are recorded.

#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::panic, reason = "tests")]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

#[cfg(unix)]
#[path = "support/terminal.rs"]
mod terminal;

/// Starts the program in `dir` with its state there, and writes `input` to it.
fn start(dir: &Path, args: &[&str], input: &str) -> Child {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    let mut child = command
        .args(args)
        .current_dir(dir)
        .env("XDG_STATE_HOME", dir.join("state"))
        .env("USER", "operator")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child
}

#[track_caller]
fn run(dir: &Path, args: &[&str]) -> String {
    printed(start(dir, args, "").wait_with_output().unwrap())
}

#[track_caller]
fn printed(output: Output) -> String {
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn folder(config: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hooks.yaml"), format!("version: 1\n{config}")).unwrap();
    dir
}

/// A tool call by `agent`, as a line.
fn call(agent: &str, tool: &str, args: &Value) -> String {
    let at = json!({"agent_name": agent, "session_id": "s1"});
    format!("{}\n", json!({"event": "pre_tool_use", "at": at, "tool_name": tool, "tool_args": args}))
}

fn decisions(answers: &str) -> Vec<String> {
    let decision = |line: &str| {
        let answer: Value = serde_json::from_str(line).unwrap();
        answer.get("decision").and_then(Value::as_str).unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    answers.lines().map(decision).collect()
}

#[test]
fn a_limit_holds_over_processes_that_race() {
    let dir = folder("ask_user: { max_per_session: 7 }");
    let asks = call("a", "ask_user", &json!({"question": "?"})).repeat(6);
    let racing: Vec<_> = (0..6).map(|_| start(dir.path(), &["eval", "-c", "hooks.yaml"], &asks)).collect();
    let answers: Vec<_> =
        racing.into_iter().flat_map(|child| decisions(&printed(child.wait_with_output().unwrap()))).collect();
    assert_eq!(answers.len(), 36);
    assert_eq!(answers.iter().filter(|decision| *decision == "no_opinion").count(), 7, "{answers:?}");
    let shown: Value =
        serde_json::from_str(&run(dir.path(), &["state", "-c", "hooks.yaml", "--json"])).unwrap();
    let counter = &shown["counters"][0];
    assert_eq!((&counter["used"], &counter["held"]), (&json!(7), &json!(0)), "{shown}");
}

#[test]
fn a_lockout_binds_every_process_until_somebody_else_clears_it() {
    let dir = folder("reviewer_lockout: {}\ntenant: acme");
    fn state<'a>(args: &[&'a str]) -> Vec<&'a str> {
        [&["state", "-c", "hooks.yaml"], args].concat()
    }
    let write = call("Backend", "edit", &json!({"path": "src/x/../auth.rs"}));
    let decide = || {
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &write);
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    assert_eq!(decide(), "no_opinion");
    run(dir.path(), &state(&["lock", "src/auth.rs", "backend", "--why", "no tests", "--for", "2h"]));
    assert_eq!(decide(), "deny");
    let own = start(dir.path(), &state(&["clear", "src/auth.rs", "--by", "Backend"]), "");
    let own = own.wait_with_output().unwrap();
    assert!(!own.status.success() && String::from_utf8_lossy(&own.stderr).contains("cannot clear that"));
    assert_eq!(decide(), "deny");
    run(dir.path(), &state(&["clear", "src/auth.rs", "--why", "tests came"]));
    assert_eq!(decide(), "no_opinion");
    let history: Value = serde_json::from_str(&run(dir.path(), &state(&["history", "--json"]))).unwrap();
    let who: Vec<_> = history.as_array().unwrap().iter().map(|change| &change["by"]).collect();
    assert_eq!(who, ["operator", "operator"], "{history}");
    assert_eq!(history[1]["why"], "tests came");
}

#[test]
fn a_counter_is_set_by_hand() {
    let dir = folder("ask_user: { max_per_session: 1 }");
    let ask = call("a", "ask_user", &json!({"question": "?"}));
    let decide = || {
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &ask);
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    assert_eq!((decide(), decide()), ("no_opinion".to_owned(), "deny".to_owned()));
    let wrong = start(dir.path(), &["state", "-c", "hooks.yaml", "set", "ask-limit/s1", "$1"], "");
    assert_eq!(wrong.wait_with_output().unwrap().status.code(), Some(2));
    run(dir.path(), &["state", "-c", "hooks.yaml", "set", "ask-limit/s1", "0"]);
    assert_eq!(decide(), "no_opinion");
    let wrong = start(dir.path(), &["state", "-c", "hooks.yaml", "set", "ask-limit/other", "0"], "");
    assert_eq!(wrong.wait_with_output().unwrap().status.code(), Some(1));
}

#[test]
fn state_in_memory_is_said_to_end_with_its_process() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hooks.yaml"), "version: 1\nstore: { engine: memory }\n").unwrap();
    let output = start(dir.path(), &["state", "-c", "hooks.yaml"], "").wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("store: {engine: file}"));
}

#[test]
fn tokens_count_without_a_price() {
    let budget = "budget: {limits: [{of: team, per: day, tokens: 100000}], hold: {most_output_tokens: 4000}}";
    let dir = folder(budget);
    let call = |number: usize| {
        let at = json!({"session_id": "s", "call_id": format!("c{number}")});
        let before = json!({"event": "before_model_call", "at": at, "model": "m"});
        let after = json!({
            "event": "after_model_call", "at": at, "model": "m",
            "response": {"role": "assistant", "content": "x"},
            "usage": {"input_tokens": 50_000, "output_tokens": 40_000},
        });
        format!("{before}\n{after}\n")
    };
    let calls: String = (0..3).map(call).collect();
    let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &calls);
    let decided = decisions(&printed(child.wait_with_output().unwrap()));
    let before: Vec<_> = decided.iter().step_by(2).map(String::as_str).collect();
    assert_eq!(before, ["no_opinion", "no_opinion", "deny"]);
}

#[test]
fn a_number_that_comes_back_with_another_call_is_another_call() {
    let dir = folder("limits: {calls: [{tools: [deploy], most: 1, of: team, per: day}]}");
    for id in ["", "call_0"] {
        let calls = (0..2).map(|to| {
            let args = json!({"to": format!("{id}{to}")});
            let at = json!({"agent_name": "a", "session_id": format!("s{id}")});
            format!(
                "{}\n",
                json!({"event": "pre_tool_use", "at": at, "tool_name": "deploy", "tool_use_id": id, "tool_args": args})
            )
        });
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &calls.collect::<String>());
        let decided = decisions(&printed(child.wait_with_output().unwrap()));
        assert_eq!(decided.last().map(String::as_str), Some("deny"), "{id}");
    }
}

#[test]
fn an_agent_does_not_change_its_own_limits() {
    let dir = folder("ask_user: { max_per_session: 1 }");
    for command in ["hooks state -c hooks.yaml set ask-limit/s1 0", "cd / && env X=1 hooks state lock a b"] {
        let line = call("a", "bash", &json!({"command": command}));
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &line);
        assert_eq!(decisions(&printed(child.wait_with_output().unwrap())), ["deny"], "{command}");
    }
}

#[test]
fn a_damaged_store_denies_until_a_person_accepts_the_loss() {
    let dir = folder("ask_user: { max_per_session: 5 }");
    let ask = call("a", "ask_user", &json!({"question": "?"}));
    let decide = || {
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &ask);
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    assert_eq!(decide(), "no_opinion");
    let state = std::fs::read_dir(dir.path().join("state/hooks")).unwrap();
    let file =
        state.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|end| end == "db"));
    std::fs::write(file.unwrap(), "this is not a database, and never was one ".repeat(500)).unwrap();
    assert_eq!((decide(), decide()), ("deny".to_owned(), "deny".to_owned()));
    run(dir.path(), &["state", "-c", "hooks.yaml", "accept-loss"]);
    assert_eq!(decide(), "no_opinion");
}

#[test]
fn two_projects_share_nothing_and_one_is_found_by_any_path() {
    let (one, other) = (folder("ask_user: { max_per_session: 1 }"), tempfile::tempdir().unwrap());
    std::fs::copy(one.path().join("hooks.yaml"), other.path().join("hooks.yaml")).unwrap();
    let ask = call("a", "ask_user", &json!({"question": "?"}));
    let state = one.path().join("state");
    let decide = |dir: &Path, config: &str| {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(["eval", "-c", config]).current_dir(dir).env("XDG_STATE_HOME", &state);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(ask.as_bytes()).unwrap();
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    assert_eq!(decide(one.path(), "hooks.yaml"), "no_opinion");
    assert_eq!(decide(other.path(), "hooks.yaml"), "no_opinion");
    let absolute = one.path().join("hooks.yaml");
    assert_eq!(decide(other.path(), &absolute.to_string_lossy()), "deny");
    assert_eq!(decide(other.path(), "./hooks.yaml"), "deny");
}

#[test]
fn a_file_that_cannot_be_opened_denies_and_memory_takes_no_ones_place() {
    let dir = folder("ask_user: { max_per_session: 5 }");
    // A file is at the path of the folder.
    std::fs::write(dir.path().join("state"), "no folder").unwrap();
    let calls = call("a", "ask_user", &json!({"question": "?"})) + &call("a", "view", &json!({"path": "a"}));
    let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &calls);
    let answers = printed(child.wait_with_output().unwrap());
    assert_eq!(decisions(&answers), ["deny", "no_opinion"], "only what is counted needs the store");
    assert!(answers.contains("state"), "{answers}");
}

/// A model call of session `s`, as a line.
fn model_call(id: &str) -> String {
    let at = json!({"session_id": "s", "agent_name": "a", "call_id": id});
    let messages = json!([{"role": "user", "content": id}]);
    format!("{}\n", json!({"event": "before_model_call", "at": at, "model": "m", "messages": messages}))
}

#[test]
fn money_and_tokens_are_shown_and_set_in_their_units() {
    let dir = folder(
        "budget:
  limits: [{ of: team, per: day, usd: 2, tokens: 100000 }]
  prices: [{ model: m, input: 0, output: 100, most_output_tokens: 15000 }]",
    );
    let state = |args: &[&str]| run(dir.path(), &[&["state", "-c", "hooks.yaml"], args].concat());
    let decide = |id: &str| {
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &model_call(id));
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    assert_eq!((decide("1"), decide("2")), ("no_opinion".to_owned(), "deny".to_owned()));
    let shown = state(&[]);
    assert!(shown.contains("$1.50") && shown.contains("15009 tokens"), "{shown}");
    let all: Value = serde_json::from_str(&state(&["--json"])).unwrap();
    let team = all["counters"].as_array().unwrap().iter();
    let team: Vec<_> = team.filter(|counter| counter["counter"] == "spend/of/team//usd").collect();
    assert_eq!((&team[0]["used"], &team[0]["unit"]), (&json!(1_500_000), &json!("usd")), "{all}");
    // Reservations stay, as their final cost is unknown yet.
    let printed = state(&["set", "spend/of/team//usd", "$0.25", "--why", "a refund"]);
    assert!(printed.contains("is $0.25"), "{printed}");
    assert!(state(&[]).contains("$1.75"));
    assert!(state(&["history"]).contains("spent $0.25"));
}

#[test]
fn an_artifact_has_one_name_and_those_of_the_configuration_are_shown() {
    let dir = folder("reviewer_lockout: { locked: { ./docs/: [Frontend] } }");
    let state = |args: &[&str]| {
        let args = [&["state", "-c", "hooks.yaml"], args].concat();
        let output = start(dir.path(), &args, "").wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), printed)
    };
    let decide = |agent: &str, path: &str| {
        let write = call(agent, "edit", &json!({"path": path}));
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &write);
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    for weird in ["../up", "src/../../x", "~/x", ".", "/", ""] {
        let (status, printed) = state(&["lock", weird, "backend"]);
        assert!(status == Some(2) && printed.contains("names no artifact"), "{weird}: {status:?} {printed}");
    }
    assert_eq!(decide("backend", "src/auth.rs"), "no_opinion", "nothing was locked by them");
    assert_eq!(state(&["lock", "./src//auth.rs", " Backend "]).0, Some(0));
    assert_eq!((&*decide("BACKEND", "src/auth.rs"), &*decide("backend", "src/b.rs")), ("deny", "no_opinion"));
    assert_eq!(decide(" frontend", "docs/a.md"), "deny");
    let (_, shown) = state(&[]);
    assert!(shown.contains("src/auth.rs") && shown.contains("(configuration)"), "{shown}");
    let (_, json) = state(&["--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let from: Vec<_> = json["lockouts"].as_array().unwrap().iter().map(|lockout| &lockout["from"]).collect();
    assert_eq!(from, ["store", "configuration"], "{json}");
    let (status, printed) = state(&["clear", "docs"]);
    assert!(status == Some(1) && printed.contains("`reviewer_lockout.locked`"), "{printed}");
    assert_eq!(state(&["clear", "src\\AUTH.rs", "--by", "lead"]).0, Some(0));
    assert_eq!(decide("backend", "src/auth.rs"), "no_opinion");
}

#[cfg(unix)]
#[test]
fn what_a_person_approves_of_a_budget_holds_for_its_window() {
    let dir = folder(
        "budget:
  limits: [{ of: session, per: session, tokens: 1000 }]
  thresholds: { ask: 10 }
  hold: { most_output_tokens: 100 }",
    );
    let decide = |id: &str| {
        let child = start(dir.path(), &["eval", "-c", "hooks.yaml"], &model_call(id));
        decisions(&printed(child.wait_with_output().unwrap())).remove(0)
    };
    assert_eq!(decide("1"), "no_opinion");
    assert_eq!((decide("2"), decide("3")), ("ask".to_owned(), "ask".to_owned()));
    let approve = || {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(["approve", "budget", "s", "--why", "worth it"]).current_dir(dir.path()).env_clear();
        command.env("XDG_STATE_HOME", dir.path().join("state"));
        terminal::at_a_terminal(&mut command, "")
    };
    let (status, shown) = approve();
    assert!(status.success() && shown.contains("the budget of session `s` approved"), "{shown}");
    assert_eq!((decide("4"), decide("5")), ("no_opinion".to_owned(), "no_opinion".to_owned()));
    assert_eq!(approve().0.code(), Some(1), "nothing is asked any more");
    assert!(run(dir.path(), &["state", "-c", "hooks.yaml", "history"]).contains("worth it"));
}

//! `hooks run`, `hooks eval` and `hooks explain` decide alike about every event that the proofs contain: each
//! vector and each row of a corpus, whatever it was made to show. Every eighth one takes a quarter of a minute; with
//! `HOOKS_EVERY_EVENT=1`, all of them are compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use hooks::event::WireEvent;
use hooks::{HookContext, Hooks, Strength};
use hooks_protocols::{Client, Decoded, decode};
use serde_json::{Value, json};

use super::deadline::Deadline;
use super::notes::Notes;
use super::{asking, governing};
use crate::cli::{Run, ToolNames};
use crate::event::{answer, by_type, here};
use crate::explain::story;
use crate::unfinished::Unfinished;
use crate::{eval, load};

/// A section of each kind that decides without a memory of earlier events.
const RULES: &str = r#"version: 1
audit: false
protected: [".git/**", "**/.env"]
write_guard: { allow: ["src/**", "docs/**", ".squad/**", "test/**"] }
command_guard: { block: ["rm -rf", "git push --force", "git reset --hard", dd], unresolvable: ask }
redaction: {}
rules:
  - { name: publishing, action: ask, commands: [git push, npm publish], reason: this leaves the machine }
  - { name: listing, action: allow, commands: [ls, git status], reason: it only looks }
  - { name: notes, tools: [web_fetch], reason: no network here }
"#;

/// Rules with names of one client for the calls of another.
const NAMES: &str = r#"version: 1
audit: false
rules:
  - { name: pages, tools: [web_fetch], reason: no pages }
  - { name: searches, tools: [google_web_search], reason: no searches }
  - { name: texts, tools: [create_file], reason: no new files }
  - { name: agents, tools: [spawn_agent], reason: no agents }
  - { name: servers, tools: [mcp__crm__*], reason: no customers }
"#;

/// Limits, which count. A few events are enough to reach them, and each has to be counted once.
const LIMITS: &str = r#"version: 1
audit: false
limits: { calls: [{ most: 12, of: session, per: always }, { tools: [bash], most: 5, of: team, per: day }] }
ask_user: { max_per_session: 2 }
"#;

/// The decision and its message, as each of the three gives it.
#[derive(Debug, PartialEq)]
struct ShownDecision {
    strength: Strength,
    message: Option<String>,
}

#[test]
fn run_eval_and_explain_agree_on_every_event_of_the_proofs() {
    let mut payloads = payloads();
    assert!(payloads.len() > 10_000, "{} events", payloads.len());
    if std::env::var_os("HOOKS_EVERY_EVENT").is_none() {
        payloads = payloads.into_iter().step_by(8).collect();
    }
    // An agent that replaces the program removes every rule.
    let program = format!("ln -sf /bin/true {}", std::env::current_exe().unwrap().display());
    payloads.push(payload(json!({
        "hook_event_name": "PreToolUse", "tool_name": "bash", "tool_input": {"command": program},
    })));
    let (_, denied) = compare(RULES, &payloads[payloads.len() - 1..]);
    assert_eq!(denied, 1, "the program is protected");
    // A session of its own for each: what a session wrote counts for a minute even where no file is, and these events
    // take longer than that on a slow machine.
    for (number, payload) in payloads.iter_mut().enumerate() {
        payload["session_id"] = json!(format!("s{number}"));
    }
    let (agreed, denied) = compared_in_parts(RULES, &payloads);
    assert_eq!(agreed, payloads.len());
    assert!(denied > 200 && denied < agreed / 2, "{denied} of {agreed} are denied");
}

#[test]
fn run_eval_and_explain_agree_about_the_names_of_a_client() {
    let calls = ["WebFetch", "WebSearch", "Write", "fetch", "apply_patch", "Task", "mcp__crm__list", "Bash"];
    let calls = calls.map(|tool| {
        payload(json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"command": "ls"}}))
    });
    let (agreed, denied) = compare(NAMES, &calls);
    assert_eq!((agreed, denied), (calls.len(), 5));
}

#[test]
fn run_eval_and_explain_agree_where_events_are_counted() {
    let payloads: Vec<Value> = payloads().into_iter().step_by(40).collect();
    let (agreed, denied) = compare(LIMITS, &payloads);
    assert_eq!(agreed, payloads.len());
    assert!(denied > 5, "{denied}");
}

/// Compares with a thread for each core. The order does not matter if each event has a session of its own.
fn compared_in_parts(rules: &str, payloads: &[Value]) -> (usize, usize) {
    let cores = thread::available_parallelism().unwrap().get();
    thread::scope(|scope| {
        let parts: Vec<_> = payloads
            .chunks(payloads.len().div_ceil(cores))
            .map(|part| scope.spawn(move || compare(rules, part)))
            .collect();
        parts
            .into_iter()
            .map(|part| part.join().unwrap())
            .fold((0, 0), |all, part| (all.0 + part.0, all.1 + part.1))
    })
}

/// The number of events on which the three agree, and how many of them are denied.
fn compare(rules: &str, payloads: &[Value]) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    // Each counts in a store of its own, but in the same order.
    let ours = configured(folder.path(), "run", rules);
    let theirs = configured(folder.path(), "eval", rules);
    let names = ToolNames::of_client(Client::Claude);
    let reader = load::in_project(names.known_to(load::reader(None)), &theirs);
    let config = reader.read(&theirs).unwrap_or_else(|_| panic!("the configuration has a mistake"));
    let hooks = config.clone().hooks();
    // An explanation sees what `eval` counts and remembers, and changes nothing of it.
    let told =
        load::explained(&theirs, None, names).unwrap_or_else(|_| panic!("the configuration has a mistake"));
    let told_hooks = told.clone().hooks();
    let runtime = eval::runtime().unwrap();
    let (mut denied, mut wrong) = (0, Vec::new());
    for payload in payloads {
        let sent = payload.to_string().replace("{{PROJECT}}", folder.path().to_str().unwrap());
        let mut decoded = decode(Client::Claude, None, sent.as_bytes()).unwrap();
        decoded.context.cwd = folder.path().to_owned();
        let Some(event) = decoded.event.clone() else { panic!("`{sent}` is not an event") };
        let unfinished = Unfinished::default();
        let context = || here(decoded.context.clone(), &config, &unfinished);
        let told_context = here(decoded.context.clone(), &told, &unfinished);
        let explained = runtime.block_on(explained(&told_hooks, told_context, event.clone()));
        runtime.block_on(unfinished.finish());
        let evaluated = runtime.block_on(evaluated(&hooks, context(), event));
        runtime.block_on(unfinished.finish());
        let ran = ran(&ours, &mut decoded);
        denied += usize::from(ran.strength == Strength::Deny);
        if ran != evaluated || evaluated != explained {
            wrong.push(format!("{sent}\n  run {ran:?}\n  eval {evaluated:?}\n  explain {explained:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    (payloads.len(), denied)
}

fn configured(folder: &Path, name: &str, rules: &str) -> PathBuf {
    let (config, store) = (folder.join(format!("{name}.yaml")), folder.join(format!("{name}.db")));
    fs::write(&config, format!("{rules}store: {{ path: {} }}\n", store.display())).unwrap();
    config
}

fn ran(config: &Path, decoded: &mut Decoded) -> ShownDecision {
    let options =
        Run { client: None, event: None, config: Some(config.to_owned()), settings: None, deadline: None };
    let governing = governing::load(&options, decoded, Deadline::within(Duration::from_secs(60))).unwrap();
    let held = asking::ask(&governing, decoded, &Notes::default()).unwrap();
    let goes_on = held.answer.strength != Strength::Deny;
    governing.end(held.holds, goes_on);
    governing.finish(&Notes::default()).unwrap();
    ShownDecision::new(held.answer.strength, held.answer.reason)
}

async fn evaluated(hooks: &Hooks, context: HookContext, event: WireEvent) -> ShownDecision {
    let mut answer = answer(hooks, context, event, None).await;
    let strength = serde_json::from_value(answer["decision"].take()).unwrap();
    ShownDecision::new(strength, answer["message"].as_str().map(str::to_owned))
}

async fn explained(hooks: &Hooks, context: HookContext, event: WireEvent) -> ShownDecision {
    let story = by_type!(event,
        decided(event) => story(hooks, context, event).await,
        informed(event) => panic!("{event:?} is not decided"),
        other => panic!("not an event")
    );
    ShownDecision::new(story.decision, story.message)
}

impl ShownDecision {
    /// A client goes on after an allow and without an opinion, so both count as equal.
    fn new(strength: Strength, message: Option<String>) -> Self {
        let strength = if strength == Strength::Allow { Strength::NoOpinion } else { strength };
        let message = message.filter(|_| strength >= Strength::Ask);
        // A message may name the files of its configuration: each has its own, and a wildcard finds the first of them.
        let message = message.map(|message| message.replace("eval.", "run."));
        Self { strength, message }
    }
}

/// Every call and every text of the proofs, as payloads of one client.
fn payloads() -> Vec<Value> {
    let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs");
    let mut found = BTreeSet::new();
    let mut folders = vec![proofs.join("corpora"), proofs.join("conformance")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                for line in fs::read_to_string(path).unwrap().lines() {
                    collect(&serde_json::from_str(line).unwrap(), &mut found);
                }
            }
        }
    }
    found.iter().map(|payload| serde_json::from_str(payload).unwrap()).collect()
}

/// A payload with the fields that all have.
fn payload(mut fields: Value) -> Value {
    fields["session_id"] = json!("s1");
    fields["cwd"] = json!("/");
    fields
}

/// Adds the payloads of everything in `value` that looks like a call, its result, or a text.
fn collect(value: &Value, found: &mut BTreeSet<String>) {
    let mut add = |fields| found.insert(payload(fields).to_string());
    let text =
        |names: &[&str]| names.iter().find_map(|name| value[*name].as_str()).filter(|text| !text.is_empty());
    let tool = text(&["tool", "toolName", "tool_name"]);
    let input = ["arguments", "tool_input"].iter().map(|name| &value[*name]).find(|input| input.is_object());
    if let (Some(tool), Some(input)) = (tool, input) {
        let result = text(&["text"]).unwrap_or("done");
        add(json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}));
        add(json!({
            "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input, "tool_response": result,
        }));
    }
    if let Some(prompt) = text(&["text", "prompt"]) {
        add(json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}));
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

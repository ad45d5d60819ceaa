//! Checks all recordings and examples of `proofs/protocols`.

use std::path::Path;

use hooks_core::event::{Message, Role};
use hooks_protocols::{Answer, Client, Rewrite, decode, encode, payload};
use serde_json::{Value, json};

use super::support::{Effect, honoured};

/// Reads a file of `proofs/protocols`.
fn reference(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/protocols").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

fn lines(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn every_captured_payload_is_read_and_nothing_is_lost() {
    for client in ["claude", "codex", "gemini", "copilot", "copilot-vscode"] {
        let text = reference(&format!("captured/{client}.jsonl"));
        for line in lines(&text) {
            let (event, stdin) = (line["event"].as_str().unwrap(), line["stdin"].as_str().unwrap());
            let decoded = decode(client.parse().unwrap(), Some(event), stdin.as_bytes()).unwrap();
            assert_eq!(Value::Object(payload(&decoded)), serde_json::from_str::<Value>(stdin).unwrap());
            let recognised = hooks_protocols::recognise(stdin.as_bytes()).map(|(client, _)| client);
            assert_eq!(recognised, Some(decoded.client), "{stdin}");
        }
    }
}

#[test]
fn every_example_is_read_and_nothing_is_lost() {
    let text = reference("examples.jsonl");
    for line in lines(&text) {
        let client: Client = line["client"].as_str().unwrap().parse().unwrap();
        let (event, stdin) = (line["event"].as_str().unwrap(), line["input"].to_string());
        let decoded = decode(client, Some(event), stdin.as_bytes()).unwrap();
        assert_eq!(Value::Object(payload(&decoded)), line["input"]);
        if let Some((recognised, _)) = hooks_protocols::recognise(stdin.as_bytes()) {
            assert_eq!(recognised, client, "{stdin}");
        }
    }
}

/// The tests' model of the clients agrees with the recordings for every answer.
#[test]
fn the_model_of_the_clients_is_right() {
    let text = reference("behaviour.jsonl");
    let mut judged = 0;
    for line in lines(&text) {
        let (event, answer, effect) = (line["event"].as_str().unwrap(), &line["answer"], &line["effect"]);
        let is_call = matches!(event, "PreToolUse" | "BeforeTool" | "preToolUse");
        if !is_call || answer.get("sleep").is_some() || answer.get("signal").is_some() {
            continue;
        }
        let stdout = match &answer["stdout"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            object => object.to_string(),
        };
        let exit = answer["exit"].as_u64().unwrap_or_default().try_into().unwrap();
        let stderr = answer["stderr"].as_str().unwrap_or_default();
        let expected =
            match (effect["tool_ran"].as_bool().unwrap(), effect["changed_tool_ran"].as_bool().unwrap()) {
                (true, _) => Effect::Ran,
                (false, true) => Effect::Changed,
                (false, false) => Effect::Denied,
            };
        let client = line["client"].as_str().unwrap().parse().unwrap();
        assert_eq!(honoured(client, event, exit, stderr, &stdout), expected, "{line}");
        judged += 1;
    }
    assert!(judged > 100);
}

/// Examples whose answers our hooks never give.
const NEVER_SAID: &[&str] = &[
    // These answers filter tools, watch files, or provide folders, texts, plugins and variables.
    "claude PermissionDenied",
    "claude ElicitationResult",
    "claude CwdChanged",
    "claude FileChanged",
    "claude MessageDisplay",
    "claude WorktreeCreate",
    "gemini BeforeModel",
    "gemini BeforeToolSelection",
    "copilot userPromptTransformed",
    "cursor sessionStart",
    "cursor workspaceOpen",
    // An empty answer has the same effect.
    "codex PostCompact",
    // The example leaves the result next to the block; we end the run.
    "vscode PostToolUse",
    // The example has different texts for the model and the user; we send the reason to both.
    "cursor preToolUse",
    "cursor beforeShellExecution",
    "cursor beforeMCPExecution",
    // A denial without a reason.
    "cursor beforeTabFileRead",
    // An allow with a reason.
    "docker-agent permission_request",
];

#[test]
fn every_answer_of_the_examples_can_be_given() {
    let text = reference("examples.jsonl");
    let mut missing = Vec::new();
    for line in lines(&text) {
        let client: Client = line["client"].as_str().unwrap().parse().unwrap();
        let (event, output) = (line["event"].as_str().unwrap(), &line["output"]);
        let decoded = decode(client, Some(event), line["input"].to_string().as_bytes()).unwrap();
        let given = |answer: &Answer| {
            let stdout = encode(&decoded, answer).stdout;
            let printed = if stdout.is_empty() { json!({}) } else { serde_json::from_str(&stdout).unwrap() };
            printed == *output
        };
        if !answers_with(output).iter().any(given) {
            missing.push(format!("{} {event}", line["client"].as_str().unwrap()));
        }
    }
    missing.sort_unstable();
    let mut never_said = NEVER_SAID.to_vec();
    never_said.sort_unstable();
    assert_eq!(missing, never_said);
}

/// Answers that an output could encode: each of its texts as each wish.
fn answers_with(output: &Value) -> Vec<Answer> {
    let mut answers = vec![Answer::default()];
    let mut texts = Vec::new();
    texts_in(output, &mut texts);
    for text in &texts {
        let mut message = Answer::default();
        message.messages = vec![text.clone()];
        let mut summary = Answer::default();
        summary.summary = Some(text.clone());
        let mut stop = Answer::default();
        stop.stop = Some(text.clone());
        answers.extend([
            Answer::deny(text),
            Answer::ask(text),
            Answer::context(text),
            Answer::allow(),
            message,
            summary,
            stop,
        ]);
        for context in &texts {
            answers.push(Answer::context(context).rewritten(Rewrite::Prompt(text.clone())));
            let result =
                output.pointer("/hookSpecificOutput/updatedToolOutput").or(output.get("modifiedResult"));
            if let Some(result) = result {
                answers.push(Answer::context(context).rewritten(Rewrite::Result(result.clone().into())));
            }
        }
        answers.push(Answer::default().rewritten(Rewrite::Result(json!(text).into())));
        let reply = Message::text(Role::Assistant, text);
        answers.push(Answer::default().rewritten(Rewrite::Reply(reply)));
    }
    answers
}

fn texts_in(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, texts)),
        Value::Object(map) => map.values().for_each(|value| texts_in(value, texts)),
        _ => {}
    }
}

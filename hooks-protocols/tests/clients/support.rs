//! Shared parts of the tests: payloads of real clients, and a model of those clients' reaction to an answer.

use hooks_protocols::{Client, EncodedAnswer};
use serde_json::Value;

/// A payload in the shape that a real client sends, with example values.
pub(super) struct Payload {
    pub(super) client: Client,
    pub(super) event: String,
    pub(super) stdin: String,
}

/// One payload of each recorded shape.
pub(super) fn payloads() -> Vec<Payload> {
    read_payloads(include_str!("payloads.jsonl"))
}

/// Parses payloads, one on each line.
pub(super) fn read_payloads(lines: &str) -> Vec<Payload> {
    let payload = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        Payload { client: text("client").parse().unwrap(), event: text("event"), stdin: text("stdin") }
    };
    lines.lines().map(payload).collect()
}

/// The first payload of an event.
pub(super) fn payload_of(client: Client, event: &str) -> String {
    let found = payloads().into_iter().find(|payload| payload.client == client && payload.event == event);
    found.unwrap_or_else(|| panic!("no payload of {client} {event}")).stdin
}

/// The effect of an answer on a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The tool ran with its original arguments.
    Ran,
    /// The tool ran with changed arguments.
    Changed,
    /// The tool did not run: it was denied, or there was no user to ask.
    Denied,
}

/// The effect of a reply to a tool call in a client without a user: a model of the recordings.
pub(super) fn effect(client: Client, event: &str, reply: &EncodedAnswer) -> Effect {
    honoured(client, event, reply.exit, &reply.stderr, &reply.stdout)
}

pub(super) fn honoured(client: Client, event: &str, exit: u8, stderr: &str, stdout: &str) -> Effect {
    let answer: Option<Value> = serde_json::from_str(stdout).ok().filter(Value::is_object);
    match client {
        Client::Claude => claude(event, exit, answer.as_ref()),
        Client::Codex => codex(event, exit, stderr, answer.as_ref()),
        Client::Gemini => gemini(exit, stderr, stdout),
        Client::Copilot => copilot(event, exit, answer.as_ref()),
        Client::Qwen => qwen(exit, stderr, answer.as_ref()),
        _ => panic!("{client} was not run"),
    }
}

fn decision<'a>(answer: &'a Value, pointer: &str) -> &'a str {
    answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn claude(event: &str, exit: u8, answer: Option<&Value>) -> Effect {
    let Some(answer) = answer.filter(|_| exit != 2) else {
        return if exit == 2 { Effect::Denied } else { Effect::Ran };
    };
    if decision(answer, "/decision") == "block" {
        return Effect::Denied;
    }
    if decision(answer, "/hookSpecificOutput/hookEventName") != event {
        return Effect::Ran;
    }
    match decision(answer, "/hookSpecificOutput/permissionDecision") {
        "deny" | "ask" | "defer" => Effect::Denied,
        _ if answer.pointer("/hookSpecificOutput/updatedInput").is_some() => Effect::Changed,
        _ => Effect::Ran,
    }
}

fn codex(event: &str, exit: u8, stderr: &str, answer: Option<&Value>) -> Effect {
    if exit == 2 {
        return if stderr.trim().is_empty() { Effect::Ran } else { Effect::Denied };
    }
    let (0, Some(answer)) = (exit, answer) else { return Effect::Ran };
    let is_closed = |value: &Value, keys: &[&str]| {
        value.as_object().is_some_and(|map| map.keys().all(|key| keys.contains(&key.as_str())))
    };
    let specific = answer.get("hookSpecificOutput");
    let known = ["systemMessage", "decision", "reason", "hookSpecificOutput"];
    let inside = [
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
    ];
    if !is_closed(answer, &known)
        || specific
            .is_some_and(|specific| !is_closed(specific, &inside) || specific["hookEventName"] != event)
    {
        return Effect::Ran;
    }
    let has_text = |pointer: &str| !decision(answer, pointer).trim().is_empty();
    if decision(answer, "/decision") == "block" && has_text("/reason") {
        return Effect::Denied;
    }
    match decision(answer, "/hookSpecificOutput/permissionDecision") {
        "deny" if has_text("/hookSpecificOutput/permissionDecisionReason") => Effect::Denied,
        "allow" if answer.pointer("/hookSpecificOutput/updatedInput/command").is_some() => Effect::Changed,
        _ => Effect::Ran,
    }
}

fn gemini(exit: u8, stderr: &str, stdout: &str) -> Effect {
    let text = if stdout.trim().is_empty() { stderr } else { stdout };
    match serde_json::from_str::<Value>(text).ok().filter(Value::is_object) {
        Some(answer) if matches!(decision(&answer, "/decision"), "deny" | "block") => Effect::Denied,
        Some(answer) if answer.get("continue") == Some(&false.into()) => Effect::Denied,
        Some(answer) if answer.pointer("/hookSpecificOutput/tool_input").is_some() => Effect::Changed,
        Some(_) => Effect::Ran,
        None if exit > 1 && !text.trim().is_empty() => Effect::Denied,
        None => Effect::Ran,
    }
}

fn qwen(exit: u8, stderr: &str, answer: Option<&Value>) -> Effect {
    if exit == 2 {
        return if stderr.trim().is_empty() { Effect::Ran } else { Effect::Denied };
    }
    let Some(answer) = answer else { return Effect::Ran };
    let specific = decision(answer, "/hookSpecificOutput/permissionDecision");
    let said = if specific.is_empty() { decision(answer, "/decision") } else { specific };
    let is_denied = matches!(said, "deny" | "block" | "ask") || answer.get("continue") == Some(&false.into());
    if is_denied { Effect::Denied } else { Effect::Ran }
}

fn copilot(event: &str, exit: u8, answer: Option<&Value>) -> Effect {
    if exit != 0 {
        return Effect::Denied;
    }
    let Some(answer) = answer else { return Effect::Ran };
    let mut places = vec![""];
    if event == "PreToolUse" {
        places.push("/hookSpecificOutput");
    }
    for place in places {
        if matches!(decision(answer, &format!("{place}/permissionDecision")), "deny" | "ask") {
            return Effect::Denied;
        }
        let changed = if place.is_empty() { "modifiedArgs" } else { "updatedInput" };
        if answer.pointer(&format!("{place}/{changed}")).is_some() {
            return Effect::Changed;
        }
    }
    Effect::Ran
}

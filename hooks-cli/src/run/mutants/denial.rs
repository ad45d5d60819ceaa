//! Whether an answer is a denial in the client's own form.

use hooks::event::EventKind;
use hooks_protocols::{Client, Degraded, Place, failure};
use serde_json::Value;

use super::cases::Case;
use super::clients;

/// Whether a reply denies at the event of the settings: as it was recorded of tool calls, by its words, or by exit code 2.
pub(super) fn is_said(case: &Case, exit: u8, stdout: &str, stderr: &str) -> bool {
    let Case { client, event, .. } = case;
    let was_run = matches!(client, Client::Claude | Client::Codex | Client::Gemini | Client::Copilot);
    if was_run && case.kind == EventKind::PreToolUse {
        return clients::honoured(*client, event, exit, stderr, stdout) == clients::Effect::Denied;
    }
    if exit == 2 && !stderr.trim().is_empty() {
        return true;
    }
    let expected = failure(Place::Event(*client, event), "x");
    if expected.degraded.iter().any(Degraded::is_unsafe) {
        // Nothing can be taken back any more, and the client is told.
        return exit == expected.exit && !stderr.is_empty();
    }
    match (said(&expected.stdout), said(stdout)) {
        (Value::Object(expected), said) => {
            expected.iter().all(|(key, value)| contains(said.get(key).unwrap_or(&Value::Null), value))
        }
        _ => false,
    }
}

/// What is said, out of its envelope.
fn said(stdout: &str) -> Value {
    let said: Value = serde_json::from_str(stdout).unwrap_or_default();
    let inner = said.get("result").unwrap_or(&said).get("output").cloned();
    inner.unwrap_or(said)
}

/// Whether the words are there, whatever the reason is.
fn contains(said: &Value, expected: &Value) -> bool {
    match (said, expected) {
        (Value::Object(said), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| contains(said.get(key).unwrap_or(&Value::Null), value))
        }
        (Value::String(_), Value::String(why)) if why.starts_with("hooks failed") => true,
        _ => said == expected,
    }
}

//! Whether an answer is a denial in the client's own form.

use hooks::event::EventKind;
use hooks_protocols::{Client, Degraded, EncodedAnswer, KnownEvent, failure};
use serde_json::Value;

use super::cases::{self, Case};
use super::clients;

/// Whether an answer denies the event of the settings: with the recorded denial of tool calls, with the event's own
/// fields, or with exit code 2.
pub(super) fn is_said(case: &Case, exit: u8, stdout: &str, stderr: &str) -> bool {
    let Case { client, event, .. } = case;
    let was_run = matches!(client, Client::Claude | Client::Codex | Client::Gemini | Client::Copilot);
    if was_run && case.kind == EventKind::PreToolUse {
        return clients::honoured(*client, event, exit, stderr, stdout) == clients::Effect::Denied;
    }
    if exit == 2 && !stderr.trim().is_empty() {
        return true;
    }
    let expected = failure(KnownEvent::Event(*client, event), "x");
    if !is_enforced(&expected) {
        // Nothing can be withdrawn any more: the client receives the reason. If the payload names another event, which
        // can be denied, the answer has the form of that one.
        let others = cases::all().into_iter().filter(|other| other.client == *client);
        let mut forms =
            others.map(|other| failure(KnownEvent::Event(*client, other.event), "x")).filter(is_enforced);
        return exit == expected.exit && !stderr.is_empty() || forms.any(|form| has_fields_of(stdout, &form));
    }
    has_fields_of(stdout, &expected)
}

/// Whether the client obeys a denial of this form.
fn is_enforced(denial: &EncodedAnswer) -> bool {
    !denial.degraded.iter().any(Degraded::is_unsafe)
}

/// Whether `stdout` has the fields of the denial, with any reason.
fn has_fields_of(stdout: &str, denial: &EncodedAnswer) -> bool {
    match (without_envelope(&denial.stdout), without_envelope(stdout)) {
        (Value::Object(expected), given) => {
            expected.iter().all(|(key, value)| contains(given.get(key).unwrap_or(&Value::Null), value))
        }
        _ => false,
    }
}

/// The answer without its envelope.
fn without_envelope(stdout: &str) -> Value {
    let printed: Value = serde_json::from_str(stdout).unwrap_or_default();
    let inner = printed.get("result").unwrap_or(&printed).get("output").cloned();
    inner.unwrap_or(printed)
}

/// Whether the expected fields are present, with any reason.
fn contains(printed: &Value, expected: &Value) -> bool {
    match (printed, expected) {
        (Value::Object(printed), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| contains(printed.get(key).unwrap_or(&Value::Null), value))
        }
        (Value::String(_), Value::String(why)) if why.starts_with("hooks failed") => true,
        _ => printed == expected,
    }
}

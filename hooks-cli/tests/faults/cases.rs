//! Every client with every event that can be stopped, each with a payload.

use hooks::HookContext;
use hooks::event::{EventKind, OnFailure, WireEvent};
use hooks_protocols::{Ability, Client, Decoded, Wish, capabilities, payload};
use serde_json::{Value, json};

use super::clients;

/// One event of one client.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) client: Client,
    pub(super) event: &'static str,
    pub(super) kind: EventKind,
    /// The payload as the client sends it.
    pub(super) payload: String,
}

/// All cases.
pub(super) fn all() -> Vec<Case> {
    let mut recorded = clients::payloads();
    recorded.extend(clients::read_payloads(include_str!(
        "../../../hooks-protocols/tests/clients/documented.jsonl"
    )));
    let mut cases = Vec::new();
    for client in Client::ALL {
        for event in client.events() {
            let Some(can) = capabilities(*client, event) else { continue };
            let Some(kind) = can.event().filter(|kind| kind.on_failure() == OnFailure::Closes) else {
                continue;
            };
            if can.can(Wish::Deny) == Ability::No && can.can(Wish::Stop) == Ability::No {
                continue;
            }
            let payload = recorded.iter().find(|sent| sent.client == *client && sent.event == event);
            let payload = payload.map(|sent| sent.stdin.clone()).or_else(|| made(*client, event, kind));
            let payload = payload.unwrap_or_else(|| panic!("no payload of {client} {event}"));
            cases.push(Case { client: *client, event, kind, payload });
        }
    }
    assert!(cases.len() > 50, "{}", cases.len());
    cases
}

/// A payload of an event that was not recorded.
fn made(client: Client, event: &str, kind: EventKind) -> Option<String> {
    let context = HookContext::new("session-1", "").in_dir("/home/ada/app");
    let arguments = json!({"command": "echo hello", "cmd": "echo hello"});
    let fields = match kind {
        EventKind::PreToolUse => json!({"tool_name": "shell", "tool_args": arguments}),
        EventKind::PermissionRequest => json!({"tool_name": "shell", "tool_args": arguments}),
        EventKind::PostToolUse => {
            json!({"tool_name": "shell", "tool_args": arguments, "tool_result": "hello"})
        }
        EventKind::UserPromptSubmitted => json!({"prompt": "hello"}),
        EventKind::BeforeModelCall => json!({"model": "m"}),
        EventKind::AfterModelCall => {
            json!({"model": "m", "response": {"role": "assistant", "content": "hello"}})
        }
        EventKind::SubagentStart => json!({"agent_name": "explore"}),
        EventKind::WorktreeCreated => json!({"path": "/home/ada/app/copy"}),
        _ => return None,
    };
    let event_of_ours = WireEvent::from_fields(kind, fields).ok()?;
    let decoded = Decoded::from_event(client, event, context, event_of_ours)?;
    Some(Value::Object(payload(&decoded)).to_string())
}

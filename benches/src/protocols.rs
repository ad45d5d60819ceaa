//! Cost of reading a client's payload and of answering it in the client's own form.

use hooks_protocols::{Answer, Client, Decoded, decode, encode, recognise};
use serde_json::{Value, json};

use crate::{Bar, Case, SetupError};

/// Bar for reading a payload of 4 KiB, and for answering it.
const FOUR_KIB: Bar = Bar::Nanoseconds(5_000.0);

/// A written file, a command with much around it, a result; each about 4 KiB long.
///
/// # Errors
/// Returns an error if a payload cannot be read.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let file =
        "    let total = items.iter().map(Item::price).sum::<u64>();\n    log(\"it comes to {total}\");\n"
            .repeat(33);
    let write = claude(
        "PreToolUse",
        &json!({"tool_name": "Write", "tool_input": {"file_path": "/repo/a.rs", "content": file}}),
    );
    let result = json!({"stdout": file, "stderr": "", "interrupted": false, "isImage": false});
    let done = claude(
        "PostToolUse",
        &json!({"tool_name": "Bash", "tool_input": {"command": "cat a.rs"}, "tool_response": result}),
    );
    let edits: Vec<Value> =
        (0..52).map(|at| json!({"old_string": format!("line {at}"), "new_string": format!("line {at}!"), "all": false})).collect();
    let many = claude(
        "PreToolUse",
        &json!({"tool_name": "MultiEdit", "tool_input": {"file_path": "/repo/a.rs", "edits": edits}}),
    );
    let (decoded, parsed) = (read(&write)?, many.clone());
    Ok(vec![
        decoding("protocols/read a write of 4 KiB", write.clone())?.at_most(FOUR_KIB),
        decoding("protocols/read a result of 4 KiB", done)?.at_most(FOUR_KIB),
        // Fifty objects instead of one text, to measure the cost of a tree with so many values in any parser.
        Case::new("protocols/parse many edits in 4 KiB, serde_json", move || {
            serde_json::from_str::<Value>(&parsed)
        }),
        decoding("protocols/read many edits in 4 KiB", many)?
            .at_most(Bar::Times(1.3, "protocols/parse many edits in 4 KiB, serde_json")),
        Case::new("protocols/recognise a write of 4 KiB", move || recognise(write.as_bytes()))
            .at_most(FOUR_KIB),
        Case::new("protocols/answer with a denial", move || {
            encode(&decoded, &Answer::deny("outside of the repository"))
        }),
    ])
}

fn decoding(name: &'static str, payload: String) -> Result<Case, SetupError> {
    read(&payload)?;
    Ok(Case::new(name, move || read(&payload)))
}

fn read(payload: &str) -> Result<Decoded, hooks_protocols::DecodeError> {
    decode(Client::Claude, None, payload.as_bytes())
}

/// A payload as Claude Code sends it.
fn claude(event: &str, fields: &Value) -> String {
    let mut payload = json!({
        "session_id": "7d1f0c52-3a0e-4b7e-9a51-2f6f6f0a1c11",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-app/7d1f0c52-3a0e-4b7e-9a51-2f6f6f0a1c11.jsonl",
        "cwd": "/home/dev/app",
        "prompt_id": "b3f1a6de-5a1b-4c76-8d53-0f0e2b1c9a77",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": event,
        "tool_use_id": "toolu_01",
    });
    if let (Some(payload), Some(fields)) = (payload.as_object_mut(), fields.as_object()) {
        payload.extend(fields.clone());
    }
    payload.to_string()
}

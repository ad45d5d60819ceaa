//! Codex CLI. It rejects answers with unknown fields: one such field makes the answer invalid, and the tool
//! runs.

mod phrases;

use hooks_core::EventKind::*;
use serde_json::Value;

use super::shared::*;
use crate::degraded::Wish;
use crate::table::{CheckedCall, Protocol, Row, text};
use phrases::*;

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook_event_name"],
    common: SESSION,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: false,
};

const ROWS: &[Row] = &[
    Row::new("SessionStart", SessionStart, &[START]).saying(SESSION_START),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT),
    Row::new("PreToolUse", PreToolUse, &[CALL])
        .saying(PRE_TOOL_USE)
        .within(&[Wish::Rewrite], command_is_text),
    Row::new("PermissionRequest", PermissionRequest, &[CALL]).saying(PERMISSION_REQUEST),
    Row::new("PostToolUse", PostToolUse, &[CALL, RESULT]).saying(POST_TOOL_USE),
    Row::new("PreCompact", PreCompact, &[COMPACTION]).saying(PRE_COMPACT),
    Row::new("PostCompact", PostCompact, &[COMPACTION]).with(&[text(SUMMARY, "")]).saying(OBSERVED),
    Row::new("SubagentStart", SubagentStart, &[CHILD]).with(A_CHILD).saying(CONTEXT),
    Row::new("SubagentStop", SubagentStop, &[CHILD, LAST_WORDS, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING),
    Row::new("Stop", Stop, &[LAST_WORDS, AGAIN]).saying(STOPPING),
    Row::other("Interrupt").saying(OBSERVED),
    Row::new("SessionEnd", SessionEnd, &[END]),
];

/// Changed arguments of Codex's own tools must have a string `command`; otherwise the answer is invalid.
fn command_is_text(call: &CheckedCall<'_>) -> bool {
    match call.changed_call() {
        Some(("Bash" | "apply_patch", _, after)) => after.get("command").is_some_and(Value::is_string),
        _ => true,
    }
}

//! Cursor. Not tested. One call fires both `preToolUse` and the event of its kind (such as
//! `beforeShellExecution`), so a limit on calls should count only one of them.

mod fields;
mod phrases;

use hooks_core::EventKind::*;
use hooks_core::WireEvent;
use hooks_core::event::ChildStatus;

use super::shared::*;
use crate::decode::Decoded;
use crate::degraded::Wish;
use crate::table::{CheckedCall, Protocol, Row, text};
use fields::*;
use phrases::*;

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook_event_name"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: true,
};

const ROWS: &[Row] = &[
    Row::other("workspaceOpen"),
    Row::new("sessionStart", SessionStart, &[STARTS]).saying(CONTEXT),
    Row::new("beforeSubmitPrompt", UserPromptSubmitted, &[SAID]).saying(PROMPT_SENT),
    Row::new("preToolUse", PreToolUse, &[CALL]).saying(PRE_TOOL_USE),
    Row::new("beforeShellExecution", PreToolUse, &[COMMAND])
        .with(&[text(TOOL_NAME, "Shell")])
        .saying(DIALOG)
        .told_elsewhere(),
    Row::new("beforeMCPExecution", PreToolUse, &[MCP_CALL]).saying(DIALOG).told_elsewhere(),
    Row::new("beforeReadFile", PreToolUse, &[FILE])
        .with(&[text(TOOL_NAME, "Read")])
        .saying(GATE)
        .told_elsewhere(),
    Row::new("beforeTabFileRead", PreToolUse, &[FILE]).with(&[text(TOOL_NAME, "Read")]).saying(GATE),
    Row::new("postToolUse", PostToolUse, &[CALL, OUTPUT])
        .saying(POST_TOOL_USE)
        .within(&[Wish::Deny, Wish::Rewrite], is_of_mcp),
    Row::new("postToolUseFailure", PostToolUse, &[CALL, FAILURE]),
    Row::new("afterShellExecution", PostToolUse, &[COMMAND, SHELL_OUTPUT])
        .with(&[text(TOOL_NAME, "Shell")])
        .told_elsewhere(),
    Row::new("afterMCPExecution", PostToolUse, &[MCP_CALL, MCP_OUTPUT]).told_elsewhere(),
    Row::new("afterFileEdit", PostToolUse, &[FILE, EDITS]).with(&[text(TOOL_NAME, "Write")]).told_elsewhere(),
    Row::new("afterTabFileEdit", PostToolUse, &[FILE, EDITS]).with(&[text(TOOL_NAME, "Write")]),
    Row::new("subagentStart", SubagentStart, &[NEW_CHILD]).with(A_CHILD).saying(GATE),
    Row::new("subagentStop", SubagentStop, &[OLD_CHILD])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING)
        .within(&[Wish::Deny], is_completed),
    Row::new("afterAgentResponse", AfterModelCall, &[REPLY]).with(NO_REPLY),
    Row::other("afterAgentThought"),
    Row::new("preCompact", PreCompact, &[COMPACTED]).saying(OBSERVED),
    Row::new("stop", Stop, &[]).saying(STOPPING),
    Row::new("sessionEnd", SessionEnd, &[ENDS]),
];

/// Only the result of an MCP tool can be replaced.
fn is_of_mcp(call: &CheckedCall<'_>) -> bool {
    call.decoded.and_then(Decoded::call).is_some_and(|(tool, _)| tool.starts_with("MCP:"))
}

/// A child that was stopped or failed cannot be made to continue.
fn is_completed(call: &CheckedCall<'_>) -> bool {
    match call.event() {
        Some(WireEvent::SubagentStop(child)) => child.status == ChildStatus::Completed,
        _ => false,
    }
}

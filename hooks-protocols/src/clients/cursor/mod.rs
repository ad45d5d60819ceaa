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
use crate::table::{Asked, Protocol, Row, text};
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
    Row::of("sessionStart", SessionStart, &[STARTS]).saying(CONTEXT),
    Row::of("beforeSubmitPrompt", UserPromptSubmitted, &[SAID]).saying(PROMPT_SENT),
    Row::of("preToolUse", PreToolUse, &[CALL]).saying(PRE_TOOL_USE),
    Row::of("beforeShellExecution", PreToolUse, &[COMMAND])
        .with(&[text(TOOL_NAME, "Shell")])
        .saying(DIALOG)
        .told_elsewhere(),
    Row::of("beforeMCPExecution", PreToolUse, &[MCP_CALL]).saying(DIALOG).told_elsewhere(),
    Row::of("beforeReadFile", PreToolUse, &[FILE])
        .with(&[text(TOOL_NAME, "Read")])
        .saying(GATE)
        .told_elsewhere(),
    Row::of("beforeTabFileRead", PreToolUse, &[FILE]).with(&[text(TOOL_NAME, "Read")]).saying(GATE),
    Row::of("postToolUse", PostToolUse, &[CALL, OUTPUT])
        .saying(POST_TOOL_USE)
        .within(&[Wish::Deny, Wish::Rewrite], is_of_mcp),
    Row::of("postToolUseFailure", PostToolUse, &[CALL, FAILURE]),
    Row::of("afterShellExecution", PostToolUse, &[COMMAND, SHELL_OUTPUT])
        .with(&[text(TOOL_NAME, "Shell")])
        .told_elsewhere(),
    Row::of("afterMCPExecution", PostToolUse, &[MCP_CALL, MCP_OUTPUT]).told_elsewhere(),
    Row::of("afterFileEdit", PostToolUse, &[FILE, EDITS]).with(&[text(TOOL_NAME, "Write")]).told_elsewhere(),
    Row::of("afterTabFileEdit", PostToolUse, &[FILE, EDITS]).with(&[text(TOOL_NAME, "Write")]),
    Row::of("subagentStart", SubagentStart, &[NEW_CHILD]).with(A_CHILD).saying(GATE),
    Row::of("subagentStop", SubagentStop, &[OLD_CHILD])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING)
        .within(&[Wish::Deny], is_completed),
    Row::of("afterAgentResponse", AfterModelCall, &[REPLY]).with(NO_REPLY),
    Row::other("afterAgentThought"),
    Row::of("preCompact", PreCompact, &[COMPACTED]).saying(OBSERVED),
    Row::of("stop", Stop, &[]).saying(STOPPING),
    Row::of("sessionEnd", SessionEnd, &[ENDS]),
];

/// Only the result of an MCP tool can be replaced.
fn is_of_mcp(asked: &Asked<'_>) -> bool {
    asked.decoded.and_then(Decoded::call).is_some_and(|(tool, _)| tool.starts_with("MCP:"))
}

/// A child that was stopped or failed cannot be made to continue.
fn is_completed(asked: &Asked<'_>) -> bool {
    match asked.event() {
        Some(WireEvent::SubagentStop(child)) => child.status == ChildStatus::Completed,
        _ => false,
    }
}

//! Copilot CLI. The spelling of an event in its settings determines the spelling of the payload. The fields
//! that it honours are the same in both: flat fields, except for `PreToolUse`, the only event at which
//! `hookSpecificOutput` counts.

mod fields;
mod phrases;

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::{Field, Protocol, Row, text};
pub(super) use fields::*;
pub(super) use phrases::*;

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook_event_name", "hookName"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    // If a payload cannot be parsed, it is unknown whether it was a tool call. A flat denial denies a tool
    // call, and has no effect for the other events.
    unnamed: Some("preToolUse"),
    omits_empty: false,
    folds_names: false,
    is_flat: true,
};

const ROWS: &[Row] = &[
    SESSION_START,
    USER_PROMPT_SUBMITTED,
    Row::other("userPromptTransformed").shaped(&["prompt", "transformedPrompt"]),
    PRE_TOOL_USE,
    PERMISSION_REQUEST,
    POST_TOOL_USE,
    POST_TOOL_USE_FAILURE,
    AGENT_STOP,
    SUBAGENT_START,
    SUBAGENT_STOP,
    ERROR_OCCURRED,
    PRE_COMPACT,
    NOTIFICATION,
    SESSION_END,
    Row::new("SessionStart", SessionStart, &[START_PASCAL]).saying(CONTEXT),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT),
    Row::new("PreToolUse", PreToolUse, &[CALL]).saying(CALLED_PASCAL),
    PERMISSION_REQUEST.named("PermissionRequest").shaped(&[]),
    Row::new("PostToolUse", PostToolUse, &[CALL, RESULT_PASCAL]).saying(RETURNED),
    Row::new("PostToolUseFailure", PostToolUse, &[CALL, FAILED]).saying(CONTEXT),
    Row::new("SubagentStart", SubagentStart, &[CHILD_CAMEL, CHILD]).with(A_CHILD).saying(CONTEXT),
    Row::new("SubagentStop", SubagentStop, &[CHILD_PASCAL, LAST_WORDS, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING),
    Row::new("Stop", Stop, &[AGAIN]).saying(STOPPING),
    Row::new("PreCompact", PreCompact, &[COMPACTION]),
    Row::new("ErrorOccurred", ErrorOccurred, &[ERROR_PASCAL]).with(&[text(ERROR, "")]),
    Row::new("SessionEnd", SessionEnd, &[END_COPILOT]),
];

// The SDK uses the rows in camelCase as well.

pub(super) const SESSION_START: Row =
    Row::new("sessionStart", SessionStart, &[START_CAMEL]).saying(CONTEXT).shaped(&["source"]);

pub(super) const USER_PROMPT_SUBMITTED: Row =
    Row::new("userPromptSubmitted", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT).shaped(&["prompt"]);

pub(super) const PRE_TOOL_USE: Row =
    Row::new("preToolUse", PreToolUse, &[CALL_CAMEL]).saying(CALLED).shaped(&["toolName", "toolArgs"]);

pub(super) const PERMISSION_REQUEST: Row = Row::new("permissionRequest", PermissionRequest, &[PERMISSION])
    .saying(DIALOG)
    .shaped(&["toolName", "toolInput"]);

pub(super) const POST_TOOL_USE: Row = Row::new("postToolUse", PostToolUse, &[CALL_CAMEL, RESULT_CAMEL])
    .saying(RETURNED)
    .shaped(&["toolName", "toolArgs", "toolResult"]);

pub(super) const POST_TOOL_USE_FAILURE: Row =
    Row::new("postToolUseFailure", PostToolUse, &[CALL_CAMEL, FAILED])
        .saying(CONTEXT)
        .shaped(&["toolName", "toolArgs", "error"]);

pub(super) const AGENT_STOP: Row =
    Row::new("agentStop", Stop, &[AGAIN]).saying(STOPPING).shaped(&["stopReason", "stop_hook_active"]);

pub(super) const SUBAGENT_START: Row = Row::new("subagentStart", SubagentStart, &[CHILD_CAMEL])
    .with(A_CHILD)
    .saying(CONTEXT)
    .shaped(&["agentName"]);

pub(super) const SUBAGENT_STOP: Row =
    Row::new("subagentStop", SubagentStop, &[CHILD_CAMEL, LAST_WORDS_CAMEL, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING)
        .shaped(&["agentName", "stopReason", "stop_hook_active"]);

pub(super) const ERROR_OCCURRED: Row = Row::new("errorOccurred", ErrorOccurred, &[ERROR_CAMEL])
    .with(&[text(ERROR, "")])
    .shaped(&["error", "errorContext"]);

pub(super) const PRE_COMPACT: Row =
    Row::new("preCompact", PreCompact, &[COMPACTION_CAMEL]).shaped(&["trigger", "customInstructions"]);

pub(super) const NOTIFICATION: Row =
    Row::new("notification", Notification, &[&[Field::text(&["message"], MESSAGE)]])
        .with(&[text(MESSAGE, "")])
        .saying(CONTEXT);

pub(super) const SESSION_END: Row = Row::new("sessionEnd", SessionEnd, &[END_COPILOT]).shaped(&["reason"]);

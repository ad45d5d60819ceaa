//! Qwen Code. It is a fork of Gemini CLI with the events and payloads of Claude Code, and honours other answers: it
//! takes no changed arguments, and replaces a result by an error only.

mod fields;
mod phrases;

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::{Field, Protocol, Row, flag, text};
use fields::*;
use phrases::*;

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook_event_name"],
    common: SESSION,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: true,
};

const ROWS: &[Row] = &[
    Row::other("InstructionsLoaded"),
    Row::new("SessionStart", SessionStart, &[START]).saying(CONTEXT),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT).only_if(is_message),
    Row::other("UserPromptExpansion").saying(USER_PROMPT),
    Row::new("PreToolUse", PreToolUse, &[CALL]).saying(PRE_TOOL_USE),
    Row::new("PermissionRequest", PermissionRequest, &[CALL]).saying(PERMISSION_REQUEST),
    Row::new("PermissionDenied", ToolDecided, &[CALL])
        .with(&[text(&["verdict"], "deny"), text(SOURCE, "settled")]),
    Row::new("PostToolUse", PostToolUse, &[CALL, SUCCESS]).saying(POST_TOOL_USE),
    Row::new("PostToolUseFailure", PostToolUse, &[CALL, FAILED]).saying(CONTEXT),
    // The results of a batch. Only here can the one of a failed call be replaced, if it is the last one.
    Row::new("PostToolBatch", PostToolUse, &[FAILED_LAST])
        .saying(POST_TOOL_USE)
        .only_if(ends_in_failure)
        .told_elsewhere(),
    Row::new("Notification", Notification, &[&[Field::text(&["message"], MESSAGE)]])
        .with(&[text(MESSAGE, "")])
        .saying(OBSERVED),
    Row::other("TodoCreated").saying(BLOCKED),
    Row::other("TodoCompleted").saying(BLOCKED),
    Row::new("SubagentStart", SubagentStart, &[CHILD]).with(A_CHILD).saying(CONTEXT),
    Row::new("SubagentStop", SubagentStop, &[CHILD, LAST_WORDS, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(BLOCKED),
    Row::other("MessageDisplay"),
    Row::new("Stop", Stop, &[LAST_WORDS, AGAIN]).saying(BLOCKED),
    Row::new("StopFailure", ErrorOccurred, &[&[Field::text(&["error"], ERROR)]]).with(&[
        text(ERROR, ""),
        text(&["error_type"], "model"),
        flag(&["recoverable"], false),
    ]),
    Row::new("PreCompact", PreCompact, &[COMPACTION]),
    Row::new("PostCompact", PostCompact, &[COMPACTION, &[Field::text(&["compact_summary"], SUMMARY)]]),
    Row::new("SessionEnd", SessionEnd, &[END]),
    Row::other("SessionDelete"),
];

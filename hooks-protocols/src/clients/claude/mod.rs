//! Claude Code.

mod phrases;

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::{Field, Protocol, Row, flag, text};
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
    Row::other("Setup").saying(CONTEXT),
    Row::of("SessionStart", SessionStart, &[START]).saying(CONTEXT),
    Row::other("InstructionsLoaded"),
    Row::of("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT),
    Row::other("UserPromptExpansion").saying(USER_PROMPT),
    Row::of("PreToolUse", PreToolUse, &[CALL]).saying(PRE_TOOL_USE),
    Row::of("PermissionRequest", PermissionRequest, &[CALL]).saying(PERMISSION_REQUEST),
    Row::of("PermissionDenied", ToolDecided, &[CALL])
        .with(&[text(&["verdict"], "deny"), text(SOURCE, "settled")])
        .saying(OBSERVED),
    Row::of("PostToolUse", PostToolUse, &[CALL, RESULT]).saying(POST_TOOL_USE),
    Row::of("PostToolUseFailure", PostToolUse, &[CALL, FAILED]).saying(POST_TOOL_USE_FAILURE),
    Row::other("PostToolBatch").saying(POST_TOOL_BATCH),
    Row::of("Notification", Notification, &[&[Field::text(&["message"], MESSAGE)]])
        .with(&[text(MESSAGE, "")])
        .saying(CONTEXT),
    Row::of("SubagentStart", SubagentStart, &[CHILD]).with(A_CHILD).saying(CONTEXT),
    Row::of("SubagentStop", SubagentStop, &[CHILD, LAST_WORDS])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING),
    Row::of("Stop", Stop, &[LAST_WORDS]).saying(STOPPING),
    Row::of("StopFailure", ErrorOccurred, &[&[Field::text(&["error"], ERROR)]]).with(&[
        text(ERROR, ""),
        text(&["error_type"], "model"),
        flag(&["recoverable"], false),
    ]),
    Row::other("TeammateIdle").saying(BY_EXIT_CODE),
    Row::other("TaskCreated").saying(BY_EXIT_CODE),
    Row::other("TaskCompleted").saying(BY_EXIT_CODE),
    Row::of("PreCompact", PreCompact, &[COMPACTION]).saying(BLOCKED),
    Row::of("PostCompact", PostCompact, &[COMPACTION, &[Field::text(&["compact_summary"], SUMMARY)]])
        .saying(OBSERVED),
    Row::other("PreModelSwitch").saying(PRE_MODEL_SWITCH),
    Row::other("PostModelSwitch").saying(CONTEXT),
    Row::other("Elicitation").saying(ELICITATION),
    Row::other("ElicitationResult").saying(ELICITATION),
    Row::other("ConfigChange").saying(BLOCKED),
    Row::other("CwdChanged"),
    Row::other("FileChanged"),
    Row::other("DirectoryAdded"),
    Row::other("MessageDisplay"),
    Row::other("WorktreeCreate"),
    Row::other("WorktreeRemove"),
    Row::of("SessionEnd", SessionEnd, &[END]).saying(OBSERVED),
];

//! Claude Code.

mod phrases;

use hooks_core::EventKind::*;

use super::shared::*;
use crate::capabilities::Checked;
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
    Row::new("SessionStart", SessionStart, &[START]).saying(CONTEXT),
    Row::other("InstructionsLoaded"),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT),
    Row::new("UserPromptExpansion", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT).told_elsewhere(),
    Row::new("PreToolUse", PreToolUse, &[CALL]).saying(PRE_TOOL_USE),
    Row::new("PermissionRequest", PermissionRequest, &[CALL]).saying(PERMISSION_REQUEST),
    Row::new("PermissionDenied", ToolDecided, &[CALL])
        .with(&[text(&["verdict"], "deny"), text(SOURCE, "settled")])
        .saying(OBSERVED),
    Row::new("PostToolUse", PostToolUse, &[CALL, RESULT]).saying(POST_TOOL_USE),
    // Tested. The text of a failure cannot be replaced, and the run goes on whatever the answer is.
    Row::new("PostToolUseFailure", PostToolUse, &[CALL, FAILED]).saying(CONTEXT),
    Row::other("PostToolBatch").saying(POST_TOOL_BATCH).checking(Checked::Results),
    Row::new("Notification", Notification, &[&[Field::text(&["message"], MESSAGE)]])
        .with(&[text(MESSAGE, "")])
        .saying(CONTEXT),
    Row::new("SubagentStart", SubagentStart, &[CHILD]).with(A_CHILD).saying(CONTEXT),
    Row::new("SubagentStop", SubagentStop, &[CHILD, LAST_WORDS, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING),
    Row::new("Stop", Stop, &[LAST_WORDS, AGAIN]).saying(STOPPING),
    Row::new("StopFailure", ErrorOccurred, &[&[Field::text(&["error"], ERROR)]]).with(&[
        text(ERROR, ""),
        text(&["error_type"], "model"),
        flag(&["recoverable"], false),
    ]),
    Row::other("TeammateIdle").saying(BY_EXIT_CODE),
    Row::other("TaskCreated").saying(BY_EXIT_CODE),
    Row::other("TaskCompleted").saying(BY_EXIT_CODE),
    Row::new("PreCompact", PreCompact, &[COMPACTION]).saying(BLOCKED),
    Row::new("PostCompact", PostCompact, &[COMPACTION, &[Field::text(&["compact_summary"], SUMMARY)]])
        .saying(OBSERVED),
    Row::other("PreModelSwitch").saying(PRE_MODEL_SWITCH),
    Row::other("PostModelSwitch").saying(CONTEXT),
    Row::other("Elicitation").saying(ELICITATION),
    Row::other("ElicitationResult").saying(ELICITATION),
    Row::other("ConfigChange").saying(BLOCKED).checking(Checked::Settings),
    Row::other("CwdChanged"),
    Row::other("FileChanged"),
    Row::other("DirectoryAdded"),
    Row::other("MessageDisplay"),
    Row::other("WorktreeCreate"),
    Row::other("WorktreeRemove"),
    Row::new("SessionEnd", SessionEnd, &[END]).saying(OBSERVED),
];

//! VS Code's own agent hooks. Not tested. It is unknown whether VS Code writes `sessionId` or `session_id`,
//! so both are read.

mod phrases;

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::{Field, Protocol, Row, To, text};
use phrases::*;

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hookEventName", "hook_event_name"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: false,
};

const ROWS: &[Row] = &[
    Row::new("SessionStart", SessionStart, &[START]).saying(CONTEXT),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(USER_PROMPT),
    Row::new("PreToolUse", PreToolUse, &[CALL]).saying(PRE_TOOL_USE),
    Row::new("PostToolUse", PostToolUse, &[CALL, RESULT]).saying(POST_TOOL_USE),
    Row::new("PreCompact", PreCompact, &[COMPACTION]).saying(OBSERVED),
    Row::new("SubagentStart", SubagentStart, &[CHILD]).with(A_CHILD).saying(CONTEXT),
    Row::new("SubagentStop", SubagentStop, &[CHILD, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(CHILD_STOPPING),
    Row::new("Stop", Stop, &[AGAIN]).saying(STOPPING),
];

const COMMON: &[Field] = &[
    Field::context(&["sessionId"], To::Session),
    Field::context(&["session_id"], To::Session),
    Field::context(&["cwd"], To::Folder),
    Field::context(&["agent_type"], To::Agent),
    Field::context(&["timestamp"], To::Time),
];

//! Factory Droid, a dialect of Claude Code. Not tested: the facts are from its hooks reference
//! (`docs.factory.ai/reference/hooks-reference`), whose payloads have some names in camelCase and others in snake_case.
//! The event and the session are read in both; a tool and its arguments only in snake_case, as there. A call without a tool is
//! an error, and so a denial.
//!
//! Changed arguments are documented only beside an `allow`, which would skip Droid's own permissions, so a change is a
//! denial here. A block after a call leaves the result, so one that must be withheld ends the run.

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::Phrase::Words;
use crate::table::{Field, Phrases, Protocol, Row, SILENT, To, text};

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
    Row::new("Notification", Notification, &[&[Field::text(&["message"], MESSAGE)]])
        .with(&[text(MESSAGE, "")])
        .saying(OBSERVED),
    Row::new("SubagentStop", SubagentStop, &[STILL_ACTIVE, AGAIN])
        .with(&[text(AGENT_NAME, "")])
        .saying(STOPPING),
    Row::new("PreCompact", PreCompact, &[COMPACTION]).saying(OBSERVED),
    Row::new("Stop", Stop, &[STILL_ACTIVE, AGAIN]).saying(STOPPING),
    Row::new("SessionEnd", SessionEnd, &[END]).saying(OBSERVED),
];

const COMMON: &[Field] = &[
    Field::context(&["sessionId"], To::Session),
    Field::context(&["session_id"], To::Session),
    Field::context(&["cwd"], To::Folder),
];

const STILL_ACTIVE: &[Field] = &[Field::both(&["stopHookActive"], &["stop_hook_active"], flag_of, is_set)];

const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

const USER_PROMPT: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..CONTEXT };

const PRE_TOOL_USE: Phrases = Phrases { deny: Words(SPECIFIC_DENY), ask: Words(SPECIFIC_ASK), ..OBSERVED };

const POST_TOOL_USE: Phrases = Phrases { stop: Words(DISCONTINUE), ..CONTEXT };

const STOPPING: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..OBSERVED };

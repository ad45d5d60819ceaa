//! Kimi CLI. Not tested: the facts are from its source of version 1.49.0 (`hooks/events.py` builds the payloads,
//! `hooks/runner.py` reads the answers, `soul/toolset.py` and `soul/kimisoul.py` obey them), and from its page on hooks.
//!
//! It runs the hooks after a call without waiting for them, so no result can be replaced. A hook that cannot run, or
//! that takes too long, lets the call through.

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::Phrase::Words;
use crate::table::{Field, Phrases, Protocol, Row, SILENT, flag, text};

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
    Row::new("SessionStart", SessionStart, &[START]),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[SAID]).saying(DENIED),
    Row::new("PreToolUse", PreToolUse, &[TOOL]).saying(DENIED),
    Row::new("PostToolUse", PostToolUse, &[TOOL, OUTPUT]),
    Row::new("PostToolUseFailure", PostToolUse, &[TOOL, FAILED]),
    Row::new("Notification", Notification, &[&[Field::text(&["body"], MESSAGE)]]).with(&[text(MESSAGE, "")]),
    Row::new("SubagentStart", SubagentStart, &[NEW_CHILD]).with(A_CHILD),
    Row::new("SubagentStop", SubagentStop, &[OLD_CHILD]).with(&[text(AGENT_NAME, "")]),
    Row::new("PreCompact", PreCompact, &[BEFORE]),
    Row::new("PostCompact", PostCompact, &[AFTER]),
    // The agent goes on once, with the reason as its next instruction.
    Row::new("Stop", Stop, &[AGAIN]).saying(DENIED),
    Row::new("StopFailure", ErrorOccurred, &[FAILURE]).with(&[
        text(ERROR, ""),
        text(&["error_type"], "model"),
        flag(&["recoverable"], false),
    ]),
    Row::new("SessionEnd", SessionEnd, &[END]),
];

const TOOL: &[Field] = &[
    Field::text(&["tool_name"], TOOL_NAME),
    Field::any(&["tool_input"], TOOL_ARGS),
    Field::text(&["tool_call_id"], TOOL_USE_ID),
];

/// The first 2000 characters of the result, as a text.
const OUTPUT: &[Field] = &[Field::any(&["tool_output"], TOOL_RESULT)];

const NEW_CHILD: &[Field] = &[Field::text(&["agent_name"], AGENT_NAME), Field::text(&["prompt"], &["task"])];

const OLD_CHILD: &[Field] = &[Field::text(&["agent_name"], AGENT_NAME), Field::text(&["response"], RESPONSE)];

const TRIGGER: Field = Field::words(&["trigger"], SOURCE, &[("manual", "manual"), ("auto", "auto")]);

const BEFORE: &[Field] = &[TRIGGER, Field::count(&["token_count"], &["current_token_count"])];

const AFTER: &[Field] = &[TRIGGER, Field::count(&["estimated_token_count"], &["current_token_count"])];

const FAILURE: &[Field] = &[Field::text(&["error_message"], ERROR)];

/// A denial is the only answer: there is no question to the user, no change of arguments and no text for the model.
const DENIED: Phrases = Phrases { deny: Words(SPECIFIC_DENY), ..SILENT };

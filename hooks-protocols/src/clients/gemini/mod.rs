//! Gemini CLI. It parses the answer's JSON for any exit code, and supports `decision` only.

mod fields;
mod phrases;

use hooks_core::EventKind::*;
use hooks_core::WireEvent;

use super::shared::*;
use crate::answer::Rewrite;
use crate::degraded::Wish;
use crate::table::{CheckedCall, Field, Protocol, Row, text};
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
    Row::new("SessionStart", SessionStart, &[START]).saying(CONTEXT),
    Row::new("BeforeAgent", UserPromptSubmitted, &[SAID]).saying(BEFORE_AGENT),
    // It fires before every model call, even if nothing is compacted.
    Row::new("PreCompress", PreCompact, &[COMPACTION]).saying(OBSERVED),
    Row::new("BeforeModel", BeforeModelCall, &[REQUEST, MESSAGES])
        .with(&[text(MODEL, "")])
        .saying(BEFORE_MODEL)
        .within(&[Wish::Rewrite], no_other_model),
    Row::other("BeforeToolSelection"),
    Row::new("AfterModel", AfterModelCall, &[REQUEST, REPLY]).with(NO_REPLY).saying(AFTER_MODEL),
    Row::new("BeforeTool", PreToolUse, &[CALL]).saying(BEFORE_TOOL).within(&[Wish::Rewrite], nothing_removed),
    Row::new("AfterTool", PostToolUse, &[CALL, TOOL_ERROR, RESULT]).saying(AFTER_TOOL),
    Row::new("AfterAgent", Stop, &[ANSWER, AGAIN]).saying(AFTER_AGENT),
    Row::new("Notification", Notification, &[&[Field::text(&["message"], MESSAGE)]])
        .with(&[text(MESSAGE, "")])
        .saying(OBSERVED),
    Row::new("SessionEnd", SessionEnd, &[END]).saying(OBSERVED),
];

/// Gemini merges changed arguments into those of the call, so an argument cannot be removed.
fn nothing_removed(checked_call: &CheckedCall<'_>) -> bool {
    let Some((_, before, after)) = checked_call.changed_call() else { return true };
    match (before.as_object(), after.as_object()) {
        (Some(before), Some(after)) => before.keys().all(|key| after.contains_key(key)),
        _ => false,
    }
}

/// Messages can be changed, but not the model.
fn no_other_model(checked_call: &CheckedCall<'_>) -> bool {
    match (checked_call.event(), checked_call.rewrite) {
        (Some(WireEvent::BeforeModelCall(call)), Some(Rewrite::Model(rewrite))) => {
            rewrite.model.as_ref().is_none_or(|model| call.model == *model)
        }
        _ => false,
    }
}

//! goose. Not tested: the facts are from its source (`crates/goose/src/hooks/mod.rs`) and from its page on hooks
//! (`documentation/docs/guides/context-engineering/hooks.md`), of the autumn of 2026.
//!
//! It reads an answer only before a call and at the end of a turn, and there nothing but `decision` and `reason`: a prompt
//! cannot be denied, and no call or result can be changed. Standard output has to be empty or an answer. With
//! `on_failure: block`, which `hooks init` writes, a hook that gives no answer denies the call.

use hooks_core::EventKind::*;

use super::shared::*;
use crate::table::Phrase::Words;
use crate::table::{Field, Phrases, Protocol, Row, SILENT, To};

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["event"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: true,
};

const ROWS: &[Row] = &[
    Row::new("SessionStart", SessionStart, &[]),
    Row::new("UserPromptSubmit", UserPromptSubmitted, &[MESSAGE_SENT]),
    Row::new("PreToolUse", PreToolUse, &[TOOL]).saying(BLOCKED),
    // The decision of all hooks about a call.
    Row::other("PreToolUseResult"),
    Row::new("PostToolUse", PostToolUse, &[TOOL, OUTPUT]),
    Row::new("PostToolUseFailure", PostToolUse, &[TOOL, OUTPUT]),
    // These report calls once more.
    Row::other("BeforeReadFile"),
    Row::other("AfterFileEdit"),
    Row::other("BeforeShellExecution"),
    Row::other("AfterShellExecution"),
    Row::new("Stop", Stop, &[LAST_WORDS]).saying(BLOCKED),
    Row::new("SessionEnd", SessionEnd, &[]),
];

const COMMON: &[Field] =
    &[Field::context(&["session_id"], To::Session), Field::context(&["working_dir"], To::Folder)];

const MESSAGE_SENT: &[Field] = &[Field::text(&["message"], PROMPT)];

const TOOL: &[Field] = &[
    Field::text(&["tool_name"], TOOL_NAME),
    Field::any(&["tool_input"], TOOL_ARGS),
    Field::text(&["tool_call_id"], TOOL_USE_ID),
];

const OUTPUT: &[Field] = &[Field::any(&["tool_output"], TOOL_RESULT)];

const BLOCKED: Phrases = Phrases { deny: Words(BLOCK), ..SILENT };

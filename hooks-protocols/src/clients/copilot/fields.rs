//! Mapping of Copilot's payload fields to our events, in both spellings.

use super::super::convert;
use super::super::shared::*;
use crate::table::{Field, To};

/// Some payloads of the PascalCase spelling use camelCase fields, so both spellings are read everywhere.
pub(in super::super) const COMMON: &[Field] = &[
    Field::context(&["sessionId"], To::Session),
    Field::context(&["session_id"], To::Session),
    Field::context(&["cwd"], To::Folder),
    Field::context(&["workingDirectory"], To::Folder),
    Field::context(&["agentType"], To::Agent),
    Field::context(&["agent_type"], To::Agent),
    Field::context(&["timestamp"], To::Time),
];

pub(in super::super) const CALL_CAMEL: &[Field] =
    &[Field::text(&["toolName"], TOOL_NAME), Field::any(&["toolArgs"], TOOL_ARGS)];

/// The tool name is the name of the permission (such as `edit`, with a diff), if it differs from that of the
/// tool.
pub(super) const PERMISSION: &[Field] =
    &[Field::text(&["toolName"], TOOL_NAME), Field::any(&["toolInput"], TOOL_ARGS)];

pub(in super::super) const RESULT_CAMEL: &[Field] = &[Field::any(&["toolResult"], TOOL_RESULT)];

pub(super) const RESULT_PASCAL: &[Field] = &[Field::any(&["tool_result"], TOOL_RESULT)];

pub(super) const START_CAMEL: &[Field] = &[
    Field::words(&["source"], SOURCE, START_WORDS),
    Field::text(&["initialPrompt"], &["initial_prompt"]),
    Field::text(&["model"], MODEL),
];

pub(super) const START_PASCAL: &[Field] = &[
    Field::words(&["source"], SOURCE, START_WORDS),
    Field::text(&["initial_prompt"], &["initial_prompt"]),
    Field::text(&["model"], MODEL),
];

/// Copilot's words for the end of a session are the same as ours.
pub(super) const END_COPILOT: &[Field] = &[Field::words(
    &["reason"],
    REASON,
    &[
        ("complete", "complete"),
        ("error", "error"),
        ("abort", "abort"),
        ("timeout", "timeout"),
        ("user_exit", "user_exit"),
    ],
)];

pub(super) const CHILD_CAMEL: &[Field] =
    &[Field::text(&["agentName"], AGENT_NAME), Field::text(&["agentId"], CHILD_ID)];

pub(super) const CHILD_PASCAL: &[Field] =
    &[Field::text(&["agent_name"], AGENT_NAME), Field::text(&["agent_id"], CHILD_ID)];

pub(super) const LAST_WORDS_CAMEL: &[Field] = &[Field::text(&["response"], RESPONSE)];

pub(super) const COMPACTION_CAMEL: &[Field] = &[
    Field::words(&["trigger"], SOURCE, &[("manual", "manual"), ("auto", "auto")]),
    Field::text(&["customInstructions"], REASON),
];

const CONTEXT_WORDS: &[(&str, &str)] =
    &[("model_call", "model"), ("tool_execution", "tool"), ("system", "unknown"), ("user_input", "unknown")];

pub(super) const ERROR_CAMEL: &[Field] = &[
    Field::both(&["error"], ERROR, convert::error_text, convert::same),
    Field::words(&["errorContext"], &["error_type"], CONTEXT_WORDS),
    Field::both(&["recoverable"], &["recoverable"], convert::flag, convert::same),
];

pub(super) const ERROR_PASCAL: &[Field] = &[
    Field::both(&["error"], ERROR, convert::error_text, convert::same),
    Field::words(&["error_context"], &["error_type"], CONTEXT_WORDS),
    Field::both(&["recoverable"], &["recoverable"], convert::flag, convert::same),
];

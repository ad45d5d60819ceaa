//! Where what Gemini CLI sends goes.

use super::super::convert;
use super::super::shared::*;
use crate::table::{Field, Preset, text};

/// What is asked of the model.
pub(super) const REQUEST: &[Field] = &[Field::text(&["llm_request", "model"], MODEL)];

/// Its messages hold text only; they are read, and stay with the rest of the request.
pub(super) const MESSAGES: &[Field] = &[Field::both(
    &["llm_request", "messages"],
    &["messages"],
    convert::from_gemini_messages,
    convert::to_gemini_messages,
)];

/// What the model answered, a chunk at a time.
pub(super) const REPLY: &[Field] = &[
    Field::both(&["llm_response", "usageMetadata"], &["usage"], convert::from_gemini_usage, convert::never),
    Field::both(&["llm_response"], RESPONSE, convert::from_gemini_reply, convert::never),
];

/// A chunk without a reply.
pub(super) const NO_REPLY: &[Preset] =
    &[text(MODEL, ""), text(&["response", "role"], "assistant"), text(&["response", "content"], "")];

/// Why a tool failed; it stays in the result.
pub(super) const TOOL_ERROR: &[Field] =
    &[Field::both(&["tool_response", "error"], ERROR, convert::error_text, convert::never)];

/// What the user asked and what the agent answered.
pub(super) const ANSWER: &[Field] =
    &[Field::text(&["prompt_response"], RESPONSE), Field::text(&["prompt"], &["last_user_message"])];

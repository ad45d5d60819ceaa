//! Mapping of Gemini CLI's payload fields to our events.

use super::super::convert;
use super::super::shared::*;
use crate::table::{Field, Preset, text};

/// The request to the model.
pub(super) const REQUEST: &[Field] = &[Field::text(&["llm_request", "model"], MODEL)];

/// The messages of the request. They hold text only; they are read, and stay with the rest of the request.
pub(super) const MESSAGES: &[Field] = &[Field::both(
    &["llm_request", "messages"],
    &["messages"],
    convert::from_gemini_messages,
    convert::to_gemini_messages,
)];

/// The reply of the model, one chunk at a time.
pub(super) const REPLY: &[Field] = &[
    Field::both(&["llm_response", "usageMetadata"], &["usage"], convert::from_gemini_usage, convert::never),
    Field::both(&["llm_response"], RESPONSE, convert::from_gemini_reply, convert::never),
];

/// A chunk without a reply.
pub(super) const NO_REPLY: &[Preset] =
    &[text(MODEL, ""), text(&["response", "role"], "assistant"), text(&["response", "content"], "")];

/// The error of a tool; it also stays in the result.
pub(super) const TOOL_ERROR: &[Field] =
    &[Field::both(&["tool_response", "error"], ERROR, convert::error_text, convert::never)];

/// The prompt of the user and the answer of the agent.
pub(super) const ANSWER: &[Field] =
    &[Field::text(&["prompt_response"], RESPONSE), Field::text(&["prompt"], &["last_user_message"])];

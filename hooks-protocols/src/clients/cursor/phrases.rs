//! Encoding of answers for Cursor, which enforces `ask` only for shell commands and MCP tools.

use crate::table::Phrase::Words;
use crate::table::{Phrase, Phrases, SILENT, Says, Word, word};

const PERMISSION_DENY: &[Word] = &[
    word(&["permission"], Says::Text("deny")),
    word(&["user_message"], Says::Reason),
    word(&["agent_message"], Says::Reason),
];

/// A denial at events whose answer does not reach the model.
const USER_TOLD_DENY: &[Word] =
    &[word(&["permission"], Says::Text("deny")), word(&["user_message"], Says::Reason)];

const PERMISSION_ASK: &[Word] = &[
    word(&["permission"], Says::Text("ask")),
    word(&["user_message"], Says::Reason),
    word(&["agent_message"], Says::Reason),
];

const PERMISSION_ALLOW: &[Word] = &[word(&["permission"], Says::Text("allow"))];

const ADDITIONAL_CONTEXT: Phrase = Words(&[word(&["additional_context"], Says::Context)]);

pub(super) const OBSERVED: Phrases =
    Phrases { message: Words(&[word(&["user_message"], Says::Message)]), ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: ADDITIONAL_CONTEXT, ..SILENT };

pub(super) const PROMPT_SENT: Phrases = Phrases {
    deny: Words(&[word(&["continue"], Says::Flag(false)), word(&["user_message"], Says::Reason)]),
    ..SILENT
};

pub(super) const GATE: Phrases =
    Phrases { deny: Words(USER_TOLD_DENY), allow: Words(PERMISSION_ALLOW), ..SILENT };

const TOLD: Phrases = Phrases { deny: Words(PERMISSION_DENY), ..GATE };

pub(super) const DIALOG: Phrases = Phrases { ask: Words(PERMISSION_ASK), ..TOLD };

pub(super) const PRE_TOOL_USE: Phrases =
    Phrases { rewrite: Words(&[word(&["updated_input"], Says::Changed)]), ..TOLD };

pub(super) const POST_TOOL_USE: Phrases = Phrases {
    deny: Words(&[word(&["updated_mcp_tool_output"], Says::Withheld)]),
    rewrite: Words(&[word(&["updated_mcp_tool_output"], Says::Result)]),
    ..CONTEXT
};

/// The agent continues with this message in place of stopping.
pub(super) const STOPPING: Phrases =
    Phrases { deny: Words(&[word(&["followup_message"], Says::Reason)]), ..SILENT };

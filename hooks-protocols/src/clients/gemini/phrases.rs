//! Encoding of answers for Gemini CLI. It ignores Claude Code's `permissionDecision`, and `ask` lets the tool
//! run (tested).

use super::super::shared::*;
use crate::degraded::Instead;
use crate::table::Phrase::{Near, Words};
use crate::table::{Phrases, SILENT, Says, Word, word};

pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

/// Tested.
pub(super) const BEFORE_AGENT: Phrases =
    Phrases { deny: Words(DECISION_DENY), stop: Words(DISCONTINUE), ..CONTEXT };

/// Tested, except for the messages.
pub(super) const BEFORE_MODEL: Phrases =
    Phrases { deny: Words(DECISION_DENY), rewrite: Words(LLM_MESSAGES), ..OBSERVED };

/// Tested, except for the denial.
pub(super) const AFTER_MODEL: Phrases =
    Phrases { deny: Words(DECISION_DENY), rewrite: Words(LLM_REPLY), ..OBSERVED };

/// Tested.
pub(super) const BEFORE_TOOL: Phrases =
    Phrases { deny: Words(DECISION_DENY), rewrite: Words(TOOL_INPUT), stop: Words(DISCONTINUE), ..OBSERVED };

/// Tested. The reason replaces the result, as an error.
pub(super) const AFTER_TOOL: Phrases = Phrases {
    deny: Words(DECISION_DENY),
    rewrite: Near(RESULT_AS_REASON, Instead::AsReason),
    stop: Words(DISCONTINUE),
    ..CONTEXT
};

const RESULT_AS_REASON: &[Word] =
    &[word(&["decision"], Says::Text("deny")), word(&["reason"], Says::ResultText)];

/// Tested.
pub(super) const AFTER_AGENT: Phrases = Phrases { deny: Words(DECISION_DENY), ..OBSERVED };

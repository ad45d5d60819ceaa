//! Encoding of answers for Codex CLI. It has no `ask`, and accepts `allow` only together with changed
//! arguments (tested).

use super::super::shared::*;
use crate::degraded::Instead;
use crate::table::Phrase::{Near, Silence, Words};
use crate::table::{Phrase, Phrases, SILENT, Says, word};

pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

/// Tested.
pub(super) const SESSION_START: Phrases =
    Phrases { deny: Words(DISCONTINUE), stop: Words(DISCONTINUE), ..CONTEXT };

/// Tested.
pub(super) const USER_PROMPT: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..CONTEXT };

/// Tested. `continue: false` makes the answer invalid.
pub(super) const PRE_TOOL_USE: Phrases =
    Phrases { deny: Words(SPECIFIC_DENY), rewrite: Near(ALLOWED_INPUT, Instead::AsAllow), ..CONTEXT };

/// Without an answer, Codex CLI asks the user. It asks when a command shall leave its sandbox, too, so it gets no
/// `allow`. All other keys are reserved and make the answer invalid.
pub(super) const PERMISSION_REQUEST: Phrases =
    Phrases { deny: Words(BEHAVIOR_DENY), ask: Silence, allow: Phrase::Cannot, ..OBSERVED };

/// Tested. The reason replaces the result; so does the reason of a stop, and the run continues.
pub(super) const POST_TOOL_USE: Phrases = Phrases {
    deny: Words(BLOCK),
    rewrite: Near(RESULT_AS_REASON, Instead::AsReason),
    stop: Near(DISCONTINUE, Instead::AsReason),
    ..CONTEXT
};

const RESULT_AS_REASON: &[crate::table::Word] =
    &[word(&["decision"], Says::Text("block")), word(&["reason"], Says::ResultText)];

pub(super) const PRE_COMPACT: Phrases = Phrases { deny: Words(DISCONTINUE), ..OBSERVED };

/// Tested.
pub(super) const STOPPING: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

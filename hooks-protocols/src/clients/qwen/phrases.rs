//! Encoding of answers for Qwen Code. It ignores `updatedInput` and `updatedToolOutput` (tested).

use super::super::shared::*;
use crate::degraded::Instead;
use crate::table::Phrase::{Cannot, Near, Silence, Words};
use crate::table::{Phrases, SILENT, Says, Word, word};

pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

/// Tested.
pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

/// Tested. A prompt cannot be rewritten.
pub(super) const USER_PROMPT: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..CONTEXT };

/// Tested. Changed arguments and context are ignored, and `continue: false` denies this call only. The user was asked
/// before, so nothing can allow the call.
pub(super) const PRE_TOOL_USE: Phrases =
    Phrases { deny: Words(SPECIFIC_DENY), ask: Words(SPECIFIC_ASK), allow: Cannot, ..OBSERVED };

/// Without an answer, Qwen Code asks the user.
pub(super) const PERMISSION_REQUEST: Phrases =
    Phrases { deny: Words(BEHAVIOR_DENY), ask: Silence, allow: Words(BEHAVIOR_ALLOW), ..OBSERVED };

/// Tested. The text replaces the result, as an error, and the run goes on. `decision` has no effect after a success.
pub(super) const POST_TOOL_USE: Phrases =
    Phrases { deny: Words(WITHHELD), rewrite: Near(RESULT_AS_REASON, Instead::AsReason), ..CONTEXT };

const WITHHELD: &[Word] = &[word(&["continue"], Says::Flag(false)), word(&["stopReason"], Says::Reason)];

const RESULT_AS_REASON: &[Word] =
    &[word(&["continue"], Says::Flag(false)), word(&["stopReason"], Says::ResultText)];

/// Tested at `Stop`: the agent receives the reason as its next instruction.
pub(super) const BLOCKED: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

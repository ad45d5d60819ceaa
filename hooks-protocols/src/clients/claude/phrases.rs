//! Encoding of answers for Claude Code. It ignores a top-level `permissionDecision` and `decision: "deny"`
//! (tested).

use super::super::shared::*;
use crate::table::Phrase::{Exit, Silence, Words};
use crate::table::{Phrases, SILENT, Says, word};

/// Only a message to the user is possible.
pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

/// Tested. A prompt cannot be rewritten.
pub(super) const USER_PROMPT: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..CONTEXT };

/// Tested. `continue: false` does not stop the run: the tool would run once more.
pub(super) const PRE_TOOL_USE: Phrases = Phrases {
    deny: Words(SPECIFIC_DENY),
    ask: Words(SPECIFIC_ASK),
    allow: Words(SPECIFIC_ALLOW),
    rewrite: Words(UPDATED_INPUT),
    ..CONTEXT
};

/// Tested. Without an answer, Claude Code asks the user.
pub(super) const PERMISSION_REQUEST: Phrases =
    Phrases { deny: Words(BEHAVIOR_DENY), ask: Silence, allow: Words(BEHAVIOR_ALLOW), ..OBSERVED };

/// Tested. A block leaves the result next to its reason, so a withheld result is replaced.
pub(super) const POST_TOOL_USE: Phrases = Phrases {
    deny: Words(WITHHELD),
    rewrite: Words(UPDATED_OUTPUT),
    stop: Words(DISCONTINUE),
    quiet: Words(&[word(&["suppressOutput"], Says::Flag(true))]),
    ..CONTEXT
};

/// Tested. The model reads the reason of a block beside the results; only ending the run keeps them from the model.
pub(super) const POST_TOOL_BATCH: Phrases = Phrases { stop: Words(DISCONTINUE), ..CONTEXT };

/// Tested. The agent receives the reason as its next instruction.
pub(super) const STOPPING: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..OBSERVED };

pub(super) const BLOCKED: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

pub(super) const BY_EXIT_CODE: Phrases = Phrases { deny: Exit, stop: Words(DISCONTINUE), ..OBSERVED };

pub(super) const PRE_MODEL_SWITCH: Phrases = Phrases {
    deny: Words(SPECIFIC_DENY),
    ask: Words(SPECIFIC_ASK),
    allow: Words(SPECIFIC_ALLOW),
    ..OBSERVED
};

pub(super) const ELICITATION: Phrases = Phrases { deny: Words(DECLINE), ..OBSERVED };

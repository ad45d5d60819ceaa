//! How Claude Code is told. A top-level `permissionDecision` and `decision: "deny"` are nothing to it (run).

use super::super::shared::*;
use crate::table::Phrase::{Exit, Silence, Words};
use crate::table::{Phrases, SILENT, Says, word};

/// Only the user can be told something.
pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

/// Run. A prompt cannot be rewritten.
pub(super) const USER_PROMPT: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..CONTEXT };

/// Run. `continue: false` would let this tool run once more, so it is no way to stop.
pub(super) const PRE_TOOL_USE: Phrases = Phrases {
    deny: Words(SPECIFIC_DENY),
    ask: Words(SPECIFIC_ASK),
    allow: Words(SPECIFIC_ALLOW),
    rewrite: Words(UPDATED_INPUT),
    ..CONTEXT
};

/// Run. Who says nothing has the person asked.
pub(super) const PERMISSION_REQUEST: Phrases =
    Phrases { deny: Words(BEHAVIOR_DENY), ask: Silence, allow: Words(BEHAVIOR_ALLOW), ..OBSERVED };

/// Run. A block alone leaves the result beside it, so a result that is withheld is replaced.
pub(super) const POST_TOOL_USE: Phrases = Phrases {
    deny: Words(WITHHELD),
    rewrite: Words(UPDATED_OUTPUT),
    stop: Words(DISCONTINUE),
    quiet: Words(&[word(&["suppressOutput"], Says::Flag(true))]),
    ..CONTEXT
};

/// The text of a failure cannot be replaced: only the end of the run keeps it from the model.
pub(super) const POST_TOOL_USE_FAILURE: Phrases = Phrases { stop: Words(DISCONTINUE), ..CONTEXT };

pub(super) const POST_TOOL_BATCH: Phrases = Phrases { deny: Exit, stop: Words(DISCONTINUE), ..CONTEXT };

/// Run. The reason is what the agent is told to do next.
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

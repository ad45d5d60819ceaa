//! How Codex CLI is told. It has no `ask`, and takes an allow only together with changed arguments (run).

use super::super::shared::*;
use crate::degraded::Instead;
use crate::table::Phrase::{Near, Silence, Words};
use crate::table::{Phrases, SILENT, Says, word};

pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

/// Run.
pub(super) const SESSION_START: Phrases =
    Phrases { deny: Words(DISCONTINUE), stop: Words(DISCONTINUE), ..CONTEXT };

/// Run.
pub(super) const USER_PROMPT: Phrases = Phrases { deny: Words(BLOCK), stop: Words(DISCONTINUE), ..CONTEXT };

/// Run. `continue: false` voids the answer.
pub(super) const PRE_TOOL_USE: Phrases =
    Phrases { deny: Words(SPECIFIC_DENY), rewrite: Near(ALLOWED_INPUT, Instead::AsAllow), ..CONTEXT };

/// Who says nothing has the person asked. More words than these are reserved and void the answer.
pub(super) const PERMISSION_REQUEST: Phrases =
    Phrases { deny: Words(BEHAVIOR_DENY), ask: Silence, allow: Words(BEHAVIOR_ALLOW), ..OBSERVED };

/// Run. The reason stands in place of the result; so does the reason of a stop, and the run goes on.
pub(super) const POST_TOOL_USE: Phrases = Phrases {
    deny: Words(BLOCK),
    rewrite: Near(RESULT_AS_REASON, Instead::AsReason),
    stop: Near(DISCONTINUE, Instead::AsReason),
    ..CONTEXT
};

const RESULT_AS_REASON: &[crate::table::Word] =
    &[word(&["decision"], Says::Text("block")), word(&["reason"], Says::ResultText)];

pub(super) const PRE_COMPACT: Phrases = Phrases { deny: Words(DISCONTINUE), ..OBSERVED };

/// Run.
pub(super) const STOPPING: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

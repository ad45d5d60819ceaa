//! How VS Code is told: as Claude Code, with less at most events.

use super::super::shared::*;
use crate::table::Phrase::Words;
use crate::table::{Phrases, SILENT};

pub(super) const OBSERVED: Phrases = Phrases { message: SYSTEM_MESSAGE, ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: SPECIFIC_CONTEXT, ..OBSERVED };

pub(super) const USER_PROMPT: Phrases =
    Phrases { deny: Words(DISCONTINUE), stop: Words(DISCONTINUE), ..OBSERVED };

pub(super) const PRE_TOOL_USE: Phrases = Phrases {
    deny: Words(SPECIFIC_DENY),
    ask: Words(SPECIFIC_ASK),
    allow: Words(SPECIFIC_ALLOW),
    rewrite: Words(UPDATED_INPUT),
    ..CONTEXT
};

/// A block is feedback beside the result: only the end of the session keeps a result from the model.
pub(super) const POST_TOOL_USE: Phrases = Phrases { stop: Words(DISCONTINUE), ..CONTEXT };

/// The one place where the decision stands inside.
pub(super) const STOPPING: Phrases = Phrases { deny: Words(SPECIFIC_BLOCK), ..OBSERVED };

pub(super) const CHILD_STOPPING: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

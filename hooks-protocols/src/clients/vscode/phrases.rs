//! Encoding of answers for VS Code: that of Claude Code, with fewer possibilities at most events.

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

/// A block adds feedback to the result; only ending the session keeps a result from the model.
pub(super) const POST_TOOL_USE: Phrases = Phrases { stop: Words(DISCONTINUE), ..CONTEXT };

/// The only event at which the decision is inside `hookSpecificOutput`.
pub(super) const STOPPING: Phrases = Phrases { deny: Words(SPECIFIC_BLOCK), ..OBSERVED };

pub(super) const CHILD_STOPPING: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

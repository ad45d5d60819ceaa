//! Encoding of answers for Copilot. All are tested, except those that only the SDK has.

use super::super::shared::*;
use crate::table::Phrase::{Silence, Words};
use crate::table::{Phrase, Phrases, SILENT, Says, Word, word};

const FLAT_CONTEXT: Phrase = Words(&[word(&["additionalContext"], Says::Context)]);

const FLAT_DENY: &[Word] =
    &[word(&["permissionDecision"], Says::Text("deny")), word(&["permissionDecisionReason"], Says::Reason)];

const FLAT_ASK: &[Word] =
    &[word(&["permissionDecision"], Says::Text("ask")), word(&["permissionDecisionReason"], Says::Reason)];

pub(in super::super) const CONTEXT: Phrases = Phrases { context: FLAT_CONTEXT, ..SILENT };

/// A block ends the run, and the process fails.
pub(in super::super) const USER_PROMPT: Phrases =
    Phrases { deny: Words(BLOCK), rewrite: Words(&[word(&["modifiedPrompt"], Says::Changed)]), ..CONTEXT };

/// An `allow` would run what the user's `--deny-tool` forbids, so the CLI gets none.
pub(super) const CALLED: Phrases = Phrases { allow: Phrase::Cannot, ..CALLED_BACK };

/// A callback of the SDK is the only permission that its program asks for.
pub(in super::super) const CALLED_BACK: Phrases = Phrases {
    deny: Words(FLAT_DENY),
    ask: Words(FLAT_ASK),
    allow: Words(&[word(&["permissionDecision"], Says::Text("allow"))]),
    rewrite: Words(&[word(&["modifiedArgs"], Says::Changed)]),
    ..CONTEXT
};

/// The flat form works here as well; this one was recorded for each of these wishes.
pub(super) const CALLED_PASCAL: Phrases = Phrases {
    deny: Words(SPECIFIC_DENY),
    ask: Words(SPECIFIC_ASK),
    allow: Phrase::Cannot,
    rewrite: Words(UPDATED_INPUT),
    context: SPECIFIC_CONTEXT,
    ..SILENT
};

/// Without an answer, Copilot asks the user. An `allow` would run what the user's `--deny-tool` forbids (tested), so
/// the CLI gets none.
pub(super) const DIALOG: Phrases = Phrases { allow: Phrase::Cannot, ..DIALOG_CALLED_BACK };

/// The program of the SDK has no other list.
pub(in super::super) const DIALOG_CALLED_BACK: Phrases = Phrases {
    deny: Words(&[word(&["behavior"], Says::Text("deny")), word(&["message"], Says::Reason)]),
    ask: Silence,
    allow: Words(&[word(&["behavior"], Says::Text("allow"))]),
    ..SILENT
};

/// Copilot accepts a result in camelCase even if it sent the result in snake_case.
pub(in super::super) const RETURNED: Phrases = Phrases {
    deny: Words(BLOCK),
    rewrite: Words(&[word(&["modifiedResult"], Says::ResultInCamelCase)]),
    ..CONTEXT
};

/// The documentation does not list the CLI's blocking answer for a callback, so a withheld result is replaced
/// there.
pub(in super::super) const REPLACED: Phrases = Phrases {
    deny: Words(&[
        word(&["modifiedResult", "resultType"], Says::Text("failure")),
        word(&["modifiedResult", "textResultForLlm"], Says::Reason),
    ]),
    ..RETURNED
};

/// Exit code 2 has no effect here.
pub(in super::super) const STOPPING: Phrases = Phrases { deny: Words(BLOCK), ..SILENT };

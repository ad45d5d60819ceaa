//! How Copilot is told. All run, but for what the SDK alone has.

use super::super::shared::*;
use crate::table::Phrase::{Silence, Words};
use crate::table::{Phrase, Phrases, SILENT, Says, Word, word};

const FLAT_CONTEXT: Phrase = Words(&[word(&["additionalContext"], Says::Context)]);

const FLAT_DENY: &[Word] =
    &[word(&["permissionDecision"], Says::Text("deny")), word(&["permissionDecisionReason"], Says::Reason)];

const FLAT_ASK: &[Word] =
    &[word(&["permissionDecision"], Says::Text("ask")), word(&["permissionDecisionReason"], Says::Reason)];

pub(in super::super) const CONTEXT: Phrases = Phrases { context: FLAT_CONTEXT, ..SILENT };

/// Blocking ends the run, and the process fails.
pub(in super::super) const USER_PROMPT: Phrases =
    Phrases { deny: Words(BLOCK), rewrite: Words(&[word(&["modifiedPrompt"], Says::Changed)]), ..CONTEXT };

pub(in super::super) const CALLED: Phrases = Phrases {
    deny: Words(FLAT_DENY),
    ask: Words(FLAT_ASK),
    allow: Words(&[word(&["permissionDecision"], Says::Text("allow"))]),
    rewrite: Words(&[word(&["modifiedArgs"], Says::Changed)]),
    ..CONTEXT
};

/// The flat form counts here as well; this one was recorded for each of them.
pub(super) const CALLED_PASCAL: Phrases = Phrases {
    deny: Words(SPECIFIC_DENY),
    ask: Words(SPECIFIC_ASK),
    allow: Words(SPECIFIC_ALLOW),
    rewrite: Words(UPDATED_INPUT),
    context: SPECIFIC_CONTEXT,
    ..SILENT
};

/// Who says nothing has the person asked.
pub(in super::super) const DIALOG: Phrases = Phrases {
    deny: Words(&[word(&["behavior"], Says::Text("deny")), word(&["message"], Says::Reason)]),
    ask: Silence,
    allow: Words(&[word(&["behavior"], Says::Text("allow"))]),
    ..SILENT
};

/// A result is taken in camelCase also where it was given in snake_case.
pub(in super::super) const RETURNED: Phrases = Phrases {
    deny: Words(BLOCK),
    rewrite: Words(&[word(&["modifiedResult"], Says::ResultInCamelCase)]),
    ..CONTEXT
};

/// What blocks in the CLI is not documented for a callback; there a result that is withheld is replaced.
pub(in super::super) const REPLACED: Phrases = Phrases {
    deny: Words(&[
        word(&["modifiedResult", "resultType"], Says::Text("failure")),
        word(&["modifiedResult", "textResultForLlm"], Says::Reason),
    ]),
    ..RETURNED
};

/// Exit code 2 does nothing here.
pub(in super::super) const STOPPING: Phrases = Phrases { deny: Words(BLOCK), ..SILENT };

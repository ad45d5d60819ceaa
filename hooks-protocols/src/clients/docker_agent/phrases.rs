//! Encoding of answers for docker-agent, which reads snake_case only. Decisions are encoded as JSON and never
//! as an exit code: the July profile, before auto-approval, reads nothing else.

use super::super::shared::BLOCK;
use crate::table::Phrase::{Silence, Words};
use crate::table::{Phrase, Phrases, SILENT, Says, Word, word};

const SPECIFIC: &str = "hook_specific_output";

const EVENT: Word = word(&[SPECIFIC, "hook_event_name"], Says::EventName);

const DENY: &[Word] = &[
    EVENT,
    word(&[SPECIFIC, "permission_decision"], Says::Text("deny")),
    word(&[SPECIFIC, "permission_decision_reason"], Says::Reason),
];

const ASK: &[Word] = &[
    EVENT,
    word(&[SPECIFIC, "permission_decision"], Says::Text("ask")),
    word(&[SPECIFIC, "permission_decision_reason"], Says::Reason),
];

const ALLOW: &[Word] = &[EVENT, word(&[SPECIFIC, "permission_decision"], Says::Text("allow"))];

const INPUT: Phrase = Words(&[EVENT, word(&[SPECIFIC, "updated_input"], Says::Changed)]);

const ADDITIONAL_CONTEXT: Phrase = Words(&[EVENT, word(&[SPECIFIC, "additional_context"], Says::Context)]);

const DISCONTINUE: Phrase =
    Words(&[word(&["continue"], Says::Flag(false)), word(&["stop_reason"], Says::StopReason)]);

pub(super) const OBSERVED: Phrases =
    Phrases { message: Words(&[word(&["system_message"], Says::Message)]), ..SILENT };

pub(super) const CONTEXT: Phrases = Phrases { context: ADDITIONAL_CONTEXT, ..OBSERVED };

pub(super) const BLOCKED: Phrases = Phrases { deny: Words(BLOCK), ..OBSERVED };

pub(super) const BLOCKED_WITH_CONTEXT: Phrases = Phrases { context: ADDITIONAL_CONTEXT, ..BLOCKED };

/// A phase in which a hook cannot decide; a block is honoured.
pub(super) const TRANSFORMED: Phrases = Phrases { rewrite: INPUT, ..BLOCKED };

/// A phase in which a hook cannot rewrite.
pub(super) const GUARDED: Phrases =
    Phrases { deny: Words(DENY), ask: Words(ASK), allow: Words(ALLOW), ..OBSERVED };

pub(super) const DECIDED: Phrases = Phrases { rewrite: INPUT, ..GUARDED };

/// Without an answer, docker-agent asks the user.
pub(super) const DIALOG: Phrases = Phrases { ask: Silence, ..GUARDED };

pub(super) const MODEL_CALLED: Phrases = Phrases {
    rewrite: Words(&[EVENT, word(&[SPECIFIC, "updated_messages"], Says::DockerMessages)]),
    ..BLOCKED
};

/// A block has no effect here, so a withheld response is replaced.
pub(super) const RESPONSE_CHANGED: Phrases = Phrases {
    deny: Words(&[EVENT, word(&[SPECIFIC, "updated_tool_response"], Says::Reason)]),
    rewrite: Words(&[EVENT, word(&[SPECIFIC, "updated_tool_response"], Says::Result)]),
    ..OBSERVED
};

/// After the tool ran, only the run can be ended.
pub(super) const STOPS: Phrases = Phrases { deny: Words(BLOCK), stop: DISCONTINUE, ..OBSERVED };

pub(super) const STOPS_WITH_CONTEXT: Phrases = Phrases { context: ADDITIONAL_CONTEXT, ..STOPS };

pub(super) const SUMMARIZED: Phrases =
    Phrases { summary: Words(&[EVENT, word(&[SPECIFIC, "summary"], Says::Summary)]), ..BLOCKED };

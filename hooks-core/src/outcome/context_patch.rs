//! Context for the model.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::verdict::Reason;

/// What hooks add to a session or a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContextPatch {
    /// Text for the model, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_context: Vec<ContextNote>,
    /// Another model for the session; the last one given stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another first prompt of a session; the last one given stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
    /// Standing instructions that were found, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<Directive>,
    /// Text for the user, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_messages: Vec<String>,
    /// What the user wrote, where hooks added to it; what was scrubbed stays scrubbed. The first one given stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_prompt: Option<String>,
    /// Hooks that failed and were passed over (law 3).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Reason>,
}

impl ContextPatch {
    /// A patch that adds one text.
    pub fn note(note: ContextNote) -> Self {
        Self { additional_context: vec![note], ..Self::default() }
    }
}

impl Outcome for ContextPatch {
    fn merge(&mut self, mut later: Self) {
        self.additional_context.append(&mut later.additional_context);
        self.model = later.model.or(self.model.take());
        self.initial_prompt = later.initial_prompt.or(self.initial_prompt.take());
        self.directives.append(&mut later.directives);
        self.system_messages.append(&mut later.system_messages);
        self.original_prompt = self.original_prompt.take().or(later.original_prompt);
        self.failures.append(&mut later.failures);
    }

    fn failed(reason: Reason, _closes: bool) -> Self {
        Self { failures: vec![reason], ..Self::default() }
    }
}

/// A text for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContextNote {
    /// The text.
    pub text: String,
    /// How long it stays.
    #[serde(default)]
    pub lifetime: Lifetime,
    /// Which hook gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl ContextNote {
    /// A text that stays for this call only.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), lifetime: Lifetime::Call, source: None }
    }

    /// Says how long it stays.
    #[must_use]
    pub fn for_the(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }
}

/// How long a text for the model stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// The next model call.
    #[default]
    Call,
    /// The turn.
    Turn,
    /// The session.
    Session,
}

/// A standing instruction in a user's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Directive {
    /// What is to be done or left.
    pub text: String,
    /// How it is meant: always, never, prefer and so on.
    pub mode: String,
}

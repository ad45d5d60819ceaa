//! Context for the model.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::verdict::Reason;

/// Text and settings that hooks add to a session or a turn.
///
/// ```
/// use hooks_core::{ContextNote, ContextPatch, Outcome};
///
/// let mut patch = ContextPatch::note(ContextNote::new("use tabs"));
/// patch.model = Some("small".to_owned());
/// patch.merge(ContextPatch { model: Some("large".to_owned()), ..ContextPatch::note(ContextNote::new("no emoji")) });
/// assert_eq!(patch.additional_context.len(), 2); // texts add up
/// assert_eq!(patch.model.as_deref(), Some("large")); // the last model wins
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContextPatch {
    /// Text for the model, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_context: Vec<ContextNote>,
    /// Another model for the session; the last value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another first prompt of a session; the last value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
    /// Standing instructions that hooks found, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<Directive>,
    /// Text for the user, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_messages: Vec<String>,
    /// The prompt that the user wrote, if hooks added to it; text that hooks removed is not restored. The
    /// first value wins.
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
///
/// ```
/// use hooks_core::{ContextNote, Lifetime};
///
/// let note = ContextNote::new("the build is red");
/// assert_eq!(note.lifetime, Lifetime::Call); // gone after the next model call
/// assert_eq!(note.for_the(Lifetime::Session).lifetime, Lifetime::Session);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContextNote {
    /// The text.
    pub text: String,
    /// Time that the text stays in the context.
    #[serde(default)]
    pub lifetime: Lifetime,
    /// Name of the hook that gave the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl ContextNote {
    /// A text for the next model call only.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), lifetime: Lifetime::Call, source: None }
    }

    /// Sets how long the text stays.
    #[must_use]
    pub fn for_the(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }
}

/// Time that a text for the model stays in the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// Until the next model call is over.
    #[default]
    Call,
    /// Until the turn is over.
    Turn,
    /// Until the session is over.
    Session,
}

/// A standing instruction in the words of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Directive {
    /// Action to do or to avoid.
    pub text: String,
    /// Kind of instruction: always, never, prefer and so on.
    pub mode: String,
}

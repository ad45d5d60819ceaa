//! What a builtin answers: the object that a command hook prints.

use serde::Serialize;
use serde_json::{Map, Value};

/// What a builtin answers. Empty where it has nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Output {
    /// `block`, where the event is not to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the user is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    /// What depends on the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_specific_output: Option<Box<Specific>>,
}

/// The part of an answer that depends on the event.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Specific {
    /// The event it is about.
    pub hook_event_name: String,
    /// Text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// Text for the model that is told apart from other text, so that only what changed is sent again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instruction_context: Vec<InstructionContext>,
    /// Changed arguments, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Map<String, Value>>,
    /// All messages, changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_messages: Option<Vec<Value>>,
    /// Another result, which may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_response: Option<String>,
}

/// A text for the model with an identity of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InstructionContext {
    /// Its identity.
    pub key: String,
    /// Which others it comes and goes with.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub group: &'static str,
    /// What it is, in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The text, where it is new.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// The text, where the model had another one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub changed_content: String,
    /// The text, where it is gone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub removed_content: String,
    /// It is gone.
    #[serde(skip_serializing_if = "is_false")]
    pub removed: bool,
    /// Whether it is there is not known.
    #[serde(skip_serializing_if = "is_false")]
    pub unavailable: bool,
    /// What the group had and is not named now is gone.
    #[serde(skip_serializing_if = "is_false")]
    pub complete_group: bool,
    /// It says something about its group only.
    #[serde(skip_serializing_if = "is_false")]
    pub set_marker: bool,
}

impl Output {
    /// Text for the model; none where it is empty.
    pub(super) fn context(event: &str, text: String) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        Self::specific(event, |specific| specific.additional_context = Some(text))
    }

    /// Texts for the model that have an identity.
    pub(super) fn instructions(event: &str, texts: Vec<InstructionContext>) -> Self {
        Self::specific(event, |specific| specific.instruction_context = texts)
    }

    /// What `write` says about `event`.
    pub(super) fn specific(event: &str, write: impl FnOnce(&mut Specific)) -> Self {
        let mut specific = Specific { hook_event_name: event.to_owned(), ..Specific::default() };
        write(&mut specific);
        Self { hook_specific_output: Some(Box::new(specific)), ..Self::default() }
    }

    /// The same, with a word to the user.
    pub(super) fn telling(mut self, message: String) -> Self {
        self.system_message = Some(message);
        self
    }
}

/// Serde asks by reference.
fn is_false(flag: &bool) -> bool {
    !flag
}

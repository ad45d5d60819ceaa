//! What a run before a tool answers, and the warnings it writes.

use serde_json::{Map, Value};

/// The answer of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum SquadDecision {
    /// No hook blocked.
    Allow,
    /// A hook blocked, and none after it ran.
    Block(Block),
}

impl SquadDecision {
    pub(super) fn blocked(by: Blocker, reason: String) -> Self {
        Self::Block(Block { by, answer: Answer::Reason(reason) })
    }

    pub(super) fn custom(place: usize, object: Map<String, Value>) -> Self {
        Self::Block(Block { by: Blocker::Custom(place), answer: Answer::Object(object) })
    }

    /// Whether the tool may run.
    #[must_use]
    pub fn is_allow(&self) -> bool {
        matches!(self, Self::Allow)
    }

    /// Why it may not; a custom hook need not say.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Allow => None,
            Self::Block(block) => block.reason(),
        }
    }

    /// The object that Squad's pipeline returns.
    #[must_use]
    pub fn into_json(self) -> Value {
        match self {
            Self::Allow => serde_json::json!({"action": "allow"}),
            Self::Block(Block { answer: Answer::Object(object), .. }) => Value::Object(object),
            Self::Block(Block { answer: Answer::Reason(reason), .. }) => {
                serde_json::json!({"action": "block", "reason": reason})
            }
        }
    }
}

/// A block and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The hook that blocked.
    pub by: Blocker,
    answer: Answer,
}

/// What the hook said: a policy its reason, a custom hook an object that is handed on as it is.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Reason(String),
    Object(Map<String, Value>),
}

impl Block {
    /// Why; a custom hook need not say.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match &self.answer {
            Answer::Reason(reason) => Some(reason),
            Answer::Object(object) => object.get("reason").and_then(Value::as_str),
        }
    }
}

/// A hook that can block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blocker {
    /// The path matches no allowed pattern.
    WriteGuard,
    /// The command contains a prohibited text.
    Shell,
    /// The session has used its questions up.
    AskLimit,
    /// The agent is locked out of an artifact.
    Lockout,
    /// A custom hook, by its place in the order of registration.
    Custom(usize),
}

/// A record that Squad writes to its log; commands and paths stand in it in full.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What happened.
    pub message: &'static str,
    /// The details.
    pub fields: Map<String, Value>,
}

impl Warning {
    pub(super) fn new<const N: usize>(message: &'static str, fields: [(&str, Value); N]) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { message, fields }
    }
}

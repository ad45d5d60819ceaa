//! Decision of a run before a tool, and the warnings it logs.

use serde_json::{Map, Value};

/// Decision of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum SquadDecision {
    /// No hook blocked.
    Allow,
    /// A hook blocked, and none after it ran.
    Block(Block),
}

impl SquadDecision {
    pub(super) fn blocked(by: Blocker, reason: String) -> Self {
        Self::Block(Block { by, answer: HookReturn::Reason(reason) })
    }

    pub(super) fn custom(place: usize, object: Map<String, Value>) -> Self {
        Self::Block(Block { by: Blocker::Custom(place), answer: HookReturn::Object(object) })
    }

    /// Returns whether the tool may run.
    #[must_use]
    pub fn is_allow(&self) -> bool {
        matches!(self, Self::Allow)
    }

    /// Returns the reason of a block; a custom hook need not give one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Allow => None,
            Self::Block(block) => block.reason(),
        }
    }

    /// Returns the object that Squad's pipeline returns.
    #[must_use]
    pub fn into_json(self) -> Value {
        match self {
            Self::Allow => serde_json::json!({"action": "allow"}),
            Self::Block(Block { answer: HookReturn::Object(object), .. }) => Value::Object(object),
            Self::Block(Block { answer: HookReturn::Reason(reason), .. }) => {
                serde_json::json!({"action": "block", "reason": reason})
            }
        }
    }
}

/// Block and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The hook that blocked.
    pub by: Blocker,
    answer: HookReturn,
}

/// Return value of the hook: a policy's reason, or a custom hook's object, which is passed on unchanged.
#[derive(Clone, Debug, PartialEq)]
enum HookReturn {
    Reason(String),
    Object(Map<String, Value>),
}

impl Block {
    /// Returns the reason; a custom hook need not give one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match &self.answer {
            HookReturn::Reason(reason) => Some(reason),
            HookReturn::Object(object) => object.get("reason").and_then(Value::as_str),
        }
    }
}

/// Hook that can block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blocker {
    /// The path matches no allowed pattern.
    WriteGuard,
    /// The command contains a prohibited text.
    Shell,
    /// The session has used up its questions.
    AskLimit,
    /// The agent is locked out of an artifact.
    Lockout,
    /// A custom hook, by its index in the order of registration.
    Custom(usize),
}

/// Record that Squad writes to its log; it contains full commands and paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Description of the event.
    pub message: &'static str,
    /// Details of the event.
    pub fields: Map<String, Value>,
}

impl Warning {
    pub(super) fn new<const N: usize>(message: &'static str, fields: [(&str, Value); N]) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { message, fields }
    }
}

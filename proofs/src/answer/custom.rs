//! The custom hooks of the Squad vectors, as data.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A hook that a vector registers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CustomHook {
    /// Phase in which the hook runs.
    pub(super) phase: Phase,
    /// Name of the hook, for the trace.
    pub(super) name: String,
    /// Effect of the hook.
    pub(super) does: Effect,
    /// Calls that the hook applies to; all calls if absent.
    #[serde(default)]
    pub(super) when: Condition,
}

/// Phase in which a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// Before the tool.
    Pre,
    /// After the tool.
    Post,
}

/// Effect of a hook.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Effect {
    /// Returns this value, of any type.
    Return { value: Value },
    /// Sets arguments in the object that the hook received.
    MutateInPlace { set: Map<String, Value> },
    /// Fails.
    Throw { message: String },
    /// Returns the result unchanged.
    Pass,
    /// Returns another result.
    Replace { value: Value },
    /// Returns the result as text, with this text appended.
    Append { text: String },
    /// Returns the result under a key of an object.
    Wrap { key: String },
    /// Returns no result.
    OmitResult,
}

/// Condition on the calls of a hook: the given fields have to be equal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Condition {
    tool: Option<String>,
    agent: Option<String>,
    arg: Map<String, Value>,
}

impl Condition {
    /// Whether the condition holds for a call.
    pub(super) fn holds(&self, tool: &str, agent: &str, arguments: &Value) -> bool {
        self.tool.as_deref().is_none_or(|wanted| wanted == tool)
            && self.agent.as_deref().is_none_or(|wanted| wanted == agent)
            && self.arg.iter().all(|(name, value)| arguments.get(name) == Some(value))
    }
}

impl Effect {
    /// The result after a hook; `None` if the hook leaves it out.
    ///
    /// # Errors
    /// Returns the message of a hook that fails.
    pub(super) fn on_result(&self, result: Option<Value>) -> Result<Option<Value>, String> {
        Ok(match self {
            Self::Throw { message } => return Err(message.clone()),
            Self::Replace { value } => Some(value.clone()),
            Self::Append { text } => Some((as_text(result.as_ref()) + text).into()),
            Self::Wrap { key } => Some(result.map(|result| (key.clone(), result)).into_iter().collect()),
            Self::OmitResult => None,
            Self::Pass | Self::Return { .. } | Self::MutateInPlace { .. } => result,
        })
    }
}

/// Converts a value to text as JavaScript does.
fn as_text(value: Option<&Value>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(_)) => "[object Object]".to_owned(),
        Some(Value::Array(items)) => {
            let text = |item: &Value| if item.is_null() { String::new() } else { as_text(Some(item)) };
            items.iter().map(text).collect::<Vec<_>>().join(",")
        }
        Some(simple) => simple.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_as_javascript_makes_them() {
        for (value, text) in [
            (json!([1, null, ["a", true]]), "1,,a,true"),
            (json!({}), "[object Object]"),
            (json!(null), "null"),
        ] {
            assert_eq!(as_text(Some(&value)), text);
        }
        assert_eq!(as_text(None), "undefined");
    }
}

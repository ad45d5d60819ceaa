//! The custom hooks of the Squad vectors, as data.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A hook that a vector registers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CustomHook {
    /// When it runs.
    pub(super) phase: Phase,
    /// Its name, for the trace.
    pub(super) name: String,
    /// What it does.
    pub(super) does: Effect,
    /// Which calls it is for; all where absent.
    #[serde(default)]
    pub(super) when: Condition,
}

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// Before the tool.
    Pre,
    /// After it.
    Post,
}

/// What a hook does.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Effect {
    /// Returns this, whatever it is.
    Return { value: Value },
    /// Sets arguments on the very object it was handed.
    MutateInPlace { set: Map<String, Value> },
    /// Fails.
    Throw { message: String },
    /// Returns the result it got.
    Pass,
    /// Returns another result.
    Replace { value: Value },
    /// Returns the result as text, with more text.
    Append { text: String },
    /// Returns the result under a key.
    Wrap { key: String },
    /// Returns nothing as result.
    OmitResult,
}

/// Which calls a hook is for: what is given has to be equal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Condition {
    tool: Option<String>,
    agent: Option<String>,
    arg: Map<String, Value>,
}

impl Condition {
    /// Whether a call is one of them.
    pub(super) fn holds(&self, tool: &str, agent: &str, arguments: &Value) -> bool {
        self.tool.as_deref().is_none_or(|wanted| wanted == tool)
            && self.agent.as_deref().is_none_or(|wanted| wanted == agent)
            && self.arg.iter().all(|(name, value)| arguments.get(name) == Some(value))
    }
}

impl Effect {
    /// What a post hook makes of a result; `None` is a result that is left out.
    ///
    /// # Errors
    /// It fails, with this message.
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

/// A value as the text that JavaScript makes of it.
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

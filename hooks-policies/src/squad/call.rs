//! Tool call as the pipeline sees it, and the arguments that its policies read.

use std::borrow::Cow;

use serde_json::Value;

use super::javascript::{JsError, is_truthy};

/// Context of a run.
///
/// All parts may be borrowed: a run without custom hooks copies nothing. Custom hooks change the call through
/// [`Cow::to_mut`].
#[derive(Clone, Debug, PartialEq)]
pub struct SquadCall<'a> {
    /// Name of the tool, compared exactly.
    pub tool_name: Cow<'a, str>,
    /// Arguments, an object unless the client is at fault.
    pub arguments: Cow<'a, Value>,
    /// Name of the calling agent.
    pub agent_name: Cow<'a, str>,
    /// Session of the call.
    pub session_id: Cow<'a, str>,
}

impl<'a> SquadCall<'a> {
    /// Creates a call that borrows all of its parts.
    #[must_use]
    pub fn new(tool_name: &'a str, arguments: &'a Value, agent_name: &'a str, session_id: &'a str) -> Self {
        Self {
            tool_name: Cow::Borrowed(tool_name),
            arguments: Cow::Borrowed(arguments),
            agent_name: Cow::Borrowed(agent_name),
            session_id: Cow::Borrowed(session_id),
        }
    }

    /// Returns the kind of the tool for the built-in policies.
    pub(super) fn kind(&self) -> ToolKind {
        match &*self.tool_name {
            "edit" | "create" | "write_file" | "create_file" => ToolKind::Write,
            "powershell" | "bash" | "shell" | "exec" => ToolKind::Shell,
            "ask_user" => ToolKind::Ask,
            _ => ToolKind::Other,
        }
    }

    /// Returns the text of the first argument if it is truthy, otherwise of the second; `None` if that is not
    /// a text or is empty.
    ///
    /// # Errors
    /// Returns an error if the arguments are null.
    pub(super) fn text(&self, first: &str, second: &str) -> Result<Option<&str>, JsError> {
        match &*self.arguments {
            Value::Null => Err(JsError::unreadable("null", first)),
            Value::Object(fields) => {
                let chosen =
                    fields.get(first).filter(|value| is_truthy(value)).or_else(|| fields.get(second));
                Ok(chosen.and_then(Value::as_str).filter(|text| !text.is_empty()))
            }
            _ => Ok(None),
        }
    }
}

/// Kinds of tools that a built-in policy checks; no tool has two kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Write,
    Shell,
    Ask,
    Other,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_true_argument_counts_even_if_it_is_no_text() {
        let text = |arguments: Value| {
            let call = SquadCall::new("edit", &arguments, "a", "s");
            call.text("path", "file_path").unwrap().map(str::to_owned)
        };
        assert_eq!(text(json!({"path": "a", "file_path": "b"})).as_deref(), Some("a"));
        for falsy in [json!(""), json!(null), json!(0), json!(false)] {
            assert_eq!(text(json!({"path": falsy, "file_path": "b"})).as_deref(), Some("b"));
        }
        for truthy in [json!([]), json!({}), json!(7), json!(true)] {
            assert_eq!(text(json!({"path": truthy, "file_path": "b"})), None);
        }
        assert_eq!(text(json!("path")), None);
    }

    #[test]
    fn null_arguments_cannot_be_read() {
        let error = SquadCall::new("edit", &Value::Null, "a", "s").text("path", "file_path").unwrap_err();
        assert_eq!(error.message(), "Cannot read properties of null (reading 'path')");
    }
}

//! The answer of a governed request, from the outcome of the hooks.

use hooks_core::ContextNote;
use hooks_core::drivers::{Governed, ToolOutcome, ToolResult};
use serde_json::{Map, Value, json};

use super::service::Kind;
use crate::message::{DENIED, INTERNAL_ERROR, McpReply};

/// Form of the server's answer, while the hooks have its content.
#[derive(Debug, Default)]
pub(super) enum Shape {
    /// There is no answer.
    #[default]
    None,
    /// The request was not sent.
    NotSent,
    /// An error of the protocol.
    Error,
    /// A result. `state` is the opaque state of a request that needs more input: it goes back to the server only.
    Result {
        /// The answer as it came, to forward it as it is if no hook changed it.
        original: Box<McpReply>,
        state: Option<Value>,
    },
}

impl Shape {
    /// Hands the content of an answer to the hooks.
    pub(super) fn take(&mut self, reply: McpReply) -> ToolResult {
        let mut content = match reply.body() {
            Ok(result) => result.clone(),
            Err(error) => {
                let message = error.get("message").and_then(Value::as_str).unwrap_or("the server failed");
                let failed = ToolResult::ok(error.clone()).with_error(Some(message.to_owned()));
                *self = Self::Error;
                return failed;
            }
        };
        let state = match content.as_object_mut() {
            Some(fields) if fields.get("resultType").is_some_and(|it| it == "input_required") => {
                fields.remove("requestState")
            }
            _ => None,
        };
        let failed = content.get("isError").is_some_and(|it| *it == true);
        let error = failed.then(|| text_of(&content));
        *self = Self::Result { original: Box::new(reply), state };
        ToolResult::ok(content).with_error(error)
    }
}

/// The texts of a result, for the hooks after a failure.
fn text_of(result: &Value) -> String {
    let items = result.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = items.filter_map(|item| item.get("text")?.as_str()).collect();
    if texts.is_empty() { "the tool failed".to_owned() } else { texts.join("\n") }
}

/// The answer for the client.
pub(super) fn answer(governed: Governed, shape: Shape, kind: Kind, stateless: bool) -> McpReply {
    let mut notes = governed.decision.notes().map(|it| it.additional_context.clone()).unwrap_or_default();
    let (result, patch) = match governed.outcome {
        ToolOutcome::Denied(reason) => return denial(kind, stateless, &reason),
        ToolOutcome::Withheld(reason, _) => {
            return denial(kind, stateless, &format!("it ran, and its result is withheld: {reason}"));
        }
        ToolOutcome::Ran(result, patch) | ToolOutcome::Failed(result, patch, _) => (result, patch),
        _ => return denial(kind, stateless, "the hooks gave an answer of an unknown kind"),
    };
    let ToolResult { content, error, .. } = result;
    if let Some(later) = patch.notes() {
        notes.extend(later.additional_context.iter().cloned());
    }
    match shape {
        Shape::NotSent => denial(kind, stateless, &error.unwrap_or_default()),
        Shape::None => {
            McpReply::error(INTERNAL_ERROR, error.unwrap_or_else(|| "the server gave no answer".to_owned()))
        }
        Shape::Error => McpReply::error_object(failure(content, error)),
        Shape::Result { original, state } => finished(*original, content, state, kind, &notes),
    }
}

/// The error of the protocol after the hooks: its code is that of the server if it is left.
fn failure(content: Value, message: Option<String>) -> Value {
    let mut fields = match content {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if !fields.get("code").is_some_and(Value::is_i64) {
        fields.insert("code".to_owned(), INTERNAL_ERROR.into());
    }
    fields.insert("message".to_owned(), message.unwrap_or_default().into());
    Value::Object(fields)
}

fn finished(
    mut original: McpReply,
    content: Value,
    state: Option<Value>,
    kind: Kind,
    notes: &[ContextNote],
) -> McpReply {
    let Value::Object(mut fields) = content else {
        return McpReply::error(
            INTERNAL_ERROR,
            "a hook replaced the result by a value that is not an object",
        );
    };
    if let Some(state) = state {
        fields.insert("requestState".to_owned(), state);
    }
    // What a hook adds for the model is a text of its own. Only a result of a tool has a place for it.
    if kind == Kind::Tool
        && let Some(items) = fields.get_mut("content").and_then(Value::as_array_mut)
    {
        items.extend(notes.iter().map(|note| json!({"type": "text", "text": note.text})));
    }
    let result = Value::Object(fields);
    original.change(|value| {
        let is_changed = *value != result;
        *value = result;
        is_changed
    });
    original
}

/// The answer to a request that the hooks deny.
pub(super) fn denial(kind: Kind, stateless: bool, reason: &str) -> McpReply {
    if kind != Kind::Tool {
        return McpReply::error(DENIED, reason);
    }
    let mut result = json!({"content": [{"type": "text", "text": reason}], "isError": true});
    if let (true, Some(fields)) = (stateless, result.as_object_mut()) {
        fields.insert("resultType".to_owned(), "complete".into());
    }
    McpReply::result(result)
}

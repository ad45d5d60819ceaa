//! Tool calls, as the providers write them.

use serde_json::{Map, Value};

/// A block that calls a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolCall<'a> {
    /// Id of the call.
    pub id: Option<&'a str>,
    /// Name of the tool.
    pub name: Option<&'a str>,
    /// Arguments: an object, or a text with JSON.
    pub input: Option<&'a Value>,
}

impl<'a> ToolCall<'a> {
    /// Reads a call of Anthropic, OpenAI's responses, Vercel's SDK, Bedrock or Google.
    pub(super) fn from_block(block: &'a Map<String, Value>) -> Option<Self> {
        let within = |name: &str| block.get(name).and_then(Value::as_object);
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use" | "tool_call") => Some(Self::read(block, &["id"])),
            Some("function_call" | "custom_tool_call") => Some(Self::read(block, &["call_id", "id"])),
            Some("tool-call") => Some(Self::read(block, &["toolCallId"])),
            _ => match (within("toolUse"), within("functionCall")) {
                (Some(call), _) => Some(Self::read(call, &["toolUseId"])),
                (None, Some(call)) => Some(Self::read(call, &["id"])),
                (None, None) => None,
            },
        }
    }

    /// Reads a call beside the text of a message of OpenAI's chat completions.
    pub(super) fn beside_text(call: &'a Value) -> Self {
        let function = call.get("function").and_then(Value::as_object);
        let call_of = |fields| Self::read(fields, &[]);
        let id = call.get("id").and_then(Value::as_str);
        Self { id, ..function.map_or(Self { id, name: None, input: None }, call_of) }
    }

    fn read(fields: &'a Map<String, Value>, ids: &[&str]) -> Self {
        let text = |names: &[&str]| names.iter().find_map(|name| fields.get(*name)?.as_str());
        let input = ["input", "arguments", "args"].iter().find_map(|name| fields.get(*name));
        Self { id: text(ids), name: text(&["name", "toolName"]), input }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_read_in_every_shape() {
        for block in [
            json!({"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}),
            json!({"type": "function_call", "id": "item", "call_id": "a", "name": "f", "arguments": {"x": 1}}),
            json!({"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {"x": 1}}),
            json!({"toolUse": {"toolUseId": "a", "name": "f", "input": {"x": 1}}}),
            json!({"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}}),
        ] {
            let call = ToolCall::from_block(block.as_object().unwrap()).unwrap();
            assert_eq!(call, ToolCall { id: Some("a"), name: Some("f"), input: Some(&json!({"x": 1})) });
        }
        let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let wanted = ToolCall { id: Some("a"), name: Some("f"), input: Some(&json!("{}")) };
        assert_eq!(ToolCall::beside_text(&call), wanted);
        assert_eq!(ToolCall::beside_text(&json!({"id": "a"})).id, Some("a"));
    }
}

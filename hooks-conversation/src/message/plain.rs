//! Messages as plain text.

use hooks_core::event::{Message, Role};
use serde_json::{Map, Value};

use super::block::Block;
use super::call::ToolCall;

/// Depth to which a content is searched for text.
const DEPTH: usize = 8;

/// Fields in which an unknown block, or the content of a result, has text.
const FIELDS: [&str; 5] = ["text", "content", "output", "value", "result"];

/// Text of a message, with the tools that it calls and their results. Thinking and images are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainText {
    /// The text, without space around it.
    pub text: String,
    /// Whether the message has the result of a tool.
    pub is_result: bool,
}

impl PlainText {
    /// Reads `message`; `shown` shortens the arguments of a call.
    pub fn from_message(message: &Message, shown: impl Fn(&str) -> String) -> Self {
        let mut plain = Self { text: String::new(), is_result: message.role == Role::Tool };
        match &message.content {
            Value::Array(blocks) => blocks.iter().for_each(|block| plain.add(block, &shown)),
            content => plain.add(content, &shown),
        }
        plain.text.truncate(plain.text.trim_end().len());
        plain
    }

    fn add(&mut self, value: &Value, shown: &impl Fn(&str) -> String) {
        match value {
            Value::Object(fields) => self.add_block(fields, shown),
            value => self.add_text(value, DEPTH),
        }
    }

    fn add_block(&mut self, fields: &Map<String, Value>, shown: &impl Fn(&str) -> String) {
        match Block::from_fields(fields) {
            Block::Picture | Block::Thought => {}
            Block::Call(call) => self.add_call(call, shown),
            Block::Result(result) => {
                self.is_result = true;
                if let Some(content) = result.content() {
                    self.add_text(content, DEPTH);
                }
            }
            Block::Chat { calls, .. } => {
                if let Some(content) = fields.get("content") {
                    self.add_text(content, DEPTH);
                }
                calls.iter().for_each(|call| self.add_call(ToolCall::beside_text(call), shown));
            }
            Block::Text | Block::Other => FIELDS.iter().for_each(|name| {
                if let Some(value) = fields.get(*name) {
                    self.add_text(value, DEPTH);
                }
            }),
        }
    }

    fn add_call(&mut self, call: ToolCall<'_>, shown: &impl Fn(&str) -> String) {
        let name = call.name.unwrap_or("a tool");
        self.push(&match call.input {
            Some(Value::String(json)) => format!("[calls {name} {}]", shown(json)),
            Some(input) => format!("[calls {name} {}]", shown(&input.to_string())),
            None => format!("[calls {name}]"),
        });
    }

    fn add_text(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.push(text),
            Value::Array(parts) if depth > 0 => {
                parts.iter().for_each(|part| self.add_text(part, depth - 1));
            }
            Value::Object(fields) if depth > 0 => {
                FIELDS
                    .iter()
                    .filter_map(|name| fields.get(*name))
                    .for_each(|part| self.add_text(part, depth - 1));
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if self.text.is_empty() {
            self.text.push_str(text.trim_start());
        } else {
            self.text.push(' ');
            self.text.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_read_in_every_shape() {
        for (role, content, text, is_result) in [
            (Role::User, json!(" hi "), "hi", false),
            (Role::Assistant, json!([{"type": "text", "text": "so"}, {"text": "on"}]), "so on", false),
            (Role::Assistant, json!([{"type": "thinking", "thinking": "hm", "text": "hm"}]), "", false),
            (Role::User, json!([{"type": "image", "source": {}}]), "", false),
            (
                Role::Assistant,
                json!([{"type": "text", "text": "so"}, {"type": "tool_use", "name": "ls", "input": {"a": 1}}]),
                r#"so [calls ls {"a":1}]"#,
                false,
            ),
            (
                Role::Assistant,
                json!({"content": "so", "tool_calls": [{"function": {"name": "ls", "arguments": "{}"}}]}),
                "so [calls ls {}]",
                false,
            ),
            (Role::User, json!([{"type": "tool_result", "content": [{"text": "out"}]}]), "out", true),
            (Role::User, json!([{"functionResponse": {"response": {"result": "out"}}}]), "out", true),
            (Role::Tool, json!("out"), "out", true),
            (Role::Tool, json!({"tool_call_id": "a", "content": "out"}), "out", true),
        ] {
            let message = Message { role, content };
            let plain = PlainText::from_message(&message, str::to_owned);
            assert_eq!((&*plain.text, plain.is_result), (text, is_result), "{message:?}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let mut content = json!("leaf");
        for _ in 0..1_000 {
            content = json!([content]);
        }
        let message = Message { role: Role::User, content };
        assert_eq!(PlainText::from_message(&message, str::to_owned).text, "");
    }
}

//! The received part of an answer.

use hooks_core::event::{Message, Role};
use serde_json::Value;

use hooks_conversation::message::write;

/// The received text and tool calls, in order.
#[derive(Debug, Default)]
pub(super) struct Received {
    text: String,
    /// Blocks before the text, if there are tool calls.
    blocks: Vec<Value>,
}

/// The received part of a tool call.
#[derive(Debug)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) json: String,
}

impl Received {
    pub(super) fn add_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn add_tool(&mut self, tool: &ToolCall) {
        self.close_text();
        let arguments = if tool.json.trim().is_empty() { "{}" } else { &tool.json };
        let input = serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(tool.json.clone()));
        self.blocks.push(write::call(&tool.id, &tool.name, &input));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.blocks.is_empty()
    }

    pub(super) fn has_tools(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The text, as long as there are no tool calls.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// All received parts: as text without tool calls, otherwise as blocks.
    pub(super) fn into_message(mut self) -> Message {
        if !self.has_tools() {
            return Message::text(Role::Assistant, self.text);
        }
        self.close_text();
        Message { role: Role::Assistant, content: Value::Array(self.blocks) }
    }

    fn close_text(&mut self) {
        if !self.text.is_empty() {
            self.blocks.push(write::text(&std::mem::take(&mut self.text)));
        }
    }
}

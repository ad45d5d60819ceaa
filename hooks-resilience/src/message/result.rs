//! What a tool returned, as the providers write it.

use serde_json::{Map, Value, json};

use super::spot::{Mark, Spot};

/// A block that holds what a tool returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolResult<'a> {
    shape: &'static Shape,
    /// The object that holds its fields.
    fields: &'a Map<String, Value>,
}

/// How a result looks: which block it is, where its content stands, and which call it answers.
#[derive(Debug)]
struct Shape {
    is: fn(&Map<String, Value>) -> bool,
    /// The object inside the block that holds the fields, where it is not the block.
    within: Option<&'static str>,
    /// The field of its content.
    content: &'static str,
    /// The field of the id of the call.
    call: &'static str,
    mark: Mark,
}

const SHAPES: &[Shape] = &[
    // Anthropic.
    Shape {
        is: |block| has_type(block, "tool_result"),
        within: None,
        content: "content",
        call: "tool_use_id",
        mark: Value::String,
    },
    // OpenAI, chat completions: a message of its own.
    Shape {
        is: |block| block.contains_key("tool_call_id"),
        within: None,
        content: "content",
        call: "tool_call_id",
        mark: Value::String,
    },
    // OpenAI, responses.
    Shape {
        is: |block| has_type(block, "function_call_output") || has_type(block, "custom_tool_call_output"),
        within: None,
        content: "output",
        call: "call_id",
        mark: Value::String,
    },
    // Bedrock, converse.
    Shape {
        is: |block| block.get("toolResult").is_some_and(Value::is_object),
        within: Some("toolResult"),
        content: "content",
        call: "toolUseId",
        mark: |mark| json!([{ "text": mark }]),
    },
    // Google.
    Shape {
        is: |block| block.get("functionResponse").is_some_and(Value::is_object),
        within: Some("functionResponse"),
        content: "response",
        call: "id",
        mark: |mark| json!({ "result": mark }),
    },
    // Vercel's SDK.
    Shape {
        is: |block| has_type(block, "tool-result"),
        within: None,
        content: "output",
        call: "toolCallId",
        mark: |mark| json!({ "type": "text", "value": mark }),
    },
];

impl<'a> ToolResult<'a> {
    /// The result that `block` is, if it is one.
    pub(super) fn of(block: &'a Map<String, Value>) -> Option<Self> {
        let shape = SHAPES.iter().find(|shape| (shape.is)(block))?;
        let fields = match shape.within {
            Some(name) => block.get(name)?.as_object()?,
            None => block,
        };
        Some(Self { shape, fields })
    }

    /// The id of the call that it answers.
    pub(super) fn call(&self) -> Option<&'a str> {
        self.fields.get(self.shape.call)?.as_str()
    }

    /// Where its content stands, in the block of this index.
    pub(super) fn spot(&self, index: Option<usize>) -> Option<Spot> {
        let Shape { within, content, mark, .. } = *self.shape;
        self.fields.contains_key(content).then_some(Spot { index, within, field: Some(content), mark })
    }
}

fn has_type(block: &Map<String, Value>, wanted: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(wanted)
}

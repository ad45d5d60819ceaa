//! Tool results, as the providers write them.

use serde_json::{Map, Value, json};

use super::spot::{Mark, Spot};

/// A block that contains the result of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolResult<'a> {
    shape: &'static Shape,
    /// The object with the fields of the result.
    fields: &'a Map<String, Value>,
}

/// Shape of a provider's tool results.
#[derive(Debug)]
struct Shape {
    is: fn(&Map<String, Value>) -> bool,
    /// Object inside the block that holds the fields; `None` if the block itself does.
    within: Option<&'static str>,
    /// Field of the content.
    content: &'static str,
    /// Field of the call's id.
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
    /// The tool result in `block`, if it is one.
    pub(super) fn from_block(block: &'a Map<String, Value>) -> Option<Self> {
        let shape = SHAPES.iter().find(|shape| (shape.is)(block))?;
        let fields = match shape.within {
            Some(name) => block.get(name)?.as_object()?,
            None => block,
        };
        Some(Self { shape, fields })
    }

    /// The id of the call that the result belongs to.
    pub(super) fn call(&self) -> Option<&'a str> {
        self.fields.get(self.shape.call)?.as_str()
    }

    /// The content.
    pub(super) fn content(&self) -> Option<&'a Value> {
        self.fields.get(self.shape.content)
    }

    /// The place of the content, in the block of this index.
    pub(super) fn spot(&self, index: Option<usize>) -> Option<Spot> {
        let Shape { within, content, mark, .. } = *self.shape;
        self.fields.contains_key(content).then_some(Spot { index, within, field: Some(content), mark })
    }
}

fn has_type(block: &Map<String, Value>, wanted: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(wanted)
}

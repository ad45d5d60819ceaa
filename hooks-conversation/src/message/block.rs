//! Kinds of blocks in a message.

use serde_json::{Map, Value};

use super::call::ToolCall;
use super::result::ToolResult;

/// Kind of a block in a message.
#[derive(Clone, Copy, Debug)]
pub enum Block<'a> {
    /// Text.
    Text,
    /// An image.
    Picture,
    /// Thinking of a model, signed or encrypted by its provider.
    Thought,
    /// A tool call.
    Call(ToolCall<'a>),
    /// The result of a tool.
    Result(ToolResult<'a>),
    /// A message of OpenAI's chat completions, which is not a list of blocks: text, with tool calls beside
    /// it.
    Chat {
        /// Whether there is text, under `content`.
        has_text: bool,
        /// Tool calls of the message.
        calls: &'a [Value],
    },
    /// Anything else.
    Other,
}

/// The key under which a block of Google carries the signature of earlier thinking.
pub const SIGNATURE: &str = "thoughtSignature";

impl<'a> Block<'a> {
    /// Reads the kind of `fields`, as Anthropic, OpenAI, Google, Bedrock and Vercel's SDK write them.
    pub fn from_fields(fields: &'a Map<String, Value>) -> Self {
        if let Some(result) = ToolResult::from_block(fields) {
            return Self::Result(result);
        }
        if let Some(call) = ToolCall::from_block(fields) {
            return Self::Call(call);
        }
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        match text("type") {
            Some("thinking" | "redacted_thinking" | "reasoning") => Self::Thought,
            _ if is_picture(fields) => Self::Picture,
            _ if is_thought(fields) => Self::Thought,
            None | Some("text" | "input_text" | "output_text") if text("text").is_some() => Self::Text,
            _ => Self::without_type(fields),
        }
    }

    /// Reads the kind of a block without a type, from its keys.
    fn without_type(fields: &'a Map<String, Value>) -> Self {
        let has_text = fields.get("content").is_some_and(Value::is_string);
        match fields.get("tool_calls").and_then(Value::as_array) {
            Some(calls) => Self::Chat { has_text, calls },
            None if has_text => Self::Chat { has_text, calls: &[] },
            None => Self::Other,
        }
    }
}

/// Whether the block contains an image.
pub fn is_picture(fields: &Map<String, Value>) -> bool {
    let kind = fields.get("type").and_then(Value::as_str);
    matches!(kind, Some("image" | "image_url" | "input_image"))
        // Google's form.
        || ["inlineData", "inline_data"].iter().any(|name| fields.contains_key(*name))
        // Bedrock's form: a tool's arguments may have a field `image` too, but without a source.
        || fields.get("image").and_then(|image| image.get("source")).is_some()
}

/// Whether the block is thinking of Bedrock or Google.
fn is_thought(fields: &Map<String, Value>) -> bool {
    fields.contains_key("reasoningContent") || fields.get("thought").and_then(Value::as_bool) == Some(true)
}

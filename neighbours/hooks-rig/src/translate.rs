//! Rig's messages, answers and results as those of hooks, and back.
//!
//! A message of rig is one block of a message of hooks, as rig writes it as JSON.

use hooks_core::event::{Message, Role, Usage};
use rig::completion::{self, CompletionResponse};
use rig::message;
use rig::tool::ToolOutput;
use serde_json::{Error, Value, from_value, to_value};

pub(crate) fn messages(history: &[message::Message]) -> Result<Vec<Message>, Error> {
    history.iter().map(to_message).collect()
}

fn to_message(message: &message::Message) -> Result<Message, Error> {
    let role = match message {
        message::Message::System { .. } => Role::System,
        message::Message::User { .. } => Role::User,
        message::Message::Assistant(_) => Role::Assistant,
    };
    Ok(Message { role, content: Value::Array(vec![to_value(message)?]) })
}

/// The history with the messages that hooks changed.
///
/// # Errors
/// Returns an error if a changed message cannot be read as a message of rig.
pub(crate) fn history(
    history: &[message::Message],
    before: &[Message],
    after: &[Message],
) -> Result<Vec<message::Message>, Error> {
    let kept =
        |message: &Message| before.iter().position(|before| before == message).and_then(|at| history.get(at));
    let message = |message: &Message| match (kept(message), &message.content) {
        (Some(kept), _) => Ok(kept.clone()),
        (None, Value::Array(blocks)) if blocks.len() == 1 => {
            from_value(blocks.first().cloned().unwrap_or_default())
        }
        (None, content) => from_value(content.clone()),
    };
    after.iter().map(message).collect()
}

pub(crate) fn answer(response: &CompletionResponse) -> Result<Message, Error> {
    Ok(Message { role: Role::Assistant, content: to_value(&response.choice)? })
}

/// The response with a changed answer: blocks, or a text.
///
/// # Errors
/// Returns an error if the blocks cannot be read as blocks of rig.
pub(crate) fn with_answer(
    response: &CompletionResponse,
    answer: &Message,
) -> Result<CompletionResponse, Error> {
    let mut response = response.clone();
    response.choice = match &answer.content {
        Value::String(text) => vec![message::AssistantContent::text(text)],
        blocks => from_value(blocks.clone())?,
    };
    Ok(response)
}

pub(crate) fn usage(usage: &completion::Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens.unwrap_or_default(),
        output_tokens: usage.output_tokens.unwrap_or_default(),
        cached_tokens: usage.cached_input_tokens.unwrap_or_default(),
        reasoning_tokens: usage.reasoning_tokens.unwrap_or_default(),
    }
}

/// The output of a tool: its text, its JSON, or its blocks as the model reads them.
pub(crate) fn output(output: &ToolOutput) -> Value {
    match (output.as_text(), output.as_json()) {
        (Some(text), _) => text.into(),
        (None, Some(json)) => json.clone(),
        (None, None) => output.render().into(),
    }
}

pub(crate) fn tool_output(value: &Value) -> ToolOutput {
    match value {
        Value::String(text) => ToolOutput::text(text),
        json => ToolOutput::json(json.clone()),
    }
}

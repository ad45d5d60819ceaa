//! Places of tool calls, tool results and plain text in a message.

use hooks_core::event::{Message, Role};
use serde_json::{Value, json};

use super::block::Block;
use super::call::ToolCall;
use super::spot::{Mark, Spot};

/// The places of tool results' contents.
pub fn results(message: &Message) -> Vec<Spot> {
    let mut holds_results = false;
    let known: Vec<Spot> = blocks(message)
        .filter_map(|(index, block)| {
            let Block::Result(result) = block else { return None };
            holds_results = true;
            result.spot(index)
        })
        .collect();
    match message.role == Role::Tool && !holds_results {
        // A tool's message of unknown shape is a result as a whole.
        true => vec![Spot { mark: whole_mark(&message.content), ..Spot::WHOLE }],
        false => known,
    }
}

/// The places of plain text outside of results: the content, or the text of its blocks.
pub fn texts(message: &Message) -> Vec<Spot> {
    if message.content.is_string() {
        return vec![Spot::WHOLE];
    }
    let spot = |(index, block): (Option<usize>, Block<'_>)| match (index, block) {
        (_, Block::Text) => Some(Spot { index, field: Some("text"), ..Spot::WHOLE }),
        (None, Block::Chat { has_text: true, .. }) => Some(Spot { field: Some("content"), ..Spot::WHOLE }),
        _ => None,
    };
    blocks(message).filter_map(spot).collect()
}

/// Whether the message contains a tool result.
pub fn holds_results(message: &Message) -> bool {
    blocks(message).any(|(_, block)| matches!(block, Block::Result(_)))
}

/// Whether the message contains anything but tool results.
pub fn holds_more_than_results(message: &Message) -> bool {
    let is_result = |block: &Value| {
        block.as_object().is_some_and(|it| matches!(Block::from_fields(it), Block::Result(_)))
    };
    match &message.content {
        Value::Array(blocks) => blocks.iter().any(|block| !is_result(block)),
        Value::String(text) => !text.is_empty(),
        Value::Null => false,
        content => !is_result(content),
    }
}

/// The ids of the calls whose results the message contains.
pub fn answered(message: &Message) -> impl Iterator<Item = &str> {
    blocks(message).filter_map(|(_, block)| match block {
        Block::Result(result) => result.call(),
        _ => None,
    })
}

/// The ids of the calls that the message contains.
pub fn called(message: &Message) -> Vec<&str> {
    let mut ids = Vec::new();
    for (_, block) in blocks(message) {
        match block {
            Block::Call(call) => ids.extend(call.id),
            Block::Chat { calls, .. } => {
                ids.extend(calls.iter().filter_map(|call| ToolCall::beside_text(call).id));
            }
            _ => {}
        }
    }
    ids
}

/// The blocks of a message, each with its place in the list, or the content if it is a single block.
fn blocks(message: &Message) -> impl Iterator<Item = (Option<usize>, Block<'_>)> {
    let list = message.content.as_array().map(Vec::as_slice).unwrap_or_default();
    let one = message.content.as_object().map(|block| (None, block));
    let listed = list.iter().enumerate().filter_map(|(index, block)| Some((Some(index), block.as_object()?)));
    listed.chain(one).map(|(index, block)| (index, Block::from_fields(block)))
}

/// The mark for a whole content; a list stays a list.
fn whole_mark(content: &Value) -> Mark {
    match content {
        Value::Array(_) => |mark| json!([{ "type": "text", "text": mark }]),
        _ => Value::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, content: Value) -> Message {
        Message { role, content }
    }

    #[test]
    fn results_are_found_and_marked_in_every_shape() {
        let shapes = [
            (
                Role::User,
                json!([{ "type": "tool_result", "tool_use_id": "a", "content": [{ "text": "long" }] }]),
                json!([{ "type": "tool_result", "tool_use_id": "a", "content": "gone" }]),
            ),
            (
                Role::Tool,
                json!({ "tool_call_id": "a", "content": "long" }),
                json!({ "tool_call_id": "a", "content": "gone" }),
            ),
            (
                Role::Tool,
                json!([{ "type": "function_call_output", "call_id": "a", "output": "long" }]),
                json!([{ "type": "function_call_output", "call_id": "a", "output": "gone" }]),
            ),
            (
                Role::User,
                json!([{ "toolResult": { "toolUseId": "a", "content": [{ "text": "long" }] } }]),
                json!([{ "toolResult": { "toolUseId": "a", "content": [{ "text": "gone" }] } }]),
            ),
            (
                Role::User,
                json!([{ "functionResponse": { "id": "a", "name": "f", "response": { "x": 1 } } }]),
                json!([{ "functionResponse": { "id": "a", "name": "f", "response": { "result": "gone" } } }]),
            ),
            (
                Role::Tool,
                json!([{ "type": "tool-result", "toolCallId": "a", "output": { "value": "long" } }]),
                json!([{ "type": "tool-result", "toolCallId": "a", "output": { "type": "text", "value": "gone" } }]),
            ),
        ];
        for (role, before, after) in shapes {
            let mut message = message(role, before);
            assert_eq!(answered(&message).collect::<Vec<_>>(), ["a"]);
            assert!(holds_results(&message) && !holds_more_than_results(&message), "{message:?}");
            let spots = results(&message);
            assert_eq!(spots.len(), 1, "{message:?}");
            spots[0].put(&mut message, "gone".to_owned());
            assert_eq!(message.content, after);
        }
    }

    #[test]
    fn a_tools_message_without_a_shape_is_a_result_as_a_whole() {
        for (before, after) in [
            (json!("long"), json!("gone")),
            (json!({ "lines": ["long"] }), json!("gone")),
            (json!([{ "text": "long" }]), json!([{ "type": "text", "text": "gone" }])),
        ] {
            let mut message = message(Role::Tool, before);
            results(&message)[0].put(&mut message, "gone".to_owned());
            assert_eq!(message.content, after);
        }
    }

    #[test]
    fn a_result_without_content_has_nothing_to_drop() {
        assert!(results(&message(Role::Tool, json!({ "tool_call_id": "a" }))).is_empty());
    }

    #[test]
    fn calls_are_found_in_every_shape() {
        for content in [
            json!([{ "type": "text", "text": "so" }, { "type": "tool_use", "id": "a", "input": {} }]),
            json!({ "content": null, "tool_calls": [{ "id": "a", "type": "function" }] }),
            json!([{ "type": "function_call", "id": "item", "call_id": "a" }]),
            json!([{ "toolUse": { "toolUseId": "a" } }]),
            json!([{ "functionCall": { "id": "a", "name": "f" } }]),
            json!([{ "type": "tool-call", "toolCallId": "a" }]),
        ] {
            assert_eq!(called(&message(Role::Assistant, content)), ["a"]);
        }
    }
    #[test]
    fn text_is_what_is_said_and_neither_thought_nor_returned() {
        for (content, texts_in_it) in [
            (json!("plain"), 1),
            (json!([{ "type": "text", "text": "a" }, { "text": "b" }]), 2),
            (json!({ "content": "beside", "tool_calls": [] }), 1),
            (json!([{ "content": "of no shape we know" }]), 0),
            (json!([{ "text": "hm", "thought": true }]), 0),
            (json!([{ "type": "tool_result", "tool_use_id": "a", "content": "b" }]), 0),
        ] {
            assert_eq!(texts(&message(Role::Assistant, content.clone())).len(), texts_in_it, "{content}");
        }
    }
}

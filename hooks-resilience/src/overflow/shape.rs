//! Where tool calls, their results and plain text stand in a message, in the shapes of the providers.

use hooks_core::event::{Message, Role};
use serde_json::{Map, Value, json};

/// How a result looks: which block it is, where its content stands, and which call it answers.
struct ResultShape {
    is: fn(&Map<String, Value>) -> bool,
    /// The object inside the block that holds the fields, where it is not the block.
    within: Option<&'static str>,
    /// Where its content may stand: the first field that is there.
    content: &'static [&'static str],
    call: &'static [&'static str],
    mark: fn(String) -> Value,
}

const RESULTS: &[ResultShape] = &[
    // Anthropic.
    ResultShape {
        is: |block| has_type(block, "tool_result"),
        within: None,
        content: &["content"],
        call: &["tool_use_id"],
        mark: Value::String,
    },
    // OpenAI, chat completions: a message of its own.
    ResultShape {
        is: |block| block.contains_key("tool_call_id"),
        within: None,
        content: &["content"],
        call: &["tool_call_id"],
        mark: Value::String,
    },
    // OpenAI, responses.
    ResultShape {
        is: |block| has_type(block, "function_call_output") || has_type(block, "custom_tool_call_output"),
        within: None,
        content: &["output"],
        call: &["call_id"],
        mark: Value::String,
    },
    // Bedrock, converse.
    ResultShape {
        is: |block| block.get("toolResult").is_some_and(Value::is_object),
        within: Some("toolResult"),
        content: &["content"],
        call: &["toolUseId"],
        mark: |mark| json!([{ "text": mark }]),
    },
    // Google.
    ResultShape {
        is: |block| block.get("functionResponse").is_some_and(Value::is_object),
        within: Some("functionResponse"),
        content: &["response"],
        call: &["id"],
        mark: |mark| json!({ "result": mark }),
    },
    // Vercel's SDK.
    ResultShape {
        is: |block| has_type(block, "tool-result"),
        within: None,
        content: &["output"],
        call: &["toolCallId"],
        mark: |mark| json!({ "type": "text", "value": mark }),
    },
];

/// A place in a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Which block of the list; none where the content is no list.
    index: Option<usize>,
    within: Option<&'static str>,
    field: Option<&'static str>,
    mark: fn(String) -> Value,
}

impl Spot {
    const WHOLE: Self = Self { index: None, within: None, field: None, mark: Value::String };

    /// What stands there.
    pub(super) fn get<'a>(&self, message: &'a Message) -> Option<&'a Value> {
        let mut value = &message.content;
        if let Some(index) = self.index {
            value = value.get(index)?;
        }
        for name in [self.within, self.field].into_iter().flatten() {
            value = value.get(name)?;
        }
        Some(value)
    }

    /// Puts a mark in its place, in the shape that belongs there.
    pub(super) fn put(&self, message: &mut Message, mark: String) {
        let mut value = Some(&mut message.content);
        if let Some(index) = self.index {
            value = value.and_then(|value| value.get_mut(index));
        }
        for name in [self.within, self.field].into_iter().flatten() {
            value = value.and_then(|value| value.get_mut(name));
        }
        if let Some(value) = value {
            *value = (self.mark)(mark);
        }
    }
}

/// Where the contents of tool results stand.
pub(super) fn results(message: &Message) -> Vec<Spot> {
    let known: Vec<Spot> = blocks(message)
        .filter_map(|(index, block)| {
            let shape = RESULTS.iter().find(|shape| (shape.is)(block))?;
            let inner = fields_of(shape, block)?;
            let field = shape.content.iter().find(|name| inner.contains_key(**name))?;
            Some(Spot { index, within: shape.within, field: Some(field), mark: shape.mark })
        })
        .collect();
    match known.is_empty() && message.role == Role::Tool && !holds_results(message) {
        // A tool's message in no shape we know is a result as a whole.
        true => vec![Spot { mark: whole_mark(&message.content), ..Spot::WHOLE }],
        false => known,
    }
}

/// Where plain text stands that is no result: the content, or the text of its blocks.
pub(super) fn texts(message: &Message) -> Vec<Spot> {
    if message.content.is_string() {
        return vec![Spot::WHOLE];
    }
    let is_text = |block: &Map<String, Value>| {
        let kind = block.get("type").and_then(Value::as_str);
        matches!(kind, None | Some("text" | "input_text" | "output_text"))
            && block.get("text").is_some_and(Value::is_string)
    };
    let mut spots: Vec<Spot> = blocks(message)
        .filter(|(_, block)| is_text(block))
        .map(|(index, _)| Spot { index, field: Some("text"), ..Spot::WHOLE })
        .collect();
    // OpenAI, chat completions, where calls stand beside the text.
    let is_beside = |content: &Value| content.get("content").is_some_and(Value::is_string);
    if message.content.is_object() && is_beside(&message.content) && !holds_results(message) {
        spots.push(Spot { field: Some("content"), ..Spot::WHOLE });
    }
    spots
}

/// Whether there is a tool result in it.
pub(super) fn holds_results(message: &Message) -> bool {
    blocks(message).any(|(_, block)| RESULTS.iter().any(|shape| (shape.is)(block)))
}

/// Whether there is anything in it that is no tool result.
pub(super) fn holds_more_than_results(message: &Message) -> bool {
    let is_result =
        |block: &Value| block.as_object().is_some_and(|block| RESULTS.iter().any(|shape| (shape.is)(block)));
    match &message.content {
        Value::Array(blocks) => blocks.iter().any(|block| !is_result(block)),
        Value::String(text) => !text.is_empty(),
        Value::Null => false,
        content => !is_result(content),
    }
}

/// The ids of the calls whose results are in it.
pub(super) fn answered(message: &Message) -> impl Iterator<Item = &str> {
    blocks(message).filter_map(|(_, block)| {
        let shape = RESULTS.iter().find(|shape| (shape.is)(block))?;
        let inner = fields_of(shape, block)?;
        shape.call.iter().find_map(|name| inner.get(*name)?.as_str())
    })
}

/// The ids of the calls that are made in it.
pub(super) fn called(message: &Message) -> Vec<&str> {
    let mut ids = Vec::new();
    for (_, block) in blocks(message) {
        let text = |name: &str| block.get(name).and_then(Value::as_str);
        let inner = |outer: &str, name: &str| block.get(outer)?.get(name)?.as_str();
        let own = match text("type") {
            Some("tool_use" | "tool_call") => text("id"),
            Some("function_call" | "custom_tool_call") => text("call_id").or(text("id")),
            Some("tool-call") => text("toolCallId"),
            _ => inner("toolUse", "toolUseId").or(inner("functionCall", "id")),
        };
        ids.extend(own);
        let list = block.get("tool_calls").and_then(Value::as_array);
        ids.extend(list.into_iter().flatten().filter_map(|call| call.get("id")?.as_str()));
    }
    ids
}

/// The blocks of a message: those of its list, or its content where that is one block.
fn blocks(message: &Message) -> impl Iterator<Item = (Option<usize>, &Map<String, Value>)> {
    let (list, one) = match &message.content {
        Value::Array(list) => (&**list, None),
        Value::Object(block) => (&[][..], Some((None, block))),
        _ => (&[][..], None),
    };
    let listed = list.iter().enumerate().filter_map(|(index, block)| Some((Some(index), block.as_object()?)));
    listed.chain(one)
}

fn fields_of<'a>(shape: &ResultShape, block: &'a Map<String, Value>) -> Option<&'a Map<String, Value>> {
    match shape.within {
        Some(name) => block.get(name)?.as_object(),
        None => Some(block),
    }
}

fn has_type(block: &Map<String, Value>, wanted: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(wanted)
}

/// A list stays a list.
fn whole_mark(content: &Value) -> fn(String) -> Value {
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
}

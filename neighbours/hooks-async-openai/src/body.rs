//! Bodies of requests and answers: their messages and tokens, and the places where changes are written.

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply, Role, Usage};
use serde_json::{Value, json};

/// An interface of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    ChatCompletions,
    Responses,
}

impl Api {
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            return Some(Self::ChatCompletions);
        }
        path.ends_with("/responses").then_some(Self::Responses)
    }
}

/// Body of a request that calls a model.
#[derive(Debug)]
pub(crate) struct Body {
    api: Api,
    json: Value,
    messages: Vec<(MessagePlace, Message)>,
}

/// MessagePlace of a message in a body, as a JSON pointer.
#[derive(Debug)]
enum MessagePlace {
    /// Text of the message.
    Text(String),
    /// The message itself, which is one block.
    Block(String),
}

impl Body {
    /// Reads a body, and the call that it makes.
    ///
    /// # Errors
    /// Returns the reason to deny the request, if its call cannot be read or its answer could not be judged.
    pub(crate) fn read(api: Api, bytes: &[u8]) -> Result<(Self, ModelRequest), String> {
        let json: Value =
            serde_json::from_slice(bytes).map_err(|cause| format!("the request cannot be read: {cause}"))?;
        if json.get("stream").is_some_and(|stream| *stream != Value::Bool(false) && !stream.is_null()) {
            return Err("a stream is not governed; call the model without `stream`".to_owned());
        }
        if json.get("background").is_some_and(|background| *background == Value::Bool(true)) {
            return Err(
                "a call in the background is not governed; call the model without `background`".to_owned()
            );
        }
        let model = json.get("model").and_then(Value::as_str).ok_or("the request names no model")?.to_owned();
        let messages = match api {
            Api::ChatCompletions => messages(&json, "/messages"),
            Api::Responses => {
                let mut all = Vec::from_iter(text(&json, "/instructions", Role::System));
                match text(&json, "/input", Role::User) {
                    Some(input) => all.push(input),
                    None => all.extend(messages(&json, "/input")),
                }
                all
            }
        };
        let sent = messages.iter().map(|(_, message)| message.clone()).collect();
        Ok((Self { api, json, messages }, ModelRequest { model, messages: sent, ..ModelRequest::default() }))
    }

    /// Returns the body of `call`, which hooks may have rewritten.
    ///
    /// # Errors
    /// Returns the reason to deny the call, if a change cannot be written.
    pub(crate) fn with_call(&self, call: &ModelRequest) -> Result<Vec<u8>, String> {
        let mut json = self.json.clone();
        put(&mut json, "/model", Value::String(call.model.clone()))?;
        if call.messages.len() != self.messages.len() {
            return Err("a hook added or removed messages, which cannot be written".to_owned());
        }
        for ((place, before), after) in self.messages.iter().zip(&call.messages) {
            if before != after {
                place.write(&mut json, &after.content)?;
            }
        }
        Ok(json.to_string().into_bytes())
    }

    /// Reads the answer to this request.
    ///
    /// # Errors
    /// Returns an error if it is not JSON.
    pub(crate) fn reply(&self, answer: &[u8]) -> Result<ModelReply, serde_json::Error> {
        let answer: Value = serde_json::from_slice(answer)?;
        let (_, response) = self.answered(&answer);
        let tokens = |path: &str| answer.pointer(path).and_then(Value::as_u64).unwrap_or_default();
        let (input, output) = match self.api {
            Api::ChatCompletions => ("prompt", "completion"),
            Api::Responses => ("input", "output"),
        };
        let usage = Usage {
            input_tokens: tokens(&format!("/usage/{input}_tokens")),
            output_tokens: tokens(&format!("/usage/{output}_tokens")),
            cached_tokens: tokens(&format!("/usage/{input}_tokens_details/cached_tokens")),
            reasoning_tokens: tokens(&format!("/usage/{output}_tokens_details/reasoning_tokens")),
        };
        Ok(ModelReply { response, usage, cost: None })
    }

    /// Returns the answer with a changed response; `None` if it is unchanged.
    ///
    /// # Errors
    /// Returns the reason to withhold the answer, if the change cannot be written.
    pub(crate) fn changed_answer(
        &self,
        answer: &[u8],
        response: &Message,
    ) -> Result<Option<Vec<u8>>, String> {
        let mut answer: Value = serde_json::from_slice(answer).map_err(|cause| cause.to_string())?;
        let (places, before) = self.answered(&answer);
        if before.content == response.content {
            return Ok(None);
        }
        match (&*places, &response.content) {
            ([place @ MessagePlace::Text(_)], text) => place.write(&mut answer, text)?,
            (places, Value::Array(blocks)) if places.len() == blocks.len() => {
                for (place, block) in places.iter().zip(blocks) {
                    place.write(&mut answer, &json!([block]))?;
                }
            }
            _ => return Err("a hook changed the answer in a way that cannot be written".to_owned()),
        }
        Ok(Some(answer.to_string().into_bytes()))
    }

    /// The message of an answer, with the places of its blocks.
    fn answered(&self, answer: &Value) -> (Vec<MessagePlace>, Message) {
        let (list, item) = match self.api {
            Api::ChatCompletions => ("/choices", "/message"),
            Api::Responses => ("/output", ""),
        };
        let count = answer.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
        let pointers: Vec<_> = (0..count).map(|index| format!("{list}/{index}{item}")).collect();
        let blocks: Vec<_> = pointers.iter().filter_map(|pointer| answer.pointer(pointer)).collect();
        if let ([pointer], [block]) = (&*pointers, &*blocks)
            && block.get("tool_calls").is_none_or(Value::is_null)
            && let Some(content @ Value::String(_)) = block.get("content")
        {
            let place = MessagePlace::Text(format!("{pointer}/content"));
            return (vec![place], Message { role: Role::Assistant, content: content.clone() });
        }
        let content = Value::Array(blocks.into_iter().cloned().collect());
        (pointers.into_iter().map(MessagePlace::Block).collect(), Message { role: Role::Assistant, content })
    }
}

impl MessagePlace {
    fn write(&self, json: &mut Value, content: &Value) -> Result<(), String> {
        match (self, content) {
            (Self::Text(pointer), Value::String(_)) => put(json, pointer, content.clone()),
            (Self::Block(pointer), Value::Array(blocks)) if blocks.len() == 1 => {
                put(json, pointer, blocks.first().cloned().unwrap_or_default())
            }
            _ => Err("a hook changed a message in a way that cannot be written".to_owned()),
        }
    }
}

/// The messages of the list at `pointer`.
fn messages(json: &Value, pointer: &str) -> Vec<(MessagePlace, Message)> {
    let list = json.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = |(index, item): (usize, &Value)| {
        let (pointer, role) = (format!("{pointer}/{index}"), role(item));
        match item.get("content") {
            Some(content @ Value::String(_)) if item.get("tool_calls").is_none() => {
                (MessagePlace::Text(format!("{pointer}/content")), Message { role, content: content.clone() })
            }
            _ => (MessagePlace::Block(pointer), Message { role, content: json!([item]) }),
        }
    };
    list.iter().enumerate().map(read).collect()
}

/// The text at `pointer`, as a message.
fn text(json: &Value, pointer: &str, role: Role) -> Option<(MessagePlace, Message)> {
    let content = json.pointer(pointer).filter(|value| value.is_string())?.clone();
    Some((MessagePlace::Text(pointer.to_owned()), Message { role, content }))
}

/// The sender of a message, or of an item of the responses, which has a type instead.
fn role(item: &Value) -> Role {
    let field = |name: &str| item.get(name).and_then(Value::as_str);
    match (field("role"), field("type")) {
        (Some("system" | "developer"), _) => Role::System,
        (Some("assistant"), _) => Role::Assistant,
        (Some("tool" | "function"), _) => Role::Tool,
        (None, Some(kind)) if kind.ends_with("_output") => Role::Tool,
        (None, Some(_)) => Role::Assistant,
        _ => Role::User,
    }
}

fn put(json: &mut Value, pointer: &str, value: Value) -> Result<(), String> {
    let place = json.pointer_mut(pointer).ok_or_else(|| format!("the body has no `{pointer}`"))?;
    *place = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(api: Api, json: &Value) -> (Body, ModelRequest) {
        Body::read(api, json.to_string().as_bytes()).expect("it can be governed")
    }

    #[test]
    fn only_model_calls_whose_answer_comes_whole_are_read() {
        assert_eq!(Api::from_path("/v1/embeddings"), None);
        assert_eq!(Api::from_path("/v1/batches"), None);
        let refused =
            |json: Value| Body::read(Api::Responses, json.to_string().as_bytes()).expect_err("it is refused");
        assert!(refused(json!({"model": "m", "stream": true})).contains("without `stream`"));
        assert!(refused(json!({"model": "m", "stream": "true"})).contains("without `stream`"));
        assert!(refused(json!({"model": "m", "background": true})).contains("without `background`"));
        assert_eq!(refused(json!({"input": "a"})), "the request names no model");
        assert!(Body::read(Api::Responses, b"model=m").is_err());
    }

    #[test]
    fn messages_are_written_back_where_they_were() {
        let call = json!({"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
        let (body, mut request) = read(
            Api::ChatCompletions,
            &json!({"model": "m", "temperature": 0.5, "messages": [
                {"role": "developer", "content": "be brief"},
                {"role": "assistant", "content": null, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "a", "content": "secret"},
            ]}),
        );
        assert_eq!(
            request.messages.iter().map(|message| message.role).collect::<Vec<_>>(),
            [Role::System, Role::Assistant, Role::Tool]
        );
        assert_eq!(request.messages[1].content[0]["tool_calls"][0]["id"], "a");
        request.messages[2].content = json!("…");
        request.messages[1].content[0]["tool_calls"][0]["id"] = json!("b");
        let sent: Value =
            serde_json::from_slice(&body.with_call(&request).expect("it is written")).expect("it is JSON");
        assert_eq!(sent["messages"][2], json!({"role": "tool", "tool_call_id": "a", "content": "…"}));
        assert_eq!(
            (&sent["messages"][1]["tool_calls"][0]["id"], &sent["temperature"]),
            (&json!("b"), &json!(0.5))
        );
        request.messages.pop();
        assert!(body.with_call(&request).is_err(), "a message less cannot be written");
    }

    #[test]
    fn responses_have_items_instead_of_messages() {
        let (_, request) = read(
            Api::Responses,
            &json!({"model": "m", "instructions": "be brief", "input": [
                {"role": "user", "content": "list"},
                {"type": "function_call", "call_id": "a", "name": "ls", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": "b.txt"},
            ]}),
        );
        let roles: Vec<_> = request.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool]);

        let (body, request) = read(Api::Responses, &json!({"model": "m", "input": "hello"}));
        assert_eq!(request.messages, [Message::text(Role::User, "hello")]);
        let text =
            |text: &str| json!([{"type": "message", "content": [{"type": "output_text", "text": text}]}]);
        let answer = json!({
            "output": text("Jane"),
            "usage": {
                "input_tokens": 7, "input_tokens_details": {"cached_tokens": 2},
                "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 3},
            },
        });
        let answer = answer.to_string().into_bytes();
        let mut reply = body.reply(&answer).expect("it is JSON");
        let usage = Usage { input_tokens: 7, output_tokens: 5, cached_tokens: 2, reasoning_tokens: 3 };
        assert_eq!(reply.usage, usage);
        assert_eq!(body.changed_answer(&answer, &reply.response), Ok(None));
        reply.response.content = text("…");
        let changed =
            body.changed_answer(&answer, &reply.response).expect("it is written").expect("it changed");
        assert_eq!(serde_json::from_slice::<Value>(&changed).expect("it is JSON")["output"], text("…"));
        reply.response.content = json!("plain");
        assert!(body.changed_answer(&answer, &reply.response).is_err(), "it has no place for a text");
    }
}

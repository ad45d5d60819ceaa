//! Changes to a conversation before another model receives it.

use std::sync::Arc;

use hooks_conversation::message::{Block, SIGNATURE};
use hooks_core::drivers::ModelRequest;
use hooks_core::event::Message;
use serde_json::Value;

use crate::call::Call;
use crate::catalog::Model;

/// Adapts a conversation with one model to another. The call names the new model.
pub trait Adapt: Send + Sync {
    /// Returns `messages` for `to`; `None` if they need no change. `from` is the model that the call was made
    /// for.
    fn adapt(&self, messages: &[Message], from: &Model, to: &Model) -> Option<Vec<Message>>;
}

/// The default: removes thinking that was signed or encrypted by a model of another provider, since only that
/// provider accepts it.
///
/// ```
/// use hooks_core::event::{Message, Role};
/// use hooks_resilience::fallback::{Adapt, DropForeignThinking};
/// use hooks_resilience::{Model, Tier};
/// use serde_json::json;
///
/// let opus = Model::new("opus", "anthropic", Tier::Premium);
/// let gpt = Model::new("gpt", "openai", Tier::Premium);
/// let thinking = json!([
///     { "type": "thinking", "thinking": "which file?", "signature": "c2ln" },
///     { "type": "text", "text": "It is in main.rs." },
/// ]);
/// let messages = [Message { role: Role::Assistant, content: thinking }];
///
/// assert_eq!(DropForeignThinking.adapt(&messages, &opus, &opus), None, "the same provider reads its own");
/// let adapted = DropForeignThinking.adapt(&messages, &opus, &gpt).expect("the thinking is foreign");
/// assert_eq!(adapted[0].content, json!([{ "type": "text", "text": "It is in main.rs." }]));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct DropForeignThinking;

impl Adapt for DropForeignThinking {
    fn adapt(&self, messages: &[Message], from: &Model, to: &Model) -> Option<Vec<Message>> {
        if from.provider == to.provider || !messages.iter().any(has_thinking) {
            return None;
        }
        Some(messages.iter().filter_map(without_thinking).collect())
    }
}

impl<F> Adapt for F
where
    F: Fn(&[Message], &Model, &Model) -> Option<Vec<Message>> + Send + Sync,
{
    fn adapt(&self, messages: &[Message], from: &Model, to: &Model) -> Option<Vec<Message>> {
        self(messages, from, to)
    }
}

/// Adapts `call` to the model `to`.
pub(crate) fn fit(adapt: &dyn Adapt, mut call: Call, from: &Model, to: &Arc<Model>) -> Call {
    call.model = Some(Arc::clone(to));
    match adapt.adapt(call.messages(), from, to) {
        Some(messages) => {
            let (model, iteration) = (call.request().model.clone(), call.iteration());
            let request = ModelRequest { model, iteration, messages };
            call.with_request(request)
        }
        None => call,
    }
}

fn has_thinking(message: &Message) -> bool {
    message
        .content
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| is_thinking(block) || block.get(SIGNATURE).is_some()))
}

/// The message without its thinking; `None` if nothing else is left.
fn without_thinking(message: &Message) -> Option<Message> {
    if !has_thinking(message) {
        return Some(message.clone());
    }
    let blocks = message.content.as_array().map(Vec::as_slice).unwrap_or_default();
    let visible = blocks.iter().filter(|block| !is_thinking(block)).map(|block| {
        let mut block = block.clone();
        if let Some(fields) = block.as_object_mut() {
            fields.shift_remove(SIGNATURE);
        }
        block
    });
    let visible: Vec<Value> = visible.collect();
    (!visible.is_empty()).then(|| Message { role: message.role, content: Value::Array(visible) })
}

fn is_thinking(block: &Value) -> bool {
    block.as_object().is_some_and(|block| matches!(Block::from_fields(block), Block::Thought))
}

#[cfg(test)]
mod tests {
    use hooks_core::event::Role;
    use serde_json::json;

    use super::*;
    use crate::catalog::Tier;

    fn adapted(content: Value, to: &str) -> Option<Vec<Value>> {
        let (from, to) = (Model::new("a", "one", Tier::Fast), Model::new("b", to, Tier::Fast));
        let messages = [Message::text(Role::User, "hello"), Message { role: Role::Assistant, content }];
        let messages = DropForeignThinking.adapt(&messages, &from, &to)?;
        Some(messages.into_iter().skip(1).map(|message| message.content).collect())
    }

    #[test]
    fn the_thoughts_of_another_provider_are_left_out() {
        for thought in [
            json!({"type": "thinking", "thinking": "hm", "signature": "x"}),
            json!({"type": "redacted_thinking", "data": "x"}),
            json!({"type": "reasoning", "encrypted_content": "x"}),
            json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "x"}}}),
            json!({"text": "hm", "thought": true}),
        ] {
            let visible = json!({"type": "text", "text": "yes"});
            assert_eq!(adapted(json!([thought, visible]), "two"), Some(vec![json!([visible])]), "{thought}");
            assert_eq!(adapted(json!([thought]), "two"), Some(vec![]), "{thought}");
        }
    }

    #[test]
    fn a_signature_is_left_out_and_what_it_signs_stays() {
        let call = json!({"functionCall": {"name": "edit"}, "thoughtSignature": "x"});
        assert_eq!(adapted(json!([call]), "two"), Some(vec![json!([{"functionCall": {"name": "edit"}}])]));
    }

    #[test]
    fn nothing_is_copied_where_nothing_has_to_change() {
        assert_eq!(adapted(json!([{"type": "thinking"}]), "one"), None);
        assert_eq!(adapted(json!("plain"), "two"), None);
        assert_eq!(adapted(json!([{"type": "text", "text": "I was thinking"}]), "two"), None);
    }
}

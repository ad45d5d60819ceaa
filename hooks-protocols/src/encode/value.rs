//! The values of the fields of an answer.

use hooks_core::WireEvent;
use hooks_core::event::Message;
use serde_json::{Value, json};

use super::shape;
use crate::answer::{Answer, Rewrite};
use crate::clients::convert;
use crate::decode::Decoded;
use crate::table::Says;

/// Source of the values of an answer's fields.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) answer: &'a Answer,
    pub(super) event_name: &'a str,
    /// Reason of the answer; never empty.
    pub(super) reason: &'a str,
    /// The change to encode.
    pub(super) rewrite: Option<&'a Rewrite>,
    /// The payload that is answered, if it could be decoded.
    pub(super) decoded: Option<&'a Decoded>,
}

impl Source<'_> {
    /// The value of a field; `None` if the answer has no such value, so that the phrase cannot be used.
    pub(super) fn value(&self, says: Says) -> Option<Value> {
        let Self { answer, .. } = self;
        Some(match says {
            Says::Text(text) => text.into(),
            Says::Flag(flag) => flag.into(),
            Says::EventName => self.event_name.into(),
            Says::Reason => self.reason.into(),
            Says::Context => joined(&answer.context)?,
            Says::Message => joined(&answer.messages)?,
            Says::StopReason => answer.stop.as_deref().unwrap_or(self.reason).into(),
            Says::Summary => answer.summary.as_deref()?.into(),
            Says::Model => answer.model.as_deref()?.into(),
            Says::Retry => if answer.retry? { "retry" } else { "abort" }.into(),
            Says::Changed => self.changed()?,
            Says::Result => self.result()?,
            Says::ResultInCamelCase => shape::in_camel_case(&self.result()?),
            Says::ResultText => shape::text_of(&self.result()?).into(),
            Says::Withheld => shape::saying(self.original_result()?, self.reason),
            Says::ResultAnyhow => self.result().or_else(|| self.original_result().cloned())?,
            Says::GeminiMessages => {
                convert::to_gemini_messages(serde_json::to_value(self.messages()?).ok()?)?
            }
            Says::DockerMessages => convert::overlay_messages(self.messages()?, self.sent_messages()),
            Says::GeminiReply => {
                let Some(Rewrite::Reply(reply)) = self.rewrite else { return None };
                let text = shape::text_of(&reply.content);
                let content = json!({"role": "model", "parts": [text]});
                json!({"candidates": [{"content": content, "finishReason": "STOP"}]})
            }
        })
    }

    fn changed(&self) -> Option<Value> {
        Some(match self.rewrite? {
            Rewrite::Arguments(arguments) => arguments.clone(),
            Rewrite::Prompt(text) | Rewrite::Target(text) => text.as_str().into(),
            _ => return None,
        })
    }

    /// The changed result.
    fn result(&self) -> Option<Value> {
        let Some(Rewrite::Result(rewrite)) = self.rewrite else { return None };
        let changed = rewrite.result.as_ref()?;
        Some(
            self.original_result()
                .map_or_else(|| changed.clone(), |original| shape::reshaped(original, changed)),
        )
    }

    fn original_result(&self) -> Option<&Value> {
        match self.decoded?.event.as_ref()? {
            WireEvent::PostToolUse(done) => Some(&done.tool_result),
            _ => None,
        }
    }

    fn messages(&self) -> Option<&[Message]> {
        match self.rewrite? {
            Rewrite::Model(rewrite) => rewrite.messages.as_deref(),
            _ => None,
        }
    }

    /// The messages as the client sent them.
    fn sent_messages(&self) -> Option<&[Value]> {
        Some(self.decoded?.extra.get("messages")?.as_array()?.as_slice())
    }
}

fn joined(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| texts.join("\n\n").into())
}

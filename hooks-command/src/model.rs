//! Model handlers: a model of the host gets a rendered prompt, and its reply is parsed as an answer.

use hooks_core::HookFuture;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_service::Service;

use crate::config::Handler;

/// The only schema: a verdict with a reason.
pub const DECISION_SCHEMA: &str = "pre_tool_use_decision";

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The model, as `provider/name`.
    pub model: String,
    /// The rendered prompt.
    pub prompt: String,
    /// Name of the schema for the reply; empty for free text.
    pub schema: String,
}

/// Asks models. The host provides it.
pub trait ModelJudge: Send + Sync {
    /// The reply of a model, as text.
    ///
    /// # Errors
    /// Returns the reason if there is no reply.
    fn ask(&self, question: Question) -> HookFuture<'static, Result<String, String>>;
}

/// A tower service as a [`ModelJudge`].
///
/// ```
/// use hooks_command::model::{ModelJudge, Question, ServiceJudge};
///
/// async fn ask_model(question: Question) -> Result<String, String> {
///     Ok(format!("{} allows it", question.model))
/// }
/// let judge = ServiceJudge(tower::service_fn(ask_model));
/// # fn assert_judge(_: impl ModelJudge) {}
/// # assert_judge(judge);
/// ```
#[derive(Clone, Debug)]
pub struct ServiceJudge<S>(pub S);

impl<S> ModelJudge for ServiceJudge<S>
where
    S: Service<Question, Response = String, Future: Send, Error: std::fmt::Display + Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    fn ask(&self, question: Question) -> HookFuture<'static, Result<String, String>> {
        let reply = self.0.clone().oneshot(question);
        HookFuture::later(async move { reply.await.map_err(|error| error.to_string()) })
    }
}

/// Converts a reply to the object that a command would write.
///
/// # Errors
/// Returns an error if the reply does not match the schema of the handler, or the schema is unknown.
///
/// ```
/// use hooks_command::Handler;
/// use hooks_command::model::{DECISION_SCHEMA, read_reply};
///
/// let handler = Handler { schema: DECISION_SCHEMA.to_owned(), ..Handler::default() };
/// let reply = "Here it is: {\"decision\": \"DENY\", \"reason\": \"it deletes the backups\"}";
/// let answer = read_reply(&handler, "tool_guard", reply)?;
/// assert_eq!(answer["hook_specific_output"]["permission_decision"], "deny");
/// assert_eq!(answer["system_message"], "🤖 model judge: deny — it deletes the backups");
/// let error = read_reply(&handler, "tool_guard", "I would not do that").err();
/// assert!(error.is_some_and(|error| error.ends_with("there is no JSON object in it")));
/// # Ok::<(), String>(())
/// ```
pub fn read_reply(handler: &Handler, event: &str, reply: &str) -> Result<Value, String> {
    if handler.schema.is_empty() {
        return Ok(specific(event, json!({ "additional_context": reply.trim() })));
    }
    if handler.schema != DECISION_SCHEMA {
        return Err(unknown_schema(&handler.schema));
    }
    let object = reply.find('{').and_then(|start| reply.get(start..=reply.rfind('}')?));
    let object = object.ok_or_else(|| unreadable("there is no JSON object in it"))?;
    let read: Value = serde_json::from_str(object).map_err(|error| unreadable(&error.to_string()))?;
    let text = |name: &str| read.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let decision = text("decision").to_lowercase();
    if !["allow", "ask", "deny"].contains(&decision.as_str()) {
        return Err(unreadable(&format!("its `decision` is `{decision}`, not allow, ask or deny")));
    }
    let reason = match text("reason") {
        "" => "no reason provided",
        reason => reason,
    };
    let mut handler_reply =
        specific(event, json!({"permission_decision": decision, "permission_decision_reason": reason}));
    if let Some(fields) = handler_reply.as_object_mut() {
        fields.insert("system_message".to_owned(), format!("🤖 model judge: {decision} — {reason}").into());
    }
    Ok(handler_reply)
}

/// The message about an unknown schema.
pub(crate) fn unknown_schema(schema: &str) -> String {
    format!("there is no schema `{schema}`; there is `{DECISION_SCHEMA}`, or none for free text")
}

fn unreadable(problem: &str) -> String {
    format!("the reply of the model cannot be read: {problem}")
}

fn specific(event: &str, mut fields: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("hook_event_name".to_owned(), event.into());
    }
    json!({ "hook_specific_output": fields })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(reply: &str) -> Result<Value, String> {
        let handler = Handler { schema: DECISION_SCHEMA.to_owned(), ..Handler::default() };
        read_reply(&handler, "tool_guard", reply)
    }

    #[test]
    fn a_verdict_may_be_wrapped_and_in_any_case() {
        let handler_reply =
            judge("Sure.\n```json\n{\"decision\": \" Ask \", \"reason\": \"\"}\n```").unwrap();
        assert_eq!(handler_reply["hook_specific_output"]["permission_decision"], "ask");
        assert_eq!(handler_reply["system_message"], "🤖 model judge: ask — no reason provided");
    }

    #[test]
    fn anything_else_is_an_error() {
        for reply in
            ["fine", "}{", "{\"decision\": \"maybe\"}", "{\"reason\": \"x\"}", "{\"decision\": 1}", "{"]
        {
            assert!(judge(reply).is_err(), "{reply}");
        }
    }

    #[test]
    fn without_a_schema_it_is_context() {
        let handler_reply = read_reply(&Handler::default(), "turn_start", "  run the tests \n").unwrap();
        assert_eq!(handler_reply["hook_specific_output"]["additional_context"], "run the tests");
    }
}

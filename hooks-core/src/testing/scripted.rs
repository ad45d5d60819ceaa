//! Scripted tools, models and users.

use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use serde_json::Value;
use tower_service::Service;

use crate::drivers::{Approval, ApprovalRequest, ModelRequest, ToolCall, ToolResult};
use crate::error::HookError;
use crate::event::{Message, ModelReply, Role, Usage};

/// A list of answers to give in order, and the questions so far. Clones share it.
#[derive(Debug)]
struct Script<Q, A> {
    answers: VecDeque<A>,
    requests: Vec<Q>,
}

/// Tools that answer by a script, and record their calls. After the end of the script they return null.
///
/// ```
/// use hooks_core::drivers::{ToolCall, ToolResult};
/// use hooks_core::testing::ScriptedTools;
/// use tower::ServiceExt;
///
/// # futures_util::FutureExt::now_or_never(async {
/// let tools = ScriptedTools::new([ToolResult::ok("ready")]);
/// let call = || ToolCall::new("fetch", serde_json::json!({}));
/// assert_eq!(tools.clone().oneshot(call()).await.expect("scripted").content, "ready");
/// assert!(tools.clone().oneshot(call()).await.expect("the script is over").content.is_null());
/// assert_eq!(tools.calls().len(), 2);
/// # }).expect("it does not wait");
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedTools(Arc<Mutex<Script<ToolCall, ToolResult>>>);

impl ScriptedTools {
    /// Tools that return these results, in order.
    pub fn new(results: impl IntoIterator<Item = ToolResult>) -> Self {
        Self(shared(results))
    }

    /// Returns the calls that ran, in order.
    pub fn calls(&self) -> Vec<ToolCall> {
        requests(&self.0)
    }
}

impl Default for ScriptedTools {
    fn default() -> Self {
        Self::new([])
    }
}

impl Service<ToolCall> for ScriptedTools {
    type Response = ToolResult;
    type Error = HookError;
    type Future = Ready<Result<ToolResult, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        ready(Ok(next(&self.0, call).unwrap_or_else(|| ToolResult::ok(Value::Null))))
    }
}

/// A model that answers by a script. After the end of the script it returns an empty text.
#[derive(Clone, Debug)]
pub struct ScriptedModel(Arc<Mutex<Script<ModelRequest, Result<ModelReply, String>>>>);

impl ScriptedModel {
    /// A model that gives these answers, in order.
    pub fn new(replies: impl IntoIterator<Item = Result<ModelReply, String>>) -> Self {
        Self(shared(replies))
    }

    /// A model that answers with these texts, in order, with ten tokens each way.
    pub fn saying<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(texts.into_iter().map(|text| Ok(reply(text))))
    }

    /// Returns the calls, in order.
    pub fn calls(&self) -> Vec<ModelRequest> {
        requests(&self.0)
    }
}

fn reply(text: &str) -> ModelReply {
    let usage = Usage { input_tokens: 10, output_tokens: 10, ..Usage::default() };
    ModelReply { response: Message::text(Role::Assistant, text), usage, cost: None }
}

impl Service<ModelRequest> for ScriptedModel {
    type Response = ModelReply;
    type Error = HookError;
    type Future = Ready<Result<ModelReply, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ModelRequest) -> Self::Future {
        let answer = next(&self.0, request).unwrap_or_else(|| Ok(reply("")));
        ready(answer.map_err(HookError::unavailable))
    }
}

/// An approver that answers by a script. After the end of the script it returns an error.
#[derive(Clone, Debug)]
pub struct ScriptedApprover(Arc<Mutex<Script<ApprovalRequest, Approval>>>);

impl ScriptedApprover {
    /// An approver that gives these answers, in order.
    pub fn new(answers: impl IntoIterator<Item = Approval>) -> Self {
        Self(shared(answers))
    }

    /// Returns the questions, in order.
    pub fn requests(&self) -> Vec<ApprovalRequest> {
        requests(&self.0)
    }
}

impl Service<ApprovalRequest> for ScriptedApprover {
    type Response = Approval;
    type Error = HookError;
    type Future = Ready<Result<Approval, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, question: ApprovalRequest) -> Self::Future {
        ready(next(&self.0, question).ok_or_else(|| HookError::unavailable("nobody answered")))
    }
}

fn shared<Q, A>(answers: impl IntoIterator<Item = A>) -> Arc<Mutex<Script<Q, A>>> {
    Arc::new(Mutex::new(Script { answers: answers.into_iter().collect(), requests: Vec::new() }))
}

fn next<Q, A>(script: &Mutex<Script<Q, A>>, question: Q) -> Option<A> {
    let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
    script.requests.push(question);
    script.answers.pop_front()
}

fn requests<Q: Clone, A>(script: &Mutex<Script<Q, A>>) -> Vec<Q> {
    script.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
}

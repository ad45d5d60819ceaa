//! The service.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hooks_core::drivers::{Approver, NoApprover, ToolCall, ToolRequest, ToolResult};
use hooks_core::event::PreToolUse;
use hooks_core::{
    BoxError, DecidingEvent, Govern, HookContext, HookError, HookFuture, HookRequest, Judged, Live, Reason,
};
use serde_json::{Map, Value};
use tower::ServiceExt;
use tower_service::Service;

use super::answer::{Shape, answer};
use super::{McpSettings, list, resource};
use crate::message::{INVALID_PARAMS, McpReply, McpRequest};
use crate::names;
use crate::pins::OnChange;

/// Governs a service `S` that answers requests of MCP: that of a server, or that of a client's connection to one.
///
/// | request | treatment |
/// | --- | --- |
/// | `tools/call` | `pre_tool_use` before it and `post_tool_use` after it, under the name `mcp__SERVER__TOOL` |
/// | `resources/read` | the same, under `mcp__SERVER__resources/read` with `path` or `url` |
/// | `prompts/get` | the same, under `mcp__SERVER__prompts/get` |
/// | `tools/list` | tools that may not be used are left out, and descriptions are compared with their pins |
/// | others | forwarded; the answer is scrubbed, except that of `initialize`, `server/discover`, and of lists of prompts and resources |
///
/// A denied call is a result of the tool with `isError: true` and the reason, because MCP gives a model errors of that
/// kind only. A denied prompt or resource is an error with the code [`DENIED`](crate::DENIED). The service is always
/// ready; it drives the readiness of a clone of `S` after the request was allowed. It boxes one future per request.
#[derive(Clone, Debug)]
pub struct GovernMcp<S, A = NoApprover> {
    pub(super) inner: S,
    pub(super) hooks: Live,
    pub(super) context: Arc<HookContext>,
    pub(super) approver: A,
    pub(super) settings: Arc<McpSettings>,
}

impl<S, A> GovernMcp<S, A> {
    /// The service that is governed.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }
}

impl<S, A> Service<McpRequest> for GovernMcp<S, A>
where
    S: Service<McpRequest, Response = McpReply, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    A: Approver<Future: Send> + Clone + Send + 'static,
{
    type Response = McpReply;
    type Error = HookError;
    type Future = HookFuture<'static, Result<McpReply, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        let governed = self.clone();
        HookFuture::later(async move {
            match request.method() {
                "tools/call" => governed.run(request, Kind::Tool).await,
                "resources/read" => governed.run(request, Kind::Resource).await,
                "prompts/get" => governed.run(request, Kind::Prompt).await,
                "tools/list" => governed.list(request).await,
                _ => governed.forward(request).await,
            }
        })
    }
}

/// A call as the hooks judge it.
struct JudgedCall {
    call: ToolCall,
    /// The arguments that the server does not get.
    known: Map<String, Value>,
}

/// A kind of request that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tool,
    Resource,
    Prompt,
}

impl<S, A> GovernMcp<S, A>
where
    S: Service<McpRequest, Response = McpReply, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    A: Approver<Future: Send> + Clone + Send + 'static,
{
    /// Runs a request between the hooks before and after a tool.
    async fn run(self, mut request: McpRequest, kind: Kind) -> Result<McpReply, HookError> {
        let stateless = request.is_stateless();
        let call = match self.judged_call(&request, kind) {
            Ok(call) => call,
            Err(reason) => return Ok(McpReply::error(INVALID_PARAMS, reason)),
        };
        if let Some(why) = self.changed(&request, kind) {
            return Ok(super::answer::denial(kind, stateless, &why));
        }
        if kind == Kind::Tool && request.params().get("arguments").is_some_and(Value::is_null) {
            // Some clients send null for no arguments, and the hooks see an object.
            let mut params = request.params().clone();
            if let Some(fields) = params.as_object_mut() {
                fields.remove("arguments");
            }
            request.set_params(params);
        }
        if kind == Kind::Tool && self.is_judged_by_name(&request) {
            return self.forward_if_allowed(request, call.call).await;
        }
        let context = request.context().cloned().unwrap_or_else(|| Arc::clone(&self.context));
        let JudgedCall { call, known } = call;
        let shape = Arc::new(Mutex::new(Shape::default()));
        let executor = Executor {
            inner: self.inner,
            request,
            judged: call.args.clone(),
            known,
            kind,
            settings: Arc::clone(&self.settings),
            context: Arc::clone(&context),
            shape: Arc::clone(&shape),
        };
        let govern = Govern::new(self.hooks, executor).with_approver(self.approver);
        let governed = govern.oneshot(ToolRequest { context, call }).await?;
        let shape = std::mem::take(&mut *shape.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(answer(governed, shape, kind, stateless))
    }

    /// The call that the hooks judge; an error for parameters that programs could read in different ways.
    fn judged_call(&self, request: &McpRequest, kind: Kind) -> Result<JudgedCall, String> {
        let Value::Object(params) = request.params() else { return Err("`params` is missing".to_owned()) };
        if let Some(key) = params.keys().find(|key| names::is_odd_form(key, &names::PARAMETERS)) {
            return Err(format!("the key `{key}` could be read as another one"));
        }
        let text = |key: &str| match params.get(key) {
            Some(Value::String(text)) => Ok(text.as_str()),
            _ => Err(format!("`{key}` is not a string")),
        };
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err("`arguments` is not an object".to_owned()),
        };
        let mut known = Map::new();
        let call = match kind {
            Kind::Tool => {
                let name = text("name")?;
                if !names::is_plain(name) {
                    return Err(format!("`{}` is not a name of a tool", name.escape_debug()));
                }
                let mut judged = if self.is_judged_by_name(request) { Map::new() } else { arguments };
                if let Some(of_host) = &self.settings.known_arguments {
                    known = of_host(name, &judged);
                }
                judged.extend(known.clone());
                self.settings.call(name, judged.into())
            }
            Kind::Resource => self.settings.call("resources/read", resource::arguments(text("uri")?)?),
            Kind::Prompt => {
                let all =
                    [("name".to_owned(), text("name")?.into()), ("arguments".to_owned(), arguments.into())];
                self.settings.call("prompts/get", Map::from_iter(all).into())
            }
        };
        Ok(JudgedCall { call, known })
    }

    /// Whether policies judge the tool by its name only.
    fn is_judged_by_name(&self, request: &McpRequest) -> bool {
        let name = request.params().get("name").and_then(Value::as_str);
        name.is_some_and(|name| self.settings.judged_by_name.iter().any(|other| other == name))
    }

    /// Forwards a request unless a policy denies the call or asks about it. No other hook sees the call.
    async fn forward_if_allowed(self, request: McpRequest, call: ToolCall) -> Result<McpReply, HookError> {
        let context = request.context().cloned().unwrap_or_else(|| Arc::clone(&self.context));
        let judged = HookRequest::new(context, PreToolUse::new(call.name, call.args));
        let outcome = self.hooks.with(|hooks| PreToolUse::judge(hooks, &judged));
        if outcome.goes_ahead() {
            return self.forward(request).await;
        }
        let reason = outcome.text_for_agent().unwrap_or_else(|| "a policy denies the call".into());
        Ok(super::answer::denial(Kind::Tool, request.is_stateless(), &reason))
    }

    /// The reason to deny a call of a tool whose description changed.
    fn changed(&self, request: &McpRequest, kind: Kind) -> Option<String> {
        let name = request.params().get("name").and_then(Value::as_str)?;
        let denies = kind == Kind::Tool && self.settings.on_change == OnChange::Deny;
        (denies && self.settings.pins.is_changed(name)).then(|| {
            format!(
                "the description of the tool `{name}` changed after it was pinned; a person has to review it"
            )
        })
    }

    async fn list(mut self, request: McpRequest) -> Result<McpReply, HookError> {
        let context = request.context().cloned().unwrap_or_else(|| Arc::clone(&self.context));
        let mut reply = send(&mut self.inner, request).await?;
        let is_list = reply.body().is_ok();
        reply.change(|value| match is_list {
            true => list::filter(value, &self.hooks, &context, &self.settings),
            false => self.settings.scrub(value),
        });
        Ok(reply)
    }

    /// Forwards a request that is not judged, and scrubs the answer.
    async fn forward(mut self, request: McpRequest) -> Result<McpReply, HookError> {
        let method = request.method();
        let names_only = matches!(
            method,
            "initialize" | "server/discover" | "prompts/list" | "resources/list" | "resources/templates/list"
        );
        let mut reply = send(&mut self.inner, request).await?;
        if !names_only || reply.body().is_err() {
            reply.change(|value| self.settings.scrub(value));
        }
        Ok(reply)
    }
}

async fn send<S>(inner: &mut S, request: McpRequest) -> Result<McpReply, HookError>
where
    S: Service<McpRequest, Response = McpReply, Error: Into<BoxError>>,
{
    let failed = |error: S::Error| HookError::unavailable(error.into().to_string());
    inner.ready().await.map_err(failed)?.call(request).await.map_err(failed)
}

/// Sends one request to the server, with the arguments that the hooks left.
#[derive(Clone)]
struct Executor<S> {
    inner: S,
    request: McpRequest,
    /// The arguments that the hooks got.
    judged: Value,
    /// Those of them that the server does not get.
    known: Map<String, Value>,
    kind: Kind,
    settings: Arc<McpSettings>,
    context: Arc<HookContext>,
    shape: Arc<Mutex<Shape>>,
}

impl<S> Service<ToolCall> for Executor<S>
where
    S: Service<McpRequest, Response = McpReply, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
{
    type Response = ToolResult;
    type Error = HookError;
    type Future = HookFuture<'static, Result<ToolResult, HookError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx).map_err(|error| HookError::unavailable(error.into().to_string()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let spare = self.inner.clone();
        let mut this = self.clone();
        // The one that is ready.
        this.inner = std::mem::replace(&mut self.inner, spare);
        HookFuture::later(this.send(call))
    }
}

impl<S> Executor<S>
where
    S: Service<McpRequest, Response = McpReply, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
{
    async fn send(mut self, call: ToolCall) -> Result<ToolResult, HookError> {
        if call.args != self.judged
            && let Err(why) = rewrite(&mut self.request, self.kind, call.args.clone(), &self.known)
        {
            return Ok(self.refused(why));
        }
        if let Some(before) = &self.settings.before_call {
            let event = PreToolUse::new(call.name, call.args);
            if let Some(reason) = before(HookRequest::new(Arc::clone(&self.context), event)).await {
                return Ok(self.refused(Reason::for_agent(&reason).into_owned()));
            }
        }
        let reply = self.inner.call(self.request).await;
        let reply = reply.map_err(|error| HookError::unavailable(error.into().to_string()))?;
        let mut shape = self.shape.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(shape.take(reply))
    }

    /// The call is not sent.
    fn refused(&self, why: String) -> ToolResult {
        *self.shape.lock().unwrap_or_else(PoisonError::into_inner) = Shape::NotSent;
        ToolResult::failed(why)
    }
}

/// Puts the arguments that the hooks left into the request, without those that only the host knows.
fn rewrite(
    request: &mut McpRequest,
    kind: Kind,
    arguments: Value,
    known: &Map<String, Value>,
) -> Result<(), String> {
    let mut params = request.params().clone();
    let (Value::Object(fields), Value::Object(mut new)) = (&mut params, arguments) else {
        return Err("a hook replaced the arguments by a value that is not an object".to_owned());
    };
    for (key, value) in known {
        if new.remove(key).as_ref() != Some(value) {
            return Err(format!("a hook changed `{key}`, which is no argument of the tool"));
        }
    }
    match kind {
        Kind::Tool => {
            fields.insert("arguments".to_owned(), new.into());
        }
        Kind::Prompt => fields.extend(new),
        Kind::Resource => {
            return Err("a hook changed the resource of a read, which cannot be sent".to_owned());
        }
    }
    request.set_params(params);
    Ok(())
}

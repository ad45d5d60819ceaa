//! Squad's custom hooks beside the strict policies.
//!
//! Cases that Squad allows are denied here: an unknown action, a hook that fails, and a hook that returns
//! nothing.

use std::borrow::Cow;
use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{PostToolUse, PreToolUse, ResultRewrite};
use hooks_core::{
    DecideLayer, DeciderOutcome, Decision, FailureLayer, HookError, HookRequest, HooksBuilder, Reason,
    Settle, Transform, Verdict,
};
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use super::compat::call_of;
use crate::squad::{CustomPostHook, CustomPreHook};

/// Custom hook before tool calls, as a decider: its changes are judged by all policies.
///
/// The change of a hook is judged like any other call:
///
/// ```
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse};
/// use hooks_policies::CommandGuard;
/// use hooks_policies::profile::SquadHook;
/// use hooks_policies::squad::{JsError, PreResult, SquadCall};
/// use serde_json::json;
///
/// let force = |_: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
///     Ok(PreResult::modify(json!({"command": "git push --force"})))
/// };
/// let guard = CommandGuard::new(&Default::default(), &Default::default())?;
/// let hooks = SquadHook::new("force", force).add_to(Hooks::builder()).policy(guard).build();
/// # VirtualTime::default().block_on(async {
/// let push = PreToolUse::new("bash", json!({"command": "git push"}));
/// let decided = hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(push).await;
/// assert_eq!(decided.outcome.shown_reason().map(|reason| &*reason.policy), Some("command-guard"));
/// # }).expect("no hook waits");
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
pub struct SquadHook<H> {
    name: Arc<str>,
    hook: Arc<H>,
}

impl<H: CustomPreHook + 'static> SquadHook<H> {
    /// Creates a hook with the name that its reasons give.
    pub fn new(name: impl Into<Arc<str>>, hook: H) -> Self {
        Self { name: name.into(), hook: Arc::new(hook) }
    }

    /// Adds the hook to a set; its failures deny.
    pub fn add_to(self, builder: HooksBuilder) -> HooksBuilder {
        let guard = FailureLayer::new(Arc::clone(&self.name));
        builder.stack(&guard, DecideLayer::new(self).layer(Settle))
    }

    fn ask(&self, request: &HookRequest<PreToolUse>) -> Result<DeciderOutcome<PreToolUse>, HookError> {
        let event = request.event();
        let mut call = call_of(&event.tool_name, &event.tool_args, request.context());
        let answer = self.hook.call(&mut call).map_err(HookError::other)?.0;
        let text = |field: &str| answer.get(field).and_then(Value::as_str);
        let replaced = answer.get("modifiedArguments").filter(|arguments| arguments.is_object());
        let changed = match (text("action"), call.arguments) {
            (Some("modify"), _) if replaced.is_some() => replaced.cloned(),
            (_, Cow::Owned(arguments)) => Some(arguments),
            _ => None,
        };
        let outcome = match text("action") {
            Some("allow" | "modify") => Decision::default(),
            Some("block") => {
                let message = text("reason").unwrap_or("the hook blocked the call and gave no reason");
                self.denial("block", message.to_owned())
            }
            action => {
                let action = action.unwrap_or("none");
                self.denial("unknown-action", format!("the hook answered with the unknown action `{action}`"))
            }
        };
        let decider_outcome = DeciderOutcome::new(outcome);
        Ok(match changed.filter(|arguments| *arguments != event.tool_args) {
            Some(arguments) => decider_outcome.rewriting(arguments),
            None => decider_outcome,
        })
    }

    fn denial(&self, rule: &'static str, message: String) -> Decision<PreToolUse> {
        let reason = Reason::new(self.name.as_ref().to_owned(), rule, message);
        Decision::from(Verdict::deny(reason.unless("change the hook, or what it objects to")))
    }
}

impl<H: CustomPreHook + 'static> Service<HookRequest<PreToolUse>> for SquadHook<H> {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = Ready<Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        ready(self.ask(&request))
    }
}

impl<H> Clone for SquadHook<H> {
    fn clone(&self) -> Self {
        Self { name: Arc::clone(&self.name), hook: Arc::clone(&self.hook) }
    }
}

impl<H> fmt::Debug for SquadHook<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SquadHook").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Custom hook after tool calls, as a transform. A result that it leaves out becomes null.
///
/// ```
/// use hooks_core::event::{PostToolUse, PreToolUse};
/// use hooks_core::{HookContext, HookRequest, Transform};
/// use hooks_policies::profile::SquadResultHook;
/// use hooks_policies::squad::{JsError, SquadCall};
/// use serde_json::{Value, json};
///
/// let count = |_: &mut SquadCall<'_>, result: Option<Value>| -> Result<Option<Value>, JsError> {
///     Ok(result.map(|lines| json!(lines.as_array().map_or(0, Vec::len))))
/// };
/// let event = PostToolUse::after(&PreToolUse::new("grep", json!({})), json!(["a", "b"]), None, 4);
/// let request = HookRequest::new(HookContext::new("session-1", "backend"), event);
/// assert_eq!(SquadResultHook::new("count", count).transform(&request)?, Some(json!(2).into()));
/// # Ok::<(), hooks_core::HookError>(())
/// ```
pub struct SquadResultHook<H> {
    name: Arc<str>,
    hook: H,
}

impl<H: CustomPostHook> SquadResultHook<H> {
    /// Creates a hook with the name that reports give.
    pub fn new(name: impl Into<Arc<str>>, hook: H) -> Self {
        Self { name: name.into(), hook }
    }
}

impl<H: CustomPostHook> Transform<PostToolUse> for SquadResultHook<H> {
    fn name(&self) -> &str {
        &self.name
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let event = request.event();
        let mut call = call_of(&event.tool_name, &event.tool_args, request.context());
        let result = self.hook.call(&mut call, Some(event.tool_result.clone())).map_err(HookError::other)?;
        let result = result.unwrap_or_default();
        Ok((result != event.tool_result).then(|| result.into()))
    }
}

impl<H> fmt::Debug for SquadResultHook<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SquadResultHook").field("name", &self.name).finish_non_exhaustive()
    }
}

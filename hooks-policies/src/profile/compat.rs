//! Squad's pipeline as one hook before tool calls and one transform after them.

use std::borrow::Cow;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{PostToolUse, PreToolUse, ResultRewrite, SessionEnd};
use hooks_core::{
    Decision, FailureLayer, HookContext, HookError, HookRequest, HooksBuilder, HooksConfig, Judged, Observer,
    Reason, Stage, Transform, Verdict,
};
use serde_json::Value;
use tower_service::Service;

use crate::squad::{Blocker, SquadCall, SquadDecision, SquadPipeline};

const NAME: &str = "squad-compat";

/// Squad's pipeline in a stack: decides before tool calls and scrubs after them, exactly as Squad does.
///
/// The pipeline answers once per call, when the event is prepared or judged alone. It does not judge again
/// after other hooks rewrite the event, and does not give a counted question back. If a run fails, the hook
/// fails, which a [`FailureLayer`] makes a denial. Arguments that a custom hook changes in place reach the
/// caller; arguments that it replaces do not. A result that a hook leaves out becomes null. The text of an
/// error, which Squad does not pass to its hooks, stays unchanged.
#[derive(Clone)]
pub struct SquadCompat {
    pipeline: Arc<SquadPipeline>,
}

impl SquadCompat {
    /// Creates a hook that runs `pipeline` with the custom hooks that were added to it.
    pub fn new(pipeline: Arc<SquadPipeline>) -> Self {
        Self { pipeline }
    }

    /// Returns the pipeline, whose lockout registry may be changed.
    pub fn pipeline(&self) -> &SquadPipeline {
        &self.pipeline
    }

    fn decide(&self, mut request: HookRequest<PreToolUse>) -> Result<Decision<PreToolUse>, HookError> {
        if request.stage() == Stage::Judge {
            return Ok(Decision::default());
        }
        let (decision, changed) = {
            let event = request.event();
            let mut call = call_of(&event.tool_name, &event.tool_args, request.context());
            let decision = self.pipeline.pre(&mut call).map_err(HookError::other)?;
            let changed = match call.arguments {
                Cow::Owned(arguments) if arguments != event.tool_args => Some(arguments),
                _ => None,
            };
            (decision, changed)
        };
        if let Some(arguments) = changed {
            request.rewrite(arguments);
        }
        let mut outcome = match decision {
            SquadDecision::Allow => Decision::allow(),
            SquadDecision::Block(block) => {
                let message = block.reason().unwrap_or("a custom hook blocked the call and gave no reason");
                Decision::from(Verdict::deny(Reason::new(NAME, rule_of(block.by), message)))
            }
        };
        outcome.settle(&request);
        Ok(outcome)
    }
}

impl Transform<PostToolUse> for SquadCompat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let event = request.event();
        let mut call = call_of(&event.tool_name, &event.tool_args, request.context());
        let result =
            self.pipeline.post(&mut call, Some(event.tool_result.clone())).map_err(HookError::other)?;
        let result = result.unwrap_or_default();
        Ok((result != event.tool_result).then(|| result.into()))
    }
}

impl Observer<SessionEnd> for SquadCompat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<SessionEnd>, _outcome: &()) {
        self.pipeline.end_session(&request.context().session_id);
    }
}

impl HooksConfig for SquadCompat {
    type Error = Infallible;

    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), Infallible> {
        builder.add_transform(self.clone());
        builder.add_extension(Arc::clone(&self.pipeline));
        *builder = std::mem::take(builder)
            .listener::<SessionEnd>(self.clone())
            .stack(&FailureLayer::new(NAME), self);
        Ok(())
    }
}

impl Service<HookRequest<PreToolUse>> for SquadCompat {
    type Response = Decision<PreToolUse>;
    type Error = HookError;
    type Future = Ready<Result<Self::Response, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        ready(self.decide(request))
    }
}

impl std::fmt::Debug for SquadCompat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SquadCompat")
    }
}

/// Converts a call to the form that Squad's hooks take.
pub(super) fn call_of<'a>(tool: &'a str, arguments: &'a Value, context: &'a HookContext) -> SquadCall<'a> {
    SquadCall::new(tool, arguments, &context.agent_name, &context.session_id)
}

fn rule_of(by: Blocker) -> Cow<'static, str> {
    match by {
        Blocker::WriteGuard => "write-guard".into(),
        Blocker::Shell => "shell".into(),
        Blocker::AskLimit => "ask-limit".into(),
        Blocker::Lockout => "lockout".into(),
        Blocker::Custom(place) => format!("custom-{place}").into(),
    }
}

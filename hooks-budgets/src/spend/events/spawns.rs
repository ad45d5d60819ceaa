//! Denies further agents while a budget is nearly used up.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{PreToolUse, SpawnRewrite, SubagentStart};
use hooks_core::{DeciderOutcome, HookContext, HookError, HookFuture, HookRequest, Reason, Stage, Verdict};
use hooks_facts::calls::CallReader;
use hooks_facts::tools::{AgentArguments, ToolKind, agent_arguments, with_agent_model};
use tower_service::Service;

use super::super::advice::{cheaper, pause};
use super::super::budget::SpendBudget;
use super::super::watch::SpendNotice;

/// Denies the start of agents beyond the threshold `pause_spawns`. Beyond the threshold `cheaper`, a child gets
/// the cheaper model, as a model call does.
#[derive(Clone, Debug)]
pub(super) struct Pauses {
    pub(super) budget: SpendBudget,
    pub(super) reader: CallReader,
}

impl Pauses {
    /// Returns the reason why `context` may start no agents, neither for itself nor for `child`.
    async fn reason(
        budget: SpendBudget,
        context: Arc<HookContext>,
        child: Option<String>,
    ) -> Result<Option<Reason>, HookError> {
        let own = pause(&budget, &context).await.map_err(HookError::other)?;
        let Some(child) = child.filter(|child| own.is_none() && *child != context.agent_name) else {
            return Ok(own);
        };
        let mut context = HookContext::clone(&context);
        context.agent_name = child;
        pause(&budget, &context).await.map_err(HookError::other)
    }

    /// Returns the cheaper model in place of the `model` of a child, and reports it to the watch.
    async fn instead(
        budget: &SpendBudget,
        context: &Arc<HookContext>,
        child: Option<String>,
        model: String,
    ) -> Result<Option<String>, HookError> {
        let mut of_child = HookContext::clone(context);
        if let Some(child) = child {
            of_child.agent_name = child;
        }
        let instead = cheaper(budget, &of_child, &model).await.map_err(HookError::other)?;
        if let (Some(watch), Some(instead)) = (&budget.watch, &instead) {
            watch.tell(context, SpendNotice::Cheaper { model, instead: instead.clone() }).await;
        }
        Ok(instead)
    }
}

impl Service<HookRequest<SubagentStart>> for Pauses {
    type Response = DeciderOutcome<SubagentStart>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<SubagentStart>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<SubagentStart>) -> Self::Future {
        let (budget, context) = (self.budget.clone(), Arc::clone(request.context()));
        let child = request.event().agent_name.clone();
        // The final event must not be changed.
        let model = request.event().model.clone().filter(|_| request.stage() != Stage::Judge);
        HookFuture::later(async move {
            if let Some(reason) =
                Self::reason(budget.clone(), Arc::clone(&context), Some(child.clone())).await?
            {
                return Ok(DeciderOutcome::new(Verdict::deny(reason)));
            }
            let outcome = DeciderOutcome::new(Verdict::NO_OPINION);
            let Some(model) = model else { return Ok(outcome) };
            Ok(match Self::instead(&budget, &context, Some(child), model).await? {
                Some(instead) => outcome.rewriting(SpawnRewrite { model: Some(instead), task: None }),
                None => outcome,
            })
        })
    }
}

/// For clients that send no event before an agent starts, but use a tool to start it.
impl Service<HookRequest<PreToolUse>> for Pauses {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        if self.reader.read(&request).kind() != ToolKind::SpawnAgent {
            return HookFuture::now(Ok(DeciderOutcome::new(Verdict::NO_OPINION)));
        }
        let (budget, context) = (self.budget.clone(), Arc::clone(request.context()));
        // The final event must not be changed.
        let arguments = (request.stage() != Stage::Judge).then(|| request.event().tool_args.clone());
        HookFuture::later(async move {
            if let Some(reason) = Self::reason(budget.clone(), Arc::clone(&context), None).await? {
                return Ok(DeciderOutcome::new(Verdict::deny(reason)));
            }
            let outcome = DeciderOutcome::new(Verdict::NO_OPINION);
            let Some(arguments) = arguments else { return Ok(outcome) };
            let AgentArguments { agent, model, .. } = agent_arguments(&arguments);
            let (Some(model), child) = (model, agent.map(str::to_owned)) else { return Ok(outcome) };
            let instead = Self::instead(&budget, &context, child, model.to_owned()).await?;
            let changed = instead.and_then(|instead| with_agent_model(&arguments, &instead));
            Ok(match changed {
                Some(arguments) => outcome.rewriting(arguments),
                None => outcome,
            })
        })
    }
}

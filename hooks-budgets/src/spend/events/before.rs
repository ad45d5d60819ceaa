//! Hooks before a model call: the actions of the thresholds, and the reservation.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{BeforeModelCall, ModelRewrite};
use hooks_core::state::OpId;
use hooks_core::{
    DeciderOutcome, Gate, HookError, HookFuture, HookRequest, Outcome, Reason, Reservation, Reserve, Stage,
    Verdict,
};
use tower_service::Service;

use super::super::budget::{CallSize, SpendBudget};
use super::super::estimate::estimated_tokens;
use super::super::limit::FOLDER;
use super::super::refusal::{NAME, SpendRefusal};
use super::super::watch::SpendNotice;
use crate::place::fresh_id;

/// Warns, switches to a cheaper model, or asks the user.
#[derive(Clone, Debug)]
pub(super) struct Advises(pub(super) SpendBudget);

impl Service<HookRequest<BeforeModelCall>> for Advises {
    type Response = DeciderOutcome<BeforeModelCall>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<BeforeModelCall>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<BeforeModelCall>) -> Self::Future {
        let budget = self.0.clone();
        HookFuture::later(async move {
            let (context, model) = (request.context(), &request.event().model);
            let advice = budget.advice(context, model).await.map_err(HookError::other)?;
            let verdict = match advice.ask {
                Some(reason) => Verdict::ask(reason),
                None => Verdict::NO_OPINION,
            };
            let mut outcome = Gate::from(verdict);
            for warning in advice.warnings {
                // A note without an opinion, which also stays if the event is rewritten.
                outcome.merge(Gate::failed(Reason::new(NAME, "warn", warning), false));
            }
            let mut decider_outcome = DeciderOutcome::new(outcome);
            // The final event must not be changed.
            if request.stage() == Stage::Judge {
                return Ok(decider_outcome);
            }
            if let Some(instead) = advice.cheaper {
                if let Some(watch) = &budget.watch {
                    let notice = SpendNotice::Cheaper { model: model.clone(), instead: instead.clone() };
                    watch.tell(context, notice).await;
                }
                decider_outcome =
                    decider_outcome.rewriting(ModelRewrite { model: Some(instead), messages: None });
            }
            Ok(decider_outcome)
        })
    }
}

/// Reserves the possible cost of the call.
#[derive(Clone, Debug)]
pub(super) struct Holds(pub(super) SpendBudget);

impl Reserve<BeforeModelCall> for Holds {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<BeforeModelCall>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let (budget, context, event) = (self.0.clone(), Arc::clone(request.context()), request.event());
        let size = CallSize::new(Arc::clone(&context), &*event.model, estimated_tokens(&event.messages));
        let iteration = event.iteration;
        let id = match &context.call_id {
            Some(call) => call_id(&context, call),
            None => fresh_id(FOLDER, &context),
        };
        HookFuture::later(async move {
            match budget.hold_told(&size, iteration, id).await {
                Ok(hold) if hold.open => Ok(Reservation::Held(Box::new(hold))),
                // The same call was reported before: the first report gives the reservation back.
                Ok(_) => Ok(Reservation::NotNeeded),
                Err(SpendRefusal::Refused(reason)) => Ok(Reservation::Refused(*reason)),
                Err(SpendRefusal::Store(error)) => Err(HookError::other(error)),
            }
        })
    }
}

/// Returns the id of the reservation of a call to which its client gave an id.
pub(in crate::spend) fn call_id(context: &hooks_core::HookContext, call: &str) -> OpId {
    OpId::from_parts(&[
        "spend",
        context.tenant.as_deref().unwrap_or_default(),
        &context.session_id,
        "call",
        call,
    ])
}

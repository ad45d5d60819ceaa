//! Denies tools, prompts and agents once a budget is used up.
//!
//! A host that announces its model calls is refused the next call, so its budgets are rarely used up exactly.
//! A client that does not can only be stopped here: each of these events leads to another model call.

use std::task::{Context, Poll};

use hooks_core::state::StoreError;
use hooks_core::{
    DeciderOutcome, DecidingEvent, HookContext, HookError, HookFuture, HookRequest, Judged, Reason, Verdict,
};
use tower_service::Service;

use super::super::advice::used;
use super::super::budget::SpendBudget;
use super::super::limit::{SpendUnit, counters};
use super::super::refusal::{unknown_price, used_up};
use super::super::report::metered;

/// Denies what leads to a model call that no budget is left for. Reserved amounts do not count, since they may
/// be given back.
#[derive(Clone, Debug)]
pub(super) struct UsedUp(pub(super) SpendBudget);

impl<E> Service<HookRequest<E>> for UsedUp
where
    E: DecidingEvent<Outcome: Judged<E>>,
{
    type Response = DeciderOutcome<E>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<E>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let budget = self.0.clone();
        HookFuture::later(async move {
            let reason = reason(&budget, request.context()).await.map_err(HookError::other)?;
            Ok(DeciderOutcome::new(reason.map_or(Verdict::NO_OPINION, Verdict::deny)))
        })
    }
}

/// Returns the first budget that is used up, or a model without a price that a budget of money applies to.
async fn reason(budget: &SpendBudget, context: &HookContext) -> Result<Option<Reason>, StoreError> {
    let store = budget.store.for_context(context);
    let models = metered(&*store, context).await?;
    let root = budget.root(context).await?;
    let rules = &budget.rules;
    for model in models.iter().map(Some).chain([None]) {
        // Money was counted if the host stated the cost.
        let is_unpriced = model.is_some_and(|(_, (spent, _))| spent.usd.is_none());
        let model = model.map(|(model, _)| model.as_str());
        let who = rules.who(context, &root, model);
        for unit in SpendUnit::ALL {
            let counters = counters(&rules.limits, unit, &who);
            if let (SpendUnit::Usd, false, Some(model)) = (unit, counters.is_empty(), model)
                && is_unpriced
                && rules.prices.get(model, budget.now(context)).is_none()
            {
                let begins = rules.prices.begins(model).map(|begins| begins.to_string());
                return Ok(Some(unknown_price(model, begins)));
            }
            for counter in counters {
                let (used, held) = used(&*store, &counter.scope).await?;
                let spent = used.saturating_sub(held);
                if spent >= counter.scope.limit {
                    return Ok(Some(used_up(&counter, spent)));
                }
            }
        }
    }
    Ok(None)
}

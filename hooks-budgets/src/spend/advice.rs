//! Actions before a limit is reached.

use std::sync::Arc;

use hooks_core::state::{Op, Scope, StateStore, StepResult, StoreError};
use hooks_core::{HookContext, Reason};

use super::budget::SpendBudget;
use super::limit::{Counter, SpendUnit, counters};
use super::refusal::{paused, question, warning};
use super::threshold_mark::ThresholdMark;
use super::watch::SpendNotice;

/// Advice on a call that a budget has room for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// Model to use instead.
    pub cheaper: Option<String>,
    /// Reason to ask the user for approval of the call.
    pub ask: Option<Reason>,
    /// Warnings that were given now for the first time.
    pub warnings: Vec<String>,
}

impl Advice {
    pub(super) async fn for_call(
        budget: &SpendBudget,
        context: &Arc<HookContext>,
        model: &str,
    ) -> Result<Self, StoreError> {
        let (rules, store) = (&budget.rules, budget.store.for_context(context));
        let thresholds = rules.thresholds;
        let mut advice = Self::default();
        for (counter, used) in charged(budget, &*store, context, Some(model)).await? {
            if counter.is_at(thresholds.warn, used)
                && ThresholdMark::warned(&counter, thresholds.warn).say(&*store, context).await?
            {
                advice.warnings.push(warning(&counter, used));
            }
            if counter.is_at(thresholds.cheaper, used) {
                advice.cheaper = rules.cheaper.get(model).cloned();
            }
            if advice.ask.is_none()
                && counter.is_at(thresholds.ask, used)
                && !ThresholdMark::approved(&counter, thresholds.ask).is_said(&*store, context).await?
            {
                advice.ask = Some(question(&counter, used));
            }
        }
        if let Some(watch) = &budget.watch {
            for warning in &advice.warnings {
                watch.tell(context, SpendNotice::Warning(warning.clone())).await;
            }
        }
        Ok(advice)
    }
}

/// Returns the reason to start no further agents in `context`, if a budget is nearly used up.
pub(super) async fn pause(budget: &SpendBudget, context: &HookContext) -> Result<Option<Reason>, StoreError> {
    let percent = budget.rules.thresholds.pause_spawns;
    let charged = charged(budget, &*budget.store.for_context(context), context, None).await?;
    let reached = charged.iter().find(|(counter, used)| counter.is_at(percent, *used));
    Ok(reached.map(|(counter, used)| paused(counter, *used)))
}

/// Returns the cheaper model for a child of `context`, if a budget has reached its threshold.
pub(super) async fn cheaper(
    budget: &SpendBudget,
    context: &HookContext,
    model: &str,
) -> Result<Option<String>, StoreError> {
    let Some(instead) = budget.rules.cheaper.get(model) else { return Ok(None) };
    let percent = budget.rules.thresholds.cheaper;
    let charged = charged(budget, &*budget.store.for_context(context), context, Some(model)).await?;
    let is_reached = charged.iter().any(|(counter, used)| counter.is_at(percent, *used));
    Ok(is_reached.then(|| instead.clone()))
}

/// Stores that the user approved spending beyond the threshold, for the current window. Returns the budgets
/// for which that is new.
pub(super) async fn approve(
    budget: &SpendBudget,
    context: &HookContext,
    model: &str,
) -> Result<Vec<String>, StoreError> {
    let (store, mut approved) = (budget.store.for_context(context), Vec::new());
    for (counter, used) in charged(budget, &*store, context, Some(model)).await? {
        let percent = budget.rules.thresholds.ask;
        let is_asked = counter.is_at(percent, used);
        if is_asked && ThresholdMark::approved(&counter, percent).say(&*store, context).await? {
            approved.push(counter.to_string());
        }
    }
    Ok(approved)
}

/// Returns the amounts charged to the counters of a call.
pub(super) async fn charged(
    budget: &SpendBudget,
    store: &dyn StateStore,
    context: &HookContext,
    model: Option<&str>,
) -> Result<Vec<(Counter, u64)>, StoreError> {
    let root = budget.root(context).await?;
    let mut charged = Vec::new();
    for unit in SpendUnit::ALL {
        for counter in counters(&budget.rules.limits, unit, &budget.rules.who(context, &root, model)) {
            let (used, _) = used(store, &counter.scope).await?;
            charged.push((counter, used));
        }
    }
    Ok(charged)
}

/// Returns the amount charged to a counter, and the part of it that is reserved.
pub(super) async fn used(store: &dyn StateStore, scope: &Scope) -> Result<(u64, u64), StoreError> {
    let op = Op::Used { key: scope.key.clone(), window: scope.window };
    match store.apply(op).await? {
        StepResult::Used { used, held } => Ok((used, held)),
        other => Err(bad(&other)),
    }
}

pub(super) fn bad(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which does not fit the operation"))
}

//! What is done before a limit is reached.

use std::sync::Arc;

use hooks_core::state::{Answer, Key, Member, Op, Scope, StateStore, StoreError};
use hooks_core::time::Timestamp;
use hooks_core::{HookContext, Reason};

use super::budget::SpendBudget;
use super::limit::{Counter, FOLDER, SpendUnit, counters, said};
use super::refusal::{paused, question, warning};
use super::watch::SpendNotice;
use crate::place::fresh_id;

/// What was said of a threshold is remembered as long as the longest window.
const REMEMBERED: std::time::Duration = std::time::Duration::from_secs(31 * 24 * 60 * 60);

/// What is to be done about a call that a budget has room for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// Use this model instead.
    pub cheaper: Option<String>,
    /// Have a person approve it, for this reason.
    pub ask: Option<Reason>,
    /// What was said now for the first time.
    pub warnings: Vec<String>,
}

impl Advice {
    pub(super) async fn of(
        budget: &SpendBudget,
        context: &Arc<HookContext>,
        model: &str,
    ) -> Result<Self, StoreError> {
        let (rules, store) = (&budget.rules, budget.store.of(context));
        let thresholds = rules.thresholds;
        let mut advice = Self::default();
        for (counter, used) in charged(budget, &*store, context, Some(model)).await? {
            if counter.is_at(thresholds.warn, used) && is_new(&*store, context, &counter, "warned").await? {
                advice.warnings.push(warning(&counter, used));
            }
            if counter.is_at(thresholds.cheaper, used) {
                advice.cheaper = rules.cheaper.get(model).cloned();
            }
            if advice.ask.is_none()
                && counter.is_at(thresholds.ask, used)
                && !is_approved(&*store, context, &counter).await?
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

/// Why no further agents are started in `context`, where a budget is that near to its end.
pub(super) async fn pause(budget: &SpendBudget, context: &HookContext) -> Result<Option<Reason>, StoreError> {
    let percent = budget.rules.thresholds.pause_spawns;
    let charged = charged(budget, &*budget.store.of(context), context, None).await?;
    let reached = charged.iter().find(|(counter, used)| counter.is_at(percent, *used));
    Ok(reached.map(|(counter, used)| paused(counter, *used)))
}

/// Remembers that a person approved what is spent beyond the threshold.
pub(super) async fn approve(
    budget: &SpendBudget,
    context: &HookContext,
    model: &str,
) -> Result<(), StoreError> {
    let store = budget.store.of(context);
    for (counter, used) in charged(budget, &*store, context, Some(model)).await? {
        if counter.is_at(budget.rules.thresholds.ask, used) {
            is_new(&*store, context, &counter, APPROVED).await?;
        }
    }
    Ok(())
}

const APPROVED: &str = "approved";

/// What is charged to the counters that a call draws on.
pub(super) async fn charged(
    budget: &SpendBudget,
    store: &dyn StateStore,
    context: &HookContext,
    model: Option<&str>,
) -> Result<Vec<(Counter, u64)>, StoreError> {
    let mut charged = Vec::new();
    for unit in SpendUnit::ALL {
        for counter in counters(&budget.rules.limits, unit, &budget.rules.who(context, model)) {
            let (used, _) = used(store, &counter.scope).await?;
            charged.push((counter, used));
        }
    }
    Ok(charged)
}

/// What is charged to a counter, and what of it is held.
pub(super) async fn used(store: &dyn StateStore, scope: &Scope) -> Result<(u64, u64), StoreError> {
    let op = Op::Used { key: scope.key.clone(), window: scope.window };
    match store.apply(op).await? {
        Answer::Used { used, held } => Ok((used, held)),
        other => Err(bad(&other)),
    }
}

/// Whether a counter reaches a threshold for the first time in its window; from here on it is not.
async fn is_new(
    store: &dyn StateStore,
    context: &HookContext,
    counter: &Counter,
    what: &str,
) -> Result<bool, StoreError> {
    let set = said(context, what);
    let (members, now) = members(store, &set).await?;
    let name = in_window(counter, now);
    if is_there(&members, &name, now) {
        return Ok(false);
    }
    let (id, note) = (fresh_id(FOLDER, context), Arc::from(context.agent_name.as_str()));
    match store.apply(Op::Insert { id, set, name: name.into(), note, ttl: Some(REMEMBERED) }).await? {
        Answer::Done => Ok(true),
        Answer::Present(_) => Ok(false),
        other => Err(bad(&other)),
    }
}

async fn is_approved(
    store: &dyn StateStore,
    context: &HookContext,
    counter: &Counter,
) -> Result<bool, StoreError> {
    let (members, now) = members(store, &said(context, APPROVED)).await?;
    Ok(is_there(&members, &in_window(counter, now), now))
}

async fn members(store: &dyn StateStore, set: &Key) -> Result<(Vec<Member>, Timestamp), StoreError> {
    match store.apply(Op::Members { set: set.clone() }).await? {
        Answer::Members { members, now } => Ok((members, now)),
        other => Err(bad(&other)),
    }
}

fn is_there(members: &[Member], name: &str, now: Timestamp) -> bool {
    members.iter().any(|member| *member.name == *name && !member.is_over(now))
}

/// A counter in its present window.
fn in_window(counter: &Counter, now: Timestamp) -> String {
    format!("{}#{}", counter.scope.key, counter.scope.window.number(now))
}

pub(super) fn bad(answer: &Answer) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which is none to what was asked"))
}

//! Hook after a model call, which settles the call with its real cost.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{AfterModelCall, Usage};
use hooks_core::state::{StateStore, StoreError, Window};
use hooks_core::{Gate, HookContext, HookError, HookFuture, HookRequest, Stage};
use tower_service::Service;

use super::super::budget::{MOST_TAKEN_UP, SpendBudget};
use super::super::config::UnansweredCharge;
use super::super::estimate::estimated_tokens;
use super::super::hold::{Charge, Used, charge};
use super::super::limit::{FOLDER, SpendUnit, counters, meter, scopes};
use super::super::meter::is_empty;
use super::super::open_calls::{OpenCall, Sought, part_id};
use super::super::price::ModelPrice;
use super::call_id;
use crate::place::{again, fresh_id};

/// Settles reservations.
#[derive(Clone, Debug)]
pub(super) struct Settles(pub(super) SpendBudget);

impl Service<HookRequest<AfterModelCall>> for Settles {
    type Response = Gate<AfterModelCall>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Gate<AfterModelCall>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<AfterModelCall>) -> Self::Future {
        if request.stage() == Stage::Judge {
            return HookFuture::now(Ok(Gate::default()));
        }
        let budget = self.0.clone();
        HookFuture::later(async move {
            settle(&budget, request.context(), request.event()).await.map_err(HookError::other)?;
            Ok(Gate::default())
        })
    }
}

async fn settle(
    budget: &SpendBudget,
    context: &Arc<HookContext>,
    event: &AfterModelCall,
) -> Result<(), StoreError> {
    let store = budget.store.for_context(context);
    let sought = Sought {
        call: context.call_id.as_deref(),
        agent: &context.agent_name,
        model: Some(&event.model),
        iteration: Some(event.iteration),
    };
    let used = Used::tokens(event.usage).costing(event.cost);
    let listed = budget.rules.prices.get(&event.model, budget.now(context));
    let open = if event.unannounced { None } else { OpenCall::find(&*store, context, sought).await? };
    let Some((entry, open)) = open else {
        let price = listed.map(|listed| listed.price);
        return charge_unheld(budget, &*store, context, event, price).await;
    };
    let root = budget.root(context).await?;
    let input_tokens = open.input_tokens;
    // If another model answered and has no price, the price of the requested model applies.
    let listed = listed.or_else(|| budget.rules.prices.get(&open.model, budget.now(context)));
    let price = listed.map(|listed| listed.price);
    let (price_or_none, at) = (price.unwrap_or_default(), (&**context, &*root));
    let mut hold = open.into_hold(entry.id, price_or_none, &budget.rules, store, at);
    if event.usage.total() == 0 && event.cost.is_none() {
        if is_empty(&event.response) {
            match budget.rules.hold.unanswered {
                UnansweredCharge::Nothing => hold.sent(),
                // The usage is unknown and the answer is empty: the call may have used the whole reserved
                // amount.
                UnansweredCharge::Input | UnansweredCharge::Held => hold.used(Used::default()),
            }
        } else {
            // The usage is unknown: the answer is used for an estimate, which is never less than the reserved
            // amount.
            let output_tokens = estimated_tokens(std::slice::from_ref(&event.response));
            hold.used_or_held(Used::tokens(Usage { input_tokens, output_tokens, ..Usage::default() }));
        }
    } else if price.is_none() && event.cost.is_none() {
        hold.charge = Charge::Tokens(event.usage.total());
    } else {
        hold.used(used);
    }
    hold.end().await
}

/// Charges a call without a reservation: one that was not announced, that another set of hooks allowed, or
/// whose reservation was given back. The charge may exceed a limit; after that, no further call is allowed.
///
/// The time of a call that was not announced can be long ago, such as that of a session which was resumed. It is
/// not charged to the window of today, and the window of its day is over.
async fn charge_unheld(
    budget: &SpendBudget,
    store: &dyn StateStore,
    context: &HookContext,
    event: &AfterModelCall,
    price: Option<ModelPrice>,
) -> Result<(), StoreError> {
    let (model, used) = (&*event.model, Used::tokens(event.usage).costing(event.cost));
    let mut id = match &context.call_id {
        Some(call) => call_id(context, call),
        None => fresh_id(FOLDER, context),
    };
    let root = budget.root(context).await?;
    let now = budget.now(context);
    let is_over = |window: Window| {
        event.unannounced && window.number(context.timestamp) < window.number(now) && context.timestamp.0 > 0
    };
    for unit in SpendUnit::ALL {
        let actual = match unit {
            SpendUnit::Usd => used.cost.or_else(|| Some(price?.cost_of(&used.usage))).unwrap_or_default().0,
            SpendUnit::Tokens => used.usage.total(),
        };
        let who = budget.rules.who(context, &root, Some(model));
        let mut counters = counters(&budget.rules.limits, unit, &who);
        counters.retain(|counter| !is_over(counter.scope.window));
        // Without a price, the tokens show that the model was called.
        let counts = budget.rules.counts(unit) || price.is_none() && event.unannounced;
        if actual == 0 || counters.is_empty() && !counts {
            continue;
        }
        let scopes = scopes(&counters, meter(context, model, unit));
        for _ in 0..MOST_TAKEN_UP {
            match charge(store, part_id(id, unit), &scopes, actual, budget.rules.hold.expires).await? {
                // The reservation under this id was given back.
                Some(0) => id = again(id),
                _ => break,
            }
        }
    }
    Ok(())
}

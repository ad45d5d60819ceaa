//! Hooks on failed model calls and on the end of a session.

use std::task::{Context, Poll};

use hooks_core::event::{ErrorOccurred, ErrorType, SessionEnd};
use hooks_core::{HookError, HookFuture, HookRequest, Recovery};
use tower_service::Service;

use super::super::budget::SpendBudget;
use super::super::open_calls::{OpenCall, Sought};
use super::super::watch::SpendNotice;

/// Ends the reservation of a failed call, and reports the spending of a session.
#[derive(Clone, Debug)]
pub(super) struct Ends(pub(super) SpendBudget);

impl Service<HookRequest<ErrorOccurred>> for Ends {
    type Response = Recovery;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Recovery, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<ErrorOccurred>) -> Self::Future {
        // An event without a model has no reservation.
        let event = request.event();
        if event.error_type == ErrorType::Tool || event.current_model.is_none() {
            return HookFuture::now(Ok(Recovery::default()));
        }
        let budget = self.0.clone();
        HookFuture::later(async move {
            let (context, event) = (request.context(), request.event());
            let store = budget.store.for_context(context);
            let sought = Sought {
                call: context.call_id.as_deref(),
                agent: &context.agent_name,
                model: event.current_model.as_deref(),
                iteration: None,
            };
            let found = OpenCall::find(&*store, context, sought).await.map_err(HookError::other)?;
            if let Some((entry, open)) = found {
                let listed = budget.rules.prices.get(&open.model, budget.now(context));
                let price = listed.map(|listed| listed.price).unwrap_or_default();
                let root = budget.root(context).await.map_err(HookError::other)?;
                let at = (&**context, &*root);
                let mut hold = open.into_hold(entry.id, price, &budget.rules, store, at);
                hold.sent();
                hold.end().await.map_err(HookError::other)?;
            }
            Ok(Recovery::default())
        })
    }
}

impl Service<HookRequest<SessionEnd>> for Ends {
    type Response = ();
    type Error = HookError;
    type Future = HookFuture<'static, Result<(), HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<SessionEnd>) -> Self::Future {
        let Some(watch) = self.0.watch.clone() else { return HookFuture::now(Ok(())) };
        let budget = self.0.clone();
        HookFuture::later(async move {
            let report = budget.report(request.context()).await.map_err(HookError::other)?;
            watch.tell(request.context(), SpendNotice::Report(report)).await;
            Ok(())
        })
    }
}

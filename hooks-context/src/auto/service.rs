use std::task::{Context, Poll};

use hooks_core::{HookError, HookRequest, inner_accessors};
use hooks_team::beside::ResponseFuture;
use tower_service::Service;

use super::{AutoContext, Gathered, Occasion};

/// Calls the inner hook and all sources at once, and adds the gathered context to the answer; see [the
/// module](super).
///
/// Readiness is that of the inner hook. If the inner hook fails, its error is returned and nothing is added.
#[derive(Clone, Debug)]
pub struct AutoContextService<S> {
    inner: S,
    context: AutoContext,
}

impl<S> AutoContextService<S> {
    /// Adds `context` to what `inner` answers.
    pub const fn new(inner: S, context: AutoContext) -> Self {
        Self { inner, context }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for AutoContextService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Occasion,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, Gathered>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let ask = E::ask(&request).filter(|ask| self.context.settings().budget(ask.moment) > 0);
        let gathering = ask.map(|ask| self.context.gather(ask));
        ResponseFuture::new(self.inner.call(request.clone()), gathering, request, add)
    }
}

fn add<E: Occasion>(request: &HookRequest<E>, outcome: &mut E::Outcome, gathered: Gathered) {
    let context = request.context();
    for reason in &gathered.failures {
        context.environment.failures.record(context, E::KIND, reason);
    }
    E::add(outcome, gathered);
}

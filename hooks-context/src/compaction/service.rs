use std::task::{Context, Poll};

use hooks_core::{HookError, HookRequest, inner_accessors};
use hooks_team::beside::ResponseFuture;
use tower_service::Service;

use super::hand_over::HandOver;
use super::{Compacting, CompactionMoment};

/// Calls the inner hook, and hands over the texts that have to survive; see [the module](super).
///
/// Readiness is that of the inner hook. A summary of the inner hook takes precedence over ours. If the inner
/// hook fails, its error is returned.
#[derive(Clone, Debug)]
pub struct CompactionService<S> {
    inner: S,
    compacting: Compacting,
}

impl<S> CompactionService<S> {
    /// Makes a service that runs `compacting` next to `inner`.
    pub const fn new(inner: S, compacting: Compacting) -> Self {
        Self { inner, compacting }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for CompactionService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: CompactionMoment,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, HandOver>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let work = E::work(&self.compacting, &request);
        ResponseFuture::new(self.inner.call(request.clone()), work, request, E::add)
    }
}

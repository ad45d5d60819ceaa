use std::task::{Context, Poll};

use hooks_core::{BoxError, HookError, HookRequest, Reason, inner_accessors};
use hooks_team::beside::ResponseFuture;
use tower_service::Service;

use super::{Boundary, SessionEnding};

/// Calls the inner hook and closes sessions at the same time; see [the module](super).
///
/// Readiness and outcome are those of the inner hook. The future is ready when the work is done, so a process
/// that exits after it has finished the work.
#[derive(Clone, Debug)]
pub struct SessionEndService<S> {
    inner: S,
    ending: SessionEnding,
}

impl<S> SessionEndService<S> {
    /// Makes a service that runs `ending` while `inner` runs.
    pub const fn new(inner: S, ending: SessionEnding) -> Self {
        Self { inner, ending }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for SessionEndService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Boundary,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, Result<(), BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let work = E::work(&self.ending, &request);
        ResponseFuture::new(self.inner.call(request.clone()), Some(work), request, tell::<E>)
    }
}

fn tell<E: Boundary>(request: &HookRequest<E>, _outcome: &mut E::Outcome, done: Result<(), BoxError>) {
    if let Err(error) = done {
        let context = request.context();
        context.environment.failures.record(context, E::KIND, &Reason::failure("session_end", &*error));
    }
}

use std::task::{Context, Poll};

use hooks_core::{HookError, HookRequest, inner_accessors};
use hooks_team::beside::ResponseFuture;
use tower_service::Service;

use super::{Scribe, Witnessed};

/// Asks the inner hook, and notes meanwhile what happened; see [the module](super).
///
/// Readiness is the inner hook's, and so is the answer. It is given once the note is on the disk, so that nothing
/// happens of which there is none; the work that follows from the note is waited for by nobody.
#[derive(Clone, Debug)]
pub struct ScribeService<S> {
    inner: S,
    scribe: Scribe,
}

impl<S> ScribeService<S> {
    /// Has `scribe` witness what `inner` is asked about.
    pub const fn new(inner: S, scribe: Scribe) -> Self {
        Self { inner, scribe }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for ScribeService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Witnessed,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, ()>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let witness = E::witness(&self.scribe, &request);
        ResponseFuture::new(self.inner.call(request.clone()), witness, request, |_, _, ()| {})
    }
}

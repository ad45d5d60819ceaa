use std::task::{Context, Poll};

use hooks_core::beside::ResponseFuture;
use hooks_core::{HookError, HookRequest, inner_accessors};
use tower_service::Service;

use super::{Scribe, Witnessed};

/// Calls the inner hook, and notes the event meanwhile; see [the module](super).
///
/// Ready when the inner hook is, and returns its answer unchanged. The answer waits until the note is on
/// disk, so that every event has a note; it does not wait for the work that follows from the note.
#[derive(Clone, Debug)]
pub struct ScribeService<S> {
    inner: S,
    scribe: Scribe,
}

impl<S> ScribeService<S> {
    /// Creates a service that makes `scribe` note the events of `inner`.
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

use std::task::{Context, Poll};

use hooks_core::beside::ResponseFuture;
use hooks_core::{ContextNote, HookError, HookRequest, inner_accessors};
use tower_service::Service;

use super::{Noticed, Notices};

/// Calls the inner hook, and adds the notices for the agent to its outcome; see [the module](super).
///
/// Ready when the inner hook is. An error of the inner hook is returned, and nothing is added.
#[derive(Clone, Debug)]
pub struct NoticeService<S> {
    inner: S,
    notices: Notices,
}

impl<S> NoticeService<S> {
    /// Creates a service that leaves and hands over `notices` around `inner`.
    pub const fn new(inner: S, notices: Notices) -> Self {
        Self { inner, notices }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for NoticeService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Noticed,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, Option<ContextNote>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let note = E::notice(&self.notices, &request);
        ResponseFuture::new(self.inner.call(request.clone()), note, request, |_, outcome, note| {
            if let Some(note) = note {
                E::add(outcome, note);
            }
        })
    }
}

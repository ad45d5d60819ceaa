use std::task::{Context, Poll};

use hooks_core::{HookError, HookRequest, Stage, inner_accessors};
use tower_service::Service;

use super::audit::Audit;
use super::future::ResponseFuture;
use crate::describe::Described;

/// Calls the inner hook, then records the event and the outcome.
///
/// A denial is returned once it is synced, and so is an allow of a tool whose effects cannot be undone. If
/// the log cannot be written, [`OnError`](super::OnError) decides whether the outcome becomes a denial. In
/// the stage that judges a prepared event it records nothing, because the prepare stage does. Ready when the
/// inner hook is.
#[derive(Clone, Debug)]
pub struct AuditService<S> {
    inner: S,
    audit: Audit,
}

impl<S> AuditService<S> {
    /// Creates a service that records the outcomes of `inner` with `audit`.
    pub const fn new(inner: S, audit: Audit) -> Self {
        Self { inner, audit }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for AuditService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Described,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let seen = matches!(request.stage(), Stage::Whole | Stage::Prepare)
            .then(|| (self.audit.clone(), request.clone()));
        ResponseFuture::new(self.inner.call(request), seen)
    }
}

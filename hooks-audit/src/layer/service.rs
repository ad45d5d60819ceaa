use std::task::{Context, Poll};

use hooks_core::{HookError, HookRequest, Stage, inner_accessors};
use tower_service::Service;

use super::audit::Audit;
use super::future::ResponseFuture;
use crate::describe::Described;

/// Asks the inner hook, then puts the event and the answer on the record.
///
/// A refusal is answered once it is on the device, and so is an allow of a tool that cannot be undone. Where the log
/// cannot be written, the answer becomes a denial as [`OnError`](super::OnError) says. Asked to judge what was prepared
/// before, it puts nothing down: whoever prepared it does. Readiness is that of the inner hook.
#[derive(Clone, Debug)]
pub struct AuditService<S> {
    inner: S,
    audit: Audit,
}

impl<S> AuditService<S> {
    /// Has `audit` put down what `inner` answers.
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

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower::ServiceExt;
use tower_service::Service;

use super::future::ResponseFuture;
use super::unknown;
use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

/// Asks the stack of the request's tenant. If the tenant is unknown, it returns an error: put a
/// [`FailureLayer`](crate::FailureLayer) outside, which turns it into a denial.
///
/// The service is always ready. The request determines which stack is asked, so readiness of a clone of that
/// stack is driven in `call`. A clone of the service is one pointer, and a call allocates nothing here.
#[derive(Debug)]
pub struct TenantService<S> {
    stacks: Arc<Stacks<S>>,
}

#[derive(Debug)]
struct Stacks<S> {
    by_name: BTreeMap<Arc<str>, S>,
    without_name: Option<S>,
}

impl<S> TenantService<S> {
    pub(super) fn new(by_name: BTreeMap<Arc<str>, S>, without_name: Option<S>) -> Self {
        Self { stacks: Arc::new(Stacks { by_name, without_name }) }
    }

    /// The stack of a tenant; `None` selects the stack of requests without a tenant.
    pub fn get_ref(&self, tenant: Option<&str>) -> Option<&S> {
        match tenant {
            Some(tenant) => self.stacks.by_name.get(tenant),
            None => self.stacks.without_name.as_ref(),
        }
    }
}

impl<S, E> Service<HookRequest<E>> for TenantService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError> + Clone,
    E: Event,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S, E>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let context = Arc::clone(request.context());
        match self.get_ref(context.tenant.as_deref()) {
            Some(stack) => ResponseFuture::calling(stack.clone().oneshot(request)),
            None => ResponseFuture::refused(unknown(&context)),
        }
    }
}

impl<S> Clone for TenantService<S> {
    fn clone(&self) -> Self {
        Self { stacks: Arc::clone(&self.stacks) }
    }
}

//! Hooks that are asked only about the events of one tenant.

use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use crate::context::HookContext;
use crate::error::HookError;
use crate::event::Event;
use crate::future::HookFuture;
use crate::hook::BoxHook;
use crate::observer::Observer;
use crate::policy::Policy;
use crate::request::HookRequest;
use crate::reserve::{Reservation, Reserve};
use crate::set::Slot;
use crate::transform::Transform;
use crate::verdict::Verdict;

/// Selects the events of one tenant.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// Name of the tenant.
    pub(crate) tenant: Arc<str>,
    /// Whether events without a tenant belong to it.
    pub(crate) has_unnamed: bool,
}

impl Selection {
    fn selects(&self, context: &HookContext) -> bool {
        context.tenant.as_deref().map_or(self.has_unnamed, |tenant| *tenant == *self.tenant)
    }

    /// Adds the hooks of `inner` to `slot`, limited to the selected events.
    pub(crate) fn add<E: Event>(&self, slot: &mut Slot<E>, inner: Slot<E>) {
        slot.transforms.extend(inner.transforms.into_iter().map(|hook| Arc::new(self.only(hook)) as _));
        slot.stacks.extend(inner.stacks.into_iter().map(|stack| BoxHook::of_guarded(self.only(stack))));
        slot.policies.extend(inner.policies.into_iter().map(|hook| Arc::new(self.only(hook)) as _));
        slot.reserves.extend(inner.reserves.into_iter().map(|hook| Arc::new(self.only(hook)) as _));
        slot.observers.extend(inner.observers.into_iter().map(|hook| Arc::new(self.only(hook)) as _));
    }

    fn only<H>(&self, hook: H) -> Only<H> {
        Only { selection: self.clone(), hook }
    }
}

/// A hook that is asked only about the selected events.
#[derive(Clone)]
struct Only<H> {
    selection: Selection,
    hook: H,
}

impl<E: Event> Policy<E> for Only<Arc<dyn Policy<E>>> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        match self.selection.selects(request.context()) {
            true => self.hook.judge(request),
            false => Verdict::NO_OPINION,
        }
    }
}

impl<E: Event> Transform<E> for Only<Arc<dyn Transform<E>>> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn transform(&self, request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError> {
        match self.selection.selects(request.context()) {
            true => self.hook.transform(request),
            false => Ok(None),
        }
    }
}

impl<E: Event> Reserve<E> for Only<Arc<dyn Reserve<E>>> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn reserve(&self, request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>> {
        match self.selection.selects(request.context()) {
            true => self.hook.reserve(request),
            false => HookFuture::now(Ok(Reservation::NotNeeded)),
        }
    }
}

impl<E: Event> Observer<E> for Only<Arc<dyn Observer<E>>> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn observe(&self, request: &HookRequest<E>, outcome: &E::Outcome) {
        if self.selection.selects(request.context()) {
            self.hook.observe(request, outcome);
        }
    }
}

impl<E: Event> Service<HookRequest<E>> for Only<BoxHook<E>> {
    type Response = E::Outcome;
    type Error = HookError;
    type Future = HookFuture<'static, Result<E::Outcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        // A `BoxHook` is always ready: it drives a clone of its hook for each call.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        match self.selection.selects(request.context()) {
            true => self.hook.ask(request),
            false => HookFuture::now(Ok(E::Outcome::default())),
        }
    }
}

//! Single hooks in the shadow: policies, limits, services.

use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use super::Shadow;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::{Event, OnFailure};
use crate::future::HookFuture;
use crate::inner_accessors;
use crate::outcome::Judged;
use crate::policy::{Policy, Single};
use crate::request::HookRequest;
use crate::reserve::{Reservation, Reserve};
use crate::set::guarded_verdict;
use crate::verdict::{Reason, Verdict};

/// A policy, limit or service in the shadow; see the [module](super).
#[derive(Clone, Copy, Debug)]
pub struct Shadowed<H> {
    hook: H,
    shadow: Shadow,
}

impl<H> Shadowed<H> {
    /// Puts `hook` in the shadow.
    pub const fn new(hook: H, shadow: Shadow) -> Self {
        Self { hook, shadow }
    }

    inner_accessors!(hook: H, "The hook in the shadow");
}

impl<E: Event, P: Policy<E>> Policy<E> for Shadowed<P> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        judge(self.shadow, self.hook.name(), request, || self.hook.judge(request))
    }

    fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
        self.hook.each(&mut |single| {
            let judged =
                |request: &HookRequest<E>| judge(self.shadow, single.name, request, || single.judge(request));
            see(Single::new(single.name, &judged));
        });
    }
}

/// Judges in the shadow: a panic would have denied too.
fn judge<E: Event>(
    shadow: Shadow,
    name: &str,
    request: &HookRequest<E>,
    judge: impl Fn() -> Verdict,
) -> Verdict {
    if shadow.covers(request.context()) {
        guarded_verdict(name, request, judge).in_shadow(name)
    } else {
        judge()
    }
}

impl<E: Event, R: Reserve<E>> Reserve<E> for Shadowed<R> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn reserve(&self, request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>> {
        if !self.shadow.covers(request.context()) {
            return self.hook.reserve(request);
        }
        let name = self.hook.name().to_owned();
        let noted = move |answer| match answer {
            Ok(Reservation::Refused(reason)) => Ok(Reservation::WouldRefuse(reason)),
            Err(error) if E::KIND.on_failure() == OnFailure::Closes => {
                Ok(Reservation::WouldRefuse(Reason::failure(name, &error)))
            }
            other => other,
        };
        match self.hook.reserve(request) {
            HookFuture::Now(answer) => HookFuture::Now(answer.map(noted)),
            later @ HookFuture::Later(_) => HookFuture::later(async move { noted(later.await) }),
        }
    }
}

impl<S, E> Service<HookRequest<E>> for Shadowed<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event<Outcome: Judged<E>>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.hook.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let shadow = self.shadow.covers(request.context()).then_some(self.shadow);
        ResponseFuture::new(self.hook.call(request), shadow)
    }
}

/// Puts the opinion of `outcome` in the shadow, and the reservations that are still to be made.
pub(super) fn note<E: Event<Outcome: Judged<E>>>(outcome: &mut E::Outcome, shadow: Shadow) {
    outcome.put_in_shadow();
    for reserve in outcome.take_owed() {
        outcome.owe(Arc::new(Shadowed::new(reserve, shadow)));
    }
}

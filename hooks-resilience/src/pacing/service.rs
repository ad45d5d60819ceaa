use std::mem;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use crate::call::{Answered, Call};
use crate::error::ModelError;
use crate::health::Health;

/// Sends calls no faster than the limits of their model: those of the catalog, or those its provider tells, in errors
/// that a [`BreakerLayer`](crate::BreakerLayer) sees and where the client calls
/// [`learn_quota`](Health::learn_quota). Without limits it does nothing.
///
/// A call that has to wait books its slot, so that those who wait go one after the other, each at its time; one
/// that would have to wait beyond its deadline, or until another model could answer, is answered by an error of
/// kind `NotAdmitted` that says when there is room. A caller who goes away gives the slot back.
#[derive(Clone, Debug)]
pub struct PacingService<S> {
    inner: S,
    health: Health,
}

impl<S> PacingService<S> {
    /// Paces `inner` by `health`.
    pub const fn new(inner: S, health: Health) -> Self {
        Self { inner, health }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for PacingService<S>
where
    S: Service<Call, Response = Answered<R>, Error = ModelError> + Clone,
{
    type Response = Answered<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let now = call.tick(self.health.world());
        let latest = call.latest();
        let Some(model) = &call.model else { return ResponseFuture::sent(self.inner.call(call), None) };
        match self.health.book(model, call.needs(), now, latest, call.last_resort) {
            Ok(Ok(slot)) if slot.as_ref().is_none_or(|slot| slot.at() <= now) => {
                ResponseFuture::sent(self.inner.call(call), slot)
            }
            Ok(Err(ready_at)) => ResponseFuture::refused(ready_at, &call),
            booked => {
                let next = self.inner.clone();
                let ready = mem::replace(&mut self.inner, next);
                ResponseFuture::waiting(booked, ready, call, &self.health)
            }
        }
    }
}

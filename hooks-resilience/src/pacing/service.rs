use std::mem;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use crate::call::{Call, Replied};
use crate::error::ModelError;
use crate::health::Health;

/// Sends calls no faster than the limits of their model. The limits come from the catalog, or from the
/// provider: in errors that a [`BreakerLayer`](crate::BreakerLayer) sees, or when the client calls
/// [`learn_quota`](Health::learn_quota). A model without limits is not paced.
///
/// A call that has to wait books a slot, so that waiting calls are sent one after the other, each at its
/// time. If it would wait beyond its deadline, or until another model could answer, it fails with an error of
/// kind `NotAdmitted` that carries the time of the next room. A call that is dropped returns its slot.
#[derive(Clone, Debug)]
pub struct Pacing<S> {
    inner: S,
    health: Health,
}

impl<S> Pacing<S> {
    /// Creates a service that paces `inner` with the rates of `health`.
    pub const fn new(inner: S, health: Health) -> Self {
        Self { inner, health }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for Pacing<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    type Response = Replied<R>;
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

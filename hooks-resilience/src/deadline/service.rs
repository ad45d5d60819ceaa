use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use crate::call::{Call, Replied};
use crate::error::ModelError;
use crate::world::World;

/// Gives each call a deadline unless it has an earlier one, and returns by then. A call whose deadline has
/// passed fails at once.
///
/// All layers below keep to the deadline themselves; this service is for clients and layers that do not. It
/// arms a timer only while the inner service waits without a timer of its own; an attempt has one.
#[derive(Clone, Debug)]
pub struct Deadline<S> {
    inner: S,
    world: Arc<World>,
    limit: Duration,
}

impl<S> Deadline<S> {
    /// Creates a service that ends each call of `inner` after `limit`.
    pub(super) const fn new(inner: S, world: Arc<World>, limit: Duration) -> Self {
        Self { inner, world, limit }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for Deadline<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let now = call.tick(&self.world);
        let own = now.after(self.limit);
        let deadline = call.deadline.map_or(own, |given| given.min(own));
        if deadline <= now {
            return ResponseFuture::refused();
        }
        call.deadline = Some(deadline);
        let timing = call.timing();
        ResponseFuture::calling(self.inner.call(call), deadline, timing, Arc::clone(&self.world))
    }
}

use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::BulkheadLayer;
use super::future::ResponseFuture;
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// Limits the concurrent calls of each provider, so that one that hangs does not use up all connections.
/// Further calls wait in order of arrival, until the deadline or until another model could answer. A place is
/// freed when its call ends or is dropped.
#[derive(Clone, Debug)]
pub struct Bulkhead<S> {
    inner: S,
    layer: BulkheadLayer,
}

impl<S> Bulkhead<S> {
    /// Creates a service that calls `inner` with the places of `layer`.
    pub const fn new(inner: S, layer: BulkheadLayer) -> Self {
        Self { inner, layer }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for Bulkhead<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let places = call.model.as_ref().and_then(|model| self.layer.places.semaphore_of(model));
        let Some(places) = places else { return ResponseFuture::calling(self.inner.call(call), None) };
        match Arc::clone(places).try_acquire_owned() {
            Ok(place) => ResponseFuture::calling(self.inner.call(call), Some(place)),
            Err(_) => {
                let (places, next) = (Arc::clone(places), self.inner.clone());
                ResponseFuture::waiting(mem::replace(&mut self.inner, next), call, places, &self.layer)
            }
        }
    }
}

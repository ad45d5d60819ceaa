//! A call that fits passes the overflow layer without an allocation.

use std::future::{Ready, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::drivers::ModelRequest;
use hooks_core::state::OpId;
use hooks_core::testing::VirtualTime;
use hooks_core::{Environment, HookContext};
use hooks_resilience::{Call, ModelError, OverflowConfig, OverflowLayer, Replied, World};
use tower::Service;
use tower::layer::Layer;

/// A model that answers at once.
#[derive(Clone, Copy)]
struct Healthy;

impl Service<Call> for Healthy {
    type Response = Replied<u8>;
    type Error = ModelError;
    type Future = Ready<Result<Replied<u8>, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        ready(Ok(Replied::new(call, 1)))
    }
}

#[test]
fn a_call_that_fits_allocates_nothing() {
    let world = World::new(&Environment::detached(), VirtualTime::default());
    let mut service = OverflowLayer::new(OverflowConfig::default(), world).unwrap().layer(Healthy);
    let call = Call::new(Arc::new(HookContext::default()), ModelRequest::default(), OpId(1));
    let mut ask = || match pin!(service.call(call.clone())).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(replied) => assert!(replied.is_ok()),
        Poll::Pending => panic!("it answers at once"),
    };
    ask();
    assert_eq!(allocation_counter::measure(&mut ask).count_total, 0);
}

//! Layers call the instances that they made ready.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use hooks_resilience::{
    Call, ErrorKind, HedgeConfig, HedgeLayer, ModelError, Replied, RetryConfig, RetryLayer,
};
use tower::{Layer, Service, ServiceExt};

use crate::rig::*;

/// A service that must be made ready before each call; a clone is never ready.
struct Strict<S> {
    inner: S,
    ready: bool,
}

impl<S: Clone> Clone for Strict<S> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), ready: false }
    }
}

impl<S, R> Service<Call> for Strict<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        std::task::ready!(self.inner.poll_ready(cx))?;
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> S::Future {
        assert!(std::mem::take(&mut self.ready), "called without being ready");
        self.inner.call(call)
    }
}

fn strict(
    rig: &Rig,
) -> Strict<
    impl Service<Call, Response = Replied<&'static str>, Error = ModelError, Future: Send> + Clone + use<>,
> {
    Strict { inner: rig.attempts(), ready: false }
}

#[test]
fn a_chain_makes_ready_whom_it_asks_next() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::Server)]);
    let stack = rig.fallback.layer(strict(&rig));
    assert!(rig.time.block_on(stack.oneshot(rig.call())).unwrap().is_ok());
}

#[test]
fn a_call_that_is_parked_first_makes_ready_whom_it_asks_then() {
    let rig = Rig::new(alone());
    let one = rig.chains.catalog().get("one").unwrap();
    rig.health.cool_down_until(one, rig.deadline(secs(30)), ErrorKind::Overloaded);
    let stack = rig.fallback.layer(strict(&rig));
    assert!(rig.time.block_on(stack.oneshot(rig.call())).unwrap().is_ok());
}

#[test]
fn a_loop_makes_ready_whom_it_asks_again() {
    let rig = Rig::new(alone());
    rig.client.plays("one", [Act::fail(ErrorKind::Server)]);
    let retry = RetryLayer::new(rig.health.clone(), RetryConfig::default()).unwrap();
    assert!(rig.time.block_on(retry.layer(strict(&rig)).oneshot(call("one"))).unwrap().is_ok());
}

#[test]
fn a_hedge_makes_ready_whom_it_asks_beside() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let hedge = HedgeLayer::new(rig.chains.clone(), rig.health.clone(), HedgeConfig::after(secs(5))).unwrap();
    let mut call = call("one");
    call.model = rig.chains.catalog().get("one").cloned();
    assert!(rig.time.block_on(hedge.layer(strict(&rig)).oneshot(call)).unwrap().is_ok());
    assert_eq!(rig.client.calls(), ["one", "two"]);
}

/// A service that fails once, when it is made ready for the second time.
#[derive(Clone)]
struct ErringSecond<S> {
    inner: S,
    readied: Arc<AtomicU32>,
}

impl<S> ErringSecond<S> {
    fn new(inner: S) -> Self {
        Self { inner, readied: Arc::default() }
    }
}

impl<S, R> Service<Call> for ErringSecond<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        std::task::ready!(self.inner.poll_ready(cx))?;
        if self.readied.fetch_add(1, Ordering::Relaxed) == 1 {
            return Poll::Ready(Err(ModelError::new(ErrorKind::Network, "no connection")));
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> S::Future {
        self.inner.call(call)
    }
}

#[test]
fn a_chain_goes_on_where_making_ready_fails_and_tells_of_all_that_failed() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::Server)]);
    let stack = rig.fallback.layer(ErringSecond::new(rig.attempts()));
    let replied = rig.time.block_on(stack.oneshot(rig.call())).unwrap().unwrap();
    assert_eq!(rig.client.calls(), ["one", "three"]);
    let failed: Vec<_> = replied.failed.iter().map(|failed| (&*failed.model, failed.kind)).collect();
    assert_eq!(failed, [("one", ErrorKind::Server), ("two", ErrorKind::Network)]);
}

#[test]
fn a_loop_goes_on_where_making_ready_fails_and_tells_of_all_that_failed() {
    for (settings, calls) in [(RetryConfig::default(), 2), (RetryConfig::default().with_max_attempts(2), 1)] {
        let rig = Rig::new(alone());
        rig.client.plays("one", [Act::fail(ErrorKind::Server)]);
        let retry = RetryLayer::new(rig.health.clone(), settings).unwrap();
        let stack = retry.layer(ErringSecond::new(rig.attempts()));
        let outcome = rig.time.block_on(stack.oneshot(call("one"))).unwrap();
        assert_eq!(rig.client.calls().len(), calls);
        match outcome {
            Ok(_) => assert_eq!(kinds(&outcome), [ErrorKind::Server, ErrorKind::Network]),
            Err(ref error) => {
                assert_eq!((error.kind(), kinds(&outcome)), (ErrorKind::Network, vec![ErrorKind::Server]));
            }
        }
    }
}

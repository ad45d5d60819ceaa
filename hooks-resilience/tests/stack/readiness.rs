//! Layers call what they made ready.

use std::task::{Context, Poll};

use hooks_resilience::{
    Answered, Call, ErrorKind, HedgeLayer, HedgeSettings, ModelError, RetryLayer, RetrySettings,
};
use tower::{Layer, Service, ServiceExt};

use crate::rig::*;

/// Has to be made ready before each call; a clone never is.
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
    S: Service<Call, Response = Answered<R>, Error = ModelError>,
{
    type Response = Answered<R>;
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
    impl Service<Call, Response = Answered<&'static str>, Error = ModelError, Future: Send> + Clone + use<>,
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
    rig.health.close_until(one, rig.deadline(secs(30)), ErrorKind::Overloaded);
    let stack = rig.fallback.layer(strict(&rig));
    assert!(rig.time.block_on(stack.oneshot(rig.call())).unwrap().is_ok());
}

#[test]
fn a_loop_makes_ready_whom_it_asks_again() {
    let rig = Rig::new(alone());
    rig.client.plays("one", [Act::fail(ErrorKind::Server)]);
    let retry = RetryLayer::new(rig.health.clone(), RetrySettings::default()).unwrap();
    assert!(rig.time.block_on(retry.layer(strict(&rig)).oneshot(call("one"))).unwrap().is_ok());
}

#[test]
fn a_hedge_makes_ready_whom_it_asks_beside() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let hedge =
        HedgeLayer::new(rig.chains.clone(), rig.health.clone(), HedgeSettings::after(secs(5))).unwrap();
    let mut call = call("one");
    call.model = rig.chains.catalog().get("one").cloned();
    assert!(rig.time.block_on(hedge.layer(strict(&rig)).oneshot(call)).unwrap().is_ok());
    assert_eq!(rig.client.asked(), ["one", "two"]);
}

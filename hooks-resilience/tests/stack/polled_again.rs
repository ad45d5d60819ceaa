//! A future that is polled after its answer returns an error, and sends nothing.

use std::pin::Pin;

use hooks_resilience::{
    BulkheadLayer, ErrorKind, HedgeConfig, HedgeLayer, ModelError, PacingLayer, Replied, RetryConfig,
    RetryLayer,
};
use tower::{Layer, Service};

use crate::rig::*;

/// Polls a call to its answer, and beyond it.
fn beyond<S>(rig: &Rig, what: &str, mut stack: S)
where
    S: Service<hooks_resilience::Call, Response = Replied<&'static str>, Error = ModelError>,
{
    let mut call = call("one");
    call.model = rig.chains.catalog().get("one").cloned();
    for act in [Act::answer(), Act::fail(ErrorKind::InvalidRequest)] {
        let before = rig.client.calls().len();
        rig.client.plays("one", [act]);
        let ready = std::future::poll_fn(|cx| stack.poll_ready(cx));
        rig.time.block_on(ready).unwrap().unwrap();
        let mut future: Pin<Box<S::Future>> = Box::pin(stack.call(call.clone()));
        let outcome = rig.time.block_on(future.as_mut()).unwrap();
        assert_eq!(outcome.err().map(|error| error.kind()), act.kind, "{what}");
        for _ in 0..2 {
            // `None` if the future waits and nothing will ever wake it.
            let again = rig.time.block_on(future.as_mut()).unwrap_or_else(|| panic!("{what}: silence"));
            let error = again.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unknown, "{what}: {error}");
            assert!(error.message().starts_with("it was polled again"), "{what}: {error}");
        }
        assert_eq!(rig.client.calls().len(), before + 1, "{what}");
    }
}

#[test]
fn each_layer_says_so_and_asks_nobody() {
    let rig = Rig::new(three());
    let attempts = || rig.attempts();
    beyond(&rig, "attempt and breaker", attempts());
    beyond(&rig, "pacing", PacingLayer::new(rig.health.clone()).layer(attempts()));
    let retry = RetryLayer::new(rig.health.clone(), RetryConfig::default()).unwrap();
    beyond(&rig, "retry", retry.layer(attempts()));
    beyond(&rig, "fallback", rig.fallback.layer(attempts()));
    let hedge = HedgeLayer::new(rig.chains.clone(), rig.health.clone(), HedgeConfig::after(secs(5)));
    beyond(&rig, "hedge", hedge.unwrap().layer(attempts()));
    let bulkhead = BulkheadLayer::new(rig.chains.catalog(), rig.world.clone(), 1).unwrap();
    beyond(&rig, "bulkhead", bulkhead.layer(attempts()));
    beyond(&rig, "all of them", rig.stack());
}

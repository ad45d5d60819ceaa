//! Tower's contract: readiness, clones, and what a stack requires of its layers.

use hooks_core::event::BeforeModelCall;
use hooks_core::testing::{PendingOnce, Probe};
use hooks_core::{Gate, HookRequest, Settle};
use tower::{Layer, Service, ServiceExt};

use super::*;

type BeforeCall = HookRequest<BeforeModelCall>;

/// Takes any request and any answer: here those of a probe.
#[derive(Clone)]
struct AnyMeter;

impl Meter<BeforeCall> for AnyMeter {
    fn size(&self, request: &BeforeCall) -> CallSize {
        CallSize::new(Arc::clone(request.context()), "large", 10).replying_at_most(Some(10))
    }
}

impl MeterReply<Gate<BeforeModelCall>> for AnyMeter {
    fn used(&self, _reply: &Gate<BeforeModelCall>) -> Used {
        Used::tokens(usage(10, 10))
    }
}

#[tokio::test]
async fn it_drives_the_readiness_of_the_clone_it_calls_and_holds_none_while_it_waits() {
    let (store, _) = memory();
    let config = config(json!([{ "of": "team", "per": "always", "usd": 0.0002 }]));
    let budget = SpendBudget::new(&config, Arc::new(Slow(store))).unwrap();
    let (probe, log) = Probe::new(PendingOnce(Settle));
    let mut service = budget.layer(AnyMeter).layer(probe.ready_after(2));
    let request = || HookRequest::new(context("s", "a"), BeforeModelCall::new("large", 1, Vec::new()));
    assert!(service.ready().await.is_ok());
    assert_eq!(log.held(), 0, "it is always ready, and takes no permit before it holds");
    assert!(service.call(request()).await.is_ok());
    assert_eq!((log.calls(), log.held()), (1, 0));
    // A call that the budget denies is not made.
    assert!(service.ready().await.unwrap().call(request()).await.is_err());
    assert_eq!((log.calls(), log.held()), (1, 0));
}

#[test]
fn what_is_shared_can_be_sent() {
    fn check<T: Clone + Send + Sync + 'static>() {}
    check::<SpendBudget>();
    check::<SpendBudgetLayer<AnyMeter>>();
    check::<SpendStreamLayer<AnyMeter>>();
    check::<SpendBudgetService<Settle, AnyMeter>>();
    check::<SpendStreamService<Settle, AnyMeter>>();
    fn check_held<T: Send + 'static>() {}
    check_held::<SpendHold>();
    check_held::<SpendStream<(), AnyMeter>>();
    check_held::<future::ResponseFuture<Settle, BeforeCall, AnyMeter>>();
}

//! Checks by counting that an allow costs no allocation, so that governing every tool call is cheap. This is
//! a binary of its own, because it replaces the allocator.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::event::{PreToolUse, Stop};
use hooks_core::state::{Key, Memory, Op, OpId, Scope, StateStore, StepResult, Window};
use hooks_core::testing::FakeClock;
use hooks_core::{
    Composite, HookContext, HookRequest, Hooks, Judge, Judged, Live, Policy, PolicyLayer, Settle, Verdict,
    decide, observe, reserve,
};
use serde_json::json;
use tower::{Service, ServiceBuilder};

/// Reads the event and has no opinion.
#[derive(Clone, Copy, Debug)]
struct Trivial;

impl Policy<PreToolUse> for Trivial {
    fn name(&self) -> &'static str {
        "trivial"
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        if request.event().tool_name.is_empty() { Verdict::NO_OPINION } else { Verdict::ALLOW }
    }
}

fn request() -> HookRequest<PreToolUse> {
    HookRequest::new(HookContext::new("s1", "agent"), PreToolUse::new("edit", json!({ "path": "a" })))
}

/// Asserts that `ask` does not allocate. It runs once before counting, so that one-time allocations do not
/// count.
#[track_caller]
fn allocates_nothing(what: &str, mut ask: impl FnMut()) {
    ask();
    let count = allocation_counter::measure(ask).count_total;
    assert_eq!(count, 0, "{what} allocated {count} times");
}

fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}

fn asks<S>(stack: &mut S, request: &HookRequest<PreToolUse>)
where
    S: Service<HookRequest<PreToolUse>, Response = hooks_core::Decision<PreToolUse>>,
    S::Error: std::fmt::Debug,
{
    assert!(!now(stack.call(request.clone())).unwrap().is_denied());
}

#[test]
fn a_static_stack_of_five_policies() {
    let (request, five) = (request(), (Trivial, Trivial, Trivial, Trivial, Trivial));
    let mut leaf = Judge::new(five);
    allocates_nothing("a leaf of five", || asks(&mut leaf, &request));
    let layer = || PolicyLayer::new(Trivial);
    let mut layers = ServiceBuilder::new()
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .service(Settle);
    allocates_nothing("five layers", || asks(&mut layers, &request));
}

#[test]
fn ten_layers() {
    let (request, layer) = (request(), || PolicyLayer::new(()));
    let mut ten = ServiceBuilder::new()
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .layer(layer())
        .service(Settle);
    allocates_nothing("ten layers", || asks(&mut ten, &request));
}

#[test]
fn a_slot_of_policies_from_the_question_to_the_observers() {
    let (request, hooks) =
        (request(), (0..5).fold(Hooks::builder(), |builder, _| builder.policy(Trivial)).build());
    allocates_nothing("a slot", || {
        let mut decision = now(decide(&hooks, request.clone()));
        now(reserve(&hooks, &mut decision));
        observe(&hooks, &decision.request, &decision.outcome);
        assert!(!decision.outcome.is_denied());
    });
}

#[test]
fn an_event_nobody_hooks() {
    let live = Live::new(Hooks::builder().policy(Trivial).build());
    let request = HookRequest::new(HookContext::default(), Stop::new("done"));
    allocates_nothing("an event nobody hooks", || {
        let strength = live.with(|hooks| now(decide(hooks, request.clone())).outcome.strength());
        assert_eq!(strength, hooks_core::Strength::NoOpinion);
    });
}

#[test]
fn a_composite_of_two_providers() {
    let set = || Hooks::builder().policy(Trivial).policy(Trivial).build();
    let (request, composite) = (request(), Composite::default().and(set()).and(set()));
    allocates_nothing("a composite", || {
        assert!(!now(decide(&composite, request.clone())).outcome.is_denied());
    });
}

#[test]
fn a_counter_that_exists() {
    let store = Memory::new(Arc::new(FakeClock::default()));
    let scopes: Arc<[Scope]> = [Scope::spent(Key::new(None, &["day"]), 100)].into();
    let reserve = |id| Op::Reserve {
        id: OpId(id),
        scopes: Arc::clone(&scopes),
        amount: 1,
        ttl: Duration::from_secs(60),
    };
    // A reservation that is known; then a counter that is read and paced.
    allocates_nothing("a reservation that is known", || {
        assert_eq!(now(store.apply(reserve(1))).unwrap(), StepResult::Done);
    });
    let key = Key::new(None, &["day"]);
    allocates_nothing("a counter", || {
        let used = Op::Used { key: key.clone(), window: Window::Always };
        assert_eq!(now(store.apply(used)).unwrap(), StepResult::Used { used: 1, held: 1 });
    });
    let interval = Duration::from_nanos(1);
    allocates_nothing("a rate", || {
        let pace = Op::Pace { key: key.clone(), cost: 0, interval, burst: 1 };
        assert_eq!(now(store.apply(pace)).unwrap(), StepResult::Done);
    });
    // New reservations on an existing counter: the tables grow now and then, not for each reservation.
    let taken = allocation_counter::measure(|| {
        for id in 2..66 {
            assert_eq!(now(store.apply(reserve(id))).unwrap(), StepResult::Done);
        }
    });
    assert!(taken.count_total < 32, "64 reservations allocated {} times", taken.count_total);
}

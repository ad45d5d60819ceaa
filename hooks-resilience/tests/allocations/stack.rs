//! Allocations of a healthy call in the whole stack of a configuration.

use std::future::{Ready, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::drivers::ModelRequest;
use hooks_core::state::{Memory, OpId};
use hooks_core::testing::VirtualTime;
use hooks_core::{Environment, HookContext};
use hooks_resilience::config::{Resilience, ResilienceConfig};
use hooks_resilience::{Call, Classified, Health, ModelError, Needs, World};
use serde_json::json;
use tower::Service;
use tower::layer::Layer;

/// A model that answers at once.
#[derive(Clone, Copy)]
struct Healthy;

impl Service<Call> for Healthy {
    type Response = u8;
    type Error = ModelError;
    type Future = Ready<Result<u8, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _call: Call) -> Self::Future {
        ready(Ok(1))
    }
}

fn world() -> World {
    let time = VirtualTime::default();
    let mut world = World::new(&Environment::detached(), time.clone());
    world.clock = Arc::new(time);
    world
}

fn resilience() -> Resilience {
    let config: ResilienceConfig = serde_json::from_value(json!({
        "catalog": [
            { "name": "large", "provider": "one", "tier": "premium", "context_tokens": 200_000,
              "limits": { "requests_per_minute": 1_000_000, "tokens_per_minute": 1_000_000_000 } },
            { "name": "small", "provider": "two", "tier": "fast" },
        ],
    }))
    .unwrap();
    Resilience::new(&config).unwrap()
}

fn call(context: &Arc<HookContext>, name: &str) -> Call {
    let request = ModelRequest { model: name.into(), ..ModelRequest::default() };
    let needs = Needs { input_tokens: 1_000, output_tokens: 1_000, tools: true, ..Needs::default() };
    Call::new(Arc::clone(context), request, OpId(1)).needing(needs)
}

/// Checks that a healthy call allocates nothing once the state of its model exists.
fn assert_allocates_nothing(resilience: &Resilience, health: &Health) {
    let mut stack = resilience.layer(health, Classified).unwrap().layer(Healthy);
    let context = Arc::new(HookContext::new("s", "a"));
    let mut allocations = |call: Call| {
        let ask = || match pin!(stack.call(call)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(replied) => assert!(replied.unwrap().failed.is_empty()),
            Poll::Pending => panic!("it answers at once"),
        };
        allocation_counter::measure(ask).count_total
    };
    allocations(call(&context, "large"));
    for name in ["large", "premium"] {
        assert_eq!(allocations(call(&context, name)), 0, "{name}");
    }
}

#[test]
fn the_stack_allocates_nothing_for_a_healthy_call() {
    let resilience = resilience();
    assert_allocates_nothing(&resilience, &resilience.health(world()).unwrap());
}

#[test]
fn nor_where_a_store_of_this_process_shares_its_health() {
    let (resilience, world) = (resilience(), world());
    let store = Arc::new(Memory::new(Arc::clone(&world.clock)));
    assert_allocates_nothing(&resilience, &resilience.shared_health(world, store, "fleet", None).unwrap());
}

#[test]
fn making_a_call_is_one_allocation() {
    let context = Arc::new(HookContext::new("s", "a"));
    let making = allocation_counter::measure(|| {
        drop(Call::new(Arc::clone(&context), ModelRequest::default(), OpId(1)));
    });
    assert_eq!(making.count_total, 1, "the call itself");
}

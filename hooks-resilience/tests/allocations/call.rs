//! Allocations of a healthy call: one for the call itself, none on its way through the layers.

use std::future::{Ready, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::drivers::ModelRequest;
use hooks_core::state::{Memory, OpId};
use hooks_core::testing::VirtualTime;
use hooks_core::time::SeededRandom;
use hooks_resilience::{
    AttemptConfig, AttemptLayer, BreakerLayer, BulkheadLayer, Call, Catalog, Classified, DeadlineLayer,
    Health, HealthSettings, Limits, Model, ModelError, Needs, PacingLayer, Readiness, Replied, Tier, World,
};
use tower::{Service, ServiceBuilder};

/// A client that answers at once.
#[derive(Clone)]
struct Leaf;

impl Service<Call> for Leaf {
    type Response = u32;
    type Error = ModelError;
    type Future = Ready<Result<u32, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _call: Call) -> Self::Future {
        ready(Ok(7))
    }
}

fn world() -> World {
    let time = VirtualTime::default();
    let (clock, timer) = (Arc::new(time.clone()), Arc::new(time));
    World { clock, timer, random: Arc::new(SeededRandom::new(1)) }
}

/// A model with limits that are never reached.
fn catalog() -> Catalog {
    let mut model = Model::new("m", "acme", Tier::Standard);
    model.limits = Limits {
        requests_per_minute: Some(u32::MAX),
        tokens_per_minute: Some(u64::MAX),
        concurrent: Some(9),
    };
    Catalog::new([model]).unwrap()
}

fn stack(
    catalog: &Catalog,
    world: &World,
    health: &Health,
) -> impl Service<Call, Response = Replied<u32>, Error = ModelError> {
    ServiceBuilder::new()
        .layer(DeadlineLayer::new(world.clone(), Duration::from_secs(60)).unwrap())
        .layer(PacingLayer::new(health.clone()))
        .layer(BreakerLayer::new(health.clone()))
        .layer(BulkheadLayer::new(catalog, world.clone(), 100).unwrap())
        .layer(AttemptLayer::new(world.clone(), AttemptConfig::default(), Classified).unwrap())
        .service(Leaf)
}

fn one<S: Service<Call, Response = Replied<u32>, Error = ModelError>>(stack: &mut S, call: Call) -> u32 {
    let mut context = Context::from_waker(Waker::noop());
    assert!(stack.poll_ready(&mut context).is_ready());
    match pin!(stack.call(call)).poll(&mut context) {
        Poll::Ready(answer) => answer.unwrap().reply,
        Poll::Pending => panic!("nothing here waits"),
    }
}

fn call(catalog: &Catalog, context: &Arc<HookContext>) -> Call {
    let needs = Needs { input_tokens: 100, output_tokens: 100, ..Needs::default() };
    let mut call = Call::new(Arc::clone(context), ModelRequest::default(), OpId(1)).needing(needs);
    call.model = catalog.models().first().cloned();
    call
}

#[test]
fn a_healthy_call_allocates_itself_and_nothing_on_its_way() {
    let (catalog, world, context) = (catalog(), world(), Arc::default());
    let health = Health::new(&catalog, HealthSettings::default(), world.clone()).unwrap();
    let mut stack = stack(&catalog, &world, &health);
    let made = allocation_counter::measure(|| drop(call(&catalog, &context))).count_total;
    assert_eq!(made, 1, "making a call");
    one(&mut stack, call(&catalog, &context));
    let call = call(&catalog, &context);
    let way = allocation_counter::measure(|| assert_eq!(one(&mut stack, call), 7)).count_total;
    assert_eq!(way, 0, "its way through five layers");
}

#[test]
fn a_look_at_who_is_ready_allocates_nothing() {
    let (catalog, world) = (catalog(), world());
    let health = Health::new(&catalog, HealthSettings::default(), world.clone()).unwrap();
    let model = &catalog.models()[0];
    let look = || assert_ne!(health.readiness(model, &Needs::default(), world.tick()), Readiness::Never);
    assert_eq!(allocation_counter::measure(look).count_total, 0);
    // A store in this process is read each time.
    let store = Arc::new(Memory::new(Arc::clone(&world.clock)));
    let health = health.shared(store, "fleet");
    let look = || assert_ne!(health.readiness(model, &Needs::default(), world.tick()), Readiness::Never);
    look();
    assert_eq!(allocation_counter::measure(look).count_total, 0);
}

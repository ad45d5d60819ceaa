//! A healthy call through chain, retry, hedge and alert costs no allocation.

use std::future::{Ready, ready};
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, Role};
use hooks_core::state::OpId;
use hooks_core::testing::VirtualTime;
use hooks_core::{Environment, HookContext};
use hooks_resilience::alert::Alert;
use hooks_resilience::{
    AlertConfig, AlertLayer, AttemptConfig, AttemptLayer, BreakerLayer, Call, Catalog, Chains, ChainsConfig,
    Classified, DeadlineLayer, FallbackConfig, FallbackLayer, Health, HealthSettings, HedgeConfig,
    HedgeLayer, Model, ModelError, PacingLayer, Replied, RetryConfig, RetryLayer, Tier, World,
};
use tower::{Service, ServiceBuilder};

/// Answers at once.
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

fn stack() -> impl Service<Call, Response = Replied<u32>, Error = ModelError> {
    let time = VirtualTime::default();
    let environment = Environment { clock: Arc::new(time.clone()), ..Environment::detached() };
    let world = World::new(&environment, time);
    let models = ["one", "two"].map(|name| Model::new(name, name, Tier::Standard));
    let catalog = Catalog::new(models).unwrap();
    let config = ChainsConfig::default().with_default("standard").with_agent("lead", "premium");
    let config = config.with_tier("premium", ["one", "two"]);
    let chains = Chains::new(&catalog, &config).unwrap();
    let health = Health::new(&catalog, HealthSettings::default(), world.clone()).unwrap();
    ServiceBuilder::new()
        .layer(AlertLayer::new(&health, AlertConfig::default(), |_: Alert| ()).unwrap())
        .layer(DeadlineLayer::new(world.clone(), Duration::from_secs(60)).unwrap())
        .layer(FallbackLayer::new(chains.clone(), health.clone(), FallbackConfig::default()).unwrap())
        .layer(HedgeLayer::new(chains, health.clone(), HedgeConfig::after(Duration::from_secs(3))).unwrap())
        .layer(RetryLayer::new(health.clone(), RetryConfig::default()).unwrap())
        .layer(PacingLayer::new(health.clone()))
        .layer(BreakerLayer::new(health))
        .layer(AttemptLayer::new(world, AttemptConfig::default(), Classified).unwrap())
        .service(Leaf)
}

fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}

#[test]
fn a_healthy_call_allocates_nothing_beyond_itself() {
    let (mut stack, context) = (stack(), Arc::new(HookContext::new("s1", "lead")));
    let request = || ModelRequest {
        model: "one".to_owned(),
        iteration: 1,
        messages: vec![Message::text(Role::User, "hello")],
    };
    let mut send = |request| {
        let call = Call::new(Arc::clone(&context), request, OpId(1));
        black_box(now(stack.call(call)).unwrap());
    };
    // Allocations that are made only once are made here.
    send(request());
    for _ in 0..100 {
        let request = request();
        let count = allocation_counter::measure(|| send(request)).count_total;
        assert_eq!(count, 1, "the call itself is one");
    }
}

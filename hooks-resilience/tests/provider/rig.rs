//! A stack of two providers: `a`, of Anthropic's shape, and `b`, of OpenAI's.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply, Role};
use hooks_core::state::OpId;
use hooks_core::time::{Clock, SeededRandom, Tick, Timer, Timestamp};
use hooks_core::{Environment, HookContext, HookFuture};
use hooks_resilience::stream::{Begin, collect};
use hooks_resilience::{
    AttemptConfig, AttemptLayer, Backoff, BreakerLayer, Call, Catalog, Chains, ChainsConfig, Classifiers,
    DeadlineLayer, FallbackConfig, FallbackLayer, Health, HealthSettings, Model, ModelError, ModelStream,
    PacingLayer, Replied, ResumeLayer, RetryConfig, RetryLayer, StreamConfig, Tier, World,
};
use serde_json::json;
use tower::{Service, ServiceBuilder, ServiceExt};

use crate::client::{Addresses, Client, Streaming, Vendor};
use crate::server::{Provider, ProviderReply};

/// 2026-11-22T01:00:00Z.
pub(crate) const EPOCH: Timestamp = Timestamp(1_795_309_200_000);

/// Real time, starting at [`EPOCH`].
#[derive(Clone, Copy)]
struct RealTime(tokio::time::Instant);

impl Clock for RealTime {
    fn now(&self) -> Timestamp {
        EPOCH.after(self.0.elapsed())
    }

    fn tick(&self) -> Tick {
        Tick(self.0.elapsed())
    }
}

impl Timer for RealTime {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        HookFuture::later(tokio::time::sleep(duration))
    }
}

pub(crate) fn world() -> World {
    let time = RealTime(tokio::time::Instant::now());
    let random = Arc::new(SeededRandom::new(7));
    let environment = Environment { clock: Arc::new(time), random, ..Environment::detached() };
    World::new(&environment, time)
}

/// Two providers, and a stack over both.
pub(crate) struct Rig {
    pub(crate) a: Provider,
    pub(crate) b: Provider,
    pub(crate) world: World,
    pub(crate) health: Health,
    chains: Chains,
    client: Client,
}

/// Time limit of an attempt in these tests, and of a stalled stream.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

impl Rig {
    pub(crate) async fn new(
        a: impl IntoIterator<Item = ProviderReply>,
        b: impl IntoIterator<Item = ProviderReply>,
    ) -> Self {
        let (a, b) = (Provider::start(a).await.unwrap(), Provider::start(b).await.unwrap());
        let world = world();
        let [mut first, mut second] =
            [("first", "a"), ("second", "b")].map(|(name, of)| Model::new(name, of, Tier::Standard));
        (first.prefill, second.prefill) = (true, true);
        (first.context_tokens, second.context_tokens) = (Some(1_000), Some(2_000));
        let catalog = Catalog::new([first, second]).unwrap();
        let health = Health::new(&catalog, HealthSettings::default(), world.clone()).unwrap();
        let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("standard")).unwrap();
        let addresses =
            Addresses::from([("a", (a.address, Vendor::Anthropic)), ("b", (b.address, Vendor::OpenAi))]);
        let classifiers = Classifiers::new(Arc::clone(&world.clock));
        let client = Client { addresses: Arc::new(addresses), classifiers, health: health.clone() };
        Self { a, b, world, health, chains, client }
    }

    /// Replaces the address of `a` by one without a listener.
    pub(crate) async fn without_a(mut self) -> Self {
        let mut addresses = (*self.client.addresses).clone();
        addresses.insert("a", (Provider::nowhere().await.unwrap(), Vendor::Anthropic));
        self.client.addresses = Arc::new(addresses);
        self
    }

    fn backoff() -> Backoff {
        Backoff::new(Duration::from_millis(5), Duration::from_millis(20))
    }

    fn layers<S, R>(
        &self,
        client: S,
        attempt: AttemptConfig,
    ) -> impl Service<Call, Response = Replied<R>, Error = ModelError, Future: Send> + Clone + use<S, R>
    where
        S: Service<Call, Response = R, Error = hooks_core::BoxError, Future: Send> + Clone + Send + 'static,
        R: Send + 'static,
    {
        let (world, health) = (&self.world, &self.health);
        let fallback = FallbackConfig { backoff: Self::backoff(), ..FallbackConfig::default() };
        let retry = RetryConfig::default().with_backoff(Self::backoff());
        ServiceBuilder::new()
            .layer(DeadlineLayer::new(world.clone(), Duration::from_secs(10)).unwrap())
            .layer(FallbackLayer::new(self.chains.clone(), health.clone(), fallback).unwrap())
            .layer(RetryLayer::new(health.clone(), retry).unwrap())
            .layer(PacingLayer::new(health.clone()))
            .layer(BreakerLayer::new(health.clone()))
            .layer(
                AttemptLayer::new(
                    world.clone(),
                    attempt.with_timeout(PATIENCE),
                    self.client.classifiers.clone(),
                )
                .unwrap(),
            )
            .service(client)
    }

    /// Requests a whole answer.
    pub(crate) async fn ask(&self, call: Call) -> Result<Replied<ModelReply>, ModelError> {
        self.layers(self.client.clone(), AttemptConfig::default()).oneshot(call).await
    }

    /// Requests a streamed answer, and reads it to its end.
    pub(crate) async fn stream(&self, call: Call) -> Result<ModelReply, ModelError> {
        collect(self.begin_stream(call).await?.reply).await
    }

    /// Requests a streamed answer.
    pub(crate) async fn begin_stream(&self, call: Call) -> Result<Replied<ModelStream>, ModelError> {
        let settings =
            StreamConfig::default().with_patience(PATIENCE, PATIENCE).with_breaks(3, Self::backoff());
        let client = Begin::new(Streaming(self.client.clone()));
        let stack = self.layers(client, AttemptConfig::default().streaming());
        let layer = ResumeLayer::new(self.health.clone(), settings).unwrap();
        ServiceBuilder::new().layer(layer).service(stack).oneshot(call).await
    }
}

/// A call that starts at the beginning of the chain.
pub(crate) fn call() -> Call {
    let messages = vec![Message::text(Role::User, "hello")];
    let request = ModelRequest { model: "first".to_owned(), iteration: 1, messages };
    Call::new(HookContext::new("s1", "lead").into(), request, OpId(1))
}

/// An answer of Anthropic's shape.
pub(crate) fn anthropic(text: &str) -> ProviderReply {
    let content = json!([{ "type": "text", "text": text }]);
    let usage = json!({ "input_tokens": 10, "output_tokens": 3 });
    ProviderReply::new(
        200,
        json!({ "content": content, "stop_reason": "end_turn", "usage": usage }).to_string(),
    )
}

/// An answer of OpenAI's shape.
pub(crate) fn openai(text: &str) -> ProviderReply {
    let choice = json!({ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 3 });
    ProviderReply::new(200, json!({ "choices": [choice], "usage": usage }).to_string())
}

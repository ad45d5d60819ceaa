//! A failover over real HTTP. One provider is overloaded, and then breaks off in the middle of a sentence.
//! The other one answers, and continues the sentence.
//!
//! Run with `cargo run -p tower-hooks-resilience --example http`.

#[path = "../tests/provider/client.rs"]
mod client;
#[expect(dead_code, reason = "the tests use all of it")]
#[path = "../tests/provider/server.rs"]
mod server;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, Role};
use hooks_core::state::OpId;
use hooks_core::time::{Clock, SeededRandom, Tick, Timer, Timestamp};
use hooks_core::{Environment, HookContext, HookFuture};
use hooks_resilience::stream::{BeginLayer, collect};
use hooks_resilience::{
    AttemptConfig, AttemptLayer, Backoff, BreakerLayer, Call, Catalog, Chains, ChainsConfig, Classifiers,
    DeadlineLayer, FallbackConfig, FallbackLayer, Health, HealthSettings, Model, PacingLayer, ResumeLayer,
    RetryConfig, RetryLayer, StreamConfig, Tier, World,
};
use tower::{Service, ServiceBuilder, ServiceExt};

use client::{Addresses, Client, Streaming, Vendor};
use server::{Fault, Provider, ProviderReply};

/// The clock of this process.
#[derive(Clone, Copy)]
struct ProcessTime(tokio::time::Instant);

impl Clock for ProcessTime {
    fn now(&self) -> Timestamp {
        Timestamp::default().after(self.0.elapsed())
    }

    fn tick(&self) -> Tick {
        Tick(self.0.elapsed())
    }
}

impl Timer for ProcessTime {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        HookFuture::later(tokio::time::sleep(duration))
    }
}

fn word(text: &str) -> String {
    format!("data: {{\"type\":\"content_block_delta\",\"delta\":{{\"text\":\"{text}\"}}}}\n\n")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    // Two providers on loopback, with their scripted answers.
    let overloaded = ProviderReply::new(
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    );
    let breaks_off =
        ProviderReply::events([word("To be, or "), word("not ")]).failing(Fault::Cut(usize::MAX));
    let busy = overloaded.clone().with("retry-after", "60");
    let first = Provider::start([overloaded, breaks_off, busy]).await?;
    let whole = r#"{"choices":[{"message":{"content":"I am here"},"finish_reason":"stop"}]}"#;
    let rest = "data: {\"choices\":[{\"delta\":{\"content\":\"to be\"}}]}\n\n";
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let second =
        Provider::start([ProviderReply::new(200, whole), ProviderReply::events([rest, end])]).await?;

    // The shared health record of the models.
    let time = ProcessTime(tokio::time::Instant::now());
    let random = Arc::new(SeededRandom::new(1));
    let environment = Environment { clock: Arc::new(time), random, ..Environment::detached() };
    let world = World::new(&environment, time);
    let models = [("opus", "anthropic"), ("gpt", "openai")].map(|(name, provider)| {
        let mut model = Model::new(name, provider, Tier::Premium);
        model.prefill = true;
        model
    });
    let catalog = Catalog::new(models)?;
    let health = Health::new(&catalog, HealthSettings::default(), world.clone())?;
    let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
    let addresses = Addresses::from([
        ("anthropic", (first.address, Vendor::Anthropic)),
        ("openai", (second.address, Vendor::OpenAi)),
    ]);
    let classifiers = Classifiers::new(Arc::clone(&world.clock));
    let client =
        Client { addresses: Arc::new(addresses), classifiers: classifiers.clone(), health: health.clone() };

    // One stack for whole answers, and the same for streams.
    let backoff = Backoff::new(Duration::from_millis(20), Duration::from_millis(100));
    let layers = ServiceBuilder::new()
        .layer(DeadlineLayer::new(world.clone(), Duration::from_secs(30))?)
        .layer(FallbackLayer::new(chains, health.clone(), FallbackConfig { backoff, ..Default::default() })?)
        .layer(RetryLayer::new(health.clone(), RetryConfig::default().with_backoff(backoff))?)
        .layer(PacingLayer::new(health.clone()))
        .layer(BreakerLayer::new(health.clone()))
        .layer(AttemptLayer::new(world, AttemptConfig::default(), classifiers)?);
    let mut stack = layers.clone().service(client.clone());
    let resume = ResumeLayer::new(health, StreamConfig::default().with_breaks(2, backoff))?;
    let mut streams =
        ServiceBuilder::new().layer(resume).service(layers.layer(BeginLayer).service(Streaming(client)));

    let replied = stack.ready().await?.call(call("who is there?")).await?;
    println!("answer: {}", replied.reply.response.content);
    for failed in &replied.failed {
        println!("  before: {} was {}: {}", failed.model, failed.kind, failed.message);
    }
    println!("  by: {}", replied.model.as_ref().map_or("nobody", |model| &*model.name));

    let replied = streams.ready().await?.call(call("go on")).await?;
    println!("stream begun by: {}", replied.model.as_ref().map_or("nobody", |model| &*model.name));
    println!("stream: {}", collect(replied.reply).await?.response.content);
    println!("requests: {} and {}", first.requests().len(), second.requests().len());
    Ok(())
}

fn call(text: &str) -> Call {
    let messages = vec![Message::text(Role::User, text)];
    let request = ModelRequest { model: "opus".to_owned(), iteration: 1, messages };
    Call::new(HookContext::new("example", "lead").into(), request, OpId(1))
}

//! A model fails, and the work continues: a stack of layers over a client whose first model fails.
//! `cargo run -p tower-hooks-resilience --example survive`

use std::sync::Arc;
use std::time::Duration;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, Role};
use hooks_core::state::OpId;
use hooks_core::testing::VirtualTime;
use hooks_core::{BoxError, Environment, HookContext};
use hooks_resilience::{
    AttemptConfig, AttemptLayer, BreakerLayer, Call, Catalog, Chains, ChainsConfig, Classified,
    DeadlineLayer, ErrorKind, FallbackLayer, Health, Model, ModelError, PacingLayer, RetryLayer, Tier, World,
};
use tower::{Service, ServiceBuilder, ServiceExt};

fn main() -> Result<(), BoxError> {
    // Virtual time, which passes only while all tasks wait; a host provides its own clock and timer.
    let time = VirtualTime::default();
    let environment = Environment { clock: Arc::new(time.clone()), ..Environment::detached() };
    let world = World::new(&environment, time.clone());

    let catalog = Catalog::new([
        Model::new("opus", "anthropic", Tier::Premium),
        Model::new("gpt", "openai", Tier::Premium),
        Model::new("sonnet", "anthropic", Tier::Standard),
    ])?;
    let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
    let health = Health::new(&catalog, Default::default(), world.clone())?;
    let mut stack = ServiceBuilder::new()
        .layer(DeadlineLayer::new(world.clone(), Duration::from_secs(120))?)
        .layer(FallbackLayer::new(chains, health.clone(), Default::default())?)
        .layer(RetryLayer::new(health.clone(), Default::default())?)
        .layer(PacingLayer::new(health.clone()))
        .layer(BreakerLayer::new(health))
        .layer(AttemptLayer::new(world, AttemptConfig::default(), Classified)?)
        .service_fn(flaky);

    for turn in 1..=5u8 {
        let messages = vec![Message::text(Role::User, "go on")];
        let request = ModelRequest { messages, ..ModelRequest::default() };
        let call = Call::new(Arc::new(HookContext::new("session", "lead")), request, OpId(turn.into()));
        let replied = time
            .block_on(async { stack.ready().await?.call(call).await })
            .ok_or("the client does not wait")??;
        println!("turn {turn}: {}", replied.reply);
        for failed in &replied.failed {
            println!("        not `{}`: {} ({})", failed.model, failed.kind, failed.message);
        }
    }
    Ok(())
}

/// A client whose first model is overloaded and whose second has no credentials.
async fn flaky(call: Call) -> Result<String, ModelError> {
    match call.model_name() {
        "opus" => Err(ModelError::new(ErrorKind::Overloaded, "come back later").with_status(529)),
        "gpt" => Err(ModelError::new(ErrorKind::Authentication, "the key was withdrawn").with_status(401)),
        model => Ok(format!("`{model}` answers")),
    }
}

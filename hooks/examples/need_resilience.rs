//! Resilience: providers are overloaded and recover. The agent gets an answer, and learns which model gave
//! it.
//! `cargo run -p tower-hooks --example need_resilience`

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hooks::config::Config;
use hooks::event::{ModelReply, Usage};
use hooks::resilience::{Call, Classifiers, HttpError};
use hooks::{BoxError, HookContext, drivers::ModelRequest, state::OpId};
use tower::{Layer, ServiceExt, service_fn};

const FILE: &str = "
version: 1
models:
  catalog:
    - { name: opus, provider: anthropic, tier: premium, context_tokens: 200000 }
    - { name: gpt, provider: openai, tier: premium, context_tokens: 400000 }
  routing: { default: premium }
  deadline: 2m
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let config = Config::parse(FILE, "hooks.yaml")?;
    let models = config.models().ok_or("the file has a section `models`")?;
    let layers = models.layer(config.clone().hooks(), Classifiers::new(hooks::system().clock))?;
    // The first provider is overloaded for its first two calls.
    let calls = Arc::new(AtomicU32::new(0));
    let client = service_fn(move |call: Call| {
        let calls = Arc::clone(&calls);
        async move {
            let name = call.model_name().to_owned();
            if name == "opus" && calls.fetch_add(1, Ordering::Relaxed) < 2 {
                let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
                return Err(HttpError::new(529, Default::default(), body));
            }
            Ok(ModelReply::text(format!("`{name}` answers"), Usage::default()))
        }
    });
    let stack = layers.layer(client);
    for number in 1..=4 {
        let context = HookContext::new("session-1", "backend").with_environment(hooks::system());
        let id = OpId::from_parts(&["call", &number.to_string()]);
        let replied = stack.clone().oneshot(Call::new(context.into(), ModelRequest::default(), id)).await?;
        println!("call {number}: {}", replied.reply.response.content);
        for failed in &replied.failed {
            println!("  before: `{}` was {}: {}", failed.model, failed.kind, failed.message);
        }
    }
    config.close().await?;
    Ok(())
}

//! Resilient model calls from a `hooks.yaml`: the first model is overloaded, the second answers.
//! `cargo run -p tower-hooks --example models`

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
    // The client's errors are classified by status, headers and body.
    let classify = Classifiers::new(hooks::system().clock);
    let layers = models.layer(config.clone().hooks(), classify)?;
    let stack = layers.layer(service_fn(client));

    let call = Call::new(
        HookContext::new("session-1", "Ripley").into(),
        ModelRequest::default(),
        OpId::from_parts(&["call 1"]),
    );
    let replied = stack.oneshot(call).await?;
    println!("{}", replied.reply.response.content);
    for failed in &replied.failed {
        println!("  before: `{}` was {}: {}", failed.model, failed.kind, failed.message);
    }
    config.close().await?;
    Ok(())
}

/// A client, such as a host has that calls its providers over HTTP.
async fn client(call: Call) -> Result<ModelReply, HttpError> {
    match call.model_name() {
        "opus" => Err(HttpError::new(
            529,
            Default::default(),
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        )),
        name => Ok(ModelReply::text(format!("`{name}` answers"), Usage::default())),
    }
}

//! The same call, governed: only small models may be called.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs};
use hooks_core::{HookRequest, Hooks, Reason, Verdict, event::BeforeModelCall, policy_fn};
use hooks_system::local_context;

/// Asks a model, and returns its answer.
pub async fn ask(client: &Client<OpenAIConfig>, model: &str, question: &str) -> Result<String, OpenAIError> {
    let message = ChatCompletionRequestUserMessage::from(question);
    let request =
        CreateChatCompletionRequestArgs::default().model(model).messages([message.into()]).build()?;
    let response = client.chat().create(request).await?;
    Ok(response.choices.into_iter().filter_map(|choice| choice.message.content).collect())
}

/// The client.
pub fn client(config: OpenAIConfig, hooks: Hooks) -> Client<OpenAIConfig> {
    hooks_async_openai::governed(Client::with_config(config), hooks, local_context("session-1", "agent"))
}

/// The rules: small models only.
pub fn rules() -> Hooks {
    let small = policy_fn("models", |request: &HookRequest<BeforeModelCall>| match &*request.event().model {
        "gpt-5-mini" => Verdict::NO_OPINION,
        _ => Verdict::deny(Reason::new("models", "size", "only small models may be called")),
    });
    Hooks::builder().policy(small).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), OpenAIError> {
    let client = client(OpenAIConfig::default(), rules());
    println!("{}", ask(&client, "gpt-5-mini", "Where do the orders live?").await?);
    Ok(())
}

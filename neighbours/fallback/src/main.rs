//! Models of two providers behind the layers of `hooks.yaml`, with async-openai as their client: if the first one fails, the second one
//! answers. The hooks are called for each attempt.
//!
//! `cargo run --manifest-path neighbours/Cargo.toml -p fallback` asks OpenAI, then a provider on this machine.

use std::collections::HashMap;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::ReqwestService;
use async_openai::types::chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs};
use hooks_config::Config;
use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply, Role, Usage};
use hooks_core::state::OpId;
use hooks_core::{BoxError, Hooks};
use hooks_resilience::{Call, Classifiers, HttpError};
use tower::{Layer, ServiceExt, service_fn};

/// The models.
pub const FILE: &str = "
version: 1
models:
  catalog:
    - { name: gpt-5-mini, provider: openai }
    - { name: gpt-oss, provider: local }
  routing: { default: standard }
  deadline: 1m
";

/// Clients by provider. The layers try again, so the clients do not.
pub type Clients = HashMap<String, Client<OpenAIConfig>>;

/// A client of one provider.
pub fn client(config: OpenAIConfig) -> Client<OpenAIConfig> {
    Client::with_config(config).with_http_service(ReqwestService::default())
}

/// Asks the models of the file, and returns the answer with the model that gave it.
pub async fn ask(
    file: &Config,
    hooks: Hooks,
    clients: Clients,
    question: &str,
) -> Result<(String, String), BoxError> {
    let models = file.models().ok_or("the file has a section `models`")?;
    let model = service_fn(move |call: Call| answer(clients.clone(), call));
    let stack = models.layer(hooks, Classifiers::new(hooks_system::system().clock))?.layer(model);

    let context = hooks_system::local_context("session-1", "agent");
    let request =
        ModelRequest { messages: vec![Message::text(Role::User, question)], ..ModelRequest::default() };
    let id = OpId(context.environment.random.next_u128());
    let replied = stack.oneshot(Call::new(context.into(), request, id)).await?;
    let name = replied.model.map(|model| model.name.to_string()).unwrap_or_default();
    Ok((replied.reply.response.content.as_str().unwrap_or_default().to_owned(), name))
}

/// One attempt at one model.
async fn answer(clients: Clients, call: Call) -> Result<ModelReply, HttpError> {
    let provider = call.model.as_ref().map(|model| model.provider.to_string()).unwrap_or_default();
    let client =
        clients.get(&provider).ok_or_else(|| HttpError::new(404, Default::default(), "no such provider"))?;
    let text = |message: &Message| message.content.as_str().unwrap_or_default().to_owned();
    let messages: Vec<_> = call
        .messages()
        .iter()
        .map(|message| ChatCompletionRequestUserMessage::from(text(message)).into())
        .collect();
    let request =
        CreateChatCompletionRequestArgs::default().model(call.model_name()).messages(messages).build();
    let response = client.chat().create(request.map_err(http)?).await.map_err(http)?;
    let usage = response.usage.map(|usage| Usage {
        input_tokens: usage.prompt_tokens.into(),
        output_tokens: usage.completion_tokens.into(),
        ..Usage::default()
    });
    let text: String = response.choices.into_iter().filter_map(|choice| choice.message.content).collect();
    Ok(ModelReply::text(text, usage.unwrap_or_default()))
}

/// The error as the layers classify it. Errors without an answer count as those of a provider that cannot be reached.
fn http(error: OpenAIError) -> HttpError {
    match error {
        OpenAIError::ApiError(error) => {
            HttpError::new(error.status_code.as_u16(), Default::default(), error.api_error.message)
        }
        error => HttpError::new(503, Default::default(), error.to_string()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let file = Config::parse(FILE, "hooks.yaml")?;
    let local = OpenAIConfig::new().with_api_base("http://127.0.0.1:11434/v1");
    let clients = [("openai", OpenAIConfig::default()), ("local", local)];
    let clients = clients.map(|(provider, config)| (provider.to_owned(), client(config))).into();
    let (answer, model) = ask(&file, file.clone().hooks(), clients, "Where do the orders live?").await?;
    println!("{model}: {answer}");
    Ok(())
}

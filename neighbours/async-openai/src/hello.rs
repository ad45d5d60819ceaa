//! A call of a model. The variable `OPENAI_BASE_URL` names another provider than OpenAI.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs};

/// Asks a model, and returns its answer.
pub async fn ask(client: &Client<OpenAIConfig>, model: &str, question: &str) -> Result<String, OpenAIError> {
    let message = ChatCompletionRequestUserMessage::from(question);
    let request =
        CreateChatCompletionRequestArgs::default().model(model).messages([message.into()]).build()?;
    let response = client.chat().create(request).await?;
    Ok(response.choices.into_iter().filter_map(|choice| choice.message.content).collect())
}

/// The client.
pub fn client(config: OpenAIConfig) -> Client<OpenAIConfig> {
    Client::with_config(config)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), OpenAIError> {
    let client = client(OpenAIConfig::default());
    println!("{}", ask(&client, "gpt-5-mini", "Where do the orders live?").await?);
    Ok(())
}

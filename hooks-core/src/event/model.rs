//! A model is called and answers.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A model is about to be called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BeforeModelCall {
    /// Which model.
    pub model: String,
    /// The turn it belongs to, from 1.
    #[serde(default)]
    pub iteration: u64,
    /// What is sent.
    #[serde(default)]
    pub messages: Vec<Message>,
}

impl BeforeModelCall {
    /// A call of `model` with `messages` in turn `iteration`.
    pub fn new(model: impl Into<String>, iteration: u64, messages: Vec<Message>) -> Self {
        Self { model: model.into(), iteration, messages }
    }

    pub(super) fn rewrite(&mut self, rewrite: ModelRewrite) {
        if let Some(model) = rewrite.model {
            self.model = model;
        }
        if let Some(messages) = rewrite.messages {
            self.messages = messages;
        }
    }
}

/// What may be changed about a model call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelRewrite {
    /// Another model.
    pub model: Option<String>,
    /// Other messages.
    pub messages: Option<Vec<Message>>,
}

/// A model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AfterModelCall {
    /// Which model.
    pub model: String,
    /// The turn it belongs to, from 1.
    #[serde(default)]
    pub iteration: u64,
    /// What it answered.
    pub response: Message,
    /// The tokens it took.
    #[serde(default)]
    pub usage: Usage,
    /// What it cost, in millionths of a US dollar, where that is known.
    #[serde(default)]
    pub cost: Option<MicroUsd>,
}

impl AfterModelCall {
    /// The answer of `model` in turn `iteration`.
    pub fn new(model: impl Into<String>, iteration: u64, reply: &ModelReply) -> Self {
        Self {
            model: model.into(),
            iteration,
            response: reply.response.clone(),
            usage: reply.usage,
            cost: reply.cost,
        }
    }

    pub(super) fn rewrite(&mut self, response: Message) {
        self.response = response;
    }
}

/// A model's answer and what it took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelReply {
    /// What it answered.
    pub response: Message,
    /// The tokens it took.
    #[serde(default)]
    pub usage: Usage,
    /// What it cost, where that is known.
    #[serde(default)]
    pub cost: Option<MicroUsd>,
}

/// One message of a conversation. The content is text or a list of blocks, as the provider has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Value,
}

impl Message {
    /// A message that is text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, content: Value::String(text.into()) }
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The host.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// Tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Sent.
    #[serde(alias = "inputTokens")]
    pub input_tokens: u64,
    /// Received.
    #[serde(alias = "outputTokens")]
    pub output_tokens: u64,
    /// Of those sent, read from the provider's cache.
    #[serde(alias = "cachedTokens")]
    pub cached_tokens: u64,
    /// Of those received, spent on reasoning.
    #[serde(alias = "reasoningTokens")]
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Sent and received together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Millionths of a US dollar: money is never a float.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

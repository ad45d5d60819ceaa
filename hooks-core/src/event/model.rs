//! Events of a model call.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A model is about to be called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BeforeModelCall {
    /// Name of the model.
    pub model: String,
    /// Number of the turn that the call belongs to, from 1.
    #[serde(default)]
    pub iteration: u64,
    /// Messages to send.
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

/// Change of a model call.
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
    /// Name of the model.
    pub model: String,
    /// Number of the turn that the call belongs to, from 1.
    #[serde(default)]
    pub iteration: u64,
    /// Answer of the model.
    pub response: Message,
    /// Tokens that the call used.
    #[serde(default)]
    pub usage: Usage,
    /// Cost of the call in millionths of a US dollar, if known.
    #[serde(default)]
    pub cost: Option<MicroUsd>,
    /// Whether the host sent no `before_model_call` for this call, because it learnt of the call only by its
    /// answer. Limits and budgets count such an answer whole, and deny what follows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unannounced: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
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
            unannounced: false,
        }
    }

    /// Marks an answer whose call was not announced by `before_model_call`.
    #[must_use]
    pub const fn unannounced(mut self) -> Self {
        self.unannounced = true;
        self
    }

    pub(super) fn rewrite(&mut self, response: Message) {
        self.response = response;
    }
}

/// Answer of a model, with tokens and cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelReply {
    /// Answer of the model.
    pub response: Message,
    /// Tokens that the call used.
    #[serde(default)]
    pub usage: Usage,
    /// Cost of the call, if known.
    #[serde(default)]
    pub cost: Option<MicroUsd>,
}

impl ModelReply {
    /// Creates the answer of an assistant, without a cost.
    ///
    /// ```
    /// use hooks_core::event::{ModelReply, Usage};
    ///
    /// let usage = Usage { input_tokens: 900, output_tokens: 2, ..Usage::default() };
    /// let reply = ModelReply::text("in Postgres", usage);
    /// assert_eq!(reply.response.content, "in Postgres");
    /// ```
    pub fn text(text: impl Into<String>, usage: Usage) -> Self {
        Self { response: Message::text(Role::Assistant, text), usage, cost: None }
    }
}

/// One message of a conversation. The content is text or a list of blocks, in the format of the provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Role of the sender.
    pub role: Role,
    /// Content of the message.
    pub content: Value,
}

impl Message {
    /// A message that is text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, content: Value::String(text.into()) }
    }
}

/// Role of the sender of a message.
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
    /// Tokens sent.
    #[serde(alias = "inputTokens")]
    pub input_tokens: u64,
    /// Tokens received.
    #[serde(alias = "outputTokens")]
    pub output_tokens: u64,
    /// Tokens sent that were read from the provider's cache.
    #[serde(alias = "cachedTokens")]
    pub cached_tokens: u64,
    /// Tokens received that were used for reasoning.
    #[serde(alias = "reasoningTokens")]
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Returns the sum of tokens sent and received.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// An amount in millionths of a US dollar. An integer, so that sums are exact.
///
/// ```
/// use hooks_core::event::MicroUsd;
///
/// assert_eq!(MicroUsd(1_250_000).to_string(), "$1.250000");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

//! Events of a compaction of the context.

use serde::{Deserialize, Serialize};

/// The context is about to be compacted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PreCompact {
    /// Tokens in the context now.
    #[serde(alias = "currentTokenCount")]
    pub current_token_count: u64,
    /// Tokens of the context that the model wrote, if the host counts them apart.
    #[serde(alias = "outputTokenCount", skip_serializing_if = "is_zero")]
    pub output_token_count: u64,
    /// Tokens that fit into the context.
    #[serde(alias = "maxTokens")]
    pub max_tokens: u64,
    /// Method of compaction, in the words of the host.
    #[serde(alias = "compactionStrategy")]
    pub compaction_strategy: Option<String>,
    /// Cause of the compaction.
    pub source: CompactionSource,
    /// Reason for the compaction, as text.
    pub reason: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The context was compacted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PostCompact {
    /// Tokens in the context now.
    #[serde(alias = "currentTokenCount")]
    pub current_token_count: u64,
    /// Tokens in the context before the compaction.
    #[serde(alias = "tokenCountBefore", skip_serializing_if = "is_zero")]
    pub token_count_before: u64,
    /// Tokens before the compaction that the model wrote, if the host counts them apart.
    #[serde(alias = "outputTokenCount", skip_serializing_if = "is_zero")]
    pub output_token_count: u64,
    /// Tokens that fit into the context.
    #[serde(alias = "maxTokens")]
    pub max_tokens: u64,
    /// Method of compaction, in the words of the host.
    #[serde(alias = "compactionStrategy")]
    pub compaction_strategy: Option<String>,
    /// Cause of the compaction.
    pub source: CompactionSource,
    /// Reason for the compaction, as text.
    pub reason: Option<String>,
    /// Summary that replaces the dropped messages.
    pub summary: String,
}

impl PostCompact {
    /// The event after the compaction that `compaction` announced.
    pub fn after(compaction: &PreCompact, summary: impl Into<String>, tokens: u64) -> Self {
        let PreCompact {
            current_token_count,
            output_token_count,
            max_tokens,
            compaction_strategy,
            source,
            reason,
        } = compaction.clone();
        Self {
            current_token_count: tokens,
            token_count_before: current_token_count,
            output_token_count,
            max_tokens,
            compaction_strategy,
            source,
            reason,
            summary: summary.into(),
        }
    }
}

/// Cause of a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactionSource {
    /// The user requested it.
    Manual,
    /// The context reached a threshold.
    #[default]
    Auto,
    /// A model refused the context because it was too long.
    Overflow,
    /// A tool result does not fit.
    ToolOverflow,
}

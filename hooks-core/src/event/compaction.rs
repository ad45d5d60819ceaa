//! The context is compacted.

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
    /// Tokens that fit.
    #[serde(alias = "maxTokens")]
    pub max_tokens: u64,
    /// How it is done, in the host's words.
    #[serde(alias = "compactionStrategy")]
    pub compaction_strategy: Option<String>,
    /// What asked for it.
    pub source: CompactionSource,
    /// Why, in words.
    pub reason: Option<String>,
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
    /// Tokens that fit.
    #[serde(alias = "maxTokens")]
    pub max_tokens: u64,
    /// How it was done, in the host's words.
    #[serde(alias = "compactionStrategy")]
    pub compaction_strategy: Option<String>,
    /// What asked for it.
    pub source: CompactionSource,
    /// Why, in words.
    pub reason: Option<String>,
    /// What stands in place of what was dropped.
    pub summary: String,
}

impl PostCompact {
    /// What came of `asked`.
    pub fn after(asked: &PreCompact, summary: impl Into<String>, tokens: u64) -> Self {
        let PreCompact { max_tokens, compaction_strategy, source, reason, .. } = asked.clone();
        Self {
            current_token_count: tokens,
            max_tokens,
            compaction_strategy,
            source,
            reason,
            summary: summary.into(),
        }
    }
}

/// What asked for a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactionSource {
    /// A person.
    Manual,
    /// A threshold.
    #[default]
    Auto,
    /// A model that refused the context as too long.
    Overflow,
    /// A tool result that does not fit.
    ToolOverflow,
}

//! Proposals for what to do after a failure.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::verdict::Reason;

/// Proposals of hooks after a failure. The host, or a resilience layer, carries them out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Recovery {
    /// Whether to try again; if one hook answers no, the result is no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    /// Model to use instead; the first value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_model: Option<String>,
    /// Prompt to use instead; the first value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_prompt: Option<String>,
    /// Milliseconds to wait before the next try; the longest value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    /// Notifications to send, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<String>,
    /// Reasons for the proposals, and hooks that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

impl Outcome for Recovery {
    fn merge(&mut self, mut later: Self) {
        self.retry = match (self.retry, later.retry) {
            (Some(mine), Some(theirs)) => Some(mine && theirs),
            (mine, theirs) => mine.or(theirs),
        };
        self.fallback_model = self.fallback_model.take().or(later.fallback_model);
        self.modified_prompt = self.modified_prompt.take().or(later.modified_prompt);
        self.backoff_ms = self.backoff_ms.max(later.backoff_ms);
        self.notify.append(&mut later.notify);
        self.reasons.append(&mut later.reasons);
    }

    fn failed(reason: Reason, _closes: bool) -> Self {
        Self { reasons: vec![reason], ..Self::default() }
    }
}

//! What to do after a failure.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::verdict::Reason;

/// What hooks propose after a failure. The host, or a resilience layer, does it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Recovery {
    /// Whether to try again; a "no" absorbs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    /// With which model; the first one given stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_model: Option<String>,
    /// With which prompt; the first one given stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_prompt: Option<String>,
    /// After how many milliseconds; the longest stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    /// Whom to tell what, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<String>,
    /// Why, and which hooks failed.
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

//! Scrubs personal data and secrets from tool results, before a model sees them or a log records them.
//!
//! Scrubs the whole value, texts at any depth, keys and the text of an error. If nothing is found, the event
//! is not copied. Scrubbing twice changes nothing. Put it after every other change of the result.
//!
//! ```
//! use hooks_core::{HookContext, HookRequest, Transform, event::{PostToolUse, PreToolUse}};
//! use hooks_redaction::ResultRedaction;
//! use hooks_redaction::RedactionConfig;
//! use serde_json::json;
//!
//! let redaction = ResultRedaction::new(&RedactionConfig::default())?;
//! let call = PreToolUse::new("view", json!({}));
//! let event = PostToolUse::after(&call, json!({"by": "jane@example.com"}), None, 3);
//! let scrubbed = redaction.transform(&HookRequest::new(HookContext::default(), event))?;
//! assert_eq!(scrubbed, Some(json!({"by": "[EMAIL_REDACTED]"}).into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: only some labels, and a pattern of the host. The text of an error is scrubbed too.
//!
//! ```
//! use hooks_core::{HookContext, HookRequest, Transform, event::{PostToolUse, PreToolUse}};
//! use hooks_redaction::{RedactionConfig, ResultRedaction};
//! use serde_json::{Value, json};
//!
//! let config: RedactionConfig = serde_json::from_value(json!({
//!     "labels": ["GITHUB_TOKEN", "PASSWORD"],
//!     "patterns": {"CUSTOMER": "cus_[a-z0-9]{8}"},
//! }))?;
//! let redaction = ResultRedaction::new(&config)?;
//! let failed = |error: &str| {
//!     let event = PostToolUse::after(&PreToolUse::new("fetch", json!({})), Value::Null, Some(error.to_owned()), 3);
//!     redaction.transform(&HookRequest::new(HookContext::default(), event))
//! };
//! let scrubbed = failed("no invoice of cus_1a2b3c4d")?.expect("a customer is named");
//! assert_eq!(scrubbed.error.as_deref(), Some("no invoice of [CUSTOMER_REDACTED]"));
//! assert_eq!(failed("no mailbox jane@example.com")?, None); // not one of the labels
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use hooks_core::event::{PostToolUse, ResultRewrite};
use hooks_core::{HookError, HookRequest, PolicyErrors, Transform, TransformLayer};

use crate::config::RedactionConfig;
use crate::scrubber::Scrubber;

/// Scrubs tool results; see the [module](self) for an example.
#[derive(Clone, Debug)]
pub struct ResultRedaction {
    scrubber: Scrubber,
}

/// Scrubbing layer in front of an inner hook.
pub type ResultRedactionLayer = TransformLayer<Arc<ResultRedaction>>;

impl ResultRedaction {
    /// Creates a transform that scrubs the configured data.
    ///
    /// # Errors
    /// Returns an error for each unknown label and each invalid pattern.
    ///
    /// ```
    /// use hooks_redaction::{RedactionConfig, ResultRedaction};
    ///
    /// let patterns = [("ticket".to_owned(), "ACME-[0-9]+".to_owned())].into();
    /// let config = RedactionConfig { patterns, ..RedactionConfig::default() };
    /// let errors = ResultRedaction::new(&config).expect_err("markers have capital letters");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`redaction.patterns.ticket`: `ticket` cannot name a pattern; \
    ///      use capital letters, digits and `_`, and no built-in label",
    /// );
    /// ```
    pub fn new(config: &RedactionConfig) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let scrubber = config.scrubber(&mut errors);
        errors.or(Self { scrubber })
    }

    /// Wraps the transform in a layer.
    pub fn layer(self) -> ResultRedactionLayer {
        TransformLayer::new(Arc::new(self))
    }

    /// Creates a transform that scrubs with `scrubber`.
    pub fn with_scrubber(scrubber: Scrubber) -> Self {
        Self { scrubber }
    }
}

impl Transform<PostToolUse> for ResultRedaction {
    fn name(&self) -> &'static str {
        "redaction"
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let PostToolUse { tool_result, error, .. } = request.event();
        let mut result = tool_result.clone();
        let result = (self.scrubber.scrub_value(&mut result) > 0).then_some(result);
        let error = error.as_deref().and_then(|text| match self.scrubber.scrub(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(scrubbed) => Some(scrubbed),
        });
        let changed = result.is_some() || error.is_some();
        Ok(changed.then_some(ResultRewrite { result, error }))
    }
}

#[cfg(test)]
mod tests;

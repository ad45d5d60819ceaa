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
//! let scrubbed = redaction.transform(&HookRequest::new(HookContext::default(), event))?.expect("an address");
//! assert_eq!(scrubbed.result, Some(json!({"by": "[EMAIL_REDACTED]"})));
//! assert_eq!(scrubbed.redacted, [("EMAIL".to_owned(), 1)].into()); // for records and metrics
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
use std::fmt;
use std::sync::Arc;

use hooks_core::event::{PostToolUse, ResultRewrite};
use hooks_core::{HookError, HookRequest, PolicyErrors, Transform, TransformLayer};

use crate::config::RedactionConfig;
use crate::report::Report;
use crate::scrubber::Scrubber;

/// Scrubs tool results; see the [module](self) for an example.
#[derive(Clone)]
pub struct ResultRedaction {
    scrubber: Scrubber,
    on_report: Option<Arc<OnReport>>,
}

/// Receiver of reports.
type OnReport = dyn Fn(&HookRequest<PostToolUse>, &Report) + Send + Sync;

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
        errors.or(Self::with_scrubber(scrubber))
    }

    /// Calls `on_report` with the number of findings by label of each result that was changed, for a metric or a record. A
    /// report holds no value. The request has the result as it was before; do not record that.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use hooks_core::{HookContext, HookRequest, Transform, event::{PostToolUse, PreToolUse}};
    /// use hooks_redaction::{Report, ResultRedaction, Scrubber};
    /// use serde_json::json;
    ///
    /// let totals = Arc::new(Mutex::new(Report::default()));
    /// let counted = Arc::clone(&totals);
    /// let redaction = ResultRedaction::with_scrubber(Scrubber::all())
    ///     .with_reports(move |_, report| counted.lock().expect("no thread panicked").merge(report));
    /// for result in [json!("a@b.org, 10.1.2.3"), json!("nothing"), json!(["c@d.org"])] {
    ///     let event = PostToolUse::after(&PreToolUse::new("view", json!({})), result, None, 3);
    ///     redaction.transform(&HookRequest::new(HookContext::default(), event))?;
    /// }
    /// let totals = totals.lock().expect("no thread panicked");
    /// assert_eq!(totals.iter().collect::<Vec<_>>(), [("EMAIL", 2), ("IPV4", 1)]);
    /// # Ok::<(), hooks_core::HookError>(())
    /// ```
    #[must_use]
    pub fn with_reports(
        mut self,
        on_report: impl Fn(&HookRequest<PostToolUse>, &Report) + Send + Sync + 'static,
    ) -> Self {
        self.on_report = Some(Arc::new(on_report));
        self
    }

    /// Wraps the transform in a layer.
    pub fn layer(self) -> ResultRedactionLayer {
        TransformLayer::new(Arc::new(self))
    }

    /// Creates a transform that scrubs with `scrubber`.
    pub fn with_scrubber(scrubber: Scrubber) -> Self {
        Self { scrubber, on_report: None }
    }
}

impl Transform<PostToolUse> for ResultRedaction {
    fn name(&self) -> &'static str {
        "redaction"
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let PostToolUse { tool_result, error, .. } = request.event();
        let mut result = tool_result.clone();
        let (changed, mut report) = self.scrubber.scrub_value_reported(&mut result);
        let result = (changed > 0).then_some(result);
        let error = error.as_deref().and_then(|text| {
            let scrubbed = self.scrubber.scrub_reported(text);
            report.merge(&scrubbed.report);
            match scrubbed.text {
                Cow::Borrowed(_) => None,
                Cow::Owned(text) => Some(text),
            }
        });
        if result.is_none() && error.is_none() {
            return Ok(None);
        }
        if let Some(on_report) = &self.on_report {
            on_report(request, &report);
        }
        Ok(Some(ResultRewrite { result, error, redacted: report.into_counts() }))
    }
}

impl fmt::Debug for ResultRedaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultRedaction").field("scrubber", &self.scrubber).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

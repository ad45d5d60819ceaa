//! Tool arguments as telemetry may record them: scrubbed and cut to a length (law 7).
//!
//! ```
//! use hooks_redaction::ArgumentRecorder;
//! use serde_json::json;
//!
//! let recorder = ArgumentRecorder::default();
//! let arguments = json!({"query": "x", "apiToken": "k", "to": "jane@example.com"});
//! assert_eq!(
//!     recorder.text(&arguments),
//!     r#"{"query":"[REDACTED]","apiToken":"[REDACTED]","to":"[EMAIL_REDACTED]"}"#
//! );
//! ```
//!
//! Customised: a shorter text. A cut leaves out a marker that does not fit, and never a part of it.
//!
//! ```
//! use hooks_redaction::{ArgumentRecorder, Options};
//! use serde_json::json;
//!
//! let recorder = ArgumentRecorder::with_options(Options::default().with_limit(20));
//! let arguments = json!({"to": "jane@example.com", "text": "hello"});
//! assert_eq!(recorder.text(&arguments), r#"{"to":""#);
//! assert_eq!(recorder.text(&json!({"text": "hello everybody there"})), r#"{"text":"hello every"#);
//! ```

use std::fmt;

use hooks_core::event::ToolDecided;
use hooks_core::{HookRequest, Observer};
use serde_json::Value;

use crate::arguments::{Options, redact_arguments};
use crate::scrubber::Scrubber;

/// Formats arguments as text that may be recorded.
#[derive(Clone, Debug, Default)]
pub struct ArgumentRecorder {
    options: Options,
}

impl ArgumentRecorder {
    /// Creates a recorder that redacts with `scrubber`.
    pub fn new(scrubber: Scrubber) -> Self {
        Self { options: Options::default().with_scrubber(scrubber) }
    }

    /// Creates a recorder with other options.
    pub fn with_options(options: Options) -> Self {
        Self { options }
    }

    /// Formats the arguments as text.
    pub fn text(&self, arguments: &Value) -> String {
        redact_arguments(arguments, &self.options)
    }

    /// Returns an observer that passes each decided call and the text of its arguments to `record`.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use hooks_core::event::{PreToolUse, ToolDecided, VerdictSource};
    /// use hooks_core::{HookContext, HookRequest, Observer, Strength};
    /// use hooks_redaction::ArgumentRecorder;
    /// use serde_json::json;
    ///
    /// let lines = Mutex::new(Vec::new());
    /// let recorded = ArgumentRecorder::default().observer(|request: &HookRequest<ToolDecided>, arguments: &str| {
    ///     let line = format!("{} {arguments}", request.event().tool_name);
    ///     lines.lock().expect("no thread panicked").push(line);
    /// });
    /// let call = PreToolUse::new("send", json!({"to": "jane@example.com"}));
    /// let decided = ToolDecided::about(&call, Strength::Allow, VerdictSource::Hooks, &[]);
    /// recorded.observe(&HookRequest::new(HookContext::default(), decided), &());
    /// assert_eq!(*lines.lock().expect("no thread panicked"), [r#"send {"to":"[EMAIL_REDACTED]"}"#]);
    /// ```
    pub fn observer<F>(self, record: F) -> RecordedCalls<F>
    where
        F: Fn(&HookRequest<ToolDecided>, &str) + Send + Sync,
    {
        RecordedCalls { recorder: self, record }
    }
}

/// Observer of decided calls; see [`ArgumentRecorder::observer`].
#[derive(Clone)]
pub struct RecordedCalls<F> {
    recorder: ArgumentRecorder,
    record: F,
}

impl<F> Observer<ToolDecided> for RecordedCalls<F>
where
    F: Fn(&HookRequest<ToolDecided>, &str) + Send + Sync,
{
    fn name(&self) -> &'static str {
        "recorded-arguments"
    }

    fn observe(&self, request: &HookRequest<ToolDecided>, _outcome: &()) {
        (self.record)(request, &self.recorder.text(&request.event().tool_args));
    }
}

impl<F> fmt::Debug for RecordedCalls<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedCalls").field("recorder", &self.recorder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use hooks_core::event::{PreToolUse, VerdictSource};
    use hooks_core::{HookContext, Strength};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_observer_sees_scrubbed_arguments() {
        let seen = Mutex::new(Vec::new());
        let observer = ArgumentRecorder::default()
            .observer(|_: &HookRequest<ToolDecided>, text: &str| seen.lock().unwrap().push(text.to_owned()));
        let call =
            PreToolUse::new("post", json!({"to": "jane@example.com", "deep": {"password": "hunter2"}}));
        let event = ToolDecided::about(&call, Strength::Allow, VerdictSource::Hooks, &[]);
        observer.observe(&HookRequest::new(HookContext::default(), event), &());
        assert_eq!(*seen.lock().unwrap(), [r#"{"to":"[EMAIL_REDACTED]","deep":{"password":"[REDACTED]"}}"#]);
    }
}

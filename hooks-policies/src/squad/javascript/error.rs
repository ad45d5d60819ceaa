//! Error as the JavaScript engine, or a custom hook, raises it.

use std::borrow::Cow;
use std::fmt;

/// Error of a failed run: the name and message that a caller of Squad would catch.
///
/// Squad makes no decision if a run fails, so the caller of this engine has to. A failure must not be treated
/// as an allow.
///
/// ```
/// use hooks_policies::squad::{SquadCall, SquadPipeline, SquadPolicy};
/// use serde_json::json;
///
/// let policy: SquadPolicy = serde_json::from_value(json!({"allowedWritePaths": ["src/(a"]}))?;
/// let pipeline = SquadPipeline::new(Some(&policy))?; // Squad compiles a pattern when a write is judged
/// let arguments = json!({"path": "docs/a.md"});
/// let mut call = SquadCall::new("edit", &arguments, "Backend", "session-1");
/// let error = pipeline.pre(&mut call).expect_err("a group is open");
/// assert_eq!(error.name(), "SyntaxError");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsError {
    name: Cow<'static, str>,
    message: Cow<'static, str>,
}

impl fmt::Display for JsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, message } = self;
        write!(f, "{name}: {message}")
    }
}

impl std::error::Error for JsError {}

impl JsError {
    /// Creates an error with a custom name, as a custom hook raises it.
    pub fn new(name: impl Into<Cow<'static, str>>, message: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), message: message.into() }
    }

    /// Returns the name of the error: `Error`, `TypeError`, `SyntaxError`, `RangeError` or a custom one.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the message, in the engine's wording.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn type_error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("TypeError", message)
    }

    /// Creates the error for reading a field of `null` or `undefined`.
    pub(crate) fn unreadable(what: &str, field: &str) -> Self {
        Self::type_error(format!("Cannot read properties of {what} (reading '{field}')"))
    }

    /// Creates the error for an invalid expression, with its source.
    pub(crate) fn bad_expression(source: &str, why: &str) -> Self {
        Self::new("SyntaxError", format!("Invalid regular expression: /{source}/: {why}"))
    }

    pub(crate) fn stack_overflow() -> Self {
        Self::new("RangeError", "Maximum call stack size exceeded")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_engine_prints() {
        let error = JsError::unreadable("null", "path");
        assert_eq!(error.to_string(), "TypeError: Cannot read properties of null (reading 'path')");
    }
}

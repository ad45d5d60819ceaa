//! An error as the JavaScript engine, or a custom hook, raises it.

use std::borrow::Cow;
use std::fmt;

/// A failed run: the name and message the reference's caller would catch.
///
/// Squad decides nothing when a run fails; whoever wraps this engine has to. A failure must not be taken
/// for an allow.
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
    /// An error with a name of its own, as a custom hook raises it.
    pub fn new(name: impl Into<Cow<'static, str>>, message: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), message: message.into() }
    }

    /// What the error is called: `Error`, `TypeError`, `SyntaxError`, `RangeError` or a hook's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What went wrong, in the engine's wording.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn type_error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("TypeError", message)
    }

    /// Reading a field of `null` or `undefined`.
    pub(crate) fn unreadable(what: &str, field: &str) -> Self {
        Self::type_error(format!("Cannot read properties of {what} (reading '{field}')"))
    }

    /// An expression the engine refuses, with the source it was given.
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

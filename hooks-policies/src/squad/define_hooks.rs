//! Checks of Squad's configuration builder.
//!
//! The builder and the pipeline disagree: the builder knows `maxAskUser`, the pipeline reads
//! `maxAskUserPerSession`. The pipeline ignores the builder's checks.

use std::fmt;

use serde_json::{Map, Value};

/// Error of the builder about a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuilderValidationError {
    reason: String,
}

impl fmt::Display for BuilderValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason } = self;
        write!(f, "[defineHooks] {reason}")
    }
}

impl std::error::Error for BuilderValidationError {}

impl BuilderValidationError {
    /// Name of the error in JavaScript.
    pub const NAME: &'static str = "BuilderValidationError";
}

/// Checks a configuration as `defineHooks` does: the first wrong field is reported.
///
/// A field that is present must have its type, and null is not allowed. List items, ranges and unknown fields
/// are not checked, and nothing is added to the configuration.
///
/// # Errors
/// Returns an error if the configuration is not an object, or a field has the wrong type.
///
/// ```
/// use hooks_policies::squad::define_hooks;
/// use serde_json::json;
///
/// assert!(define_hooks(&json!({"scrubPii": true, "unknown": 1})).is_ok());
/// let error = define_hooks(&json!({"maxAskUser": "3"})).expect_err("a text");
/// assert_eq!(error.to_string(), "[defineHooks] \"maxAskUser\" must be a number when provided");
/// ```
pub fn define_hooks(config: &Value) -> Result<(), BuilderValidationError> {
    let Value::Object(fields) = config else {
        return Err(BuilderValidationError { reason: "config must be a plain object".to_owned() });
    };
    check(fields, "allowedWritePaths", "an array", Value::is_array)?;
    check(fields, "blockedCommands", "an array", Value::is_array)?;
    check(fields, "maxAskUser", "a number", Value::is_number)?;
    check(fields, "scrubPii", "a boolean", Value::is_boolean)?;
    check(fields, "reviewerLockout", "a boolean", Value::is_boolean)
}

fn check(
    fields: &Map<String, Value>,
    name: &str,
    kind: &str,
    is_kind: fn(&Value) -> bool,
) -> Result<(), BuilderValidationError> {
    match fields.get(name) {
        Some(value) if !is_kind(value) => {
            Err(BuilderValidationError { reason: format!("\"{name}\" must be {kind} when provided") })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_checked_passes() {
        for config in [json!({}), json!({"maxAskUser": -2.5, "blockedCommands": [null], "typo": 1})] {
            assert_eq!(define_hooks(&config), Ok(()));
        }
    }

    #[test]
    fn the_first_wrong_field_is_reported() {
        let cases = [
            (json!([]), "[defineHooks] config must be a plain object"),
            (json!(null), "[defineHooks] config must be a plain object"),
            (
                json!({"scrubPii": 1, "maxAskUser": "3"}),
                "[defineHooks] \"maxAskUser\" must be a number when provided",
            ),
            (
                json!({"allowedWritePaths": null}),
                "[defineHooks] \"allowedWritePaths\" must be an array when provided",
            ),
            (
                json!({"reviewerLockout": 0}),
                "[defineHooks] \"reviewerLockout\" must be a boolean when provided",
            ),
        ];
        for (config, want) in cases {
            assert_eq!(define_hooks(&config).unwrap_err().to_string(), want);
        }
    }
}

//! Blocks writes to paths that match none of the allowed patterns.

use serde_json::Value;

use super::glob::{self, Glob};
use super::javascript::{JsError, is_truthy, length_is_above_zero};

/// The allowed patterns, compiled once.
///
/// Squad compiles the patterns for each call, one after the other until one matches. A pattern that cannot be
/// compiled therefore makes the call fail only if none before it matches. Patterns after it are never
/// reached.
#[derive(Debug)]
pub(super) struct WriteGuard {
    patterns: Vec<Glob>,
    fault: Option<JsError>,
    list: Value,
    /// The patterns as they are listed in a reason; used only if all items are texts.
    joined: String,
}

impl WriteGuard {
    /// Creates the guard of a policy's field.
    ///
    /// # Errors
    /// Returns an error if the field has a length that cannot be compared.
    pub(super) fn from_policy(field: Option<&Value>) -> Result<Option<Self>, JsError> {
        match field.filter(|list| is_truthy(list)) {
            Some(list) if length_is_above_zero(list)? => Ok(Some(Self::new(list))),
            _ => Ok(None),
        }
    }

    fn new(list: &Value) -> Self {
        let texts: Vec<_> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut guard =
            Self { patterns: Vec::new(), fault: None, list: list.clone(), joined: texts.join(", ") };
        let Value::Array(patterns) = list else {
            guard.fault = Some(JsError::type_error("allowedPaths.some is not a function"));
            return guard;
        };
        for pattern in patterns {
            match compile(pattern) {
                Ok(pattern) => guard.patterns.push(pattern),
                Err(fault) => {
                    guard.fault = Some(fault);
                    break;
                }
            }
        }
        guard
    }

    /// Returns whether the path may be written.
    ///
    /// # Errors
    /// Returns an error if a pattern is invalid and none before it matches.
    pub(super) fn allows(&self, path: &str) -> Result<bool, JsError> {
        let prepared = glob::prepare(path);
        if self.patterns.iter().any(|pattern| pattern.matches(&prepared)) {
            return Ok(true);
        }
        self.fault.clone().map_or(Ok(false), Err)
    }

    pub(super) fn reason(&self, path: &str) -> String {
        let patterns = &self.joined;
        format!("File write blocked: \"{path}\" does not match allowed paths. Allowed patterns: {patterns}")
    }

    /// Returns the list as it was given.
    pub(super) fn list(&self) -> &Value {
        &self.list
    }
}

fn compile(pattern: &Value) -> Result<Glob, JsError> {
    match pattern {
        Value::String(pattern) => Glob::new(pattern),
        Value::Null => Err(JsError::unreadable("null", "replace")),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(JsError::type_error("pattern.replace is not a function"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn guard(list: &Value) -> WriteGuard {
        WriteGuard::from_policy(Some(list)).unwrap().unwrap()
    }

    #[test]
    fn a_bad_pattern_fails_only_calls_that_come_to_it() {
        for (bad, name) in [(json!("(a"), "SyntaxError"), (json!(null), "TypeError"), (json!(7), "TypeError")]
        {
            let guard = guard(&json!(["docs/**", bad, "src/**"]));
            assert_eq!(guard.allows("docs/a.md"), Ok(true));
            assert_eq!(guard.allows("src/a.ts").unwrap_err().name(), name);
        }
    }

    #[test]
    fn what_is_no_list_but_has_a_length_fails_every_call() {
        for field in [json!("src/**"), json!({"length": 1})] {
            let error = guard(&field).allows("src/a.ts").unwrap_err();
            assert_eq!(error.message(), "allowedPaths.some is not a function");
        }
    }

    #[test]
    fn no_length_no_guard() {
        for field in [json!([]), json!(null), json!(""), json!(true), json!(5), json!({})] {
            assert!(WriteGuard::from_policy(Some(&field)).unwrap().is_none(), "{field}");
        }
        assert!(WriteGuard::from_policy(None).unwrap().is_none());
    }
}

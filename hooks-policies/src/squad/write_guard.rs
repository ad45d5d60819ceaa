//! Blocks writes to paths that match none of the allowed patterns.

use serde_json::Value;

use super::glob::{self, Glob};
use super::javascript::{JsError, is_truthy, length_is_above_zero};

/// The allowed patterns, compiled once.
///
/// Squad compiles them for each call, one after the other until one matches, so a pattern it cannot compile
/// makes the call fail only if none before it matches. What comes after such a pattern is never reached.
#[derive(Debug)]
pub(super) struct WriteGuard {
    patterns: Vec<Glob>,
    fault: Option<JsError>,
    list: Value,
    /// The patterns as a refusal lists them; it means that all items were patterns, that is, texts.
    joined: String,
}

impl WriteGuard {
    /// The guard that a policy's field asks for.
    ///
    /// # Errors
    /// The field has a length that cannot be compared.
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

    /// Whether the path may be written.
    ///
    /// # Errors
    /// No pattern before the first bad one matches.
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

    /// The list as it was given.
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

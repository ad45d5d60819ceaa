//! Conditions on the arguments of a call: hosts of URLs, texts, numbers.

use hooks_core::PolicyErrors;
use hooks_facts::{hosts, names};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::changes::ConditionMatch;

/// Condition on one argument. It holds if all given parts hold for the value; for a list, for one of its values.
///
/// ```
/// use hooks_policies::config::ArgumentCondition;
/// use serde_json::json;
///
/// let condition: ArgumentCondition = serde_json::from_value(json!({"host": ["*.example.com"], "not": true}))?;
/// assert!(condition.not && condition.max.is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ArgumentCondition {
    /// Hosts of a URL: the host is one of them. `*.example.com` is every host below `example.com`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<String>,
    /// Texts: the value is one of them, without regard to case; `*` is any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
    /// Regular expression that the value contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
    /// Least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Whether the condition holds for all other values instead.
    #[serde(skip_serializing_if = "is_false")]
    pub not: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of `skip_serializing_if`")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Compiled condition on one argument.
#[derive(Clone, Debug)]
pub(super) struct ArgumentRule {
    /// Name as it is configured.
    pub(super) name: String,
    /// Names of the argument and of the objects around it, folded.
    path: Vec<String>,
    hosts: Vec<String>,
    texts: Vec<Regex>,
    matches: Option<Regex>,
    min: Option<f64>,
    max: Option<f64>,
    not: bool,
}

impl ArgumentRule {
    /// Compiles the condition on the argument `name`; `field` is its place in the configuration.
    pub(super) fn compile(
        name: &str,
        config: &ArgumentCondition,
        field: &str,
        errors: &mut PolicyErrors,
    ) -> Self {
        let path: Vec<_> = name.split('.').map(folded).collect();
        if path.iter().any(String::is_empty) {
            let hint = "write the name of an argument, or names with dots between them";
            errors.push(field, format!("`{name}` is not the name of an argument"), hint);
        }
        let ArgumentCondition { host, is, matches, min, max, not } = config;
        let has_number = min.is_some() || max.is_some();
        if host.is_empty() && is.is_empty() && matches.is_none() && !has_number {
            errors.push(field, "the condition is empty", "write `host`, `is`, `matches`, `min` or `max`");
        }
        let is_bad = |number: &Option<f64>| number.is_some_and(|number| !number.is_finite());
        if is_bad(min) || is_bad(max) || matches!((min, max), (Some(min), Some(max)) if min > max) {
            errors.push(
                field,
                "no number is in this range",
                "write `min` and `max` as finite numbers, the smaller one first",
            );
        }
        let mut hosts = Vec::new();
        for (at, pattern) in host.iter().enumerate() {
            match hosts::pattern(pattern) {
                Some(pattern) => hosts.push(pattern),
                None => errors.push(
                    format!("{field}.host[{at}]"),
                    format!("`{pattern}` is not a host"),
                    "write a name such as `example.com`, or `*.example.com` for every host below it",
                ),
            }
        }
        let texts = is.iter().filter_map(|text| wildcard(text)).collect();
        let matches = matches.as_ref().and_then(|text| {
            Regex::new(text)
                .map_err(|error| {
                    let problem = format!("`{text}` is not a regular expression: {error}");
                    errors.push(format!("{field}.matches"), problem, "correct the expression");
                })
                .ok()
        });
        Self { name: name.to_owned(), path, hosts, texts, matches, min: *min, max: *max, not: *not }
    }

    /// Compares the condition with the arguments of a call. If the argument is missing and `is_expected`, the tool may
    /// read the value elsewhere, so the match is unknown.
    pub(super) fn compare(&self, arguments: &Value, is_expected: bool) -> ConditionMatch {
        let mut values = Vec::new();
        collect(arguments, &self.path, &mut values);
        if values.is_empty() {
            return if is_expected { ConditionMatch::Unknown } else { ConditionMatch::Other };
        }
        let all = values.into_iter().map(|value| self.compare_value(value));
        all.reduce(any).unwrap_or(ConditionMatch::Unknown)
    }

    fn compare_value(&self, value: &Value) -> ConditionMatch {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return ConditionMatch::Unknown,
        };
        let mut found = ConditionMatch::Same;
        if !self.hosts.is_empty() {
            found = found.and(match hosts::of_url(&text) {
                Some(host) => is(self.hosts.iter().any(|pattern| hosts::is_within(&host, pattern))),
                None => ConditionMatch::Unknown,
            });
        }
        if !self.texts.is_empty() {
            found = found.and(is(self.texts.iter().any(|known| known.is_match(&text))));
        }
        if let Some(expression) = &self.matches {
            found = found.and(is(expression.is_match(&text)));
        }
        if self.min.is_some() || self.max.is_some() {
            found = found.and(match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    is(self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max))
                }
                _ => ConditionMatch::Unknown,
            });
        }
        match found {
            ConditionMatch::Same if self.not => ConditionMatch::Other,
            ConditionMatch::Other if self.not => ConditionMatch::Same,
            found => found,
        }
    }
}

const fn is(holds: bool) -> ConditionMatch {
    if holds { ConditionMatch::Same } else { ConditionMatch::Other }
}

/// Match of a list of values, of which one has to hold. If some values hold and others do not, a rule that allows must
/// not apply, and one that denies has to.
fn any(one: ConditionMatch, other: ConditionMatch) -> ConditionMatch {
    if one == other { one } else { ConditionMatch::Unknown }
}

/// Collects the values at `path`. Tools read names in several spellings, so all of them count.
fn collect<'v>(value: &'v Value, path: &[String], found: &mut Vec<&'v Value>) {
    match (value, path) {
        (Value::Array(items), _) => items.iter().for_each(|item| collect(item, path, found)),
        (value, []) => found.push(value),
        (Value::Object(map), [name, rest @ ..]) => {
            for (_, inner) in map.iter().filter(|(key, _)| folded(key) == *name) {
                collect(inner, rest, found);
            }
        }
        _ => {}
    }
}

/// Name of an argument without case and separators, as tools in several languages write it.
fn folded(name: &str) -> String {
    names::folded(name).chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect()
}

/// Expression for a whole text in which `*` is any text.
pub(super) fn wildcard(text: &str) -> Option<Regex> {
    let parts: Vec<_> = text.split('*').map(regex::escape).collect();
    Regex::new(&format!("(?is)^{}$", parts.join(".*"))).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ConditionMatch::{Other, Same, Unknown};
    use super::*;

    fn compare(name: &str, condition: Value, arguments: &Value) -> ConditionMatch {
        let mut errors = PolicyErrors::default();
        let config = serde_json::from_value(condition).unwrap();
        let rule = ArgumentRule::compile(name, &config, "x", &mut errors);
        errors.or(()).unwrap();
        rule.compare(arguments, true)
    }

    #[test]
    fn each_part_of_a_condition_is_compared() {
        for (condition, value, wanted) in [
            (json!({"is": ["main", "rel-*"]}), json!("REL-1"), Same),
            (json!({"is": ["main"]}), json!("mainly"), Other),
            (json!({"is": ["true"]}), json!(true), Same),
            (json!({"is": ["a.c"]}), json!("abc"), Other),
            (json!({"matches": "^a+$"}), json!("aaa"), Same),
            (json!({"matches": "^a+$"}), json!("b"), Other),
            (json!({"min": 1, "max": 2}), json!(1.5), Same),
            (json!({"min": 1}), json!("0.5"), Other),
            (json!({"max": 2}), json!("NaN"), Unknown),
            (json!({"max": 2}), json!({"n": 1}), Unknown),
            (json!({"max": 2}), json!(null), Unknown),
            (json!({"max": 2, "not": true}), json!(3), Same),
            (json!({"max": 2, "not": true}), json!("many"), Unknown),
            (json!({"host": ["a.com"]}), json!("https://a.com:1/x"), Same),
            (json!({"host": ["a.com"], "matches": "/x$"}), json!("https://a.com/y"), Other),
            (json!({"host": ["a.com"]}), json!("javascript:alert(1)"), Unknown),
        ] {
            assert_eq!(compare("v", condition.clone(), &json!({"v": value})), wanted, "{condition} {value}");
        }
    }

    #[test]
    fn an_argument_is_found_in_every_spelling_and_list() {
        let condition = || json!({"is": ["x"]});
        for (name, arguments, wanted) in [
            ("max_size", json!({"maxSize": "x"}), Same),
            ("maxSize", json!({"MAX-SIZE": "x"}), Same),
            ("a.b", json!({"a": {"b": "x"}}), Same),
            ("a.b", json!({"a": [{"b": "x"}, {"b": "x"}]}), Same),
            ("a", json!({"a": ["x", "y"]}), Unknown),
            ("a", json!({"a": "x", "A": "y"}), Unknown),
            ("a", json!({"a": []}), Unknown),
            ("a", json!({"b": "x"}), Unknown),
            ("a", json!("x"), Unknown),
        ] {
            assert_eq!(compare(name, condition(), &arguments), wanted, "{name} {arguments}");
        }
    }
}

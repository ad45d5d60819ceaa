//! Formats tool arguments for telemetry: sensitive fields replaced, values scrubbed, the text cut to a limit.

use serde_json::{Map, Value};

use super::{
    marker::{MAX_NAME, Marker},
    names,
    scrubber::Scrubber,
    text::floor,
};

/// Replacement for the value of a sensitive field.
const REDACTED: &str = "[REDACTED]";

/// Options for formatting arguments.
///
/// ```
/// use hooks_redaction::{Options, Scrubber, redact_arguments};
/// use serde_json::json;
///
/// let options = Options::default().with_list_as_object(true).with_scrubber(Scrubber::emails()).with_limit(60);
/// assert_eq!(options.limit, 60);
/// assert_eq!(redact_arguments(&json!(["ls", "a@b.org"]), &options), r#"{"0":"ls","1":"[EMAIL_REDACTED]"}"#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Longest text, in UTF-16 units, as telemetry backends count; 1024 by default.
    pub limit: usize,
    /// Whether a list at the top is written as an object with index keys, as the Squad SDK records it.
    pub list_as_object: bool,
    /// Scrubber for the values; by default, with every built-in label.
    pub scrubber: Scrubber,
}

impl Options {
    /// Sets the longest text, in UTF-16 units.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Sets whether a list at the top is written as an object with index keys.
    #[must_use]
    pub fn with_list_as_object(mut self, list_as_object: bool) -> Self {
        self.list_as_object = list_as_object;
        self
    }

    /// Sets the scrubber for the values.
    #[must_use]
    pub fn with_scrubber(mut self, scrubber: Scrubber) -> Self {
        self.scrubber = scrubber;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: 1024, list_as_object: false, scrubber: Scrubber::all() }
    }
}

/// Formats `arguments` as compact JSON that may be recorded.
///
/// A field whose name suggests a secret becomes `[REDACTED]` at every depth; at the top, whatever its type.
/// Deeper down, null, booleans and numbers of fewer than four digits stay: they are flags and counts. The
/// text is cut after scrubbing, and never inside a marker.
///
/// ```
/// use hooks_redaction::{Options, redact_arguments};
/// use serde_json::json;
///
/// let arguments = json!({"token": null, "env": {"token": 3, "pin": 4711}, "query": "select 1"});
/// assert_eq!(
///     redact_arguments(&arguments, &Options::default()),
///     r#"{"token":"[REDACTED]","env":{"token":3,"pin":"[REDACTED]"},"query":"[REDACTED]"}"#,
/// );
/// ```
#[must_use]
pub fn redact_arguments(arguments: &Value, options: &Options) -> String {
    let mut value = match arguments {
        Value::Array(items) if options.list_as_object => {
            let fields = items.iter().enumerate().map(|(index, item)| (index.to_string(), item.clone()));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => other.clone(),
    };
    redact_fields(&mut value);
    options.scrubber.scrub_value(&mut value);
    cut(value.to_string(), options.limit, options.scrubber.marker())
}

fn redact_fields(value: &mut Value) {
    let mut open = vec![(value, true)];
    while let Some((value, top)) = open.pop() {
        match value {
            Value::Array(items) => {
                for item in items {
                    match item {
                        Value::String(word) => redact_word(word),
                        other => open.push((other, false)),
                    }
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields.iter_mut() {
                    if names::is_sensitive(name) && (top || is_revealing(field)) {
                        *field = Value::String(REDACTED.to_owned());
                    } else {
                        open.push((field, false));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Replaces the value in `NAME=value` and `--name=value`, as in the words of a command.
fn redact_word(word: &mut String) {
    let Some((name, value)) = word.split_once('=') else { return };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    if !value.is_empty() && name.bytes().all(plain) && names::is_sensitive(name) {
        let kept = name.len() + 1;
        word.truncate(kept);
        word.push_str(REDACTED);
    }
}

/// Returns whether a field below the top could hold a secret.
fn is_revealing(field: &Value) -> bool {
    match field {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => number.to_string().len() >= 4,
        _ => true,
    }
}

/// Cuts `text` to `limit` UTF-16 units; a marker at the limit is left out whole.
fn cut(mut text: String, limit: usize, marker: &Marker) -> String {
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > limit
    });
    let Some((end, _)) = end else { return text };
    let reach = floor(&text, end + 2 * REDACTED.len() + 2 * MAX_NAME);
    let mut from = 0;
    let mut at = end;
    // Markers are found in order, so the first one that extends past the limit decides.
    while let Some(found) = text.get(from..reach).and_then(|rest| next_marker(rest, marker)) {
        let (start, stop) = (from + found.start, from + found.end);
        if start >= end {
            break;
        }
        if stop > end {
            at = start;
            break;
        }
        from = stop;
    }
    text.truncate(at);
    text
}

fn next_marker(text: &str, marker: &Marker) -> Option<std::ops::Range<usize>> {
    let fixed = text.find(REDACTED).map(|start| start..start + REDACTED.len());
    match (fixed, marker.find(text)) {
        (Some(a), Some(b)) => Some(if a.start <= b.start { a } else { b }),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(value: &Value) -> String {
        redact_arguments(value, &Options::default())
    }

    #[test]
    fn sensitive_fields() {
        let value = json!({"content": 1, "apiToken": {"a": 1}, "key": null, "auth": false, "author": "Lead", "tokenCount": 5});
        let wanted = r#"{"content":"[REDACTED]","apiToken":"[REDACTED]","key":"[REDACTED]","auth":"[REDACTED]","author":"Lead","tokenCount":5}"#;
        assert_eq!(written(&value), wanted);
    }

    #[test]
    fn deeper_fields_and_values() {
        let value = json!({"h": {"x-api-key": "k1", "token": 1, "pin": 4711}, "c": "curl -H \"Authorization: Bearer abcdefgh1\""});
        let wanted = r#"{"h":{"x-api-key":"[REDACTED]","token":1,"pin":"[REDACTED]"},"c":"curl -H \"Authorization: Bearer [AUTH_HEADER_REDACTED]\""}"#;
        assert_eq!(written(&value), wanted);
    }

    #[test]
    fn words_of_a_command() {
        let value = json!({"argv": ["env", "API_TOKEN=abc", "--password=x=y", "MODE=fast", "PASSWORD=", "a b=c", ["PIN=4"]]});
        let wanted = r#"{"argv":["env","API_TOKEN=[REDACTED]","--password=[REDACTED]","MODE=fast","PASSWORD=","a b=c",["PIN=[REDACTED]"]]}"#;
        assert_eq!(written(&value), wanted);
    }

    #[test]
    fn lists_as_objects() {
        let options = Options::default().with_list_as_object(true);
        assert_eq!(redact_arguments(&json!(["a", {"token": 1}]), &options), r#"{"0":"a","1":{"token":1}}"#);
    }

    #[test]
    fn a_cut_spares_markers() {
        let value = json!({"t": "x jane@example.com y"});
        for limit in 0..40 {
            let text = redact_arguments(&value, &Options::default().with_limit(limit));
            assert!(text.len() <= limit && !text.contains("jane"));
            assert_eq!(text.matches('[').count(), text.matches(']').count(), "{text}");
        }
        assert_eq!(redact_arguments(&json!("é😀é"), &Options::default().with_limit(3)), "\"é");
    }
}

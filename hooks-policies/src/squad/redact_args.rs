//! Text of a tool's arguments that Squad records as telemetry.

use serde_json::Value;

use super::javascript::{Cut, PROTOTYPE, rank, write_json};

const MAX_UNITS: usize = 1_024;
const MARK: &str = "[REDACTED]";

/// Formats arguments as JSON, with fields of a sensitive name replaced, cut at 1,024 UTF-16 units.
///
/// Only the names of the outermost fields are checked, so secrets inside of values stay. A list is formatted
/// as an object with its indices as names. If the cut is inside a character of two units, U+FFFD replaces the
/// half that JavaScript keeps.
///
/// JavaScript fails for values nested deeper than its stack, some thousand levels; this function does not.
///
/// ```
/// use hooks_policies::squad::redact_args;
/// use serde_json::json;
///
/// let arguments = json!({"path": "a.rs", "apiKey": "k-1", "nested": {"apiKey": "k-2"}});
/// assert_eq!(redact_args(&arguments), r#"{"path":"a.rs","apiKey":"[REDACTED]","nested":{"apiKey":"k-2"}}"#);
/// ```
#[must_use]
pub fn redact_args(args: &Value) -> String {
    let mut out = Cut::new(MAX_UNITS);
    match args {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().filter(|(name, _)| *name != PROTOTYPE).collect();
            fields.sort_by_key(|(name, _)| rank(name));
            write_fields(fields.into_iter(), &mut out);
        }
        Value::Array(items) => write_fields(items.iter().enumerate(), &mut out),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => write_json(args, &mut out),
    }
    out.into_text()
}

fn write_fields<'a>(fields: impl Iterator<Item = (impl ToString, &'a Value)>, out: &mut Cut) {
    out.push("{");
    for (place, (name, value)) in fields.enumerate() {
        if out.is_full() {
            return;
        }
        if place > 0 {
            out.push(",");
        }
        let name = name.to_string();
        out.push_quoted(&name);
        out.push(":");
        if is_telling(&name) { out.push_quoted(MARK) } else { write_json(value, out) }
    }
    out.push("}");
}

fn is_telling(name: &str) -> bool {
    // Without the flag `u`, JavaScript folds only ASCII letters to ASCII letters.
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "content" | "query")
        || ["token", "secret", "password", "key", "auth"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn outermost_names_only() {
        let args = json!({"Content": 1, "contents": 2, "MONKEY": [1], "nested": {"token": "t"}});
        let want = r#"{"Content":"[REDACTED]","contents":2,"MONKEY":"[REDACTED]","nested":{"token":"t"}}"#;
        assert_eq!(redact_args(&args), want);
    }

    #[test]
    fn letters_that_fold_to_ascii_elsewhere_are_others() {
        assert_eq!(
            redact_args(&json!({"\u{212a}ey": 1, "\u{17f}ecret": 2})),
            "{\"\u{212a}ey\":1,\"\u{17f}ecret\":2}"
        );
    }

    #[test]
    fn lists_and_simple_values() {
        assert_eq!(redact_args(&json!([1, {"b": 1, "1": 2}])), r#"{"0":1,"1":{"1":2,"b":1}}"#);
        assert_eq!(redact_args(&json!("x")), "\"x\"");
        assert_eq!(redact_args(&json!(null)), "null");
        assert_eq!(redact_args(&json!({"__proto__": {"a": 1}, "2": 1, "1": 1})), r#"{"1":1,"2":1}"#);
    }

    #[test]
    fn cut_in_units() {
        let text = redact_args(&json!({"t": "é".repeat(2_000)}));
        assert_eq!(text.encode_utf16().count(), 1_024);
        let text = redact_args(&json!({"t": "😀".repeat(2_000)}));
        assert!(text.ends_with("😀") && text.encode_utf16().count() == 1_024);
        let text = redact_args(&json!({"tt": "😀".repeat(2_000)}));
        assert!(text.ends_with("😀\u{fffd}") && text.encode_utf16().count() == 1_024);
    }
}

//! The part of `jq` 1.6 that the scripts use: plain paths, `//`, and raw output.

use serde_json::{Number, Value};

/// Most levels that `jq` reads.
const MAX_DEPTH: usize = 256;

/// Values of a text up to its first mistake. A text may hold several.
pub(super) struct Values(Vec<Value>);

/// A path that leads through a value that has no fields.
pub(super) struct NoField;

impl Values {
    /// Reads the values of `bytes`.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        if is_too_deep(&text) {
            return Self(Vec::new());
        }
        let mut reader = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        // A text in a file is read once for each script, and none of these files is large.
        Self(std::iter::from_fn(|| reader.next()?.ok()).collect())
    }

    /// Returns the values.
    pub(super) fn all(&self) -> &[Value] {
        &self.0
    }

    /// Prints `.PATH // empty`, as a command substitution receives it.
    pub(super) fn text_or_empty(&self, path: &[&str]) -> String {
        self.printed(|value| Ok(alternative(value, path)?.map(raw).into_iter().collect()))
    }

    /// Prints `.PATH`, as a command substitution receives it.
    pub(super) fn text(&self, path: &[&str]) -> String {
        self.printed(|value| Ok(vec![raw(field(value, path)?)]))
    }

    /// Prints `(.FIRST // ""), (.SECOND // "")` and reads the first two lines of it, as `read` does.
    pub(super) fn two_lines(&self, first: &[&str], second: &[&str]) -> (String, String) {
        let mut printed = String::new();
        for value in &self.0 {
            for path in [first, second] {
                let Ok(text) = alternative(value, path) else { break };
                printed.push_str(&text.map(raw).unwrap_or_default());
                printed.push('\n');
            }
        }
        let mut lines = printed.lines().map(|line| line.trim_matches([' ', '\t']).to_owned());
        (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
    }

    /// Prints the texts that `of_value` returns for each value, one a line. A value for which it fails prints nothing.
    pub(super) fn printed(&self, of_value: impl Fn(&Value) -> Result<Vec<String>, NoField>) -> String {
        let lines: Vec<_> = self.0.iter().filter_map(|value| of_value(value).ok()).flatten().collect();
        substituted(&lines.join("\n"))
    }
}

/// Text of a command substitution: without null characters and trailing line breaks.
pub(super) fn substituted(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c != '\0').collect();
    text.trim_end_matches('\n').to_owned()
}

/// Returns the value at a path; null for a field that is missing, and for one of null.
pub(super) fn field<'v>(value: &'v Value, path: &[&str]) -> Result<&'v Value, NoField> {
    path.iter().try_fold(value, |value, key| match value {
        Value::Object(fields) => Ok(fields.get(*key).unwrap_or(&Value::Null)),
        Value::Null => Ok(&Value::Null),
        _ => Err(NoField),
    })
}

fn alternative<'v>(value: &'v Value, path: &[&str]) -> Result<Option<&'v Value>, NoField> {
    let value = field(value, path)?;
    Ok((!matches!(value, Value::Null | Value::Bool(false))).then_some(value))
}

/// Prints a value as `jq -r` does: a text as it is, anything else as indented JSON.
pub(super) fn raw(value: &Value) -> String {
    let mut printed = String::new();
    match value {
        Value::String(text) => printed.push_str(text),
        value => print(value, 0, &mut printed),
    }
    printed
}

fn print(value: &Value, depth: usize, into: &mut String) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| (None, item));
            print_all('[', items, ']', depth, into);
        }
        Value::Object(fields) if !fields.is_empty() => {
            let fields = fields.iter().map(|(key, value)| (Some(key.as_str()), value));
            print_all('{', fields, '}', depth, into);
        }
        Value::String(text) => into.push_str(&quoted(text)),
        Value::Number(number) => into.push_str(&number_text(number)),
        other => into.push_str(&other.to_string()),
    }
}

fn print_all<'v>(
    open: char,
    items: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
    close: char,
    depth: usize,
    into: &mut String,
) {
    into.push(open);
    for (at, (key, value)) in items.enumerate() {
        into.push_str(if at == 0 { "\n" } else { ",\n" });
        into.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            into.push_str(&quoted(key));
            into.push_str(": ");
        }
        print(value, depth + 1, into);
    }
    into.push('\n');
    into.push_str(&"  ".repeat(depth));
    into.push(close);
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Prints a number as `jq` does, which reads all of them as floating-point numbers.
fn number_text(number: &Number) -> String {
    let Some(value) = number.as_f64() else { return number.to_string() };
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() };
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let digits = mantissa.chars().filter(char::is_ascii_digit).count();
    let digits = i32::try_from(digits).unwrap_or(i32::MAX);
    if exponent < -5 || exponent + 1 > digits + 15 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    format!("{value}")
}

/// Whether brackets outside of strings nest deeper than `jq` allows. Nothing before is printed then, since a hook's
/// input is one value.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_jq_prints_them() {
        let text = r#"{"a":[1,{"b":[]},{}],"c":1e17,"d":1.5,"e":1e-7,"f":123456789012345678901,"g":1e23,"h":"\u007f\n"}"#;
        let printed = Values::read(text.as_bytes()).text(&[]);
        let wanted = "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    },\n    {}\n  ],\n  \"c\": 1e+17,\n  \"d\": 1.5,\n  \"e\": 1e-07,\n  \"f\": 123456789012345680000,\n  \"g\": 1e+23,\n  \"h\": \"\\u007f\\n\"\n}";
        assert_eq!(printed, wanted);
    }

    #[test]
    fn a_value_without_fields_prints_nothing_and_the_next_goes_on() {
        let values = Values::read(br#"[1] 5 "x" null {"a":false} {"a":"y"}, z"#);
        assert_eq!(values.text_or_empty(&["a"]), "y");
        assert_eq!(values.text(&["a"]), "null\nfalse\ny");
        assert_eq!(values.two_lines(&["a"], &["b"]), (String::new(), String::new()));
        let values = Values::read(br#"{"s":" on ","t":"x"}"#);
        assert_eq!(values.two_lines(&["s"], &["t", "u"]), ("on".to_owned(), String::new()));
    }
}

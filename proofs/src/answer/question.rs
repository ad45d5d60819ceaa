//! Reads questions: JSON, nested up to a limit.

use std::io;

use serde::Deserialize;
use serde_json::Value;

/// The deepest nesting that is read; the limits of the engines that answer are far above it.
const MAX_DEPTH: usize = 10_000;

/// Stack size that is enough to read, answer and write so much nesting.
pub(super) const STACK: usize = 512 << 20;

/// Parses the question in a line.
///
/// # Errors
/// Returns an error if the line is not JSON, or nests deeper than the limit.
pub(super) fn read(line: &[u8]) -> io::Result<Value> {
    if depth(line) > MAX_DEPTH {
        return Err(io::Error::other(format!("it nests deeper than {MAX_DEPTH} levels")));
    }
    let mut reader = serde_json::Deserializer::from_slice(line);
    // The parser's own limit is 128, which recorded results exceed.
    reader.disable_recursion_limit();
    let question = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(question)
}

/// The value of a field; null if it is absent.
pub(super) fn field<'a>(of: &'a Value, name: &str) -> &'a Value {
    of.get(name).unwrap_or(&Value::Null)
}

/// The text of a field; empty if it is absent or not text.
pub(super) fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    field(of, name).as_str().unwrap_or_default()
}

/// The list of a field; empty if it is absent or not a list.
pub(super) fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    field(of, name).as_array().map_or(&[], Vec::as_slice)
}

/// The texts of a field's list.
pub(super) fn texts(of: &Value, name: &str) -> Vec<String> {
    list(of, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Deepest nesting of brackets outside of strings.
fn depth(line: &[u8]) -> usize {
    let (mut deepest, mut depth, mut in_text, mut escaped) = (0, 0_usize, false, false);
    for byte in line {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_do_not_nest() {
        assert_eq!(depth(br#"{"a[[[\"[": ["{\\", []]}"#), 3);
    }

    #[test]
    fn deeper_than_the_bound_is_an_error() {
        let line = "[".repeat(MAX_DEPTH + 1);
        assert!(read(line.as_bytes()).unwrap_err().to_string().contains("nests deeper"));
        let line = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        assert!(read(line.as_bytes()).unwrap().is_array());
    }
}

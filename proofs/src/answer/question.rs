//! Reads a question: JSON, however deep it nests, up to a bound.

use std::io;

use serde::Deserialize;
use serde_json::Value;

/// The deepest nesting that is read; the engines that answer find their own limits far above it.
const MAX_DEPTH: usize = 10_000;

/// Room for that much nesting on the stack of whoever reads, answers and writes.
pub(super) const STACK: usize = 512 << 20;

/// The question of a line.
///
/// # Errors
/// It is not JSON, or nests deeper than the bound.
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

/// A field; null where it is absent.
pub(super) fn field<'a>(of: &'a Value, name: &str) -> &'a Value {
    of.get(name).unwrap_or(&Value::Null)
}

/// A field's text; empty where there is none.
pub(super) fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    field(of, name).as_str().unwrap_or_default()
}

/// A field's list; empty where there is none.
pub(super) fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    field(of, name).as_array().map_or(&[], Vec::as_slice)
}

/// The texts of a field's list.
pub(super) fn texts(of: &Value, name: &str) -> Vec<String> {
    list(of, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// How deep brackets nest outside of strings.
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

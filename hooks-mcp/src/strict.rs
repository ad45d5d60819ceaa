//! Parses JSON that all programs read in the same way.
//!
//! The proxy judges a message and forwards its bytes. If the server could read another value in them, it would
//! run a call that was not judged. Refused are duplicate keys, integers beyond 64 bits, text that is not UTF-8
//! and half a surrogate pair.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses a value.
///
/// # Errors
/// Returns an error if the text is not JSON, an object in it has a duplicate key, or an integer has more than
/// 64 bits.
pub(crate) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    let Unambiguous(value) = serde_json::from_slice(text)?;
    match long_integer(text) {
        None => Ok(value),
        Some(number) => {
            Err(serde_json::Error::custom(format_args!("the integer `{number}` has more than 64 bits")))
        }
    }
}

/// Returns the first integer that does not fit into 64 bits. `text` is valid JSON.
fn long_integer(text: &[u8]) -> Option<&str> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = behind_string(text, at),
            b'-' | b'0'..=b'9' => {
                let rest = text.get(at..).unwrap_or_default();
                let is_part = |byte: &&u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let length = rest.iter().take_while(is_part).count();
                let number = str::from_utf8(rest.get(..length).unwrap_or_default()).unwrap_or_default();
                let is_integer = !number.contains(['.', 'e', 'E']);
                // The first negative zero is a float for some programs and an integer for others.
                let fits = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
                if is_integer && !fits {
                    return Some(number);
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns the position behind the string that begins at `at`.
fn behind_string(text: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// JSON that every parser reads in the same way. The parser limits the depth of this recursion.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` is given twice")));
            }
            let Unambiguous(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_they_are() {
        let text = br#"{"a": [1, -1, 1.5, true, null, "x\"12345678901234567890123\\"], "b": {"b": {}}, "c": 18446744073709551615}"#;
        let value = json!({"a": [1, -1, 1.5, true, null, "x\"12345678901234567890123\\"], "b": {"b": {}}, "c": u64::MAX});
        assert_eq!(parse(text).unwrap(), value);
    }

    #[test]
    fn what_programs_read_differently_is_refused() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"[{"x": {"a": 1, "\u0061": 2}}]"#,
            "[18446744073709551616]",
            "-9223372036854775809",
            r#"{"a": 1e400}"#,
            r#""\ud800""#,
            "NaN",
            "",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"\"\xff\"").is_err());
        assert!(parse(&b"[".repeat(100_000)).is_err());
    }
}

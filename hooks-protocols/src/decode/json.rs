//! Reads a payload's bytes into a JSON object: bounded in length and depth, no key twice, and whatever encoding
//! clients and shells make of a text.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Deserializer, Map, Number, Value};

use super::error::DecodeError;
use super::limits::Limits;

/// A payload, read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) fields: Map<String, Value>,
    /// Whether some bytes were no text, so that `U+FFFD` stands in their place.
    pub(crate) is_lossy: bool,
}

/// Reads the one object in `bytes`.
pub(crate) fn read(bytes: &[u8], limits: Limits) -> Result<Read, DecodeError> {
    if bytes.len() > limits.bytes {
        return Err(DecodeError::TooLong { length: bytes.len(), limit: limits.bytes });
    }
    // Some shells put a byte-order mark before what they pipe.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(DecodeError::Empty);
    }
    // What is text is nearly always text as a whole, which is quicker to see than where it is not.
    let (text, is_lossy) = match str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (String::from_utf8_lossy(bytes), true),
    };
    let (value, is_lossy) = match parse(&text, limits.depth) {
        // A text that was cut in the middle of a pair of surrogates is no text to a strict reader.
        Err(DecodeError::NotJson(error)) => match without_lone_surrogates(&text) {
            Some(repaired) => (parse(&repaired, limits.depth)?, true),
            None => return Err(DecodeError::NotJson(error)),
        },
        read => (read?, is_lossy),
    };
    match value {
        Value::Object(fields) => Ok(Read { fields, is_lossy }),
        _ => Err(DecodeError::NotAnObject),
    }
}

fn parse(text: &str, depth: usize) -> Result<Value, DecodeError> {
    let refused = RefCell::new(None);
    let mut reader = Deserializer::from_str(text);
    let read = Strict { depth, limit: depth, refused: &refused }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| refused.into_inner().unwrap_or(DecodeError::NotJson(error)))
}

/// Reads a value of at most this depth, in which no key stands twice.
#[derive(Clone, Copy)]
struct Strict<'a> {
    depth: usize,
    limit: usize,
    /// Why it was refused, where that is not for a fault in the JSON.
    refused: &'a RefCell<Option<DecodeError>>,
}

impl Strict<'_> {
    /// For what stands in a list or an object.
    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(self.refuse(DecodeError::TooDeep(self.limit))),
        }
    }

    fn refuse<E: serde::de::Error>(self, error: DecodeError) -> E {
        *self.refused.borrow_mut() = Some(error);
        E::custom("refused")
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            match map.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(entries.next_value_seed(inside)?);
                }
                Entry::Occupied(place) => {
                    return Err(self.refuse(DecodeError::Duplicate(place.key().clone())));
                }
            }
        }
        Ok(Value::Object(map))
    }
}

/// The text with `\ufffd` in place of every escaped surrogate without its other half; `None` where there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at)?;
        repaired.push_str(before);
        let length = match surrogate(escape) {
            Some(Surrogate::High) if matches!(escape.get(6..).and_then(surrogate), Some(Surrogate::Low)) => {
                12
            }
            Some(_) => {
                found = true;
                repaired.push_str("\\ufffd");
                rest = escape.get(6..)?;
                continue;
            }
            // A backslash and what it escapes, which may be another one.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (whole, after) = escape.split_at_checked(length)?;
        repaired.push_str(whole);
        rest = after;
    }
    repaired.push_str(rest);
    found.then_some(repaired)
}

enum Surrogate {
    High,
    Low,
}

/// The surrogate that is escaped at the start of a text.
fn surrogate(text: &str) -> Option<Surrogate> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Surrogate::High),
        0xdc00..=0xdfff => Some(Surrogate::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fields(bytes: &[u8]) -> Result<Value, DecodeError> {
        read(bytes, Limits::default()).map(|read| Value::Object(read.fields))
    }

    #[test]
    fn what_shells_and_clients_do_to_a_text() {
        for bytes in [
            &b"{\"a\": [1, -1, 1.5, true, null, \"x\"]}"[..],
            b"\xef\xbb\xbf {\"a\": [1, -1, 1.5, true, null, \"x\"]}\r\n",
        ] {
            assert_eq!(fields(bytes).unwrap(), json!({"a": [1, -1, 1.5, true, null, "x"]}));
        }
        let read = read(b"{\"cwd\": \"/home/\xff\xfe\"}\n", Limits::default()).unwrap();
        assert!(read.is_lossy);
        assert_eq!(read.fields["cwd"], "/home/\u{fffd}\u{fffd}");
    }

    #[test]
    fn half_a_pair_of_surrogates_is_replaced() {
        let text = r#"{"a": "x\ud83d\\ud83d\ude00\ude00 \ud83d\ude00"}"#;
        let read = read(text.as_bytes(), Limits::default()).unwrap();
        assert!(read.is_lossy);
        assert_eq!(read.fields["a"], "x\u{fffd}\\ud83d\u{fffd}\u{fffd} \u{1f600}");
        assert!(matches!(fields(br#"{"a": "\ud83d\"#), Err(DecodeError::NotJson(_))));
    }

    #[test]
    fn refused_with_the_reason() {
        let limits = Limits { bytes: 64, depth: 3 };
        let refused = |text: &str| read(text.as_bytes(), limits).unwrap_err().to_string();
        assert_eq!(refused(r#"{"a": [[[1]]]}"#), "the payload is nested deeper than 3 levels");
        assert!(read(br#"{"a": [[1]]}"#, limits).is_ok());
        assert_eq!(refused(r#"{"a": {"b": 1, "\u0062": 1}}"#), "`b` is given twice in the payload");
        assert_eq!(refused(&" ".repeat(65)), "the payload is 65 bytes long and 64 are read");
        assert_eq!(refused("[1]"), "the payload is not a JSON object");
        assert!(refused(r#"{"a": 1} {"#).starts_with("the payload is not JSON: "));
        assert!(matches!(fields(b"\xef\xbb\xbf\n"), Err(DecodeError::Empty)));
        assert!(matches!(fields(&b"[".repeat(1 << 20)), Err(DecodeError::TooDeep(_))));
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
            drop(fields(&bytes));
        }

        #[test]
        fn any_text_of_escapes(text in r#"(\\|u|d8|3d|de00|"|[{}:,a]){0,40}"#) {
            drop(fields(text.as_bytes()));
        }

        #[test]
        fn what_was_written_is_read(value in hooks_core::testing::json()) {
            let wrapped = json!({ "a": value });
            prop_assert_eq!(fields(wrapped.to_string().as_bytes()).unwrap(), wrapped);
        }
    }
}

//! Parses JSON without duplicate keys.
//!
//! If an object has a duplicate key, one parser uses the first value and another the last. Policies could
//! then judge other values than those that run.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Parses a value.
///
/// # Errors
/// Returns an error if the text is not JSON, or an object in it has a duplicate key.
pub(crate) fn read(text: &[u8]) -> serde_json::Result<Value> {
    let Unambiguous = serde_json::from_slice(text)?;
    serde_json::from_slice(text)
}

/// JSON that every parser reads in the same way. The parser limits the depth of this recursion.
struct Unambiguous;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format_args!("`{key}` is given twice; keep one of them")));
            }
            keys.insert(key);
            entries.next_value::<Self>()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_given_once() {
        for text in
            [r#"{"a": {"b": [1, -1, 1.5, true, null, "x"]}, "b": {"b": {}}}"#, "[]", "18446744073709551615"]
        {
            assert!(read(text.as_bytes()).is_ok(), "{text}");
        }
        for text in [r#"{"a": 1, "a": 1}"#, r#"[{"x": {"a": 1, "\u0061": 2}}]"#] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("`a` is given twice"), "{error}");
        }
        assert!(read(&b"[".repeat(100_000)).is_err());
    }
}

//! Arguments in canonical form: the order of keys does not count.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Deepest nesting that has a canonical form; calls with deeper arguments are not cached.
const MAX_DEPTH: usize = 64;

/// Feeds `value` to `digest`, with sorted keys and each text behind its length, so that no two values feed
/// the same bytes. Returns false if the value is nested too deeply.
#[must_use]
pub(super) fn feed(digest: &mut Sha256, value: &Value) -> bool {
    feed_at(digest, value, 0)
}

/// Feeds the length of a text, then the text.
pub(super) fn feed_text(digest: &mut Sha256, text: &[u8]) {
    digest.update((text.len() as u64).to_le_bytes());
    digest.update(text);
}

fn feed_at(digest: &mut Sha256, value: &Value, depth: usize) -> bool {
    match value {
        Value::Null => digest.update(b"n"),
        Value::Bool(false) => digest.update(b"f"),
        Value::Bool(true) => digest.update(b"t"),
        Value::Number(number) => {
            digest.update(b"#");
            feed_text(digest, number.to_string().as_bytes());
        }
        Value::String(text) => {
            digest.update(b"s");
            feed_text(digest, text.as_bytes());
        }
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => return false,
        Value::Array(items) => {
            digest.update(b"[");
            digest.update((items.len() as u64).to_le_bytes());
            return items.iter().all(|item| feed_at(digest, item, depth + 1));
        }
        Value::Object(map) => return feed_map(digest, map, depth),
    }
    true
}

fn feed_map(digest: &mut Sha256, map: &Map<String, Value>, depth: usize) -> bool {
    digest.update(b"{");
    digest.update((map.len() as u64).to_le_bytes());
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries.into_iter().all(|(key, value)| {
        feed_text(digest, key.as_bytes());
        feed_at(digest, value, depth + 1)
    })
}

/// The approximate size of `value` in bytes; counting stops above `limit`.
pub(super) fn size(value: &Value, limit: u64) -> u64 {
    /// Size of a value without its text, in bytes.
    const NODE: u64 = 32;
    let (mut sum, mut rest) = (0u64, vec![value]);
    while let Some(value) = rest.pop() {
        sum = sum.saturating_add(NODE);
        match value {
            Value::String(text) => sum = sum.saturating_add(text.len() as u64),
            Value::Array(items) => rest.extend(items),
            Value::Object(map) => {
                for (key, value) in map {
                    sum = sum.saturating_add(NODE).saturating_add(key.len() as u64);
                    rest.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if sum > limit {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(value: &Value) -> Option<[u8; 32]> {
        let mut digest = Sha256::new();
        feed(&mut digest, value).then(|| digest.finalize().into())
    }

    #[test]
    fn the_order_of_keys_does_not_count_and_everything_else_does() {
        assert_eq!(digest(&json!({"a": 1, "b": [2]})), digest(&json!({"b": [2], "a": 1})));
        let different = [
            json!({"a": "1"}),
            json!({"a": 1}),
            json!({"a": [1]}),
            json!({"a": {"1": null}}),
            json!({"a": null}),
            json!({}),
            json!([]),
            json!(null),
            json!(""),
            json!(["a", 1]),
            json!(["a1"]),
            json!([["a"], 1]),
            json!(true),
            json!(false),
            json!({"a": 1, "b": 1}),
            json!("{\"a\":1}"),
        ];
        let digests: std::collections::HashSet<_> = different.iter().map(digest).collect();
        assert_eq!(digests.len(), different.len());
    }

    #[test]
    fn what_is_nested_too_deep_has_none() {
        let mut deep = json!(1);
        for _ in 0..MAX_DEPTH {
            deep = json!([deep]);
        }
        assert!(digest(&deep).is_some());
        assert!(digest(&json!([deep])).is_none());
        assert!(size(&deep, u64::MAX) > MAX_DEPTH as u64 && size(&deep, 10) < 100);
    }
}

//! Detection of names that are the same if case is ignored.

use std::collections::HashMap;

use serde_json::Value;

/// Two keys of one object, at any depth, that are the same if case is ignored.
pub(super) fn same(value: &Value) -> Option<(String, String)> {
    match value {
        Value::Array(items) => items.iter().find_map(same),
        Value::Object(map) => {
            let mut known: HashMap<String, &str> = HashMap::with_capacity(map.len());
            let twice =
                map.keys().find_map(|key| Some((known.insert(folded(key), key)?.to_owned(), key.clone())));
            twice.or_else(|| map.values().find_map(same))
        }
        _ => None,
    }
}

/// Simple case folding, as in Go's `encoding/json`: the long s and the kelvin sign fold to ASCII letters.
fn folded(key: &str) -> String {
    key.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn case_does_not_tell_names_apart() {
        for value in [
            json!({"cmd": 1, "CMD": 2}),
            json!([{"a": {"task": 1, "ta\u{17f}k": 2}}]),
            json!({"k": 1, "\u{212a}": 2}),
        ] {
            assert!(same(&value).is_some(), "{value}");
        }
        assert_eq!(
            same(&json!({"a": {"A": 1}, "b": [{"a": 1}, {"A": 2}], "file_path": 1, "filepath": 2})),
            None
        );
    }
}

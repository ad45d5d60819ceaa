//! Tool results in the shape that their client gave them.

use serde_json::{Map, Value};

/// Keys whose texts name the type of an object. A result needs them to keep its shape.
const KINDS: &[&str] = &["type", "resultType", "result_type", "mimeType", "mime_type"];

/// Keys of the text of a result, the most likely first.
const TEXTS: &[&str] = &[
    "stdout",
    "content",
    "text",
    "textResultForLlm",
    "text_result_for_llm",
    "llmContent",
    "output",
    "result",
];

/// Maximum nesting of values, as for payloads. Deeper values are dropped.
const DEEPEST: usize = 128;

/// A result of the same shape with `text` as its only text: no text of the original remains.
pub(super) fn saying(original: &Value, text: &str) -> Value {
    let mut blank = blank(original, DEEPEST);
    if let Some(place) = text_place(&mut blank, DEEPEST) {
        *place = text.into();
        return blank;
    }
    match blank {
        // The shape has no place for a text.
        Value::Object(mut map) => {
            map.insert("error".to_owned(), text.into());
            Value::Object(map)
        }
        _ => text.into(),
    }
}

/// A changed result in the shape of the original. If the changed result is only a text, it replaces the
/// original's text.
pub(super) fn reshaped(original: &Value, changed: &Value) -> Value {
    match (original, changed) {
        (Value::Object(_) | Value::Array(_), Value::String(text)) => saying(original, text),
        _ => changed.clone(),
    }
}

/// The text of a result, for clients that accept only text; never empty.
pub(super) fn text_of(result: &Value) -> String {
    let found = match result {
        Value::String(text) => text.clone(),
        _ => text_in(result, DEEPEST).map_or_else(|| result.to_string(), str::to_owned),
    };
    if found.trim().is_empty() { "(nothing)".to_owned() } else { found }
}

/// The object with its keys in camelCase, for a client that sends the object in snake_case and expects it in
/// camelCase.
pub(super) fn in_camel_case(result: &Value) -> Value {
    let Value::Object(map) = result else { return result.clone() };
    Value::Object(map.iter().map(|(key, value)| (camel(key), value.clone())).collect())
}

fn camel(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    let mut is_upper = false;
    for c in key.chars() {
        if c == '_' && !name.is_empty() {
            is_upper = true;
        } else if std::mem::take(&mut is_upper) {
            name.push(c.to_ascii_uppercase());
        } else {
            name.push(c);
        }
    }
    name
}

/// The same shape without its texts.
fn blank(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(_) => Value::String(String::new()),
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::Null,
        Value::Array(items) => items.iter().map(|item| blank(item, depth - 1)).collect(),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| (key.clone(), blank_field(key, value, depth - 1)))
                .collect::<Map<_, _>>(),
        ),
        _ => value.clone(),
    }
}

fn blank_field(key: &str, value: &Value, depth: usize) -> Value {
    let is_kind = KINDS.contains(&key) && value.as_str().is_some_and(|kind| kind.len() <= 32);
    if is_kind { value.clone() } else { blank(value, depth) }
}

/// The string in a blank result that holds its text.
fn text_place(value: &mut Value, depth: usize) -> Option<&mut Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Array(items) if depth > 0 => items.iter_mut().find_map(|item| text_place(item, depth - 1)),
        Value::Object(map) if depth > 0 => {
            let has_text = |key: &&&str| map.get(**key).is_some_and(Value::is_string);
            match TEXTS.iter().find(has_text) {
                Some(key) => map.get_mut(*key),
                None => map
                    .iter_mut()
                    .filter(|(key, _)| !KINDS.contains(&key.as_str()))
                    .find_map(|(_, value)| text_place(value, depth - 1)),
            }
        }
        _ => None,
    }
}

fn text_in(value: &Value, depth: usize) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(items) if depth > 0 && items.len() == 1 => text_in(items.first()?, depth - 1),
        Value::Object(map) if depth > 0 => {
            let (_, text) = TEXTS.iter().find_map(|key| map.get_key_value(*key))?;
            text_in(text, depth - 1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_withheld_result_keeps_its_shape_and_none_of_its_texts() {
        let shell = json!({"stdout": "TOKEN", "stderr": "TOKEN", "interrupted": false});
        assert_eq!(saying(&shell, "no"), json!({"stdout": "no", "stderr": "", "interrupted": false}));
        let file = json!({"type": "text", "file": {"filePath": "/a", "content": "TOKEN", "numLines": 3}});
        let withheld = json!({"type": "text", "file": {"filePath": "", "content": "no", "numLines": 3}});
        assert_eq!(saying(&file, "no"), withheld);
        assert_eq!(
            saying(&json!([{"type": "text", "text": "T"}]), "no"),
            json!([{"type": "text", "text": "no"}])
        );
        assert_eq!(saying(&json!("T"), "no"), "no");
        assert_eq!(saying(&json!({"count": 3}), "no"), json!({"count": 3, "error": "no"}));
        assert_eq!(saying(&json!(null), "no"), "no");
    }

    #[test]
    fn the_text_of_a_result() {
        assert_eq!(text_of(&json!("a")), "a");
        assert_eq!(text_of(&json!({"llmContent": [{"text": "a"}], "returnDisplay": "b"})), "a");
        assert_eq!(
            text_of(&json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})),
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#
        );
        assert_eq!(text_of(&json!(" ")), "(nothing)");
    }

    #[test]
    fn keys_in_camel_case() {
        let given = json!({"result_type": "success", "text_result_for_llm": "a_b"});
        assert_eq!(in_camel_case(&given), json!({"resultType": "success", "textResultForLlm": "a_b"}));
    }

    proptest! {
        #[test]
        fn nothing_of_a_withheld_result_is_left(result in hooks_core::testing::json()) {
            let result = json!({"a": result, "secret": ["MARK-ER", {"type": "MARK-ER and more than a name of a kind"}]});
            prop_assert!(!saying(&result, "no").to_string().contains("MARK-ER"));
        }
    }
}

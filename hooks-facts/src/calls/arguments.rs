//! Decodes the arguments of a call before they are searched: parses JSON texts and finds text for a file.

use crate::tools::{ToolKind, paths_of};
use serde_json::{Map, Value};

/// Keys under which a client passes the arguments of the call.
const ENVELOPES: &[&str] = table!("argument_names_envelope");

/// Keys of text for a file, in lower case and without `_`, `-` and spaces.
const FILE_TEXT: &[&str] = table!("argument_names_file_text");

/// Most envelopes in envelopes that are opened.
const MAX_DEPTH: usize = 4;

/// Returns the arguments with JSON texts parsed, if there are any: the whole value, or an envelope in it.
pub(super) fn decoded(arguments: &Value) -> Option<Value> {
    decoded_at(arguments, 0)
}

/// Returns whether the arguments hold a path and a text for the file.
pub(super) fn are_in_write_position(arguments: &Value) -> bool {
    holds_file_text(arguments, 0) && !paths_of(ToolKind::WriteFile, arguments).is_missing()
}

fn decoded_at(value: &Value, depth: usize) -> Option<Value> {
    match value {
        _ if depth >= MAX_DEPTH => None,
        Value::String(text) if may_be_object(text) => {
            let read: Map<String, Value> = serde_json::from_str(text).ok()?;
            let read = Value::Object(read);
            Some(decoded_at(&read, depth + 1).unwrap_or(read))
        }
        Value::Object(fields) => {
            // Most values cannot hold an envelope: their keys need no comparison.
            let may_hold = |value: &Value| value.as_str().map_or(value.is_object(), may_be_object);
            let mut envelopes =
                fields.iter().filter(|(key, value)| may_hold(value) && is_one_of(key, ENVELOPES)).peekable();
            // Nearly no call has one.
            envelopes.peek()?;
            let read: Vec<_> = envelopes
                .filter_map(|(key, value)| Some((key.clone(), decoded_at(value, depth + 1)?)))
                .collect();
            (!read.is_empty()).then(|| {
                let mut fields = fields.clone();
                fields.extend(read);
                Value::Object(fields)
            })
        }
        _ => None,
    }
}

fn may_be_object(text: &str) -> bool {
    match text.as_bytes().first() {
        // The first letter decides for most texts.
        Some(first) if first.is_ascii_graphic() => *first == b'{',
        _ => text.trim_start().starts_with('{'),
    }
}

fn holds_file_text(arguments: &Value, depth: usize) -> bool {
    let fields = || arguments.as_object().into_iter().flatten();
    fields().any(|(key, value)| is_one_of(key, FILE_TEXT) && !value.is_null())
        || (depth < MAX_DEPTH
            && fields().any(|(key, value)| is_one_of(key, ENVELOPES) && holds_file_text(value, depth + 1)))
}

/// Returns whether a key is one of `names`, without regard to case, `_`, `-` and spaces.
pub(super) fn is_one_of(key: &str, names: &[&str]) -> bool {
    let letters = || key.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' '));
    let is = |name: &str| name.bytes().eq(letters().map(|byte| byte.to_ascii_lowercase()));
    names.iter().any(|name| name.len() <= key.len() && is(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_texts_are_read() {
        let read = json!({"command": "ls"});
        assert_eq!(decoded(&json!("{\"command\": \"ls\"}")), Some(read.clone()));
        assert_eq!(
            decoded(&json!({"arguments": "{\"command\": \"ls\"}", "id": 1})),
            Some(json!({"arguments": read, "id": 1}))
        );
        for plain in [json!({"command": "{\"a\": 1}"}), json!("{ ls; }"), json!("ls"), json!([1])] {
            assert_eq!(decoded(&plain), None, "{plain}");
        }
    }

    #[test]
    fn file_text_is_found_in_any_spelling() {
        for arguments in [
            json!({"path": "a", "Content": "x"}),
            json!({"path": "a", "file_text": ""}),
            json!({"args": {"path": "a", "body": "x"}}),
        ] {
            assert!(are_in_write_position(&arguments), "{arguments}");
        }
        for arguments in [json!({"path": "a"}), json!({"text": "x"}), json!({"path": "a", "content": null})] {
            assert!(!are_in_write_position(&arguments), "{arguments}");
        }
    }
}

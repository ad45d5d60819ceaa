//! Texts in the arguments of an unknown tool: each may be a path, whatever the name of its argument.

use serde_json::Value;

use crate::commands::is_address;

/// Arguments, in lower case and without `_` or `-`, whose texts are messages or search terms and open no
/// file.
const SAID: &[&str] = &[
    "body",
    "comment",
    "comments",
    "content",
    "contents",
    "description",
    "label",
    "labels",
    "message",
    "note",
    "notes",
    "pattern",
    "prompt",
    "query",
    "question",
    "subject",
    "summary",
    "task",
    "text",
    "title",
];

/// Longest path on Linux.
const MAX_LENGTH: usize = 4096;

/// Text that may be a path, with its position.
#[derive(Debug, PartialEq, Eq)]
pub struct TextArgument<'a> {
    /// JSON pointer of the text.
    pub pointer: String,
    /// The text, without `file://`.
    pub path: &'a str,
    /// The whole text.
    pub(crate) whole: &'a str,
}

/// Returns all texts that may be paths, in no order. Linear in the size of the arguments, at any depth.
///
/// ```
/// use hooks_facts::tools::each_text;
/// use serde_json::json;
///
/// let arguments = json!({"target": "file:///srv/a", "message": "a text for people"});
/// let paths: Vec<_> = each_text(&arguments).map(|text| text.path).collect();
/// assert_eq!(paths, ["/srv/a"]);
/// ```
pub fn each_text(arguments: &Value) -> impl Iterator<Item = TextArgument<'_>> {
    let mut open = vec![(arguments, String::new())];
    std::iter::from_fn(move || {
        while let Some((value, pointer)) = open.pop() {
            match value {
                Value::String(text) => {
                    let path = text.strip_prefix("file://").unwrap_or(text);
                    let is_path =
                        path.len() <= MAX_LENGTH && !path.contains(['\n', '\0']) && !path.is_empty();
                    // Parsers of addresses leave characters out, and shorten paths.
                    if is_path || is_address(text) {
                        return Some(TextArgument { pointer, path, whole: text });
                    }
                }
                Value::Array(items) => {
                    let below = items.iter().enumerate().filter(|(_, item)| may_hold_text(item));
                    open.extend(below.map(|(index, item)| (item, format!("{pointer}/{index}"))));
                }
                Value::Object(fields) => {
                    let below = fields.iter().filter(|(key, field)| may_hold_text(field) && !is_said(key));
                    open.extend(below.map(|(key, field)| (field, format!("{pointer}/{}", escaped(key)))));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        None
    })
}

fn may_hold_text(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_))
}

fn is_said(key: &str) -> bool {
    let letters = || key.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase());
    SAID.iter().any(|name| letters().eq(name.bytes()))
}

/// Escapes a key for a JSON pointer (RFC 6901).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_found_wherever_they_stand() {
        let arguments = json!({
            "to/o~": {"a": ["x", {"url": "file:///y"}, 7, null]},
            "newTitle": "t",
            "Ti_tle": "said",
            "title": ["said", {"path": "said"}],
            "diff": "a\nb",
            "none": "",
            "address": "fi\nle:/z",
        });
        let mut found: Vec<_> = each_text(&arguments).map(|text| (text.pointer, text.path)).collect();
        found.sort();
        let wanted = [
            ("/address", "fi\nle:/z"),
            ("/newTitle", "t"),
            ("/to~1o~0/a/0", "x"),
            ("/to~1o~0/a/1/url", "/y"),
        ];
        assert_eq!(found, wanted.map(|(pointer, path)| (pointer.to_owned(), path)));
    }
}

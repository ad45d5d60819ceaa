//! Formats a value as `JSON.stringify` does, up to a number of UTF-16 units.

use serde_json::{Map, Value};

use super::keys::{is_in_order, rank};
use super::number;

/// Text that takes a number of UTF-16 units and drops the rest.
///
/// JavaScript may cut a character of two units in the middle. The remaining half is not a character; it
/// becomes U+FFFD when the text is encoded as UTF-8, so U+FFFD is written here.
#[derive(Debug)]
pub(crate) struct Cut {
    text: String,
    left: usize,
}

impl Cut {
    pub(crate) fn new(units: usize) -> Self {
        Self { text: String::new(), left: units }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.push_char(c);
        }
    }

    fn push_char(&mut self, c: char) {
        let width = c.len_utf16();
        match self.left {
            0 => {}
            left if left < width => {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.left = 0;
            }
            left => {
                self.text.push(c);
                self.left = left - width;
            }
        }
    }

    pub(crate) fn push_quoted(&mut self, text: &str) {
        self.push_char('"');
        for c in text.chars() {
            if self.is_full() {
                return;
            }
            match c {
                '"' => self.push("\\\""),
                '\\' => self.push("\\\\"),
                '\u{8}' => self.push("\\b"),
                '\u{c}' => self.push("\\f"),
                '\n' => self.push("\\n"),
                '\r' => self.push("\\r"),
                '\t' => self.push("\\t"),
                '\0'..='\u{1f}' => self.push(&format!("\\u{:04x}", u32::from(c))),
                _ => self.push_char(c),
            }
        }
        self.push_char('"');
    }
}

/// Writes a value and stops when the text is full. The work is therefore bounded by the length of the text
/// and by the size of the objects that are started.
///
/// The open values are kept in a list, not on the stack, so nesting costs no stack.
pub(crate) fn write_json(value: &Value, out: &mut Cut) {
    let mut open = Vec::new();
    begin(value, out, &mut open);
    while let Some(container) = open.last_mut() {
        if out.is_full() {
            return;
        }
        let Some((key, value)) = container.entries.next() else {
            out.push(container.end);
            open.pop();
            continue;
        };
        if !std::mem::take(&mut container.at_start) {
            out.push(",");
        }
        if let Some(key) = key {
            out.push_quoted(key);
            out.push(":");
        }
        begin(value, out, &mut open);
    }
}

/// List or object whose end is not written yet.
struct Open<'a> {
    entries: std::vec::IntoIter<(Option<&'a str>, &'a Value)>,
    end: &'static str,
    at_start: bool,
}

/// Writes a simple value, or the start of a container, which is then left open.
fn begin<'a>(value: &'a Value, out: &mut Cut, open: &mut Vec<Open<'a>>) {
    let (start, end, entries) = match value {
        Value::Null => return out.push("null"),
        Value::Bool(true) => return out.push("true"),
        Value::Bool(false) => return out.push("false"),
        Value::Number(number) => return out.push(&number::print(number)),
        Value::String(text) => return out.push_quoted(text),
        Value::Array(items) => ("[", "]", items.iter().map(|item| (None, item)).collect()),
        Value::Object(map) => ("{", "}", in_order(map)),
    };
    out.push(start);
    open.push(Open { entries: Vec::into_iter(entries), end, at_start: true });
}

fn in_order(map: &Map<String, Value>) -> Vec<(Option<&str>, &Value)> {
    let mut entries: Vec<_> = map.iter().map(|(key, value)| (Some(key.as_str()), value)).collect();
    if !is_in_order(map) {
        entries.sort_by_key(|(key, _)| key.map(rank));
    }
    entries
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(value: &Value, units: usize) -> String {
        let mut out = Cut::new(units);
        write_json(value, &mut out);
        out.into_text()
    }

    #[test]
    fn compact_and_in_javascript_order() {
        let value = json!({"b": [1, {}, []], "10": null, "2": true, "a": "x", "02": 1.0});
        assert_eq!(written(&value, 999), r#"{"2":true,"10":null,"b":[1,{},[]],"a":"x","02":1}"#);
    }

    #[test]
    fn escapes_what_javascript_escapes() {
        let value = json!("\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}\u{2028}/é😀");
        assert_eq!(written(&value, 999), "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}\u{2028}/é😀\"");
    }

    #[test]
    fn the_cut_counts_units() {
        assert_eq!(written(&json!("ab"), 3), "\"ab");
        assert_eq!(written(&json!("a😀b"), 4), "\"a😀");
        assert_eq!(written(&json!("a😀b"), 3), "\"a\u{fffd}");
        assert_eq!(written(&json!("\n"), 2), "\"\\");
        assert_eq!(written(&json!([1, 2]), 0), "");
    }

    #[test]
    fn depth_costs_no_stack() {
        let mut value = json!(1);
        for _ in 0..3_000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(written(&value, 3), "[[[");
        assert_eq!(written(&value, 9_999).len(), 6_001);
    }
}

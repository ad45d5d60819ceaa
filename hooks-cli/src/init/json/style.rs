//! Detects the layout of a JSON text, so that added items match it.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::parse::{Node, comment};

/// The layout of a text.
#[derive(Debug)]
pub(super) struct Style<'t> {
    text: &'t str,
    /// Indentation of one level.
    unit: &'t str,
    /// End of a line.
    pub(super) line_end: &'static str,
}

impl<'t> Style<'t> {
    /// Detects the layout of `text`, whose value is `root`.
    pub(super) fn detect(text: &'t str, root: &Node) -> Self {
        let style = Self { text, unit: "  ", line_end: if text.contains("\r\n") { "\r\n" } else { "\n" } };
        let first = root.children().first().and_then(|child| style.own_line(child.start));
        Self { unit: first.filter(|indent| !indent.is_empty()).unwrap_or("  "), ..style }
    }

    /// The blanks before `at`; `None` if other characters stand before it on its line.
    fn own_line(&self, at: usize) -> Option<&'t str> {
        let before = self.text.get(..at)?;
        let line = before.rfind('\n')?.saturating_add(1);
        self.text.get(line..at).filter(|indent| indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
    }

    /// The indentation of the line that contains `at`.
    pub(super) fn indent_of_line(&self, at: usize) -> &'t str {
        let line = self.text.get(..at).unwrap_or_default();
        let line = line.rfind('\n').map_or(0, |end| end.saturating_add(1));
        let line = self.text.get(line..at).unwrap_or_default();
        let indent = line.len().saturating_sub(line.trim_start_matches([' ', '\t']).len());
        line.get(..indent).unwrap_or_default()
    }

    /// The indentation of the children of `container`; `None` if they are on its own line.
    pub(super) fn indent_in(&self, container: &Node) -> Option<String> {
        match container.children().first() {
            Some(child) => self.own_line(child.start).map(str::to_owned),
            None => Some(format!("{}{}", self.indent_of_line(container.span.start), self.unit)),
        }
    }

    /// Formats a value with this indentation, or on one line without one.
    pub(super) fn write(&self, value: &Value, indent: Option<&str>) -> String {
        let Some(indent) = indent else { return on_one_line(value) };
        let mut written = Vec::new();
        let mut serializer =
            Serializer::with_formatter(&mut written, PrettyFormatter::with_indent(self.unit.as_bytes()));
        // A serialized value is always UTF-8.
        let done = value.serialize(&mut serializer);
        match done.map(|()| String::from_utf8(written)) {
            Ok(Ok(written)) => written.replace('\n', &format!("{}{indent}", self.line_end)),
            _ => on_one_line(value),
        }
    }

    /// The offset of the comma after a child, if there is one, and the offset after everything that belongs
    /// to the child: its comma, and a comment on the same line.
    pub(super) fn behind(&self, child: &Range<usize>) -> Behind {
        let mut at = child.end;
        let mut comma = None;
        while let Some(byte) = self.text.as_bytes().get(at) {
            match byte {
                b',' if comma.is_none() => {
                    comma = Some(at);
                    at = at.saturating_add(1);
                }
                b'/' => match self.text.get(at..).and_then(comment) {
                    Some(length) => at = at.saturating_add(length),
                    None => break,
                },
                b' ' | b'\t' | b'\n' | b'\r' => at = at.saturating_add(1),
                _ => break,
            }
        }
        let from = comma.map_or(child.end, |comma| comma.saturating_add(1));
        Behind { comma, end: self.end_of_comment(from) }
    }

    /// The offset after the comments that follow `at` on its line; `at` if there are no comments.
    fn end_of_comment(&self, at: usize) -> usize {
        let mut end = at;
        let rest = self.text.get(at..).unwrap_or_default();
        let mut skipped = 0_usize;
        while let Some(rest) = rest.get(skipped..) {
            let blanks = rest.len().saturating_sub(rest.trim_start_matches([' ', '\t']).len());
            let Some(length) = rest.get(blanks..).and_then(comment) else { break };
            let comment = rest.get(blanks..).and_then(|rest| rest.get(..length)).unwrap_or_default();
            if comment.contains('\n') {
                break;
            }
            skipped = skipped.saturating_add(blanks).saturating_add(length);
            end = at.saturating_add(skipped);
        }
        end
    }
}

/// The text after a child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind {
    /// Offset of the comma, if there is one.
    pub(super) comma: Option<usize>,
    /// Offset at which the next child can begin.
    pub(super) end: usize,
}

/// Formats a value on one line, with a blank after each colon and comma, as in `{"a": 1}`.
fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::String(key.clone()), on_one_line(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

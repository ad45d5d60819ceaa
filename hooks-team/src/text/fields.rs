//! Fields of the form `**Name:** value` in entries and charters.

use std::borrow::Cow;
use std::ops::Range;

use super::lines::item_marker;
use super::{Document, Kind, key, lossy};

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Name of the field, as in the file.
    pub name: Cow<'a, str>,
    /// Value, which may have several lines, without white space at its ends.
    pub value: Cow<'a, str>,
}

/// Names that are fields even if they are not bold.
const PLAIN: &[&str] = &[
    "author",
    "by",
    "date",
    "decided by",
    "owner",
    "requested by",
    "status",
    "scope",
    "updated",
    "confidence",
    "supersedes",
    "superseded by",
];

/// Returns the fields of `range`, in order. A value ends at the next field or heading.
pub(crate) fn fields<'a>(document: &'a Document, range: &Range<usize>) -> Vec<Field<'a>> {
    let mut found: Vec<(Cow<'a, str>, Range<usize>)> = Vec::new();
    let mut open = false;
    for line in document.lines_in(range) {
        let text = document.line(*line);
        if let Kind::Heading(_) = line.kind {
            open = false;
        } else if matches!(line.kind, Kind::Text | Kind::Item)
            && let Some((name, at)) = named(text)
        {
            found.push((lossy(name), line.start + at..line.end));
            open = true;
        } else if let Some((_, value)) = found.last_mut().filter(|_| open) {
            value.end = line.end.min(range.end);
        }
    }
    found
        .into_iter()
        .map(|(name, value)| Field { name, value: lossy(document.slice(value).trim_ascii()) })
        .collect()
}

impl Field<'_> {
    /// Whether the name of the field is one of `names`.
    pub fn is(&self, names: &[&str]) -> bool {
        names.contains(&&*key(&self.name))
    }
}

/// Returns the name at the start of a line, and the start of its value.
fn named(line: &[u8]) -> Option<(&[u8], usize)> {
    let indent = line.len() - line.trim_ascii_start().len();
    let text = line.get(indent..)?;
    let marker = item_marker(text).unwrap_or(0);
    let text = text.get(marker..)?;
    let at = indent + marker;
    if let Some(bold) = text.strip_prefix(b"**") {
        let close = memchr::memmem::find(bold, b"**").filter(|close| (1..=64).contains(close))?;
        let (name, rest) = bold.split_at_checked(close)?;
        return match (name.strip_suffix(b":"), rest.get(2..)?.first()) {
            (Some(name), _) => Some((name.trim_ascii(), at + close + 4)),
            (None, Some(b':')) => Some((name.trim_ascii(), at + close + 5)),
            _ => None,
        };
    }
    let colon = memchr::memchr(b':', text).filter(|colon| (1..=24).contains(colon))?;
    let name = text.get(..colon)?;
    let spaced = text.get(colon + 1).is_none_or(u8::is_ascii_whitespace);
    (spaced && marker == 0 && PLAIN.contains(&&*key(&lossy(name)))).then_some((name, at + colon + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_to_the_next_field() {
        let text = "### T\n**By:** A  \nDate: 2026-01-01\n- **What**: x\n  y\n\n1. z\n```\n**no:** a\n```\n**Why:**\nb\n#### end\nc\nnot a field: d\n**bold** e\n";
        let document = Document::parse(text);
        let shown: Vec<_> = fields(&document, &(0..text.len()))
            .into_iter()
            .map(|field| format!("{}={}", field.name, field.value))
            .collect();
        assert_eq!(shown, ["By=A", "Date=2026-01-01", "What=x\n  y\n\n1. z\n```\n**no:** a\n```", "Why=b"]);
    }
}

//! Keys and values between two lines of dashes at the beginning of a file.

use std::borrow::Cow;
use std::ops::Range;

use super::{Document, Line, Splice, lossy};

/// Front matter of a file: the part of YAML that such files use. Values in another form are kept and can be
/// read as text.
#[derive(Clone, Debug)]
pub struct FrontMatter<'a> {
    document: &'a Document,
    lines: &'a [Line],
}

impl<'a> FrontMatter<'a> {
    pub(super) const fn new(document: &'a Document, lines: &'a [Line]) -> Self {
        Self { document, lines }
    }

    /// Returns the top-level keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.lines.iter().filter_map(|line| entry(self.document.line(*line))).map(|(key, _)| lossy(key))
    }

    /// Returns the value of `key` as text: without quotes, with the lines of a block joined by spaces.
    ///
    /// ```
    /// use hooks_team::text::Document;
    ///
    /// let document = Document::parse("---\nname: \"Ada\"\nabout: >\n  writes\n  parsers\n---\n");
    /// let matter = document.front_matter().expect("it begins with dashes");
    /// assert_eq!(matter.get("name").as_deref(), Some("Ada"));
    /// assert_eq!(matter.get("about").as_deref(), Some("writes parsers"));
    /// assert_eq!(matter.get("role"), None);
    /// ```
    pub fn get(&self, key: &str) -> Option<String> {
        let (value, below) = self.find(key)?;
        if !matches!(value.first(), None | Some(b'|' | b'>')) {
            return Some(unquoted(&lossy(value)));
        }
        let lines: Vec<_> = below.iter().map(|line| lossy(self.document.line(*line).trim_ascii())).collect();
        Some(lines.join(" ").trim().to_owned())
    }

    /// Returns the value of `key` as a list, from `[a, b]`, lines that begin with `-`, or a single value.
    ///
    /// ```
    /// use hooks_team::text::Document;
    ///
    /// let document = Document::parse("---\nissues: [1, 2]\ntools:\n  - bash\n---\n");
    /// let matter = document.front_matter().expect("it begins with dashes");
    /// assert_eq!(matter.list("issues"), ["1", "2"]);
    /// assert_eq!(matter.list("tools"), ["bash"]);
    /// ```
    pub fn list(&self, key: &str) -> Vec<String> {
        let Some((value, below)) = self.find(key) else { return Vec::new() };
        let value = lossy(value);
        if let Some(inner) = value.strip_prefix('[') {
            let inner = inner.strip_suffix(']').unwrap_or(inner);
            return inner
                .split(',')
                .map(|item| unquoted(item.trim()))
                .filter(|item| !item.is_empty())
                .collect();
        }
        if !value.is_empty() {
            return vec![unquoted(&value)];
        }
        let items = below.iter().filter_map(|line| self.document.line(*line).trim_ascii().strip_prefix(b"-"));
        items.map(|item| unquoted(lossy(item).trim())).filter(|item| !item.is_empty()).collect()
    }

    /// Sets `key` to `value`: in its line, or as a new last line.
    ///
    /// ```
    /// use hooks_team::text::Document;
    ///
    /// let document = Document::parse("---\nfocus: old # why\n---\n\nText.\n");
    /// let matter = document.front_matter().expect("it begins with dashes");
    /// assert_eq!(document.with(vec![matter.set("owner", "Ada")]), b"---\nfocus: old # why\nowner: Ada\n---\n\nText.\n");
    /// ```
    pub fn set(&self, key: &str, value: &str) -> Splice {
        let line = format!("{key}: {}", quoted(value));
        match self.range_of(key) {
            Some(range) => Splice::replace(range, line),
            None => {
                let at = self.lines.last().map_or(0, |last| last.end);
                Splice::insert(at, format!("{line}{}", self.document.newline()))
            }
        }
    }

    /// Returns the value of `key`, and the lines below that belong to it.
    fn find(&self, key: &str) -> Option<(&'a [u8], &'a [Line])> {
        let number = self.position(key)?;
        let (_, value) = entry(self.document.line(*self.lines.get(number)?))?;
        let below = self.lines.get(number + 1..).unwrap_or_default();
        let count =
            below.iter().take_while(|line| belongs_to_the_one_above(self.document.line(**line))).count();
        Some((value, below.get(..count).unwrap_or_default()))
    }

    /// Returns the range of the line of `key` and the lines that belong to it, without the last line end.
    fn range_of(&self, key: &str) -> Option<Range<usize>> {
        let first = self.lines.get(self.position(key)?)?;
        let last = self.find(key)?.1.last().unwrap_or(first);
        Some(first.start..last.start + self.document.line(*last).len())
    }

    fn position(&self, key: &str) -> Option<usize> {
        let is_key =
            |line: &Line| entry(self.document.line(*line)).is_some_and(|(found, _)| found == key.as_bytes());
        self.lines.iter().position(is_key)
    }
}

/// Returns the key and value of a top-level line.
fn entry(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let (key, value) = line.split_at_checked(colon)?;
    let starts = key.first().is_some_and(|first| !matches!(first, b' ' | b'\t' | b'#' | b'-'));
    let value = value.get(1..).unwrap_or_default();
    let spaced = value.first().is_none_or(u8::is_ascii_whitespace);
    (starts && spaced).then(|| (key.trim_ascii(), value.trim_ascii()))
}

fn belongs_to_the_one_above(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'\t' | b'-'))
}

fn unquoted(value: &str) -> String {
    let inner = |quote| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    match (inner('"'), inner('\'')) {
        (Some(inner), _) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
        (None, Some(inner)) => inner.replace("''", "'"),
        (None, None) => value.to_owned(),
    }
}

/// Puts a value on one line, and in quotes if YAML would otherwise read another value.
fn quoted(value: &str) -> String {
    let value = super::one_line(value);
    let plain = value.starts_with(|c: char| c.is_alphanumeric())
        && !value.contains([':', '#', '"', '\\'])
        && !matches!(&*value.to_ascii_lowercase(), "true" | "false" | "yes" | "no" | "null" | "on" | "off");
    if plain { value } else { format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: \"a b\"\ntools: [x, 'y']\nwho:\n  - one\n  - two\nlong: >\n  first\n  second\n# note\nlast: 1\n---\n# T\n";

    #[test]
    fn values_are_read() {
        let document = Document::parse(TEXT);
        let matter = document.front_matter().unwrap();
        assert_eq!(matter.get("name").unwrap(), "a b");
        assert_eq!(matter.list("tools"), ["x", "y"]);
        assert_eq!(matter.list("who"), ["one", "two"]);
        assert_eq!(matter.get("long").unwrap(), "first second");
        assert_eq!(matter.get("none"), None);
        assert_eq!(matter.keys().collect::<Vec<_>>(), ["name", "tools", "who", "long", "last"]);
    }

    #[test]
    fn a_value_is_set_and_nothing_else_changes() {
        let document = Document::parse(TEXT);
        let matter = document.front_matter().unwrap();
        let changed = document.with(vec![matter.set("who", "me: #1"), matter.set("new", "x\ny")]);
        let expected = TEXT
            .replace("who:\n  - one\n  - two", "who: \"me: #1\"")
            .replace("last: 1\n", "last: 1\nnew: x y\n");
        assert_eq!(String::from_utf8(changed).unwrap(), expected);
        let quoted = document.with(vec![matter.set("name", "a \"b\" \\ c")]);
        assert_eq!(Document::parse(quoted).front_matter().unwrap().get("name").unwrap(), "a \"b\" \\ c");
    }
}

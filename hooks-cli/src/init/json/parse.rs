//! Finds the positions of values in a JSON text. Comments and trailing commas are accepted, as most clients
//! accept them.

use std::ops::Range;

/// Maximum nesting of values.
const DEEPEST: usize = 128;

/// A value with its position.
#[derive(Debug)]
pub(crate) struct Node {
    /// Byte range of the value.
    pub(crate) span: Range<usize>,
    /// Kind of the value.
    pub(crate) kind: Kind,
}

/// The kind of a value.
#[derive(Debug)]
pub(crate) enum Kind {
    /// An object, with its members in order. Of duplicate keys, clients use the last.
    Object(Vec<Member>),
    /// An array, with its items in order.
    Array(Vec<Node>),
    /// A string, unescaped.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    /// Unescaped key.
    pub(crate) key: String,
    /// Offset of the key.
    pub(crate) start: usize,
    /// Value of the member.
    pub(crate) value: Node,
}

/// The text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Offset of the error.
    pub(crate) at: usize,
    /// Description of the error.
    pub(crate) what: &'static str,
}

impl Node {
    /// The value of the last member with this key.
    pub(crate) fn member(&self, key: &str) -> Option<&Self> {
        let Kind::Object(members) = &self.kind else { return None };
        members.iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    /// The items of an array; empty for any other value.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    /// The content of a string; `None` for any other value.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The byte ranges of the members or items.
    pub(super) fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().map(|member| member.start..member.value.span.end).collect()
            }
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Parses a text that holds one value.
pub(crate) fn parse(text: &str) -> Result<Node, Malformed> {
    let mut reader = JsonParser { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    let node = reader.value(0)?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.wrong("something stands behind the end")),
    }
}

struct JsonParser<'t> {
    text: &'t str,
    at: usize,
}

impl JsonParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    const fn wrong(&self, what: &'static str) -> Malformed {
        Malformed { at: self.at, what }
    }

    const fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        if is_there {
            self.step();
        }
        is_there
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), Malformed> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.step(),
                Some(b'/') => match comment(self.rest()) {
                    Some(length) => self.at = self.at.saturating_add(length),
                    None => return Err(self.wrong("this is not a comment, or one without an end")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Malformed> {
        if depth >= DEEPEST {
            return Err(self.wrong("this is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.other()?,
            None => return Err(self.wrong("a value is missing")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Malformed> {
        self.step();
        let mut members = Vec::new();
        loop {
            self.skip()?;
            if self.take(b'}') {
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key or `}` is missing"));
            }
            let key = self.string()?;
            self.skip()?;
            if !self.take(b':') {
                return Err(self.wrong("`:` is missing"));
            }
            self.skip()?;
            let value = self.value(depth.saturating_add(1))?;
            members.push(Member { key, start, value });
            self.skip()?;
            if !self.take(b',') && self.peek() != Some(b'}') {
                return Err(self.wrong("`,` or `}` is missing"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Malformed> {
        self.step();
        let mut items = Vec::new();
        loop {
            self.skip()?;
            if self.take(b']') {
                return Ok(Kind::Array(items));
            }
            items.push(self.value(depth.saturating_add(1))?);
            self.skip()?;
            if !self.take(b',') && self.peek() != Some(b']') {
                return Err(self.wrong("`,` or `]` is missing"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Malformed> {
        let start = self.at;
        self.step();
        loop {
            match self.peek() {
                Some(b'"') => break self.step(),
                Some(b'\\') => {
                    self.step();
                    self.step();
                }
                Some(b'\n') | None => return Err(Malformed { at: start, what: "this text has no end" }),
                Some(_) => self.step(),
            }
        }
        let written = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(written)
            .map_err(|_| Malformed { at: start, what: "this is not a string of JSON" })
    }

    fn other(&mut self) -> Result<Kind, Malformed> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | ':' | '/' | '"' | '{' | '['))
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        if serde_json::from_str::<serde_json::Value>(word).is_err() {
            return Err(self.wrong("this is not a value"));
        }
        self.at = self.at.saturating_add(length);
        Ok(Kind::Other)
    }
}

/// The length of the comment at the beginning of a text, without the line end after it.
pub(super) fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find(['\n', '\r']).unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/")?.saturating_add("/**/".len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_read_is_read() {
        let text = "\u{feff}// mine\n{\"a\": [1, \"x\\u0041\", /* so */ true,], \"b\": {\"c\": null,},}\n";
        let node = parse(text).unwrap();
        let items = node.member("a").unwrap().items();
        assert_eq!(items[1].text(), Some("xA"));
        assert_eq!(text.get(items[2].span.clone()), Some("true"));
        assert!(matches!(node.member("b").unwrap().member("c").unwrap().kind, Kind::Other));
    }

    #[test]
    fn what_is_none_is_told_with_its_place() {
        for (text, at) in [
            ("{\"a\" 1}", 5),
            ("{\"a\": 1 \"b\"}", 8),
            ("[1, 2", 5),
            ("{} x", 3),
            ("\"open", 0),
            ("", 0),
            ("[/* ]", 1),
            ("[yes]", 1),
            ("{,}", 1),
            ("[1.]", 1),
            ("[\"a\nb\"]", 1),
        ] {
            assert_eq!(parse(text).unwrap_err().at, at, "{text}");
        }
        assert_eq!(parse(&"[".repeat(100_000)).unwrap_err().what, "this is nested too deeply");
    }
}

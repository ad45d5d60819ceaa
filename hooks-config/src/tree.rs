//! A configuration as a tree in which every key and value has its place in the text.

use serde_json::{Map, Number, Value};

use super::error::TextPosition;

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) place: TextPosition,
    pub(super) kind: Kind,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key and its place.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) place: TextPosition,
}

impl Node {
    /// Name of the value's type for messages.
    pub(super) const fn what(&self) -> &'static str {
        match self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }

    /// Entries of a map; empty for other values.
    pub(super) fn entries(&self) -> &[(Key, Self)] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of `key`.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(known, _)| known.text == key).map(|(_, value)| value)
    }

    /// The same value as JSON. The depth is bounded by the parser.
    pub(super) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.text.clone(), value.to_json()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// The deepest place that `path` (`rules[2].paths[0]`) leads to. A key may contain dots, so the longest
    /// matching key is used.
    pub(super) fn locate(&self, path: &str) -> &TextPosition {
        let (mut node, mut place, mut rest) = (self, &self.place, path);
        while !rest.is_empty() {
            let Some((next, after)) = node.step(rest) else { break };
            (node, place, rest) = (next, &next.place, after);
        }
        place
    }

    /// Place of the key at the end of `path`; of the value, if it has no key.
    pub(super) fn locate_key(&self, path: &str) -> &TextPosition {
        let (mut node, mut place, mut rest) = (self, &self.place, path);
        while !rest.is_empty() {
            let Some((next, after)) = node.step(rest) else { break };
            place = match node.entries().iter().find(|(_, value)| std::ptr::eq(value, next)) {
                Some((key, _)) => &key.place,
                None => &next.place,
            };
            (node, rest) = (next, after);
        }
        place
    }

    /// The value at `path`.
    pub(super) fn find(&self, path: &str) -> Option<&Self> {
        let (mut node, mut rest) = (self, path);
        while !rest.is_empty() {
            (node, rest) = node.step(rest)?;
        }
        Some(node)
    }

    fn step<'a, 'p>(&'a self, path: &'p str) -> Option<(&'a Self, &'p str)> {
        match &self.kind {
            Kind::List(items) => {
                let (index, after) = path.strip_prefix('[')?.split_once(']')?;
                Some((items.get(index.parse::<usize>().ok()?)?, after))
            }
            Kind::Map(entries) => {
                let path = path.strip_prefix('.').unwrap_or(path);
                let fitting = entries.iter().filter_map(|(key, value)| {
                    let after = path.strip_prefix(key.text.as_str())?;
                    let ends = after.is_empty() || after.starts_with(['.', '[']);
                    ends.then_some((key.text.len(), value, after))
                });
                fitting.max_by_key(|(length, ..)| *length).map(|(_, value, after)| (value, after))
            }
            _ => None,
        }
    }
}

//! Checks a tree against a JSON schema and reports every mismatch at its place.
//!
//! The schema is made from the configuration types, so both know the same options. `hooks schema` gives
//! editors the same schema, with one exception: a key without a value (`write_guard:`) is always refused
//! here, because a guard that is named and yet off would be a trap.

use serde_json::{Map, Value};

use hooks_core::duration;

use super::error::{Mistakes, TextPosition};
use super::suggest::nearest;
use super::tree::{Kind, Node};
use super::words::{join, one_of, quoted};

/// The default of an option, if that is a duration.
fn duration_by_default(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("default")?.as_str().filter(|text| duration::parse(text).is_ok())
}

/// Most references that are followed in a row; schemas of types have one or two.
const MOST_REFERENCES: usize = 16;

/// Checks `node` against `schema`.
pub(super) fn check(schema: &Value, node: &Node, mistakes: &mut Mistakes) {
    Checker { root: schema, mistakes }.check(schema, node, "");
}

struct Checker<'s, 'm> {
    root: &'s Value,
    mistakes: &'m mut Mistakes,
}

impl<'s> Checker<'s, '_> {
    /// Recursion is as deep as the tree, whose depth is bounded.
    fn check(&mut self, schema: &'s Value, node: &Node, path: &str) {
        let Some(schema) = self.resolve(schema).as_object() else { return };
        if let Some(words) = self.words(schema) {
            return self.check_word(&words, node, path);
        }
        if let Some(only) = schema.get("const") {
            if node.to_json() != *only {
                let message = format!("this has to be `{only}`");
                match &node.kind {
                    Kind::Text(text)
                        if serde_json::from_str::<Value>(text).is_ok_and(|read| read == *only) =>
                    {
                        self.mistakes.add_with_hint(&node.place, path, message, "leave the quotes out");
                    }
                    _ => self.mistakes.add(&node.place, path, message),
                }
            }
            return;
        }
        if let Some(alternative) = self.alternative(schema, node) {
            return self.check(alternative, node, path);
        }
        let Some(types) = types(schema) else { return };
        if matches!(node.kind, Kind::Null) {
            return self.refuse_nothing(&types, schema, node, path);
        }
        match &node.kind {
            Kind::Map(_) if types.contains(&"object") => self.check_map(schema, node, path),
            Kind::List(items) if types.contains(&"array") => {
                if let Some(schema) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.check(schema, item, &format!("{path}[{index}]"));
                    }
                }
            }
            Kind::Text(_) if types.contains(&"string") => {}
            Kind::Bool(_) if types.contains(&"boolean") => {}
            Kind::Number(number) if types.contains(&"integer") => {
                let fits = if schema.get("minimum").and_then(Value::as_f64) == Some(0.0) {
                    number.is_u64()
                } else {
                    number.is_i64() || number.is_u64()
                };
                if !fits {
                    let message = format!("{number} is not an integer from 0");
                    self.mistakes.add(&node.place, path, message);
                }
            }
            Kind::Number(_) if types.contains(&"number") => {}
            _ => self.refuse_type(&types, schema, node, path),
        }
    }

    fn check_map(&mut self, schema: &'s Map<String, Value>, node: &Node, path: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (key, value) in node.entries() {
            let path = join(path, &key.text);
            match (properties.and_then(|known| known.get(&key.text)), others) {
                (Some(schema), _) => self.check(schema, value, &path),
                (None, Some(Value::Bool(false))) => {
                    let known = properties.into_iter().flat_map(Map::keys).map(String::as_str);
                    self.refuse_key(&key.text, &key.place, known, &path);
                }
                (None, Some(schema)) => self.check(schema, value, &path),
                (None, None) => {}
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if node.get(name).is_none() {
                let only = properties.and_then(|known| known.get(name)?.get("const"));
                let (place, path) = (start_of(&node.place), join(path, name));
                let message = format!("`{name}` is missing");
                match only {
                    Some(only) => {
                        self.mistakes.add_with_hint(&place, path, message, format!("write `{name}: {only}`"));
                    }
                    None => self.mistakes.add(&place, path, message),
                }
            }
        }
    }

    fn check_word(&mut self, words: &[&str], node: &Node, path: &str) {
        match &node.kind {
            Kind::Text(text) if words.contains(&text.as_str()) => {}
            Kind::Text(text) => {
                let message =
                    format!("{} is not known here; there is {}", quoted(text), one_of(words.iter().copied()));
                match nearest(text, words.iter().copied()) {
                    Some(word) => {
                        self.mistakes.add_with_hint(
                            &node.place,
                            path,
                            message,
                            format!("did you mean `{word}`?"),
                        );
                    }
                    None => self.mistakes.add(&node.place, path, message),
                }
            }
            _ => {
                let message = format!("expected {}, found {}", one_of(words.iter().copied()), node.what());
                self.mistakes.add(&node.place, path, message);
            }
        }
    }

    fn refuse_key<'k>(
        &mut self,
        key: &str,
        place: &TextPosition,
        known: impl Iterator<Item = &'k str> + Clone,
        path: &str,
    ) {
        let message = format!("unknown option {}", quoted(key));
        let hint = match nearest(key, known.clone()) {
            Some(word) => format!("did you mean `{word}`?"),
            None => format!("there is {}", one_of(known)),
        };
        self.mistakes.add_with_hint(place, path, message, hint);
    }

    fn refuse_nothing(&mut self, types: &[&str], schema: &Map<String, Value>, node: &Node, path: &str) {
        let hint = match types {
            ["object", ..] if schema.contains_key("required") => "fill it in, or leave the key out",
            ["object", ..] => "write `{}` to have its defaults, or leave the key out",
            ["array", ..] => "write `[]` for an empty list, or leave the key out",
            _ => "fill it in, or leave the key out",
        };
        self.mistakes.add_with_hint(&node.place, path, "there is no value", hint);
    }

    fn refuse_type(&mut self, types: &[&str], schema: &Map<String, Value>, node: &Node, path: &str) {
        let wanted: Vec<_> = types.iter().map(|name| in_words(name)).collect();
        let message = format!("expected {}, found {}", wanted.join(" or "), node.what());
        let hint = match (&node.kind, types) {
            (Kind::Text(text), ["boolean", ..]) => match text.to_lowercase().as_str() {
                "yes" | "on" | "y" => Some("write `true`".to_owned()),
                "no" | "off" | "n" => Some("write `false`".to_owned()),
                _ => None,
            },
            (Kind::Text(text), ["integer" | "number", ..]) if text.trim().parse::<f64>().is_ok() => {
                Some("leave the quotes out".to_owned())
            }
            (Kind::Text(text), ["array", ..]) => Some(format!("write it as a list: [{}]", json_text(text))),
            (Kind::Number(number), ["string", ..]) => match duration_by_default(schema) {
                Some(default) => Some(format!(
                    "write it with its unit: `{number}s` are seconds; the default is `{default}`"
                )),
                None => Some("put it in quotes".to_owned()),
            },
            (Kind::Bool(_), ["string", ..]) => Some("put it in quotes".to_owned()),
            (Kind::Bool(false), ["object", ..]) => Some("leave the key out to switch it off".to_owned()),
            (Kind::Text(text), ["object", ..]) if matches!(text.to_lowercase().as_str(), "no" | "off") => {
                Some("leave the key out to switch it off".to_owned())
            }
            (_, ["object", ..]) if !path.is_empty() => as_map(schema, node),
            _ => None,
        };
        match hint {
            Some(hint) => self.mistakes.add_with_hint(&node.place, path, message, hint),
            None => self.mistakes.add(&node.place, path, message),
        }
    }

    /// Follows references to definitions.
    fn resolve(&self, mut schema: &'s Value) -> &'s Value {
        for _ in 0..MOST_REFERENCES {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
            let Some(target) = reference.strip_prefix('#').and_then(|at| self.root.pointer(at)) else {
                break;
            };
            schema = target;
        }
        schema
    }

    /// Words of a type that is one word out of several.
    fn words(&self, schema: &'s Map<String, Value>) -> Option<Vec<&'s str>> {
        if let Some(word) = schema.get("const").and_then(Value::as_str) {
            return Some(vec![word]);
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return words.iter().map(Value::as_str).collect();
        }
        let alternatives = schema.get("oneOf")?.as_array()?;
        let words = alternatives.iter().map(|alternative| {
            let alternative = self.resolve(alternative).as_object()?;
            alternative.get("const").or_else(|| alternative.get("enum")?.as_array()?.first())?.as_str()
        });
        words.collect()
    }

    /// The alternative that `node` was meant for: the first that accepts its type, else the first of all.
    fn alternative(&self, schema: &'s Map<String, Value>, node: &Node) -> Option<&'s Value> {
        let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
        let of_type = |name: &str| {
            alternatives.iter().find(|alternative| {
                let resolved = self.resolve(alternative).as_object();
                resolved.and_then(types).is_some_and(|types| types.contains(&name))
            })
        };
        let fitting = match &node.kind {
            Kind::Null => None,
            Kind::Bool(_) => of_type("boolean"),
            Kind::Number(_) => of_type("integer").or_else(|| of_type("number")),
            Kind::Text(text) => of_type("string").or_else(|| of_type("boolean").filter(|_| is_switch(text))),
            Kind::List(_) => of_type("array"),
            Kind::Map(_) => of_type("object"),
        };
        fitting.or_else(|| alternatives.first())
    }
}

/// Types that a schema names, without `null`.
fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    let types = match schema.get("type")? {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(types.into_iter().filter(|name| *name != "null").collect())
}

fn in_words(name: &str) -> &str {
    match name {
        "object" => "a map",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "`true` or `false`",
        "integer" => "an integer",
        "number" => "a number",
        other => other,
    }
}

/// Hint to write a map with this schema in place of `node`.
fn as_map(schema: &Map<String, Value>, node: &Node) -> Option<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let required: Vec<_> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    if !required.is_empty() {
        return Some(format!("write it as a map with {}", one_of(required)));
    }
    let known = schema.get("properties").and_then(Value::as_object)?;
    let is_switch = match &node.kind {
        Kind::Bool(on) => *on,
        Kind::Text(text) => matches!(text.to_lowercase().as_str(), "yes" | "on"),
        _ => false,
    };
    Some(if is_switch {
        "write `{}` to have its defaults".to_owned()
    } else {
        format!("write it as a map with {}", one_of(known.keys().map(String::as_str)))
    })
}

/// Whether `text` is a word that other formats use for a boolean.
fn is_switch(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "yes" | "on" | "y" | "no" | "off" | "n")
}

fn json_text(text: &str) -> String {
    quoted(&Value::String(text.to_owned()).to_string()).trim_matches('`').to_owned()
}

/// Place of the first character of a map. A missing key has no place of its own.
fn start_of(place: &TextPosition) -> TextPosition {
    TextPosition { span: place.span.start..place.span.start, ..place.clone() }
}

//! Adds items to a JSON text, and removes them, without changing the rest.

use std::ops::Range;

use serde_json::{Map, Value};

use super::parse::{Kind, Malformed, Node, parse};
use super::style::Style;

/// A reason to refuse the edit of a text.
#[derive(Debug)]
pub(crate) enum EditError {
    /// The text is not JSON.
    Malformed(Malformed),
    /// The value of this key, at this offset, has another type than the expected one.
    Other(usize, String, &'static str),
}

impl From<Malformed> for EditError {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error)
    }
}

/// Appends `item` to the array at the path of these keys. Missing objects and the array are created.
pub(crate) fn append(text: &str, keys: &[&str], item: Value) -> Result<String, EditError> {
    let root = parse(text)?;
    let style = Style::detect(text, &root);
    let mut container = &root;
    let mut keys = keys.iter();
    while let Some(key) = keys.next() {
        let Kind::Object(_) = container.kind else {
            return Err(EditError::Other(container.span.start, (*key).to_owned(), "an object"));
        };
        let Some(value) = container.member(key) else {
            let value = keys.rev().fold(Value::Array(vec![item]), |value, key| object(key, value));
            return Ok(insert(text, container, &style, Some(key), &value));
        };
        container = value;
    }
    match container.kind {
        Kind::Array(_) => Ok(insert(text, container, &style, None, &item)),
        _ => Err(EditError::Other(container.span.start, String::new(), "an array")),
    }
}

/// Adds a member to the root object, unless it has one with this key.
pub(crate) fn set_missing(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let root = parse(text)?;
    if !matches!(root.kind, Kind::Object(_)) {
        return Err(EditError::Other(root.span.start, key.to_owned(), "an object"));
    }
    if root.member(key).is_some() {
        return Ok(text.to_owned());
    }
    Ok(insert(text, &root, &Style::detect(text, &root), Some(key), value))
}

/// Removes the items for which `is_meant` returns true, at any depth below the member `key` of the root.
/// Containers that held nothing else are removed too.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub(crate) fn remove(text: &str, key: &str, is_meant: impl Fn(&Node) -> bool) -> Result<String, Malformed> {
    let mut text = text.to_owned();
    // The loop ends, as each iteration makes the text shorter.
    loop {
        let root = parse(&text)?;
        let mut path = Vec::new();
        let Kind::Object(members) = &root.kind else { return Ok(text) };
        let Some(index) = members.iter().rposition(|member| member.key == key) else { return Ok(text) };
        let Some(member) = members.get(index) else { return Ok(text) };
        path.push((&root, index));
        if !find(&member.value, &is_meant, &mut path) {
            return Ok(text);
        }
        // Containers that hold nothing else are removed too.
        while path.len() > 1 && path.last().is_some_and(|(container, _)| container.children().len() == 1) {
            path.pop();
        }
        let Some((container, index)) = path.pop() else { return Ok(text) };
        let shorter = take_out(&text, container, index);
        text = shorter;
    }
}

/// Stores the path to the first matching item in `path`.
fn find<'n>(node: &'n Node, is_meant: &impl Fn(&Node) -> bool, path: &mut Vec<(&'n Node, usize)>) -> bool {
    let children: Vec<&Node> = match &node.kind {
        Kind::Object(members) => members.iter().map(|member| &member.value).collect(),
        Kind::Array(items) => items.iter().collect(),
        _ => return false,
    };
    // The parser limits the depth of this recursion.
    for (index, child) in children.into_iter().enumerate() {
        path.push((node, index));
        if matches!(node.kind, Kind::Array(_)) && is_meant(child) || find(child, is_meant, path) {
            return true;
        }
        path.pop();
    }
    false
}

pub(super) fn object(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// `text` with another child at the end of `container`.
pub(super) fn insert(
    text: &str,
    container: &Node,
    style: &Style<'_>,
    key: Option<&str>,
    value: &Value,
) -> String {
    let indent = style.indent_in(container);
    let value = style.write(value, indent.as_deref());
    let child = match key {
        Some(key) => format!("{}: {value}", Value::String(key.to_owned())),
        None => value,
    };
    let line_end = style.line_end;
    let Some(last) = container.children().pop() else {
        return fill(text, container, style, &indent.unwrap_or_default(), &child);
    };
    let behind = style.behind(&last);
    let separated = match indent {
        Some(indent) => format!("{line_end}{indent}{child}"),
        // A comment can go on to the end of the line, so the child begins a new line.
        None if text.get(last.end..behind.end).is_some_and(|rest| rest.contains("//")) => {
            format!("{line_end}{child}")
        }
        None => format!(" {child}"),
    };
    let mut splices = Vec::new();
    match behind.comma {
        // The list has a trailing comma, and keeps one.
        Some(_) => splices.push((behind.end..behind.end, format!("{separated},"))),
        None => {
            splices.push((last.end..last.end, ",".to_owned()));
            splices.push((behind.end..behind.end, separated));
        }
    }
    splice(text, &splices)
}

/// `text` with the first child of `container`.
fn fill(text: &str, container: &Node, style: &Style<'_>, indent: &str, child: &str) -> String {
    let inside = container.span.start.saturating_add(1)..container.span.end.saturating_sub(1);
    let trivia = text.get(inside.clone()).unwrap_or_default();
    let line_end = style.line_end;
    let outer = style.indent_of_line(container.span.start);
    let first = format!("{line_end}{indent}{child}");
    if trivia.trim().is_empty() {
        return splice(text, &[(inside, format!("{first}{line_end}{outer}"))]);
    }
    // Comments stay above the child.
    let kept = trivia.trim_end();
    splice(text, &[(inside, format!("{kept}{first}{line_end}{outer}"))])
}

/// `text` without a child of `container`.
pub(super) fn take_out(text: &str, container: &Node, index: usize) -> String {
    let root = Node { span: 0..text.len(), kind: Kind::Other };
    let style = Style::detect(text, &root);
    let children = container.children();
    let Some(child) = children.get(index) else { return text.to_owned() };
    let behind = style.behind(child);
    let own_end = behind.comma.map_or(child.end, |comma| comma.saturating_add(1));
    let before = index.checked_sub(1).and_then(|before| children.get(before));
    let Some(before) = before else {
        let open = container.span.start.saturating_add(1);
        if children.len() > 1 {
            return splice(text, &[(open..own_end, String::new())]);
        }
        // The container is empty except for comments around the child.
        let close = container.span.end.saturating_sub(1);
        let (above, below) = (text.get(open..child.start), text.get(own_end..close));
        let is_blank = |text: Option<&str>| text.is_some_and(|text| text.trim().is_empty());
        return match (is_blank(above), is_blank(below)) {
            (true, true) => splice(text, &[(open..close, String::new())]),
            (true, false) => splice(text, &[(open..own_end, String::new())]),
            (false, _) => {
                let kept = open.saturating_add(above.unwrap_or_default().trim_end().len());
                splice(text, &[(kept..own_end, String::new())])
            }
        };
    };
    let before = style.behind(before);
    let mut splices = Vec::new();
    if let (Some(comma), true, None) = (before.comma, index.saturating_add(1) == children.len(), behind.comma)
    {
        // The removed child was the last, and the list has no trailing comma.
        splices.push((comma..comma.saturating_add(1), String::new()));
    }
    splices.push((before.end..own_end, String::new()));
    splice(text, &splices)
}

/// `text` with some ranges replaced; they are in order and do not overlap.
pub(in crate::init) fn splice(text: &str, splices: &[(Range<usize>, String)]) -> String {
    let mut done = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in splices {
        done.push_str(text.get(at..range.start).unwrap_or_default());
        done.push_str(new);
        at = range.end;
    }
    done.push_str(text.get(at..).unwrap_or_default());
    done
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Adds two items and removes them again: the text has to be unchanged.
    fn there_and_back(text: &str) -> String {
        let item = |n: u32| json!({"command": format!("ours {n}"), "timeout": 5});
        let once = append(text, &["hooks", "A"], item(1)).unwrap();
        let twice = append(&once, &["hooks", "B"], item(2)).unwrap();
        let ours = |node: &Node| {
            let command = node.member("command").and_then(Node::text);
            command.is_some_and(|command| command.starts_with("ours"))
        };
        assert!(parse(&twice).is_ok(), "{twice}");
        assert_eq!(remove(&twice, "hooks", ours).unwrap(), text, "after\n{twice}");
        twice
    }

    #[test]
    fn what_is_added_looks_like_what_is_there() {
        let text = "{\n    // mine\n    \"model\": \"m\", // and why\n    \"env\": {}\n}\n";
        let expected = "{\n    // mine\n    \"model\": \"m\", // and why\n    \"env\": {},\n    \"hooks\": {\n        \"A\": [\n            {\n                \"command\": \"ours 1\",\n                \"timeout\": 5\n            }\n        ],\n        \"B\": [\n            {\n                \"command\": \"ours 2\",\n                \"timeout\": 5\n            }\n        ]\n    }\n}\n";
        assert_eq!(there_and_back(text), expected);
    }

    #[test]
    fn whatever_it_looks_like_it_can_be_taken_out_again() {
        for text in [
            "{}",
            "{}\n",
            "{\"a\":1}",
            "{ \"a\": 1, }",
            "{\r\n\t\"a\": 1\r\n}\r\n",
            "{\n  \"a\": 1, // last\n}\n",
            "{\n  \"a\": 1 // last\n}\n",
            "{\n  \"a\": 1 // last\n  , \"b\": 2\n}\n",
            "{\n  \"a\": 1 /* so */ // last\n  // below\n}\n",
            "{\n  \"hooks\": {\n    \"A\": [\n      {\"command\": \"theirs\"}\n    ]\n  }\n}\n",
            "{\n  \"hooks\": {\"A\": [{\"command\": \"theirs\"}], \"C\": []},\n  \"z\": 1\n}\n",
            "{\"hooks\": {\"A\": [{\"command\": \"theirs\"},]}}",
            "{\n  // nothing yet\n}",
            "\u{feff}{\n  \"a\": 1\n}",
        ] {
            there_and_back(text);
        }
    }

    #[test]
    fn what_is_no_place_for_it_is_left_alone() {
        for text in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"A\": {}}}", "3"] {
            assert!(matches!(append(text, &["hooks", "A"], json!(1)), Err(EditError::Other(..))), "{text}");
        }
        assert!(matches!(append("{", &["hooks"], json!(1)), Err(EditError::Malformed(_))));
    }

    #[test]
    fn a_member_that_is_there_stays() {
        assert_eq!(set_missing("{\"version\": 2}", "version", &json!(1)).unwrap(), "{\"version\": 2}");
        assert_eq!(set_missing("{}", "version", &json!(1)).unwrap(), "{\n  \"version\": 1\n}");
    }
}

//! Sets a text in an object of the root, and removes it, without changing the rest.

use serde_json::Value;

use super::edit::{EditError, insert, object, splice, take_out};
use super::parse::{Kind, Malformed, parse};
use super::style::Style;

/// The text of the member `key` in the root's object `container`; `None` if it is missing.
pub(in crate::init) fn text_in(text: &str, container: &str, key: &str) -> Result<Option<String>, Malformed> {
    let root = parse(text)?;
    Ok(root.member(container).and_then(|object| object.member(key)?.text()).map(str::to_owned))
}

/// Sets the member `key` of the root's object `container`, which is created if it is missing.
pub(in crate::init) fn set_in(
    text: &str,
    container: &str,
    key: &str,
    value: &str,
) -> Result<String, EditError> {
    let root = parse(text)?;
    let style = Style::detect(text, &root);
    let value = Value::String(value.to_owned());
    let wrong =
        |node: &super::Node, name: &str| EditError::Other(node.span.start, name.to_owned(), "an object");
    if !matches!(root.kind, Kind::Object(_)) {
        return Err(wrong(&root, container));
    }
    let Some(inner) = root.member(container) else {
        return Ok(insert(text, &root, &style, Some(container), &object(key, value)));
    };
    if !matches!(inner.kind, Kind::Object(_)) {
        return Err(wrong(inner, key));
    }
    Ok(match inner.member(key) {
        Some(old) => splice(text, &[(old.span.clone(), value.to_string())]),
        None => insert(text, inner, &style, Some(key), &value),
    })
}

/// Whether the root has an object `container`.
pub(in crate::init) fn has_object(text: &str, container: &str) -> bool {
    let root = parse(text).ok();
    root.is_some_and(|root| {
        root.member(container).is_some_and(|member| matches!(member.kind, Kind::Object(_)))
    })
}

/// Removes the member `key` of the root's object `container`, and the object if it holds nothing else and is not `kept`.
pub(in crate::init) fn remove_in(
    text: &str,
    container: &str,
    key: &str,
    kept: bool,
) -> Result<String, Malformed> {
    let root = parse(text)?;
    let Kind::Object(members) = &root.kind else { return Ok(text.to_owned()) };
    let Some(at) = members.iter().rposition(|member| member.key == container) else {
        return Ok(text.to_owned());
    };
    let Some(inner) = members.get(at).map(|member| &member.value) else { return Ok(text.to_owned()) };
    let Kind::Object(inside) = &inner.kind else { return Ok(text.to_owned()) };
    Ok(match inside.iter().rposition(|member| member.key == key) {
        None => text.to_owned(),
        Some(_) if inside.len() == 1 && !kept => take_out(text, &root, at),
        Some(index) => take_out(text, inner, index),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_can_be_removed_again() {
        for text in [
            "{}\n",
            "{\"a\": 1}",
            "{\n  \"env\": {\n    \"A\": \"b\"\n  },\n  \"x\": []\n}\n",
            "{\n  // mine\n  \"env\": {\"A\": \"b\"}\n}\n",
            "{\n  \"env\": {}\n}\n",
        ] {
            let kept = has_object(text, "env");
            let set = set_in(text, "env", "SHELL", "/a \"b\"").unwrap();
            assert_eq!(text_in(&set, "env", "SHELL").unwrap().as_deref(), Some("/a \"b\""), "{set}");
            let other = set_in(&set, "env", "SHELL", "/c").unwrap();
            assert_eq!(text_in(&other, "env", "SHELL").unwrap().as_deref(), Some("/c"), "{other}");
            assert_eq!(remove_in(&other, "env", "SHELL", kept).unwrap(), text);
            assert_eq!(remove_in(text, "env", "SHELL", kept).unwrap(), text);
        }
        assert!(matches!(set_in("{\"env\": []}", "env", "A", "b"), Err(EditError::Other(..))));
        assert!(matches!(set_in("[]", "env", "A", "b"), Err(EditError::Other(..))));
    }
}

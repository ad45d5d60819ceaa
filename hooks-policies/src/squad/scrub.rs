//! Replaces e-mail addresses in a tool's result: in texts, and in the values of objects and lists.
//!
//! Squad rebuilds the value with a recursive function, so a result that is nested too deep makes the run
//! fail. Here the value is changed in place, and the same depth is rejected on purpose. The first levels are
//! walked recursively, which costs no memory, the levels below with a list. Values that `serde_json` parsed
//! never reach Squad's limit, unless its own limit of 128 levels was switched off; deeper values are built by
//! code.
//! code.

use serde_json::{Map, Value};

use super::email;
use super::javascript::{JsError, PROTOTYPE, is_in_order, rank};

/// Squad's stack ends at about 4,000 nested objects or 2,000 nested lists; the exact level depends on the
/// engine and on the caller. A list takes two calls, an object one.
const MAX_CALLS: usize = 4_000;
const CALLS_OF_A_LIST: usize = 2;
const CALLS_OF_AN_OBJECT: usize = 1;

/// Levels that are walked recursively before the list takes over.
const LEVELS_AT_ONCE: usize = 16;

/// Scrubs a result; returns whether it is a text that changed.
///
/// # Errors
/// Returns `RangeError` if the value is nested too deep. In that case the value is taken apart here, because
/// an ordinary drop would use the stack as well.
pub(super) fn scrub(value: &mut Value) -> Result<bool, JsError> {
    if let Value::String(text) = value {
        return Ok(email::scrub(text));
    }
    if let Err(error) = scrub_nested(value) {
        // The error is known already; the value only has to be dropped.
        drop(take_apart(std::mem::take(value), 0));
        return Err(error);
    }
    Ok(false)
}

fn scrub_nested(value: &mut Value) -> Result<(), JsError> {
    let mut later = Vec::new();
    walk(value, 0, LEVELS_AT_ONCE, &mut later)?;
    while let Some((value, calls)) = later.pop() {
        walk(value, calls, LEVELS_AT_ONCE, &mut later)?;
    }
    Ok(())
}

/// Scrubs a value down to a number of levels; deeper values are added to `later`.
fn walk<'v>(
    value: &'v mut Value,
    calls: usize,
    levels: usize,
    later: &mut Vec<(&'v mut Value, usize)>,
) -> Result<(), JsError> {
    if levels == 0 {
        later.push((value, calls));
        return Ok(());
    }
    let inside = deeper(value, calls)?;
    match value {
        Value::String(text) => {
            email::scrub(text);
        }
        Value::Array(items) => {
            for item in items {
                walk(item, inside, levels - 1, later)?;
            }
        }
        Value::Object(map) => {
            // The field is scrubbed like any other before it is removed.
            if map.keys().any(|key| key == PROTOTYPE)
                && let Some(prototype) = map.shift_remove(PROTOTYPE)
            {
                take_apart(prototype, inside)?;
            }
            put_in_order(map);
            for value in map.values_mut() {
                walk(value, inside, levels - 1, later)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}
/// Returns the number of calls for the values inside of `value`.
fn deeper(value: &Value, calls: usize) -> Result<usize, JsError> {
    let inside = match value {
        Value::Array(_) => calls + CALLS_OF_A_LIST,
        Value::Object(_) => calls + CALLS_OF_AN_OBJECT,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => calls,
    };
    if inside > MAX_CALLS { Err(JsError::stack_overflow()) } else { Ok(inside) }
}

/// Drops a value level by level.
fn take_apart(value: Value, calls: usize) -> Result<(), JsError> {
    let mut outcome = Ok(());
    let mut todo = vec![(value, calls)];
    while let Some((value, calls)) = todo.pop() {
        let inside = match deeper(&value, calls) {
            Ok(inside) => inside,
            Err(error) => {
                outcome = Err(error);
                calls
            }
        };
        match value {
            Value::Array(items) => todo.extend(items.into_iter().map(|item| (item, inside))),
            Value::Object(map) => todo.extend(map.into_iter().map(|(_, value)| (value, inside))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    outcome
}

/// Sorts the keys as JavaScript lists them.
fn put_in_order(map: &mut Map<String, Value>) {
    if is_in_order(map) {
        return;
    }
    let mut entries: Vec<_> = std::mem::take(map).into_iter().collect();
    entries.sort_by_key(|(key, _)| rank(key));
    *map = entries.into_iter().collect();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scrubbed(mut value: Value) -> Result<Value, JsError> {
        scrub(&mut value).map(|_| value)
    }

    fn nested(levels: usize, wrap: fn(Value) -> Value) -> Value {
        (0..levels).fold(json!("a@b.org"), |inner, _| wrap(inner))
    }

    #[test]
    fn values_but_not_keys() {
        let value = json!({"a@b.org": "a@b.org", "list": [1, null, ["x a@b.org", {"deep": "a@b.org"}]]});
        let want = json!({"a@b.org": "[EMAIL_REDACTED]",
            "list": [1, null, ["x [EMAIL_REDACTED]", {"deep": "[EMAIL_REDACTED]"}]]});
        assert_eq!(scrubbed(value).unwrap(), want);
    }

    #[test]
    fn keys_are_listed_as_javascript_lists_them() {
        let value = json!({"b": 1, "10": 2, "__proto__": {"x": 1}, "9": 3, "a": 4, "01": 5});
        let text = scrubbed(value).unwrap().to_string();
        assert_eq!(text, r#"{"9":3,"10":2,"b":1,"a":4,"01":5}"#);
    }

    #[test]
    fn too_deep_fails_and_the_stack_stands() {
        let list = |inner| Value::Array(vec![inner]);
        let object = |inner| Value::Object(Map::from_iter([("a".to_owned(), inner)]));
        let prototype = |inner| Value::Object(Map::from_iter([(PROTOTYPE.to_owned(), inner)]));
        assert!(scrubbed(nested(1_900, list)).is_ok());
        assert!(scrubbed(nested(3_900, object)).is_ok());
        for wrap in [list, object, prototype] {
            let error = scrubbed(nested(4_100, wrap)).unwrap_err();
            assert_eq!(error.to_string(), "RangeError: Maximum call stack size exceeded");
        }
    }

    #[test]
    fn every_level_is_scrubbed() {
        let wrap = |inner| json!([{"before": "a@b.org"}, inner, "a@b.org"]);
        let levels = 3 * LEVELS_AT_ONCE + 1;
        let text = scrubbed(nested(levels, wrap)).unwrap().to_string();
        assert_eq!(text.matches("[EMAIL_REDACTED]").count(), 2 * levels + 1);
        assert!(!text.contains('@'));
    }

    #[test]
    fn wide_takes_linear_time() {
        let value = Value::from_iter((0..100_000).map(|place| (place.to_string(), json!(["a@b.org"]))));
        let text = scrubbed(json!({"list": vec!["a@b.org"; 100_000], "fields": value})).unwrap().to_string();
        assert_eq!(text.matches("[EMAIL_REDACTED]").count(), 200_000);
    }

    #[test]
    fn far_too_deep_is_taken_apart() {
        let mut value = Value::Null;
        for _ in 0..200_000 {
            value = Value::Array(vec![value]);
        }
        assert!(scrubbed(value).is_err());
    }
}

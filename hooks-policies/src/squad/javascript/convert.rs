//! JavaScript's conversions of a value of the wrong type: truth, text, number, length.
//!
//! A policy is read from JSON, so no value has code of its own: an object's own `toString` is never callable
//! and only makes the conversion fail.

use std::slice;

use serde_json::Value;

use super::{error::JsError, number};

/// Returns whether the value is truthy.
pub(crate) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// `value > 0`.
///
/// # Errors
/// Returns an error for an object that cannot be converted to a simple value.
pub(crate) fn is_above_zero(value: &Value) -> Result<bool, JsError> {
    Ok(to_number(value)? > 0.0)
}

/// `value.length > 0`, for any value but null.
///
/// # Errors
/// Returns an error for an object whose own `length` cannot be converted.
pub(crate) fn length_is_above_zero(value: &Value) -> Result<bool, JsError> {
    match value {
        Value::Array(items) => Ok(!items.is_empty()),
        Value::String(text) => Ok(!text.is_empty()),
        Value::Object(map) => map.get("length").map_or(Ok(false), is_above_zero),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(false),
    }
}

/// Converts a value to a number, as an arithmetic operator does.
///
/// # Errors
/// Returns an error for an object that cannot be converted to a simple value.
pub(crate) fn to_number(value: &Value) -> Result<f64, JsError> {
    match value {
        Value::Null | Value::Bool(false) => Ok(0.0),
        Value::Bool(true) => Ok(1.0),
        Value::Number(number) => Ok(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Ok(number_in(text)),
        Value::Array(_) => Ok(number_in(&to_text(value)?)),
        Value::Object(_) => to_text(value).map(|_| f64::NAN),
    }
}

/// Converts a value to text, as a template or `String(value)` does.
///
/// Lists may be nested to any depth here; JavaScript fails at the end of its stack, some thousand levels
/// down.
///
/// # Errors
/// Returns an error for an object with its own `toString`.
pub(crate) fn to_text(value: &Value) -> Result<String, JsError> {
    let mut text = String::new();
    let mut open = vec![Items { items: slice::from_ref(value).iter(), at_start: true, in_list: false }];
    while let Some(list) = open.last_mut() {
        let Some(item) = list.items.next() else {
            open.pop();
            continue;
        };
        let (in_list, at_start) = (list.in_list, std::mem::take(&mut list.at_start));
        if !at_start {
            text.push(',');
        }
        match item {
            Value::Null if in_list => {} // a missing item of a joined list is empty
            Value::Null => text.push_str("null"),
            Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) => text.push_str(&number::print(number)),
            Value::String(item) => text.push_str(item),
            Value::Array(items) => open.push(Items { items: items.iter(), at_start: true, in_list: true }),
            Value::Object(map) if map.contains_key("toString") => {
                return Err(JsError::type_error("Cannot convert object to primitive value"));
            }
            Value::Object(_) => text.push_str("[object Object]"),
        }
    }
    Ok(text)
}

/// List that is being joined.
struct Items<'a> {
    items: slice::Iter<'a, Value>,
    at_start: bool,
    in_list: bool,
}

/// Parses a text as a number; NaN if it is not one.
fn number_in(text: &str) -> f64 {
    let text = text.trim_matches(is_white_space);
    let after = |small: &str, large: &str| text.strip_prefix(small).or_else(|| text.strip_prefix(large));
    if let Some(digits) = after("0x", "0X") {
        return integer(digits, 16);
    }
    if let Some(digits) = after("0o", "0O") {
        return integer(digits, 8);
    }
    if let Some(digits) = after("0b", "0B") {
        return integer(digits, 2);
    }
    match text {
        "" => 0.0,
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        // Rust parses words such as `inf` too; JavaScript parses only digits.
        _ if text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) => {
            text.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// Parses an integer in a base that is a power of two, exactly up to 2^128 and with an error of at most one
/// step above.
fn integer(digits: &str, base: u32) -> f64 {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return f64::NAN;
    }
    match u128::from_str_radix(digits, base) {
        Ok(value) => value as f64,
        Err(_) => digits
            .chars()
            .filter_map(|c| c.to_digit(base))
            .fold(0.0, |value, digit| value * f64::from(base) + f64::from(digit)),
    }
}

fn is_white_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn truth() {
        for value in [json!(null), json!(false), json!(0), json!(-0.0), json!("")] {
            assert!(!is_truthy(&value), "{value}");
        }
        for value in [json!(true), json!(1), json!("0"), json!("false"), json!([]), json!({})] {
            assert!(is_truthy(&value), "{value}");
        }
    }

    #[test]
    fn text() {
        let cases = [
            (json!(null), "null"),
            (json!(1e21), "1e+21"),
            (json!([]), ""),
            (json!([null]), ""),
            (json!([1, [2, [null, 3]], {}]), "1,2,,3,[object Object]"),
            (json!({"valueOf": 1}), "[object Object]"),
        ];
        for (value, want) in cases {
            assert_eq!(to_text(&value).unwrap(), want);
        }
        let error = to_text(&json!([{"toString": null}])).unwrap_err();
        assert_eq!(error.to_string(), "TypeError: Cannot convert object to primitive value");
    }

    #[test]
    fn numbers() {
        let cases = [
            (json!("3"), 3.0),
            (json!(" 1.5e1\n"), 15.0),
            (json!("\u{feff}"), 0.0),
            (json!("0x1F"), 31.0),
            (json!("0b101"), 5.0),
            (json!("-Infinity"), f64::NEG_INFINITY),
            (json!(".5"), 0.5),
            (json!([]), 0.0),
            (json!([7]), 7.0),
            (json!(true), 1.0),
            (json!(null), 0.0),
        ];
        for (value, want) in cases {
            assert_eq!(to_number(&value).unwrap(), want, "{value}");
        }
        for value in
            [json!("inf"), json!("NaN"), json!("-0x1"), json!("0x"), json!("1_0"), json!("."), json!({})]
        {
            assert!(to_number(&value).unwrap().is_nan(), "{value}");
        }
        assert!(to_number(&json!("\u{85}1")).unwrap().is_nan());
        assert!(to_number(&json!({"toString": 1})).is_err());
    }

    #[test]
    fn lengths() {
        for value in [json!([0]), json!("x"), json!({"length": 1}), json!({"length": "2"})] {
            assert!(length_is_above_zero(&value).unwrap(), "{value}");
        }
        for value in [json!([]), json!(5), json!(true), json!({}), json!({"length": 0})] {
            assert!(!length_is_above_zero(&value).unwrap(), "{value}");
        }
        assert!(length_is_above_zero(&json!({"length": {"toString": 1}})).is_err());
    }
}

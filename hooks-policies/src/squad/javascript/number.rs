//! Formats numbers as JavaScript does: shortest digits, plain up to 21 places, with an exponent beyond.

use std::fmt::Write as _;

use serde_json::Number;

/// Formats a number as in a template or in JSON.
///
/// Integers beyond 2^53 are doubles in JavaScript, so they are rounded.
pub(super) fn print(number: &Number) -> String {
    let value = number.as_f64().unwrap_or(f64::NAN);
    if value == 0.0 {
        return "0".to_owned(); // minus zero too
    }
    // Rust's exponent form has the shortest digits that parse to the same double, as the JavaScript
    // specification requires; only the layout differs.
    let exponent_form = format!("{:e}", value.abs());
    let Some((mantissa, exponent)) = exponent_form.split_once('e') else {
        return if value.is_nan() { "NaN" } else { "Infinity" }.to_owned();
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", lay_out(&digits, exponent))
}

/// Places the point for `d.ddd` times ten to the `exponent`.
fn lay_out(digits: &str, exponent: i32) -> String {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let point = exponent + 1; // the digits before the point, in the specification's words `n`
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    match point {
        _ if count <= point && point <= 21 => format!("{digits}{}", zeros(point - count)),
        1..=21 => {
            let (whole, part) = digits.split_at(usize::try_from(point).unwrap_or(0));
            format!("{whole}.{part}")
        }
        -5..=0 => format!("0.{}{digits}", zeros(-point)),
        _ => with_exponent(digits, exponent),
    }
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let (first, rest) = digits.split_at(1);
    let mut text = first.to_owned();
    if !rest.is_empty() {
        text.push('.');
        text.push_str(rest);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a `String` cannot fail.
    let _ = write!(text, "e{sign}{}", exponent.abs());
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(value: serde_json::Value) -> String {
        match value {
            serde_json::Value::Number(number) => print(&number),
            other => panic!("not a number: {other}"),
        }
    }

    #[test]
    fn integers_are_doubles() {
        assert_eq!(printed(json!(42)), "42");
        assert_eq!(printed(json!(-7)), "-7");
        assert_eq!(printed(json!(9_007_199_254_740_993_u64)), "9007199254740992");
        assert_eq!(printed(json!(u64::MAX)), "18446744073709552000");
    }

    #[test]
    fn the_exponent_starts_where_javascript_starts_it() {
        assert_eq!(printed(json!(1e20)), "100000000000000000000");
        assert_eq!(printed(json!(1e21)), "1e+21");
        assert_eq!(printed(json!(1.5e300)), "1.5e+300");
        assert_eq!(printed(json!(0.000_001)), "0.000001");
        assert_eq!(printed(json!(0.000_000_1)), "1e-7");
        assert_eq!(printed(json!(-1.25e-9)), "-1.25e-9");
        assert_eq!(printed(json!(5e-324)), "5e-324");
        assert_eq!(printed(json!(f64::MAX)), "1.7976931348623157e+308");
    }

    #[test]
    fn fractions_and_zero() {
        assert_eq!(printed(json!(0.1)), "0.1");
        assert_eq!(printed(json!(123.456)), "123.456");
        assert_eq!(printed(json!(-0.0)), "0");
        assert_eq!(printed(json!(2.0)), "2");
    }
}

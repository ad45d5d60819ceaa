//! JSON as values of Cedar.

use cedar_policy::RestrictedExpression;
use serde_json::{Number, Value};

/// Deepest nesting of arguments. Requests of clients have a few levels.
const MAX_DEPTH: usize = 64;

/// Returns the value; `None` if it is nested too deep, or Cedar cannot hold it.
///
/// It is built, and not parsed by Cedar: in Cedar's own JSON, an argument `{"__entity": …}` would be an entity.
pub(crate) fn from_json(value: &Value) -> Option<RestrictedExpression> {
    value_at(value, 0)
}

/// A set of texts.
pub(crate) fn set<'a>(texts: impl IntoIterator<Item = &'a str>) -> RestrictedExpression {
    RestrictedExpression::new_set(texts.into_iter().map(text))
}

/// A text.
pub(crate) fn text(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}

fn value_at(value: &Value, depth: usize) -> Option<RestrictedExpression> {
    if depth > MAX_DEPTH {
        return None;
    }
    let below = |value| value_at(value, depth.saturating_add(1));
    match value {
        Value::Null => RestrictedExpression::new_record([]).ok(),
        Value::Bool(truth) => Some(RestrictedExpression::new_bool(*truth)),
        Value::Number(number) => of_number(number),
        Value::String(string) => Some(text(string)),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(below).collect();
            items.map(RestrictedExpression::new_set)
        }
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields: Option<Vec<_>> =
                fields.map(|(key, value)| Some((key.clone(), below(value)?))).collect();
            RestrictedExpression::new_record(fields?).ok()
        }
    }
}

/// A `Long` for an integral number that is one, else a record that no comparison accepts: a limit in a policy is not passed by
/// `100.5`.
fn of_number(number: &Number) -> Option<RestrictedExpression> {
    if let Some(long) = number.as_i64().or_else(|| integral(number)) {
        return Some(RestrictedExpression::new_long(long));
    }
    RestrictedExpression::new_record([("number".to_owned(), text(&number.to_string()))]).ok()
}

/// The integer that a number such as `100.0` is. Above 2⁵³, a double may stand for several integers.
#[expect(clippy::cast_possible_truncation, reason = "the number is integral and in the range")]
fn integral(number: &Number) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let double = number.as_f64().filter(|_| number.is_f64())?;
    (double.fract() == 0.0 && double.abs() <= EXACT).then_some(double as i64)
}

//! Texts in a JSON value.

use serde_json::Value;

/// Visits every text and every number in a value of any depth, without recursion.
pub(super) fn each_text(value: &Value, visit: &mut impl FnMut(&str)) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => visit(text),
            Value::Number(number) => visit(&number.to_string()),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (key, value) in fields {
                    visit(key);
                    open.push(value);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

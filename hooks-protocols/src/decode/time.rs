//! Parses a time as clients write it: milliseconds since 1970, or RFC 3339.

use hooks_core::time::Timestamp;
use serde_json::Value;

/// The time; `None` if the value is in neither form.
pub(super) fn read(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => number.as_u64().map(Timestamp),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_ways_to_write_it() {
        assert_eq!(read(&json!(1_795_292_872_565_u64)), Some(Timestamp(1_795_292_872_565)));
        assert_eq!(read(&json!("2026-11-21T20:27:52.565Z")), Some(Timestamp(1_795_292_872_565)));
        for value in [json!("2026-02-31T20:27:52Z"), json!("yesterday"), json!(-1), json!(null)] {
            assert_eq!(read(&value), None, "{value}");
        }
    }
}

//! Order in which a JavaScript object lists its keys: array indices first, by value, then the others in
//! insertion order.

use serde_json::{Map, Value};

/// Assigning to this key of an object sets its prototype, so it never becomes a field.
pub(crate) const PROTOTYPE: &str = "__proto__";

/// Returns the rank of a key: indices by value, then all others with the same rank; to be used with a stable
/// sort.
pub(crate) fn rank(key: &str) -> u32 {
    index(key).unwrap_or(u32::MAX)
}

/// Returns whether the keys are in JavaScript's order already.
pub(crate) fn is_in_order(map: &Map<String, Value>) -> bool {
    map.keys().is_sorted_by_key(|key| rank(key))
}

/// Parses a key as an array index: a canonical decimal below 2^32 - 1.
fn index(key: &str) -> Option<u32> {
    let canonical = match key.as_bytes() {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    // The largest `u32` is not an index but an ordinary name, and ranks with the names.
    if canonical { key.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_decimals_are_indices() {
        assert_eq!(index("0"), Some(0));
        assert_eq!(index("4294967294"), Some(u32::MAX - 1));
        assert_eq!(rank("4294967295"), u32::MAX);
        for name in ["", "01", "-1", "1.0", "+1", "4294967296", "99999999999", "x"] {
            assert_eq!(index(name), None, "{name}");
        }
    }
}

//! The order in which a JavaScript object lists its keys: array indices first, by value, then the others
//! as they were set.

use serde_json::{Map, Value};

/// Setting this key of an object sets its prototype, so it never becomes a field.
pub(crate) const PROTOTYPE: &str = "__proto__";

/// Where a key stands: indices by value, then all others at one place; sort by it with a stable sort.
pub(crate) fn rank(key: &str) -> u32 {
    index(key).unwrap_or(u32::MAX)
}

/// Whether the keys stand in JavaScript's order already.
pub(crate) fn is_in_order(map: &Map<String, Value>) -> bool {
    map.keys().is_sorted_by_key(|key| rank(key))
}

/// The array index a key spells: a canonical decimal below 2^32 - 1.
fn index(key: &str) -> Option<u32> {
    let canonical = match key.as_bytes() {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    // The largest `u32` is a name like any other, not an index, and ranks with the names.
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

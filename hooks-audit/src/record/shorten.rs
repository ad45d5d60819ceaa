//! Shortens data that is too long to store.

use serde_json::Value;

use super::Payload;

/// Limits on the stored data of an event. Longer data is shortened, with a note about the removed length.
///
/// ```
/// use hooks_audit::{Limits, Payload};
/// use serde_json::json;
///
/// let limits = Limits { text: 6, ..Limits::default() };
/// let mut payload = Payload::new(json!({"prompt": "abcdefghi"}));
/// limits.apply(&mut payload);
/// assert_eq!(payload.event, json!({"prompt": "abcdef… (3 more bytes)"}));
/// assert!(payload.shortened);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Limit on one text, in bytes. A field with a longer name is left out.
    pub text: usize,
    /// Limit on all texts and names of a payload together, in bytes.
    pub payload: usize,
    /// Limit on the nesting of objects and arrays.
    pub depth: usize,
}

impl Default for Limits {
    /// Limits of 4 KiB for a text, 64 KiB for a payload, and 32 levels.
    fn default() -> Self {
        Self { text: 4 << 10, payload: 64 << 10, depth: 32 }
    }
}

impl Limits {
    /// Shortens `payload` in place. Linear in its size.
    pub fn apply(&self, payload: &mut Payload) {
        let mut left = self.payload;
        let mut cut = false;
        self.shorten(&mut payload.event, self.depth, &mut left, &mut cut);
        for reason in &mut payload.reasons {
            self.shorten(reason, self.depth, &mut left, &mut cut);
        }
        cut |= shorten_text(&mut payload.cwd, self.text);
        if let Some(root) = &mut payload.team_root {
            cut |= shorten_text(root, self.text);
        }
        payload.shortened |= cut;
    }

    fn shorten(&self, value: &mut Value, depth: usize, left: &mut usize, cut: &mut bool) {
        if depth == 0 && matches!(value, Value::Array(_) | Value::Object(_)) {
            *cut = true;
            *value = Value::from("… (nested too deeply)");
        }
        // Every value takes some bytes.
        *left = left.saturating_sub(8);
        match value {
            Value::String(text) => {
                *cut |= shorten_text(text, self.text.min(*left));
                *left = left.saturating_sub(text.len());
            }
            Value::Array(items) => {
                let mut kept = 0;
                for item in &mut *items {
                    if *left == 0 {
                        break;
                    }
                    self.shorten(item, depth - 1, left, cut);
                    kept += 1;
                }
                if kept < items.len() {
                    *cut = true;
                    let more = items.len() - kept;
                    items.truncate(kept);
                    items.push(Value::from(format!("… ({more} more)")));
                }
            }
            Value::Object(fields) => {
                let mut kept = serde_json::Map::new();
                let all = fields.len();
                for (name, mut field) in std::mem::take(fields) {
                    if *left == 0 || name.len() > self.text {
                        continue;
                    }
                    *left = left.saturating_sub(name.len());
                    self.shorten(&mut field, depth - 1, left, cut);
                    kept.insert(name, field);
                }
                if kept.len() < all {
                    *cut = true;
                    kept.insert("…".to_owned(), Value::from(format!("{} more", all - kept.len())));
                }
                *fields = kept;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Cuts `text` to `limit` bytes and appends the number of removed bytes; returns whether it was cut.
pub(super) fn shorten_text(text: &mut String, limit: usize) -> bool {
    if text.len() <= limit {
        return false;
    }
    let all = text.len();
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&format!("… ({} more bytes)", all - end));
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shortened(limits: Limits, value: Value) -> Payload {
        let mut payload = Payload::new(value);
        limits.apply(&mut payload);
        payload
    }

    #[test]
    fn what_fits_stays() {
        let value = json!({"tool_args": {"command": "ls", "n": [1, 2.5, null, true]}});
        assert_eq!(shortened(Limits::default(), value.clone()), Payload::new(value));
    }

    #[test]
    fn what_is_too_long_says_so() {
        let limits = Limits { text: 4, ..Limits::default() };
        let payload = shortened(limits, json!({"a": "añbcdef"}));
        assert_eq!(payload.event, json!({"a": "añb… (4 more bytes)"}));
        assert!(payload.shortened);
    }

    #[test]
    fn nothing_grows_beyond_the_limits() {
        let limits = Limits { text: 100, payload: 1_000, depth: 8 };
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let many: Vec<_> = (0..10_000).map(|n| json!({"n": n, "text": "0123456789"})).collect();
        let wide: serde_json::Map<_, _> = (0..10_000).map(|n| (format!("k{n}"), json!(n))).collect();
        for value in [deep, Value::from(many), Value::from(wide), json!("x".repeat(100_000))] {
            let payload = shortened(limits, value);
            assert!(payload.shortened);
            assert!(payload.event.to_string().len() < 5_000);
        }
    }
}

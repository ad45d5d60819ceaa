//! Times in records: RFC 3339 in UTC with milliseconds, readable, and in time order when sorted as text.

use std::cell::RefCell;
use std::fmt;

use hooks_core::time::Timestamp;
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::ser::Serializer;

/// A time as text, and its second.
#[derive(Default)]
struct Written {
    second: Option<u64>,
    text: String,
}

impl Written {
    /// The time of `text`, if it is in the same second.
    fn parse(&self, text: &str) -> Option<Timestamp> {
        let (before, milliseconds) = text.strip_suffix('Z')?.split_at_checked(MILLISECONDS)?;
        if self.text.get(..MILLISECONDS)? != before || milliseconds.len() != 3 {
            return None;
        }
        let digit = |sum, byte: u8| byte.is_ascii_digit().then(|| sum * 10 + u64::from(byte - b'0'));
        Some(Timestamp(self.second? * 1_000 + milliseconds.bytes().try_fold(0, digit)?))
    }
}

/// Place of the milliseconds in a text.
const MILLISECONDS: usize = "2026-01-31T09:30:00.".len();

thread_local! {
    /// The last encoded time: many times in a log differ only in their milliseconds.
    static LAST: RefCell<Written> = RefCell::default();
    /// The last parsed time.
    static PARSED: RefCell<Written> = RefCell::default();
}

/// The latest time that is encoded: the end of the year 9999. Later texts would not sort by time, and those
/// of a broken clock could not be parsed.
const LATEST: Timestamp = Timestamp(253_402_300_799_999);

/// Encodes `at`, but no later than [`LATEST`].
pub(super) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let at = at.min(&LATEST);
    LAST.with_borrow_mut(|last| {
        let (second, milliseconds) = (at.0 / 1_000, at.0 % 1_000);
        if last.second == Some(second) {
            // Removes the three digits and the `Z`.
            last.text.truncate(last.text.len().saturating_sub(4));
            let digits = [milliseconds / 100, milliseconds / 10 % 10, milliseconds % 10];
            last.text.extend(digits.map(|digit| char::from(b'0' + digit as u8)));
            last.text.push('Z');
        } else {
            *last = Written { second: Some(second), text: at.to_string() };
        }
        serializer.serialize_str(&last.text)
    })
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    deserializer.deserialize_str(Text)
}

/// Reads a time from a text, which need not be copied.
struct Text;

impl Visitor<'_> for Text {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a moment such as `2026-01-31T09:30:00.000Z`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Timestamp, E> {
        parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// Parses a time in the one form in which it is encoded.
fn parse(text: &str) -> Option<Timestamp> {
    PARSED.with_borrow_mut(|last| {
        if let Some(at) = last.parse(text) {
            return Some(at);
        }
        let at: Timestamp = text.parse().ok()?;
        // RFC 3339 has other forms of the same time, and a log has one.
        let text = Some(at.to_string()).filter(|known| known == text)?;
        *last = Written { second: Some(at.0 / 1_000), text };
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for at in [0, 1, 951_782_400_000, 1_709_251_199_999, 4_107_542_400_000, 253_402_300_799_999] {
            assert_eq!(parse(&Timestamp(at).to_string()), Some(Timestamp(at)), "{at}");
        }
    }

    #[test]
    fn moments_of_one_second_are_told_apart() {
        for at in [1_000, 1_007, 1_070, 1_999, 2_000, 1_001, LATEST.0, LATEST.0 - 1] {
            let mut record = crate::record::Record::new("stop", Timestamp(at));
            record.seq = 1;
            let text = serde_json::to_string(&record).unwrap();
            assert!(text.contains(&format!("\"at\":\"{}\"", Timestamp(at))), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_can_be_read(any: u64, bits in 0_u32..64) {
            for at in [any >> bits, u64::MAX - (any >> bits), i64::MAX as u64] {
                let text = serde_json::to_string(&crate::record::Record::new("stop", Timestamp(at))).unwrap();
                let read: crate::record::Record = serde_json::from_str(&text).unwrap();
                proptest::prop_assert_eq!(read.at, Timestamp(at).min(LATEST), "{}", text);
            }
        }
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "",
            "2026-01-31",
            "2026-13-01T00:00:00.000Z",
            "2026-01-31T09:30:00Z",
            "2026-02-30T00:00:00.000Z",
            "9999999-99-99T99:99:99.999Z",
            "2026-01-00T00:00:00.000Z",
            "+026-01-01T00:00:00.000Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

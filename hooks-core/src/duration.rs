//! Durations in text form: `30s`, `500ms`, `1m30s`. For serde: `#[serde(with = "hooks_core::duration")]`.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::{Deserialize as _, Deserializer, Serializer};

/// The units with their lengths in milliseconds, the longest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Error for a text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError(String);

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a duration; write a number with its unit, such as `500ms`, `30s`, `1m30s`",
            self.0
        )
    }
}

impl std::error::Error for DurationError {}

/// Parses whole numbers with the units d, h, m, s and ms, longer units before shorter ones.
///
/// # Errors
/// Returns an error if the text is empty, a number has no unit, a unit is unknown or out of order, or the sum
/// does not fit.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::duration;
///
/// assert_eq!(duration::parse("1m30s"), Ok(Duration::from_secs(90)));
/// assert!(duration::parse("30s1m").is_err()); // longer units come first
/// let error = duration::parse("30").expect_err("no unit");
/// assert!(error.to_string().starts_with("`30` is not a duration; write a number with its unit"));
/// ```
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let millis = parts(text).ok_or_else(|| DurationError(text.chars().take(40).collect()))?;
    Ok(Duration::from_millis(millis))
}

fn parts(text: &str) -> Option<u64> {
    let (mut rest, mut units, mut sum) = (text.trim(), UNITS.iter(), 0u64);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, tail) = rest.split_at_checked(rest.find(|c: char| !c.is_ascii_digit())?)?;
        let end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(end)?;
        // The iterator has passed the longer units, so a unit can neither repeat nor come out of order.
        let &(_, millis) = units.find(|(name, _)| *name == unit)?;
        sum = sum.checked_add(number.parse::<u64>().ok()?.checked_mul(millis)?)?;
        rest = tail;
    }
    Some(sum)
}

/// Formats a duration so that [`parse`] can read it; fractions of a millisecond are dropped.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::duration;
///
/// assert_eq!(duration::write(Duration::from_secs(93_600)), "1d2h");
/// assert_eq!(duration::write(Duration::from_micros(1_900)), "1ms");
/// assert_eq!(duration::write(Duration::from_micros(900)), "0s");
/// ```
pub fn write(duration: Duration) -> String {
    let (mut rest, mut text) = (u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), String::new());
    for (unit, millis) in UNITS {
        if rest >= millis {
            // Writing to a string cannot fail.
            let _written = write!(text, "{}{unit}", rest / millis);
            rest %= millis;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Serializes a duration as text.
///
/// # Errors
/// Returns the error of the serializer.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&write(*duration))
}

/// Deserializes a duration from text.
///
/// # Errors
/// Returns an error if the text is not a duration.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map_err(serde::de::Error::custom)
}

/// The same for an optional duration: `#[serde(default, with = "hooks_core::duration::option")]`.
pub mod option {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Serializes an optional duration as text.
    ///
    /// # Errors
    /// Returns the error of the serializer.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Deserializes an optional duration from text.
    ///
    /// # Errors
    /// Returns an error if the text is not a duration.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| super::parse(&text).map_err(serde::de::Error::custom)).transpose()
    }
}

/// Returns the duration in whole nanoseconds; the largest value is 584 years.
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn people_write_them_like_this() {
        for (text, millis) in [
            ("0s", 0),
            ("500ms", 500),
            ("30s", 30_000),
            ("1m30s", 90_000),
            (" 5m ", 300_000),
            ("1d2h", 93_600_000),
            ("90s", 90_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_way_out() {
        for text in [
            "",
            "30",
            "s",
            "-1s",
            "1.5s",
            "1s1m",
            "1s1s",
            "1 s",
            "5w",
            "99999999999999999999s",
            "1µs",
            "9999999999999999999d",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let error = parse("30").unwrap_err().to_string();
        assert_eq!(
            error,
            "`30` is not a duration; write a number with its unit, such as `500ms`, `30s`, `1m30s`"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in any::<u64>()) {
            let duration = Duration::from_millis(millis);
            prop_assert_eq!(parse(&write(duration)), Ok(duration));
        }

        #[test]
        fn no_text_is_too_odd(text in ".{0,60}") {
            // Any result is fine; a panic is not.
            let _read = parse(&text);
        }
    }
}

//! Times as RFC 3339 writes them.

use std::fmt;
use std::str::FromStr;

use super::{DAY, Timestamp};

/// Formats the time as RFC 3339, in UTC.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let of_day = self.0 % DAY;
        let (hour, minute, second) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1_000 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", of_day % 1_000)
    }
}

/// A text that is not a time of RFC 3339, or one before 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimestampError;

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is not a time since 1970; write it as in `2026-11-22T01:00:00Z`")
    }
}

impl std::error::Error for TimestampError {}

/// Parses a time of RFC 3339, with any number of decimals and any offset, to the millisecond. A space may
/// stand for the `T`.
impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        read(&mut text.as_bytes()).ok_or(TimestampError)
    }
}

fn read(rest: &mut &[u8]) -> Option<Timestamp> {
    let (year, month, day) = (digits(rest, 4)?, behind(rest, b"-", 2)?, behind(rest, b"-", 2)?);
    let (hour, minute, second) = (behind(rest, b"Tt ", 2)?, behind(rest, b":", 2)?, behind(rest, b":", 2)?);
    // A leap second is the 60th.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let thousandths = thousandths(rest)?;
    let of_day = (hour * 3_600 + minute * 60 + second) * 1_000 + thousandths;
    let begins = Timestamp::of_date(year, month, day)?;
    let ahead = ahead(rest)?;
    let is_all = rest.is_empty();
    begins.0.checked_add(of_day)?.checked_add_signed(-ahead).filter(|_| is_all).map(Timestamp)
}

/// The decimals of a second, if there are any, in milliseconds.
fn thousandths(rest: &mut &[u8]) -> Option<u64> {
    let Some(after) = rest.strip_prefix(b".") else { return Some(0) };
    let count = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (decimals, after) = after.split_at_checked(count).filter(|_| count > 0)?;
    *rest = after;
    let first = decimals.iter().chain(b"000").take(3);
    Some(first.fold(0, |sum, digit| sum * 10 + u64::from(digit.saturating_sub(b'0'))))
}

/// Milliseconds by which the zone is ahead of UTC.
fn ahead(rest: &mut &[u8]) -> Option<i64> {
    let (zone, after) = rest.split_first()?;
    *rest = after;
    let sign = match zone {
        b'Z' | b'z' => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = (digits(rest, 2)?, behind(rest, b":", 2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some(sign * i64::try_from((hours * 60 + minutes) * 60_000).ok()?)
}

/// One of `marks`, then a number of `count` digits.
fn behind(rest: &mut &[u8], marks: &[u8], count: usize) -> Option<u64> {
    let (mark, after) = rest.split_first()?;
    *rest = after;
    marks.contains(mark).then(|| digits(rest, count)).flatten()
}

/// A number of `count` digits.
fn digits(rest: &mut &[u8], count: usize) -> Option<u64> {
    let (digits, after) = rest.split_at_checked(count)?;
    *rest = after;
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u64::from(digit.saturating_sub(b'0')))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_has_many_forms() {
        for text in [
            "2026-11-21T20:27:52.565Z",
            "2026-11-21t20:27:52.5651234z",
            "2026-11-21 20:27:52.565+00:00",
            "2026-11-21T15:27:52.565-05:00",
            "2026-11-22T02:12:52.565+05:45",
        ] {
            assert_eq!(text.parse(), Ok(Timestamp(1_795_292_872_565)), "{text}");
        }
        assert_eq!("2016-12-31T23:59:60Z".parse(), Ok(Timestamp(1_483_228_800_000)));
        assert_eq!("1970-01-01T00:00:00Z".parse(), Ok(Timestamp(0)));
        assert_eq!("1970-01-01T01:00:00.5+01:00".parse(), Ok(Timestamp(500)));
    }

    #[test]
    fn what_is_no_time_is_an_error() {
        for text in [
            "",
            "yesterday",
            "2026-11-21",
            "2026-11-21T20:27:52",
            "2026-02-31T00:00:00Z",
            "2026-13-21T20:27:52Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T20:60:52Z",
            "2026-11-21T20:27:61Z",
            "2026-11-21T20:27:52.Z",
            "2026-11-21T20:27:52ZZ",
            "2026-11-21T20:27:52+5:00",
            "2026-11-21T20:27:52+24:00",
            "+026-11-21T20:27:52Z",
            "1970-01-01T00:00:00+01:00",
            "1969-12-31T23:59:59Z",
            "é026-11-21T20:27:52Z",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(TimestampError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(moment in 0_u64..253_402_300_799_999) {
            prop_assert_eq!(Timestamp(moment).to_string().parse(), Ok(Timestamp(moment)));
        }

        #[test]
        fn any_text(text in "[0-9T:.Z+é-]{0,30}") {
            let _ = text.parse::<Timestamp>();
        }
    }
}

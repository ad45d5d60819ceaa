//! Parses a time as clients write it: milliseconds since 1970, or RFC 3339.

use hooks_core::time::Timestamp;
use serde_json::Value;

/// The time; `None` if the value is in neither form.
pub(super) fn read(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => number.as_u64().map(Timestamp),
        Value::String(text) => rfc3339(text).map(Timestamp),
        _ => None,
    }
}

/// Parses `2026-11-21T10:00:00.000Z`, with any number of decimals and any offset.
fn rfc3339(text: &str) -> Option<u64> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut date = date.split('-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, rest) = rest.split_at_checked(8)?;
    let mut clock = clock.split(':').map(number);
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let is_a_moment =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    if !is_a_moment {
        return None;
    }
    let (milliseconds, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let (decimals, zone) = rest.split_at_checked(end)?;
            (number(&format!("{decimals:0<3}").chars().take(3).collect::<String>())?, zone)
        }
        None => (0, rest),
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset(zone)?;
    u64::try_from(seconds * 1_000 + milliseconds).ok()
}

/// The offset of a time zone in seconds.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
    Some(sign * (number(hours)? * 3_600 + number(minutes)? * 60))
}

/// Days from 1970 to a date of the Gregorian calendar. Years begin in March here, so that the leap day is
/// their last day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Parses a few digits.
fn number(digits: &str) -> Option<i64> {
    let is_number = digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn both_ways_to_write_it() {
        assert_eq!(read(&json!(1_795_292_872_565_u64)), Some(Timestamp(1_795_292_872_565)));
        for text in
            ["2026-11-21T20:27:52.565Z", "2026-11-21T20:27:52.5651234+00:00", "2026-11-21T15:27:52.565-05:00"]
        {
            assert_eq!(read(&json!(text)), Some(Timestamp(1_795_292_872_565)), "{text}");
        }
        for text in
            ["2026-11-21", "2026-13-21T20:27:52Z", "yesterday", "2026-11-21T20:27:52", "é026-11-21T20:27:52Z"]
        {
            assert_eq!(read(&json!(text)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(moment in 0_u64..253_402_300_799_999) {
            prop_assert_eq!(read(&json!(Timestamp(moment).to_string())), Some(Timestamp(moment)));
        }

        #[test]
        fn any_text(text in "[0-9T:.Z+é-]{0,30}") {
            let _ = read(&json!(text));
        }
    }
}

//! Times of state files.

use hooks_core::time::Timestamp;

/// A time with its fraction of a second. Moments compare as times, not as text.
///
/// ```
/// use hooks_team_rules::phases::Moment;
///
/// let parse = |text| Moment::parse(text).expect("it is a time");
/// assert!(parse("2026-05-04T10:00:00.5Z") > parse("2026-05-04T10:00:00Z"));
/// assert!(parse("2026-05-04T12:00:00+02:00") < parse("2026-05-04T10:30:00Z"));
/// assert!(Moment::parse("yesterday").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    milliseconds: i64,
    nanoseconds: u32,
}

const MINUTE: i64 = 60_000;

impl Moment {
    /// Parses a date and time as in RFC 3339.
    ///
    /// ```
    /// use hooks_team_rules::phases::Moment;
    ///
    /// assert_eq!(Moment::parse("2026-05-04T12:00:00+02:00"), Moment::parse("2026-05-04T10:00:00Z"));
    /// assert!(Moment::parse("2026-05-04").is_none()); // a date without a time
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.trim().split_once(['T', 't', ' '])?;
        let mut date = date.splitn(3, '-').map(number);
        let (year, month, day) = (date.next()??, date.next()??, date.next()??);
        let midnight = Timestamp::of_date(year, month, day)?.0;
        let zone_at = time.find(['Z', 'z', '+', '-'])?;
        let (time, zone) = time.split_at_checked(zone_at)?;
        let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
        let mut whole = whole.splitn(3, ':').map(number);
        let (hour, minute, second) = (whole.next()??, whole.next()??, whole.next()??);
        if hour > 23 || minute > 59 || second > 60 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
        let of_day = i64::try_from((hour * 60 + minute) * 60 + second).ok()? * 1000;
        let milliseconds = i64::try_from(midnight).ok()?.checked_add(of_day)? - offset(zone)?;
        Some(Self { milliseconds, nanoseconds: digits.parse().ok()? })
    }
}

/// Parses a zone: `Z`, or `+02:00`, in milliseconds.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = zone.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':')?;
    let minutes = i64::try_from(number(hours)? * 60 + number(minutes)?).ok()? * MINUTE;
    Some(if sign == "-" { -minutes } else { minutes })
}

fn number(text: &str) -> Option<u64> {
    let is_short = !text.is_empty() && text.len() <= 4;
    (is_short && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

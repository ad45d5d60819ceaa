//! Dates in headings, file names and front matter.

use hooks_core::time::Timestamp;

const MINUTE: u64 = 60_000;

/// Parses the timestamp at the start of `text`: `2026-11-22`, or with a time, `T04:20:47Z` or `T04-20-47Z`.
/// Returns it with its length in bytes. A time without a zone is in UTC.
pub(crate) fn leading(text: &str) -> Option<(Timestamp, usize)> {
    let mut reader = TimeParser { rest: text.as_bytes() };
    let (year, month, day) = (reader.digits(4)?, reader.then(b"-", 2)?, reader.then(b"-", 2)?);
    let Timestamp(mut moment) = Timestamp::of_date(year, month, day)?;
    let mut end = reader.at(text);
    if reader.rest.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    if let Some((of_day, behind)) = time(&mut reader, text) {
        (moment, end) = (moment.checked_add_signed(of_day)?, behind);
    }
    Some((Timestamp(moment), end))
}

/// Parses the timestamp in parentheses at the end of `text`, as in `Caching (#12) (2026-03-15)`.
pub(crate) fn trailing(text: &str) -> Option<Timestamp> {
    let inner = text.trim_end().strip_suffix(')')?;
    let (_, inner) = inner.rsplit_once('(')?;
    leading(inner.trim_start()).map(|(moment, _)| moment)
}

/// Parses the first timestamp in `text`.
pub(crate) fn first(text: &str) -> Option<Timestamp> {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if c.is_ascii_digit()
            && !previous.is_ascii_digit()
            && let Some((moment, _)) = text.get(at..).and_then(leading)
        {
            return Some(moment);
        }
        previous = c;
    }
    None
}

/// Formats the date, as in `2026-11-22`.
pub(crate) fn date(moment: Timestamp) -> String {
    text(moment, 10)
}

/// Formats the time as in `2026-11-22T04-20-47Z`, which is valid in a file name on every system.
pub(crate) fn in_name(moment: Timestamp) -> String {
    format!("{}Z", text(moment, 19).replace(':', "-"))
}

fn text(moment: Timestamp, length: usize) -> String {
    moment.to_string().chars().take(length).collect()
}

/// Parses a time of day and its zone. Returns the milliseconds in UTC and the end of the time.
fn time(reader: &mut TimeParser<'_>, text: &str) -> Option<(i64, usize)> {
    let rest = reader.rest.strip_prefix(b"T").or_else(|| reader.rest.strip_prefix(b" "))?;
    reader.rest = rest;
    let (hour, minute) = (reader.digits(2)?, reader.then(b":-", 2)?);
    if hour > 23 || minute > 59 {
        return None;
    }
    let mut of_day = (hour * 60 + minute) * MINUTE;
    let mut end = reader.at(text);
    if let Some(second) = reader.then(b":-", 2).filter(|second| *second <= 60) {
        of_day += second * 1_000;
        if let Some(rest) = reader.rest.strip_prefix(b".") {
            reader.rest = rest.trim_ascii_start();
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            reader.rest = rest.get(digits..)?;
        }
        end = reader.at(text);
    }
    let mut of_day = i64::try_from(of_day).ok()?;
    if reader.rest.first() == Some(&b'Z') {
        end += 1;
    } else if let Some(sign) = reader.rest.first().filter(|sign| matches!(sign, b'+' | b'-')).copied() {
        reader.rest = reader.rest.get(1..)?;
        if let (Some(hours), Some(minutes)) = (reader.digits(2), reader.then(b":-", 2)) {
            let ahead = i64::try_from((hours * 60 + minutes) * MINUTE).ok()?;
            of_day += if sign == b'+' { -ahead } else { ahead };
            end = reader.at(text);
        }
    }
    Some((of_day, end))
}

struct TimeParser<'a> {
    rest: &'a [u8],
}

impl TimeParser<'_> {
    fn digits(&mut self, count: usize) -> Option<u64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        let number = digits.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'))
        })?;
        self.rest = rest;
        Some(number)
    }

    /// Reads one of `marks`, then digits.
    fn then(&mut self, marks: &[u8], count: usize) -> Option<u64> {
        let before = self.rest;
        let (mark, rest) = self.rest.split_first()?;
        if !marks.contains(mark) {
            return None;
        }
        self.rest = rest;
        let number = self.digits(count);
        if number.is_none() {
            self.rest = before;
        }
        number
    }

    fn at(&self, text: &str) -> usize {
        text.len() - self.rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_written() {
        fn read(text: &str) -> Option<(String, &str)> {
            leading(text).map(|(moment, end)| (moment.to_string(), text.get(end..).unwrap()))
        }
        let at = |moment: &str, rest| Some((moment.to_owned(), rest));
        assert_eq!(read("2024-02-29: a"), at("2024-02-29T00:00:00.000Z", ": a"));
        assert_eq!(read("2026-11-22T04-20-47: a"), at("2026-11-22T04:20:47.000Z", ": a"));
        assert_eq!(read("2026-11-22T04:20:47.123Z"), at("2026-11-22T04:20:47.000Z", ""));
        assert_eq!(read("2026-04-13T00-08"), at("2026-04-13T00:08:00.000Z", ""));
        assert_eq!(read("2026-08-20T11-59-44-0700"), at("2026-08-20T11:59:44.000Z", "-0700"));
        assert_eq!(read("2026-08-20T11:59:44-07:00"), at("2026-08-20T18:59:44.000Z", ""));
        assert_eq!(read("2026-01-01T00:30+02:00"), at("2025-12-31T22:30:00.000Z", ""));
        for no in ["2026-13-01", "2026-02-30", "2026-1-1", "20260101", "2026-01-011", "1969-12-31", ""] {
            assert_eq!(read(no), None, "{no}");
        }
    }

    #[test]
    fn dates_are_found_where_they_stand() {
        assert_eq!(trailing("Loop (#767) (2025-07-26)").map(date).unwrap(), "2025-07-26");
        assert_eq!(trailing("Use 2025-07-26 as base"), None);
        assert_eq!(
            first("📌 **Team update (2026-03-22T09-35Z)**").map(in_name).unwrap(),
            "2026-03-22T09-35-00Z"
        );
        assert_eq!(first("v12026-01-01"), None);
    }

    #[test]
    fn every_day_reads_back() {
        for day in (0..60_000).step_by(7) {
            let moment = Timestamp(day * 86_400_000);
            assert_eq!(leading(&date(moment)), Some((moment, 10)));
        }
    }
}

//! The wait that a provider states, in all known forms.

use std::time::{Duration, UNIX_EPOCH};

use hooks_core::time::Timestamp;
use serde_json::Value;

use super::Headers;
use crate::duration::nanos;

/// The longest wait: longer ones are cut, so that no sum of times overflows.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3_600);

/// The provider's time, if stated: dates follow its clock, which may differ from ours.
pub(super) fn provider_time(headers: &Headers) -> Option<Timestamp> {
    headers.get("date").and_then(http_date)
}

/// The wait that the headers state explicitly.
pub(super) fn told(headers: &Headers, now: Timestamp) -> Option<Duration> {
    let milliseconds = |name| headers.get(name).and_then(|value| decimal(value, Duration::from_millis(1)));
    milliseconds("retry-after-ms")
        .or_else(|| milliseconds("x-ms-retry-after-ms"))
        .or_else(|| headers.get("retry-after").and_then(|value| retry_after(value, now)))
}

/// The value of `Retry-After`: seconds, whole or not, or a date. A negative value counts as absent.
fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    decimal(value, Duration::from_secs(1))
        .or_else(|| {
            http_date(value)
                .or_else(|| value.parse().ok())
                .map(|date: Timestamp| date.since(now).min(LONGEST))
        })
        .or_else(|| duration(value))
}

/// The time until the exhausted limit is refilled, from the vendors' rate limit headers. Of the limits with
/// nothing remaining, the last one to refill counts; if none is exhausted, the last of all.
pub(super) fn until_reset(headers: &Headers, now: Timestamp) -> Option<Duration> {
    let (mut empty, mut any) = (None, None);
    for (name, value) in headers.iter() {
        let name = name.to_ascii_lowercase();
        let Some((before, after)) = name.split_once("reset").filter(|_| name.contains("ratelimit")) else {
            continue;
        };
        let Some(wait) = reset(value, now) else { continue };
        let remaining = headers.get(&format!("{before}remaining{after}"));
        if remaining.is_some_and(|left| left.parse() == Ok(0u64)) {
            empty = empty.max(Some(wait));
        }
        any = any.max(Some(wait));
    }
    empty.or(any)
}

/// A time, or the duration until it: OpenAI has `6m0s`, Anthropic a date, others seconds or a Unix time.
pub(super) fn reset(value: &str, now: Timestamp) -> Option<Duration> {
    const A_UNIX_TIME: u64 = 1_000_000_000;
    let until = |moment: Timestamp| moment.since(now).min(LONGEST);
    if let Some(moment) = value.parse().ok().or_else(|| http_date(value)) {
        return Some(until(moment));
    }
    match value.parse::<u64>() {
        Ok(number) if number >= A_UNIX_TIME * 1_000 => Some(until(Timestamp(number))),
        Ok(number) if number >= A_UNIX_TIME => Some(until(Timestamp(number.saturating_mul(1_000)))),
        _ => decimal(value, Duration::from_secs(1)).or_else(|| duration(value)),
    }
}

/// Google's `RetryInfo`, and similar fields of others.
pub(super) fn in_details(document: &Value) -> Option<Duration> {
    let error = document.get("error").filter(|error| error.is_object()).unwrap_or(document);
    let delay = |value: &Value| match value {
        Value::String(text) => duration(text).or_else(|| decimal(text, Duration::from_secs(1))),
        Value::Number(number) => decimal(&number.to_string(), Duration::from_secs(1)),
        _ => None,
    };
    let details = error.get("details").and_then(Value::as_array);
    details
        .and_then(|details| details.iter().filter_map(|detail| detail.get("retryDelay")).find_map(delay))
        .or_else(|| error.get("retry_after").and_then(delay))
        .or_else(|| error.pointer("/metadata/retry_after").and_then(delay))
}

/// Phrases such as "Please try again in 6m0s" and "retry after 7 seconds"; also `Retry-After: 30` or
/// `'retryDelay': '17s'`, as errors are printed.
pub(super) fn in_words(text: &str) -> Option<Duration> {
    const PHRASES: [&str; 8] = [
        "try again in",
        "retry in",
        "retry after",
        "try again after",
        "retrying in",
        "retry-after",
        "retry_after",
        "retrydelay",
    ];
    let text: String = text.chars().take(4 * 1024).map(|letter| letter.to_ascii_lowercase()).collect();
    PHRASES.iter().find_map(|phrase| {
        let (_, after) = text.split_once(phrase)?;
        let after = after.strip_prefix(BETWEEN)?.trim_start_matches(BETWEEN);
        // Only a few words may stand between: "after about 7 seconds".
        let after = after.trim_start_matches("about ").trim_start_matches("approximately ");
        duration(after).or_else(|| seconds(after))
    })
}

/// Characters between a phrase and its time.
const BETWEEN: &[char] = &[' ', ':', '=', '"', '\''];

/// A number without a word behind it: seconds, as in the header.
fn seconds(text: &str) -> Option<Duration> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    let counts_something =
        rest.trim_start().starts_with(|letter: char| letter.is_alphanumeric() || letter == '%');
    decimal(number.trim_end_matches('.'), Duration::from_secs(1)).filter(|_| !counts_something)
}

/// Durations such as `6m0s`, `17s`, `12ms`, `1d2h`, `10.689s`, `7 seconds`, `1 minute and 20 seconds`: the
/// longest readable beginning.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut total = None;
    loop {
        let digits =
            rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let Some((number, after)) = rest.split_at_checked(digits).filter(|(number, _)| !number.is_empty())
        else {
            return total;
        };
        let after = after.trim_start();
        let letters = after.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(letters)?;
        let unit = match unit {
            "ms" | "millis" | "millisecond" | "milliseconds" => Duration::from_millis(1),
            "s" | "sec" | "secs" | "second" | "seconds" => Duration::from_secs(1),
            "m" | "min" | "mins" | "minute" | "minutes" => Duration::from_secs(60),
            "h" | "hr" | "hrs" | "hour" | "hours" => Duration::from_secs(3_600),
            "d" | "day" | "days" => Duration::from_secs(86_400),
            _ => return total,
        };
        // A full stop that ends the sentence is not part of the number.
        let part = decimal(number.trim_end_matches('.'), unit)?;
        total = Some(total.unwrap_or(Duration::ZERO).saturating_add(part).min(LONGEST));
        rest = after.trim_start_matches([',', ' ']).trim_start_matches("and ");
    }
}

/// Multiplies `number` with `unit`. The number consists of digits, with an optional fraction; anything else,
/// also a sign, returns `None`.
fn decimal(number: &str, unit: Duration) -> Option<Duration> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    // A number that does not fit is longer than any useful wait.
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u32>().unwrap_or(u32::MAX) };
    let billionths = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let billionths = billionths.fold(0u64, |sum, digit| sum * 10 + u64::from(digit.saturating_sub(b'0')));
    let part = u128::from(nanos(unit)) * u128::from(billionths) / 1_000_000_000;
    let part = Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX));
    Some(unit.saturating_mul(whole).saturating_add(part).min(LONGEST))
}

/// An HTTP date, in all three forms.
fn http_date(value: &str) -> Option<Timestamp> {
    let date = httpdate::parse_http_date(value).ok()?;
    let since = date.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-22T01:00:00Z.
    const NOW: Timestamp = Timestamp(1_795_309_200_000);
    const WEEK: Duration = Duration::from_secs(7 * 86_400);

    fn secs(seconds: u64) -> Option<Duration> {
        Some(Duration::from_secs(seconds))
    }

    #[test]
    fn retry_after_comes_in_many_forms() {
        for (value, wait) in [
            ("20", secs(20)),
            ("0", secs(0)),
            ("1.5", Some(Duration::from_millis(1_500))),
            ("604800", Some(WEEK)),
            ("-5", None),
            ("soon", None),
            ("", None),
            ("NaN", None),
            ("1e3", None),
            ("99999999999999999999999999", Some(LONGEST)),
            ("Sun, 22 Nov 2026 01:00:30 GMT", secs(30)),
            ("Sunday, 22-Nov-26 01:00:30 GMT", secs(30)),
            ("Sun Nov 22 01:00:30 2026", secs(30)),
            ("Sun, 22 Nov 2026 00:59:30 GMT", secs(0)),
            ("Sun, 29 Nov 2026 01:00:00 GMT", Some(WEEK)),
            ("2026-11-22T01:00:09Z", secs(9)),
            ("17s", secs(17)),
        ] {
            assert_eq!(told(&Headers::from_iter([("Retry-After", value)]), NOW), wait, "{value}");
        }
    }

    #[test]
    fn milliseconds_come_before_seconds() {
        let headers = Headers::from_iter([("retry-after", "2"), ("retry-after-ms", "1250")]);
        assert_eq!(told(&headers, NOW), Some(Duration::from_millis(1_250)));
        let headers = Headers::from_iter([("retry-after", "2"), ("retry-after-ms", "-1")]);
        assert_eq!(told(&headers, NOW), secs(2));
    }

    #[test]
    fn the_limit_that_is_empty_says_when() {
        let headers = Headers::from_iter([
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-11-22T01:00:04Z"),
            ("anthropic-ratelimit-tokens-remaining", "900"),
            ("anthropic-ratelimit-tokens-reset", "2026-11-22T02:00:45+01:00"),
        ]);
        assert_eq!(until_reset(&headers, NOW), secs(4));
        let headers = Headers::from_iter([
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "12ms"),
        ]);
        assert_eq!(until_reset(&headers, NOW), secs(360));
        assert_eq!(until_reset(&Headers::from_iter([("x-ratelimit-reset", "1795309210")]), NOW), secs(10));
        assert_eq!(until_reset(&Headers::from_iter([("x-ratelimit-reset", "1795309210000")]), NOW), secs(10));
    }

    #[test]
    fn sentences_say_it_too() {
        for (text, wait) in [
            ("Please try again in 6m0s. Visit the page", secs(360)),
            ("Please retry after 7 seconds.", secs(7)),
            ("Please try again in 20ms.", Some(Duration::from_millis(20))),
            ("Please retry in 10.5s.", Some(Duration::from_millis(10_500))),
            ("try again in 1 minute and 20 seconds", secs(80)),
            ("rate limited; retry-after: 30", secs(30)),
            ("{'@type': 'RetryInfo', 'retryDelay': '17s'}", secs(17)),
            ("Please retry after 5.", secs(5)),
            ("try again in 2 days", secs(2 * 86_400)),
            ("try again in 10 mins", secs(600)),
            ("Please retry after 5 other requests", None),
            ("will retry internally 3", None),
            ("Please try again later", None),
            ("try again in a while", None),
        ] {
            assert_eq!(in_words(text), wait, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in ".{0,64}", digits in "[0-9.]{0,40}[a-z]{0,3}") {
            for value in [&text, &digits] {
                let headers = Headers::from_iter([("retry-after", value), ("x-ratelimit-reset", value)]);
                let waits = [told(&headers, NOW), until_reset(&headers, NOW), in_words(value), duration(value)];
                proptest::prop_assert!(waits.into_iter().flatten().all(|wait| wait <= LONGEST));
            }
        }
    }
}

//! What a provider lets through, as its answers tell in their headers.

use std::time::Duration;

use hooks_core::time::Timestamp;

use super::{Headers, retry_after};
use crate::catalog::Limits;

/// The limits that an answer's headers tell of, good answers' too.
///
/// ```
/// use hooks_core::time::Timestamp;
/// use hooks_resilience::classify::{Headers, Quota};
///
/// let headers = Headers::from_iter([("x-ratelimit-limit-requests", "500"), ("x-ratelimit-reset-requests", "120ms")]);
/// let quota = Quota::from_headers(&headers, Timestamp(0)).unwrap();
/// assert_eq!(quota.limits().requests_per_minute, Some(500));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quota {
    /// Requests.
    pub requests: Allowance,
    /// Tokens, sent and received together.
    pub tokens: Allowance,
    /// Tokens sent.
    pub input_tokens: Allowance,
    /// Tokens received.
    pub output_tokens: Allowance,
}

/// One limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allowance {
    /// How many there are in all.
    pub limit: Option<u64>,
    /// How many are left.
    pub remaining: Option<u64>,
    /// When all of them are there again.
    pub resets_in: Option<Duration>,
}

impl Quota {
    /// Reads Anthropic's `anthropic-ratelimit-*` and the `x-ratelimit-*` of OpenAI, Azure and many others. None
    /// where there is none of them.
    pub fn from_headers(headers: &Headers, now: Timestamp) -> Option<Self> {
        let now = retry_after::provider_time(headers).unwrap_or(now);
        let allowance = |of: &str| Allowance::from_headers(headers, of, now);
        let quota = Self {
            requests: allowance("requests"),
            tokens: allowance("tokens"),
            input_tokens: allowance("input-tokens"),
            output_tokens: allowance("output-tokens"),
        };
        (quota != Self::default()).then_some(quota)
    }

    /// The same as limits of a catalog. A limit that takes longer than a minute to come back is one of an hour or
    /// a day and left out; of tokens sent and received apart, the smaller counts for both.
    pub fn limits(&self) -> Limits {
        let apart = [self.input_tokens.per_minute(), self.output_tokens.per_minute()];
        let tokens = self.tokens.per_minute().or_else(|| apart.into_iter().flatten().min());
        let requests = self.requests.per_minute().map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
        Limits { requests_per_minute: requests, tokens_per_minute: tokens, ..Limits::default() }
    }
}

impl Allowance {
    fn from_headers(headers: &Headers, of: &str, now: Timestamp) -> Self {
        let field = |what: &str| {
            headers
                .get(&format!("anthropic-ratelimit-{of}-{what}"))
                .or_else(|| headers.get(&format!("x-ratelimit-{what}-{of}")))
        };
        let number = |what| field(what).and_then(|value| value.parse().ok());
        Self {
            limit: number("limit"),
            remaining: number("remaining"),
            resets_in: field("reset").and_then(|value| retry_after::reset(value, now)),
        }
    }

    fn per_minute(&self) -> Option<u64> {
        const MINUTE: Duration = Duration::from_secs(60);
        self.limit.filter(|limit| *limit > 0 && self.resets_in.is_none_or(|reset| reset <= MINUTE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_tell_of_limits() {
        let headers = Headers::from_iter([
            ("Anthropic-RateLimit-Requests-Limit", "50"),
            ("anthropic-ratelimit-requests-remaining", "49"),
            ("anthropic-ratelimit-requests-reset", "1970-01-01T00:00:01Z"),
            ("anthropic-ratelimit-input-tokens-limit", "30000"),
            ("anthropic-ratelimit-output-tokens-limit", "8000"),
        ]);
        let quota = Quota::from_headers(&headers, Timestamp(0)).unwrap();
        let requests =
            Allowance { limit: Some(50), remaining: Some(49), resets_in: Some(Duration::from_secs(1)) };
        assert_eq!(quota.requests, requests);
        let limits = quota.limits();
        assert_eq!((limits.requests_per_minute, limits.tokens_per_minute), (Some(50), Some(8_000)));
    }

    #[test]
    fn a_limit_of_a_day_is_none_of_a_minute() {
        let headers = Headers::from_iter([
            ("x-ratelimit-limit-requests", "200"),
            ("x-ratelimit-reset-requests", "7m12s"),
        ]);
        let limits = Quota::from_headers(&headers, Timestamp(0)).unwrap().limits();
        assert_eq!(limits.requests_per_minute, None);
    }

    #[test]
    fn nothing_told_is_none() {
        let headers = Headers::from_iter([("content-type", "text/html")]);
        assert_eq!(Quota::from_headers(&headers, Timestamp(0)), None);
    }
}

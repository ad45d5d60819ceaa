//! Rate limits that providers report in the headers of their answers.

use std::time::Duration;

use hooks_core::time::Timestamp;

use super::{Headers, retry_after};
use crate::catalog::Limits;

/// The rate limits in the headers of an answer, successful or not.
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
    /// Number of requests.
    pub requests: Allowance,
    /// Number of tokens, input and output together.
    pub tokens: Allowance,
    /// Number of input tokens.
    pub input_tokens: Allowance,
    /// Number of output tokens.
    pub output_tokens: Allowance,
}

/// One limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allowance {
    /// Size of the limit.
    pub limit: Option<u64>,
    /// Remaining part of it.
    pub remaining: Option<u64>,
    /// Time until the limit is refilled.
    pub resets_in: Option<Duration>,
}

impl Quota {
    /// Reads Anthropic's `anthropic-ratelimit-*` and the `x-ratelimit-*` of OpenAI, Azure and many others.
    /// Returns `None` if there are no such headers.
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

    /// Converts to the limits of a catalog. A limit that takes longer than a minute to refill counts hours or
    /// days, and is left out. If input and output tokens have separate limits, the smaller one counts for
    /// both.
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

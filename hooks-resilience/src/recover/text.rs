//! What kind of error a text tells of.

use std::time::Duration;

use hooks_core::event::ErrorType;

use crate::error::{ErrorKind, ModelError};

/// How much of a text is read.
const READ: usize = 4_096;

/// Words, and what they tell of; the first that is found counts. Those that share words with others stand before them.
const WORDS: &[(ErrorKind, &[&str])] = &[
    (
        ErrorKind::ContextOverflow,
        &[
            "context length",
            "context_length",
            "context window",
            "maximum context",
            "prompt is too long",
            "input is too long",
            "input token count",
            "too many tokens",
        ],
    ),
    (
        ErrorKind::QuotaExhausted,
        &[
            "insufficient_quota",
            "insufficient quota",
            "credit balance",
            "billing",
            "spend limit",
            "spending limit",
            "payment required",
        ],
    ),
    (
        ErrorKind::RateLimited,
        &["rate limit", "rate_limit", "ratelimit", "too many requests", "throttl", "resource_exhausted"],
    ),
    (ErrorKind::Overloaded, &["overloaded", "at capacity", "service unavailable"]),
    (ErrorKind::ContentFilter, &["content filter", "content_filter", "content policy", "content_policy"]),
    (ErrorKind::Authentication, &["api key", "api_key", "unauthorized", "authentication"]),
    (ErrorKind::Permission, &["permission", "forbidden"]),
    (ErrorKind::ModelUnavailable, &["model not found", "model_not_found", "no such model"]),
    (ErrorKind::ConnectTimeout, &["connect timeout", "connection timed out", "connection timeout"]),
    (ErrorKind::AttemptTimeout, &["timed out", "timeout", "deadline exceeded"]),
    (ErrorKind::StreamBroken, &["stream ended", "unexpected eof", "premature close", "incomplete message"]),
    (
        ErrorKind::Network,
        &[
            "connection",
            "econnreset",
            "econnrefused",
            "socket",
            "network",
            "dns",
            "broken pipe",
            "unreachable",
        ],
    ),
    (ErrorKind::Server, &["internal server error", "internal error", "bad gateway", "server error"]),
    (ErrorKind::InvalidRequest, &["invalid request", "invalid_request", "bad request", "malformed"]),
];

/// What stands before the time a provider wants to be left alone.
const TOLD: &[&str] = &["retry after", "retry-after", "retry_after", "try again in", "retry in"];

/// The error that a text of this type tells of.
pub fn read_text(text: &str, error_type: ErrorType) -> ModelError {
    let lower: String = text.chars().take(READ).flat_map(char::to_lowercase).collect();
    let by_words = || WORDS.iter().find(|(_, words)| words.iter().any(|word| lower.contains(word)));
    let told = || by_words().map(|(kind, _)| *kind).or_else(|| by_status(&lower));
    let kind = match error_type {
        ErrorType::ContextOverflow => ErrorKind::ContextOverflow,
        // The type is the host's word; the text says which of it.
        ErrorType::Permission | ErrorType::Network => {
            let other = match error_type {
                ErrorType::Network => ErrorKind::Network,
                _ => ErrorKind::Permission,
            };
            told().filter(|kind| kind.error_type() == error_type).unwrap_or(other)
        }
        _ => told().unwrap_or(ErrorKind::Unknown),
    };
    let error = ModelError::new(kind, text);
    match wait(&lower) {
        Some(wait) => error.retry_after(wait),
        None => error,
    }
}

/// By a number that is said to be a status, or begins the text.
fn by_status(text: &str) -> Option<ErrorKind> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut before = "status";
    words.find_map(|word| {
        let said = matches!(before, "status" | "http" | "code" | "error");
        before = word;
        of_status(word).filter(|_| said)
    })
}

fn of_status(word: &str) -> Option<ErrorKind> {
    Some(match word {
        "429" => ErrorKind::RateLimited,
        "503" | "529" => ErrorKind::Overloaded,
        "500" | "502" => ErrorKind::Server,
        "408" | "504" => ErrorKind::AttemptTimeout,
        "401" => ErrorKind::Authentication,
        "402" => ErrorKind::QuotaExhausted,
        "403" => ErrorKind::Permission,
        "404" => ErrorKind::ModelUnavailable,
        "413" => ErrorKind::ContextOverflow,
        "400" | "422" => ErrorKind::InvalidRequest,
        _ => return None,
    })
}

/// The time that is told: a number behind the words for it, of seconds where no unit follows.
fn wait(text: &str) -> Option<Duration> {
    let behind = TOLD.iter().find_map(|words| text.split_once(words).map(|(_, behind)| behind))?;
    let behind = behind.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let end = behind.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(behind.len());
    let (number, unit) = behind.split_at_checked(end)?;
    let unit = unit.trim_start();
    let seconds = match unit.split(|c: char| !c.is_ascii_alphabetic()).next() {
        Some("ms" | "millisecond" | "milliseconds") => 0.001,
        Some("m" | "min" | "minute" | "minutes") => 60.0,
        Some("h" | "hour" | "hours") => 3_600.0,
        _ => 1.0,
    };
    let wait = number.trim_end_matches('.').parse::<f64>().ok()? * seconds;
    Duration::try_from_secs_f64(wait).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_as_hosts_have_them() {
        use ErrorKind as Kind;
        for (text, kind) in [
            ("429 Too Many Requests", Kind::RateLimited),
            ("Error code: 429 - quota", Kind::RateLimited),
            ("anthropic: Overloaded", Kind::Overloaded),
            ("HTTP 529", Kind::Overloaded),
            ("request failed with status 500", Kind::Server),
            ("ECONNRESET", Kind::Network),
            ("Request timed out.", Kind::AttemptTimeout),
            ("connection timed out", Kind::ConnectTimeout),
            ("This model's maximum context length is 8192 tokens", Kind::ContextOverflow),
            ("Incorrect API key provided", Kind::Authentication),
            ("Your credit balance is too low", Kind::QuotaExhausted),
            ("it took 500 ms and then something happened", Kind::Unknown),
        ] {
            assert_eq!(read_text(text, ErrorType::Model).kind(), kind, "{text}");
        }
    }

    #[test]
    fn the_type_is_the_hosts_word() {
        assert_eq!(read_text("oops", ErrorType::Network).kind(), ErrorKind::Network);
        assert_eq!(read_text("rate limit", ErrorType::Network).kind(), ErrorKind::Network);
        assert_eq!(read_text("401", ErrorType::Permission).kind(), ErrorKind::Authentication);
        assert_eq!(read_text("oops", ErrorType::ContextOverflow).kind(), ErrorKind::ContextOverflow);
    }

    #[test]
    fn a_time_that_is_told_is_read() {
        for (text, millis) in [
            ("429: try again in 20s", 20_000),
            ("rate limit, retry after 1.5 seconds", 1_500),
            ("Retry-After: 30", 30_000),
            ("please try again in 250ms.", 250),
            ("try again in 2 minutes", 120_000),
        ] {
            let told = read_text(text, ErrorType::Model).told_to_wait();
            assert_eq!(told, Some(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(read_text("try again in a while", ErrorType::Model).told_to_wait(), None);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in ".{0,200}") {
            // Any kind will do; a panic will not.
            let _error = read_text(&format!("try again in {text}"), ErrorType::Model);
            let _error = read_text(&text, ErrorType::Unknown);
        }
    }
}

//! What a collector took a request without.

use serde::Deserialize;

use crate::sink::SinkError;
use crate::sink::http::shortened;

/// What a collector took a request without: `partialSuccess` of its answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rejected {
    count: u64,
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    partial_success: Partial,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Partial {
    rejected_spans: Count,
    rejected_log_records: Count,
    error_message: String,
}

/// A number of 64 bits, which JSON has as a text, and some collectors as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Count {
    Number(u64),
    Text(String),
}

impl Rejected {
    /// What the body of a success says; nothing, where it is empty or no JSON, as protobuf is.
    pub(super) fn of(body: &[u8]) -> Self {
        let Ok(Answer { partial_success }) = serde_json::from_slice(body) else { return Self::default() };
        let Partial { rejected_spans, rejected_log_records, error_message } = partial_success;
        let count = rejected_spans.value().saturating_add(rejected_log_records.value());
        Self { count, message: shortened(error_message.as_bytes()) }
    }

    /// This and another one.
    pub(super) fn and(self, other: Self) -> Self {
        let message = if other.count > 0 { other.message } else { self.message };
        Self { count: self.count.saturating_add(other.count), message }
    }

    /// # Errors
    /// [`SinkError::Partly`] where something was rejected.
    pub(super) fn into_result(self) -> Result<(), SinkError> {
        let Self { count, message } = self;
        match count {
            0 => Ok(()),
            refused => Err(SinkError::Partly {
                refused,
                message: format!(
                    "the collector took it without {refused} of its spans and log records: {message}"
                ),
            }),
        }
    }
}

impl Count {
    fn value(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Text(text) => text.parse().unwrap_or(0),
        }
    }
}

impl Default for Count {
    fn default() -> Self {
        Self::Number(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_rejected_counts() {
        let of = |body: &str| Rejected::of(body.as_bytes());
        let warned = r#"{"partialSuccess":{"errorMessage":"slow"}}"#;
        for nothing in ["", "{}", "\u{0}\u{1}", r#"{"partialSuccess":{}}"#, warned] {
            assert_eq!(of(nothing).into_result(), Ok(()), "{nothing:?}");
        }
        let spans = of(r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no\ttime"}}"#);
        let logs = of(r#"{"partialSuccess":{"rejectedLogRecords":3,"errorMessage":"too old"}}"#);
        assert_eq!((spans.count, &*spans.message), (2, "notime"));
        let Err(SinkError::Partly { refused: 5, message }) = spans.and(logs).into_result() else { panic!() };
        assert!(message.ends_with("too old"), "{message}");
    }
}

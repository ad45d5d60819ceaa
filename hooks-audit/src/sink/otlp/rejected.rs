//! Items that a collector rejected from an accepted request.

use serde_json::Value;

use crate::sink::SinkError;
use crate::sink::http::shortened;

/// Items that a collector rejected from an accepted request: `partialSuccess` of its answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rejected {
    count: u64,
    message: String,
}

impl Rejected {
    /// Parses the body of a successful answer; nothing is rejected if it is empty or not JSON, as with
    /// protobuf. Each count is parsed alone: an invalid one does not affect the other.
    pub(super) fn parse(body: &[u8]) -> Self {
        let answer = serde_json::from_slice::<Value>(body).unwrap_or_default();
        let field = |name: &str| answer.get("partialSuccess").and_then(|partial| partial.get(name));
        let count = count(field("rejectedSpans")).saturating_add(count(field("rejectedLogRecords")));
        let message = field("errorMessage").and_then(Value::as_str).unwrap_or_default();
        Self { count, message: shortened(message.as_bytes()) }
    }

    /// Adds another one.
    pub(super) fn and(self, other: Self) -> Self {
        let message = if other.count > 0 { other.message } else { self.message };
        Self { count: self.count.saturating_add(other.count), message }
    }

    /// # Errors
    /// Returns [`SinkError::Partly`] if items were rejected.
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

/// Parses a 64-bit number, which is a string in OTLP's JSON and a number in that of some collectors; 0 if it
/// is something else.
fn count(field: Option<&Value>) -> u64 {
    match field {
        Some(Value::String(text)) => text.trim().parse().unwrap_or(0),
        Some(field) => field.as_u64().unwrap_or(0),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_rejected_counts() {
        let of = |body: &str| Rejected::parse(body.as_bytes());
        let warned = r#"{"partialSuccess":{"errorMessage":"slow"}}"#;
        for nothing in ["", "{}", "\u{0}\u{1}", r#"{"partialSuccess":{}}"#, warned] {
            assert_eq!(of(nothing).into_result(), Ok(()), "{nothing:?}");
        }
        let spans = of(r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no\ttime"}}"#);
        let logs = of(r#"{"partialSuccess":{"rejectedLogRecords":3,"errorMessage":"too old"}}"#);
        assert_eq!((spans.count, &*spans.message), (2, "notime"));
        for odd in ["null", "-1", "2.5", "\"many\"", "[]"] {
            let body = format!(r#"{{"partialSuccess":{{"rejectedSpans":{odd},"rejectedLogRecords":3}}}}"#);
            assert_eq!(of(&body).count, 3, "{odd}");
        }
        assert_eq!(of(r#"{"partialSuccess":{"rejectedSpans":2,"errorMessage":null}}"#).count, 2);
        assert_eq!(of(r#"{"partialSuccess":null}"#).count, 0);
        let Err(SinkError::Partly { refused: 5, message }) = spans.and(logs).into_result() else { panic!() };
        assert!(message.ends_with("too old"), "{message}");
    }
}

//! Stop reasons that mean a failure, and answers that are refusals.

use serde_json::Value;

use super::codes::{self, Codes};
use crate::error::ErrorKind;

const REASONS: Codes = {
    use ErrorKind as Kind;
    &[
        ("maxtokens", Kind::OutputTruncated),
        ("maxoutputtokens", Kind::OutputTruncated),
        ("length", Kind::OutputTruncated),
        ("modellength", Kind::OutputTruncated),
        // The window is full before the answer ends: a shorter conversation helps, a larger answer limit does
        // not.
        ("modelcontextwindowexceeded", Kind::ContextOverflow),
        ("refusal", Kind::ContentFilter),
        ("contentfilter", Kind::ContentFilter),
        ("contentfiltered", Kind::ContentFilter),
        ("guardrailintervened", Kind::ContentFilter),
        ("safety", Kind::ContentFilter),
        ("recitation", Kind::ContentFilter),
        ("blocklist", Kind::ContentFilter),
        ("prohibitedcontent", Kind::ContentFilter),
        ("spii", Kind::ContentFilter),
        ("imagesafety", Kind::ContentFilter),
        ("imageprohibitedcontent", Kind::ContentFilter),
        ("jailbreak", Kind::ContentFilter),
        ("sensitive", Kind::ContentFilter),
        ("insufficientsystemresource", Kind::Overloaded),
        ("malformedfunctioncall", Kind::Unknown),
        ("malformedmodeloutput", Kind::Unknown),
        ("malformedtooluse", Kind::Unknown),
        ("networkerror", Kind::StreamBroken),
        ("error", Kind::Server),
    ]
};

/// The error kind of a stop reason such as `max_tokens`, `length` or `SAFETY`. `None` if the model finished
/// its answer, or calls a tool.
///
/// ```
/// use hooks_resilience::{ErrorKind, classify::stop_reason};
///
/// assert_eq!(stop_reason("max_tokens"), Some(ErrorKind::OutputTruncated));
/// assert_eq!(stop_reason("end_turn"), None);
/// ```
pub fn stop_reason(reason: &str) -> Option<ErrorKind> {
    codes::lookup(REASONS, reason)
}

/// The error kind of an answer whose status is a success: from its stop reason, or from a blocked prompt.
/// Reads documents of Anthropic, OpenAI (both APIs), Google and Bedrock.
///
/// ```
/// use hooks_resilience::{ErrorKind, classify::in_answer};
/// use serde_json::json;
///
/// let cut = json!({ "choices": [{ "message": { "content": "once upon" }, "finish_reason": "length" }] });
/// assert_eq!(in_answer(&cut), Some(ErrorKind::OutputTruncated));
/// let refused = json!({ "promptFeedback": { "blockReason": "SAFETY" } });
/// assert_eq!(in_answer(&refused), Some(ErrorKind::ContentFilter));
/// assert_eq!(in_answer(&json!({ "content": [], "stop_reason": "end_turn" })), None);
/// ```
pub fn in_answer(answer: &Value) -> Option<ErrorKind> {
    const REASONS: [&str; 6] = [
        "/stop_reason",
        "/stopReason",
        "/choices/0/finish_reason",
        "/candidates/0/finishReason",
        "/incomplete_details/reason",
        "/response/incomplete_details/reason",
    ];
    let text = |place: &str| answer.pointer(place).and_then(Value::as_str);
    let blocked = text("/promptFeedback/blockReason");
    let refused = answer.pointer("/choices/0/message/refusal").is_some_and(Value::is_string);
    if refused || blocked.is_some_and(|reason| reason != "BLOCK_REASON_UNSPECIFIED") {
        return Some(ErrorKind::ContentFilter);
    }
    REASONS.iter().find_map(|place| text(place)).and_then(stop_reason)
}

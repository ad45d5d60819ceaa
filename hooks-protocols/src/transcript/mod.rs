//! The answers of the model that a client writes to its transcript, with their tokens.
//!
//! Most clients have no hook for a model call, but each writes a transcript as it goes: lines of JSON that are
//! only ever appended. [`TranscriptLedger`] reads the lines that are new, and counts each answer once: clients
//! repeat the usage of an answer on several lines, in copies of a session and after a resumption, so that a
//! plain sum counts up to 2.8 times too much.
//!
//! | client | an answer is | its id | module |
//! | --- | --- | --- | --- |
//! | Claude Code | a message, on one line for each of its blocks | `message.id` | `claude` |
//! | Codex CLI | a `token_usage_record`; in older versions the growth of `token_count` | `response_id` | `codex` |
//! | Copilot CLI | a `session.usage_record`, or a compaction | `apiCallId`, and the id of the line | `copilot` |
//! | Qwen Code | a `qwen-code.api_response` | `response_id`, and the id of the line | `qwen` |
//!
//! A line that should state a usage and cannot be read is remembered ([`unreadable`](TranscriptLedger::unreadable)):
//! its answer is not counted.
//!
//! The formats were seen in transcripts of Claude Code 2.1.330, Codex CLI 0.169.0, Copilot CLI 1.0.102 and Qwen Code
//! 0.24.4. At most one answer is missing when a hook starts: the one that is still being written.
//!
//! ```
//! use hooks_protocols::{Client, TranscriptLedger};
//!
//! let mut ledger = TranscriptLedger::new(Client::Claude).expect("its transcript is known");
//! let line = r#"{"type":"assistant","message":{"id":"msg_1","model":"opus","usage":{"input_tokens":3,
//!     "cache_creation_input_tokens":57,"cache_read_input_tokens":300,"output_tokens":43}}}"#;
//! let line = line.replace('\n', "") + "\n";
//!
//! let answers = ledger.read("/session.jsonl", line.as_bytes());
//! assert_eq!((&*answers[0].id, &*answers[0].model), ("msg_1", "opus"));
//! assert_eq!((answers[0].usage.input_tokens, answers[0].usage.output_tokens), (360, 43));
//!
//! // The same message again, for its next block, and a line that is not whole yet.
//! assert!(ledger.read("/session.jsonl", line.as_bytes()).is_empty());
//! assert!(ledger.read("/session.jsonl", br#"{"type":"assis"#).is_empty());
//! assert_eq!(ledger.offset("/session.jsonl"), 2 * line.len() as u64);
//! ```

mod calls;
mod claude;
mod codex;
mod copilot;
mod ledger;
mod qwen;
#[cfg(test)]
mod tests;

pub use self::calls::{TranscriptCall, TranscriptCalls, TranscriptEnd, TranscriptStep};
pub use self::ledger::TranscriptLedger;

use hooks_core::event::Usage;
use hooks_core::time::Timestamp;
use serde_json::Value;

/// An answer of a model in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptAnswer {
    /// Id of the answer; no other answer of this client has the same.
    pub id: String,
    /// Name of the model; empty if the transcript does not name it.
    pub model: String,
    /// Id of the subagent that was answered, if the line names one.
    pub agent_id: Option<String>,
    /// Tokens of the answer. Tokens sent include those from the provider's cache.
    pub usage: Usage,
    /// Time of the line; `None` if the line does not name it.
    pub at: Option<Timestamp>,
}

/// A line that should state a usage, and does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unreadable;

/// The answer of a line, if it has one.
type LineAnswer = Result<Option<TranscriptAnswer>, Unreadable>;

/// A count of a JSON object.
fn count(object: &Value, name: &str) -> Result<u64, Unreadable> {
    object.get(name).and_then(Value::as_u64).ok_or(Unreadable)
}

/// A count of a JSON object; 0 if it is missing or `null`.
fn count_or_zero(object: &Value, name: &str) -> Result<u64, Unreadable> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(0),
        Some(count) => count.as_u64().ok_or(Unreadable),
    }
}

/// The object that states a usage.
fn member<'v>(object: &'v Value, name: &str) -> Result<&'v Value, Unreadable> {
    object.get(name).filter(|member| member.is_object()).ok_or(Unreadable)
}

/// Time of a line.
fn time(line: &Value) -> Option<Timestamp> {
    text(line, "timestamp").parse().ok()
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The sum of two usages.
const fn plus(one: Usage, other: Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.saturating_add(other.input_tokens),
        output_tokens: one.output_tokens.saturating_add(other.output_tokens),
        cached_tokens: one.cached_tokens.saturating_add(other.cached_tokens),
        reasoning_tokens: one.reasoning_tokens.saturating_add(other.reasoning_tokens),
    }
}

/// Returns the smaller one of each count.
const fn least(one: Usage, other: Usage) -> Usage {
    beyond(one, beyond(one, other))
}

/// Returns the larger one of each count.
const fn most_of(one: Usage, other: Usage) -> Usage {
    plus(one, beyond(other, one))
}

/// Returns `total` without `part`; zero where `part` is larger.
const fn beyond(total: Usage, part: Usage) -> Usage {
    Usage {
        input_tokens: total.input_tokens.saturating_sub(part.input_tokens),
        output_tokens: total.output_tokens.saturating_sub(part.output_tokens),
        cached_tokens: total.cached_tokens.saturating_sub(part.cached_tokens),
        reasoning_tokens: total.reasoning_tokens.saturating_sub(part.reasoning_tokens),
    }
}

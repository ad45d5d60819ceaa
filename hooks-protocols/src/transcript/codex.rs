//! Transcripts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, one for each agent.
//!
//! A `token_usage_record` has the usage of one answer. Versions without it have only `token_count`, which
//! repeats itself; there the growth of its sum counts.

use hooks_core::event::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TranscriptAnswer, beyond, count, text};

/// Facts from earlier lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Seen {
    /// Model of the current turn.
    pub(super) model: String,
    /// Whether the file has a record for each answer.
    pub(super) has_records: bool,
    /// Last sum of the file, if it has sums only.
    pub(super) sum: Option<Usage>,
}

/// Reads a line.
pub(super) fn line(line: &Value, file: &str, seen: &mut Seen) -> Option<TranscriptAnswer> {
    let payload = line.get("payload")?;
    match text(line, "type") {
        "turn_context" => {
            text(payload, "model").clone_into(&mut seen.model);
            None
        }
        "token_usage_record" => {
            seen.has_records = true;
            let id = match text(payload, "response_id") {
                "" => format!("{file}/{}", count(line, "ordinal")),
                id => id.to_owned(),
            };
            let usage = usage(payload.get("usage")?);
            Some(TranscriptAnswer { id, model: seen.model.clone(), agent_id: None, usage })
        }
        "event_msg" if text(payload, "type") == "token_count" && !seen.has_records => {
            grown(payload, file, seen)
        }
        _ => None,
    }
}

/// The growth of the sum since the last line that had one. The first sum of a file can have the past of the
/// session that it was copied from, so its last answer counts.
fn grown(payload: &Value, file: &str, seen: &mut Seen) -> Option<TranscriptAnswer> {
    let info = payload.get("info")?;
    let sum = usage(info.get("total_token_usage")?);
    let new = match seen.sum {
        Some(before) => beyond(sum, before),
        None => usage(info.get("last_token_usage")?),
    };
    seen.sum = Some(sum);
    let id = format!("token_count/{file}/{}", sum.total());
    (new.total() > 0).then(|| TranscriptAnswer { id, model: seen.model.clone(), agent_id: None, usage: new })
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input_tokens: count(usage, "input_tokens"),
        output_tokens: count(usage, "output_tokens"),
        cached_tokens: count(usage, "cached_input_tokens"),
        reasoning_tokens: count(usage, "reasoning_output_tokens"),
    }
}

//! Transcripts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, one for each agent.
//!
//! A `token_usage_record` has the usage of one answer. Versions without it have only `token_count`, which
//! repeats itself; there the growth of its sum counts.

use hooks_core::event::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LineAnswer, TranscriptAnswer, Unreadable, beyond, count, count_or_zero, member, text, time};

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
pub(super) fn line(line: &Value, file: &str, seen: &mut Seen) -> LineAnswer {
    let payload = || member(line, "payload");
    match text(line, "type") {
        "turn_context" => {
            text(payload()?, "model").clone_into(&mut seen.model);
            Ok(None)
        }
        "token_usage_record" => {
            seen.has_records = true;
            let payload = payload()?;
            let id = match text(payload, "response_id") {
                "" => format!("{file}/{}", count(line, "ordinal")?),
                id => id.to_owned(),
            };
            let usage = usage(member(payload, "usage")?)?;
            Ok(Some(TranscriptAnswer {
                id,
                model: seen.model.clone(),
                agent_id: None,
                usage,
                at: time(line),
            }))
        }
        "event_msg" if !seen.has_records && text(payload()?, "type") == "token_count" => {
            grown(line, file, seen)
        }
        _ => Ok(None),
    }
}

/// The growth of the sum since the last line that had one. The first sum of a file can have the past of the
/// session that it was copied from, so its last answer counts.
fn grown(line: &Value, file: &str, seen: &mut Seen) -> LineAnswer {
    let info = match member(line, "payload")?.get("info") {
        // Only the limits of the account changed.
        None | Some(Value::Null) => return Ok(None),
        Some(info) => info,
    };
    let sum = usage(member(info, "total_token_usage")?)?;
    let new = match seen.sum {
        Some(before) => beyond(sum, before),
        None => usage(member(info, "last_token_usage")?)?,
    };
    seen.sum = Some(sum);
    let id = format!("token_count/{file}/{}", sum.total());
    let answer =
        TranscriptAnswer { id, model: seen.model.clone(), agent_id: None, usage: new, at: time(line) };
    Ok((new.total() > 0).then_some(answer))
}

fn usage(usage: &Value) -> Result<Usage, Unreadable> {
    Ok(Usage {
        input_tokens: count(usage, "input_tokens")?,
        output_tokens: count(usage, "output_tokens")?,
        cached_tokens: count_or_zero(usage, "cached_input_tokens")?,
        reasoning_tokens: count_or_zero(usage, "reasoning_output_tokens")?,
    })
}

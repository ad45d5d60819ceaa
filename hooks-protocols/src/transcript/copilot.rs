//! Transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, with the answers of its
//! subagents.

use hooks_core::event::Usage;
use serde_json::Value;

use super::{LineAnswer, TranscriptAnswer, Unreadable, count, count_or_zero, member, text, time};

/// Reads a line. The usage of a compaction is on a line of its own.
pub(super) fn line(line: &Value) -> LineAnswer {
    let (usage, id) = match text(line, "type") {
        "session.usage_record" => {
            let usage = member(member(line, "data")?, "usage")?;
            (usage, text(usage, "apiCallId"))
        }
        "session.compaction_complete" => match member(line, "data")?.get("compactionTokensUsed") {
            // The model did not answer.
            None | Some(Value::Null) => return Ok(None),
            Some(usage) => (usage, text(line, "id")),
        },
        _ => return Ok(None),
    };
    // Some servers use the ids of answers again, so the id of the line counts too.
    let id = match (id, text(line, "id")) {
        (_, "") => return Err(Unreadable),
        (id, of_line) => format!("{id}/{of_line}"),
    };
    let answer = TranscriptAnswer {
        id,
        model: text(usage, "model").to_owned(),
        agent_id: line.get("agentId").and_then(Value::as_str).map(str::to_owned),
        usage: Usage {
            input_tokens: count(usage, "inputTokens")?,
            output_tokens: count(usage, "outputTokens")?,
            cached_tokens: count_or_zero(usage, "cacheReadTokens")?,
            reasoning_tokens: count_or_zero(usage, "reasoningTokens")?,
        },
        at: time(line),
    };
    Ok((answer.usage.total() > 0).then_some(answer))
}

//! Transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, with the answers of its
//! subagents.

use hooks_core::event::Usage;
use serde_json::Value;

use super::{TranscriptAnswer, count, text};

/// Reads a line. The usage of a compaction is on a line of its own.
pub(super) fn line(line: &Value) -> Option<TranscriptAnswer> {
    let data = line.get("data")?;
    let (usage, id) = match text(line, "type") {
        "session.usage_record" => {
            let usage = data.get("usage")?;
            (usage, text(usage, "apiCallId"))
        }
        "session.compaction_complete" => (data.get("compactionTokensUsed")?, text(line, "id")),
        _ => return None,
    };
    // Some servers use the ids of answers again, so the id of the line counts too.
    let id = format!("{id}/{}", text(line, "id"));
    let answer = TranscriptAnswer {
        id,
        model: text(usage, "model").to_owned(),
        agent_id: line.get("agentId").and_then(Value::as_str).map(str::to_owned),
        usage: Usage {
            input_tokens: count(usage, "inputTokens"),
            output_tokens: count(usage, "outputTokens"),
            cached_tokens: count(usage, "cacheReadTokens"),
            reasoning_tokens: count(usage, "reasoningTokens"),
        },
    };
    (answer.usage.total() > 0).then_some(answer)
}

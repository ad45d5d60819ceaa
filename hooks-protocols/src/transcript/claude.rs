//! Transcripts of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`, and `SESSION/subagents/*.jsonl`.
//!
//! The lines of one message have the same id and the same usage. The summaries of a compaction are in no
//! message: they are only in `cost-state`, which holds the sums of the session so far and is written when the
//! process ends.

use std::collections::BTreeMap;

use hooks_core::event::Usage;
use serde_json::Value;

use super::{TranscriptAnswer, count, plus, text};

/// A line that matters.
pub(super) enum Line {
    /// A message of the model.
    Message(TranscriptAnswer),
    /// Sums by model since the session began, at this time. A copy of a session keeps the time, and goes on
    /// from the sums of the original.
    Sums { began: u64, by_model: BTreeMap<String, Usage> },
}

/// Reads a line.
pub(super) fn line(line: &Value) -> Option<Line> {
    match text(line, "type") {
        "assistant" => message(line.get("message")?).map(Line::Message),
        "cost-state" => Some(sums(line)),
        _ => None,
    }
}

fn message(message: &Value) -> Option<TranscriptAnswer> {
    let usage = message.get("usage")?;
    let cached = count(usage, "cache_read_input_tokens");
    let sent = count(usage, "input_tokens").saturating_add(count(usage, "cache_creation_input_tokens"));
    let thought = usage.get("output_tokens_details").map(|details| count(details, "thinking_tokens"));
    let usage = Usage {
        input_tokens: sent.saturating_add(cached),
        output_tokens: count(usage, "output_tokens"),
        cached_tokens: cached,
        reasoning_tokens: thought.unwrap_or_default(),
    };
    let (id, model) = (text(message, "id"), text(message, "model"));
    // Messages that the client itself wrote, such as an error, have no usage.
    (usage.total() > 0 && !id.is_empty()).then(|| TranscriptAnswer {
        id: id.to_owned(),
        model: model.to_owned(),
        agent_id: None,
        usage,
    })
}

fn sums(line: &Value) -> Line {
    let mut by_model = BTreeMap::new();
    for (model, sum) in line.get("modelUsage").and_then(Value::as_object).into_iter().flatten() {
        let cached = count(sum, "cacheReadInputTokens");
        let sent = count(sum, "inputTokens").saturating_add(count(sum, "cacheCreationInputTokens"));
        let usage = Usage {
            input_tokens: sent.saturating_add(cached),
            output_tokens: count(sum, "outputTokens"),
            cached_tokens: cached,
            reasoning_tokens: count(sum, "thinkingTokens"),
        };
        let all: &mut Usage = by_model.entry(model.clone()).or_default();
        *all = plus(*all, usage);
    }
    Line::Sums { began: count(line, "startTime"), by_model }
}

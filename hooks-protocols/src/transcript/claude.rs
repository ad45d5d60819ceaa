//! Transcripts of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`, and `SESSION/subagents/*.jsonl`.
//!
//! The lines of one message have the same id and the same usage. The summaries of a compaction are in no
//! message: they are only in `cost-state`, which holds the sums of the session so far and is written when the
//! process ends.

use std::collections::BTreeMap;

use hooks_core::event::Usage;
use serde_json::Value;

use super::{LineAnswer, TranscriptAnswer, Unreadable, count, count_or_zero, member, plus, text, time};

/// The model of messages that the client itself wrote.
const SYNTHETIC: &str = "<synthetic>";

/// A line that matters.
pub(super) enum Line {
    /// A message of the model.
    Message(TranscriptAnswer),
    /// Sums by model since the session began, at this time. A copy of a session keeps the time, and goes on
    /// from the sums of the original.
    Sums { began: u64, by_model: BTreeMap<String, Usage> },
}

/// Reads a line.
pub(super) fn line(line: &Value) -> Result<Option<Line>, Unreadable> {
    match text(line, "type") {
        "assistant" => Ok(message(line)?.map(Line::Message)),
        "cost-state" => sums(line).map(Some),
        _ => Ok(None),
    }
}

fn message(line: &Value) -> LineAnswer {
    let message = member(line, "message")?;
    let (id, model) = (text(message, "id"), text(message, "model"));
    let usage = match message.get("usage") {
        // Messages that the client itself wrote, such as an error, have no usage.
        None | Some(Value::Null) if model == SYNTHETIC => return Ok(None),
        _ => member(message, "usage")?,
    };
    let cached = count_or_zero(usage, "cache_read_input_tokens")?;
    let sent =
        count(usage, "input_tokens")?.saturating_add(count_or_zero(usage, "cache_creation_input_tokens")?);
    let thought = match usage.get("output_tokens_details") {
        Some(details) => count_or_zero(details, "thinking_tokens")?,
        None => 0,
    };
    let usage = Usage {
        input_tokens: sent.saturating_add(cached),
        output_tokens: count(usage, "output_tokens")?,
        cached_tokens: cached,
        reasoning_tokens: thought,
    };
    if usage.total() == 0 {
        return Ok(None);
    }
    // Without an id, the lines of one message would count several times.
    if id.is_empty() {
        return Err(Unreadable);
    }
    let at = time(line);
    Ok(Some(TranscriptAnswer { id: id.to_owned(), model: model.to_owned(), agent_id: None, usage, at }))
}

fn sums(line: &Value) -> Result<Line, Unreadable> {
    let mut by_model = BTreeMap::new();
    for (model, sum) in member(line, "modelUsage")?.as_object().into_iter().flatten() {
        let cached = count_or_zero(sum, "cacheReadInputTokens")?;
        let sent = count(sum, "inputTokens")?.saturating_add(count_or_zero(sum, "cacheCreationInputTokens")?);
        let usage = Usage {
            input_tokens: sent.saturating_add(cached),
            output_tokens: count(sum, "outputTokens")?,
            cached_tokens: cached,
            reasoning_tokens: count_or_zero(sum, "thinkingTokens")?,
        };
        let all: &mut Usage = by_model.entry(plain(model).to_owned()).or_default();
        *all = plus(*all, usage);
    }
    Ok(Line::Sums { began: count_or_zero(line, "startTime")?, by_model })
}

/// The name of a model as messages have it. Sums add a suffix for the size of the context, such as `[1m]`.
fn plain(model: &str) -> &str {
    match model.split_once('[') {
        Some((name, suffix)) if suffix.ends_with(']') && !name.is_empty() => name,
        _ => model,
    }
}

//! Transcripts of Qwen Code: `~/.qwen/projects/PROJECT/chats/SESSION.jsonl`, with the answers of its subagents.

use hooks_core::event::Usage;
use serde_json::Value;

use super::{LineAnswer, TranscriptAnswer, Unreadable, count, count_or_zero, member, text, time};

/// Reads a line. Lines of the messages lack the answers that the client asks for on its own, such as summaries.
pub(super) fn line(line: &Value) -> LineAnswer {
    if text(line, "subtype") != "ui_telemetry" {
        return Ok(None);
    }
    let event = member(member(line, "systemPayload")?, "uiEvent")?;
    if text(event, "event.name") != "qwen-code.api_response" {
        return Ok(None);
    }
    // Some servers use the ids of answers again, so the id of the line counts too.
    let id = match (text(event, "response_id"), text(line, "uuid")) {
        (_, "") => return Err(Unreadable),
        (id, of_line) => format!("{id}/{of_line}"),
    };
    let answer = TranscriptAnswer {
        id,
        model: text(event, "model").to_owned(),
        agent_id: None,
        usage: Usage {
            input_tokens: count(event, "input_token_count")?,
            output_tokens: count(event, "output_token_count")?,
            cached_tokens: count_or_zero(event, "cached_content_token_count")?,
            reasoning_tokens: count_or_zero(event, "thoughts_token_count")?,
        },
        at: time(line),
    };
    Ok((answer.usage.total() > 0).then_some(answer))
}

//! Tool calls of Claude Code: blocks of messages. Each line names its session and folder.

use serde_json::Value;

use super::{TranscriptCall, TranscriptEnd, TranscriptStep, arguments, items, payload};
use crate::transcript::{text, time};

pub(super) fn read(line: &Value) -> Vec<TranscriptStep> {
    match text(line, "type") {
        "assistant" => items(line, "/message/content").filter_map(|block| called(line, block)).collect(),
        "user" => items(line, "/message/content").filter_map(|block| ended(line, block)).collect(),
        _ => Vec::new(),
    }
}

fn called(line: &Value, block: &Value) -> Option<TranscriptStep> {
    let (id, tool) = (text(block, "id"), text(block, "name"));
    if text(block, "type") != "tool_use" || id.is_empty() {
        return None;
    }
    let place = [
        ("session_id", text(line, "sessionId")),
        ("cwd", text(line, "cwd")),
        ("tool_use_id", id),
        ("agent_id", text(line, "agentId")),
    ];
    Some(TranscriptStep::Called(TranscriptCall {
        id: id.to_owned(),
        at: time(line),
        event: "PreToolUse",
        payload: payload("PreToolUse", place, tool, arguments(block, "input")),
    }))
}

fn ended(line: &Value, block: &Value) -> Option<TranscriptStep> {
    let id = text(block, "tool_use_id");
    if text(block, "type") != "tool_result" || id.is_empty() {
        return None;
    }
    let decision = |name| line.pointer("/permissionDecision").map_or("", |decision| text(decision, name));
    let by_text = text(block, "content")
        .strip_prefix("PreToolUse:")
        .is_some_and(|rest| rest.split_once(' ').is_some_and(|(_, rest)| rest.starts_with("hook error")));
    let is_denied = by_text || (decision("decision") == "reject" && decision("source") == "hook");
    Some(TranscriptStep::Ended(TranscriptEnd { id: id.to_owned(), at: time(line), is_denied }))
}

//! Plans: calls of several conversations with one server, such as those of a parent and its subagents.
//!
//! The last mark in a text of the user selects the plan. Its calls are made in order, however the client shortens
//! the conversation meanwhile.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use serde_json::Value;

use super::{Shared, Turn, offers};

/// The usage that an answer states.
#[derive(Clone, Copy, Debug)]
pub(in crate::e2e) struct Tokens {
    /// Tokens sent, with those of the cache.
    pub(super) sent: u64,
    /// Tokens that were read from the cache.
    pub(super) cached: u64,
    /// Tokens that were written to the cache, which only Anthropic reports.
    pub(super) written: u64,
    /// Tokens received, with those of the reasoning.
    pub(super) received: u64,
    /// Tokens of the reasoning.
    pub(super) thought: u64,
}

impl Tokens {
    /// A thousand tokens.
    pub(super) const EQUAL: Self = Self { sent: 900, cached: 0, written: 0, received: 100, thought: 0 };

    /// The usage of an answer that no other answer has, so that mistakes do not cancel out.
    pub(super) const fn of_answer(number: u64) -> Self {
        Self {
            sent: 1_000 + 17 * number + number * number,
            cached: 100 + 5 * number,
            written: 20 + 3 * number,
            received: 100 + 7 * number,
            thought: 10 + number,
        }
    }

    /// Tokens sent and received.
    pub(in crate::e2e) const fn total(&self) -> u64 {
        self.sent + self.received
    }
}

/// Progress of the plans.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// Number of the next call, by plan.
    next: BTreeMap<usize, usize>,
    /// The plan of the last call. A conversation that was shortened may have no mark.
    last: Option<usize>,
}

/// Texts by which clients ask for a summary of a conversation. Such a request can offer tools.
const SUMMARIES: &[&str] = &[
    "Your task is to create a detailed summary",
    "CONTEXT CHECKPOINT COMPACTION",
    "create a detailed summary of the conversation",
    "summary of this conversation",
    "EARLIER-CONVERSATION-SUMMARY",
];

impl Shared {
    /// The next step of the plan that the request belongs to.
    pub(super) fn planned(&self, body: &Value) -> Turn {
        let texts = said(body);
        if texts.last().is_some_and(|last| SUMMARIES.iter().any(|summary| last.contains(summary))) {
            return Turn::Done;
        }
        let plan_of = |text: &String| {
            let found = self.script.plans.iter().enumerate();
            let found = found.filter_map(|(index, plan)| Some((text.rfind(plan.mark)?, index)));
            found.max().map(|(_, index)| index)
        };
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(plan) = texts.iter().rev().find_map(plan_of).or(steps.last) else { return Turn::Done };
        let number = steps.next.get(&plan).copied().unwrap_or_default();
        let call = self.script.plans.get(plan).and_then(|plan| plan.calls.get(number));
        let Some(mut wanted) = call.map(|call| call.wanted(self.speech, &self.work)) else {
            return Turn::Done;
        };
        // Requests for a title offer no tools. Codex CLI offers the tools for subagents only to a model that searches.
        let starts_agents = SUBAGENTS.contains(&wanted.tool) && offers(body, "exec_command");
        if !offers(body, wanted.tool) && !starts_agents {
            return Turn::Done;
        }
        steps.next.insert(plan, number.saturating_add(1));
        steps.last = Some(plan);
        let places = [
            ("{agent}", last_agent(body)),
            ("\"{session}\"", last_session(body)),
            ("{output}", last_output(body)),
        ];
        for (place, id) in places.into_iter().filter_map(|(place, id)| Some((place, id?))) {
            let arguments = wanted.arguments.to_string().replace(place, &id);
            wanted.arguments = serde_json::from_str(&arguments).unwrap_or_default();
        }
        Turn::Call(number, wanted)
    }
}

/// The texts of the user, in order, without results of tools.
fn said(body: &Value) -> Vec<String> {
    let messages = ["messages", "input", "contents"].into_iter().find_map(|key| body.get(key)?.as_array());
    let mut texts = Vec::new();
    for message in messages.into_iter().flatten() {
        if message.get("role").and_then(Value::as_str) != Some("user") {
            continue;
        }
        match message.get("content").or_else(|| message.get("parts")) {
            Some(Value::String(text)) => texts.push(text.clone()),
            Some(Value::Array(parts)) => {
                texts.extend(parts.iter().filter_map(|part| part.get("text")?.as_str()).map(str::to_owned));
            }
            _ => {}
        }
    }
    texts
}

/// The id of the subagent that the last result names.
fn last_agent(body: &Value) -> Option<String> {
    let text = body.to_string();
    let (_, after) = text.rsplit_once("agent_id\\\":\\\"")?;
    after.split_once("\\\"").map(|(id, _)| id.to_owned())
}

/// The number of the last command of Codex CLI or Gemini CLI that still ran at its result.
fn last_session(body: &Value) -> Option<String> {
    let text = body.to_string();
    // Descriptions of tools have these words too.
    ["session ID ", "(PID: "].into_iter().find_map(|words| {
        text.rsplit(words).find_map(|after| {
            let end = after.find(|c: char| !c.is_ascii_digit())?;
            after.get(..end).filter(|id| !id.is_empty()).map(str::to_owned)
        })
    })
}

/// The file with the output of the last command of Claude Code in the background.
fn last_output(body: &Value) -> Option<String> {
    let text = body.to_string();
    let (before, _) = text.rsplit_once(".output")?;
    let start = before.rfind(|c: char| c.is_whitespace() || c == '"')?;
    Some(format!("{}.output", before.get(start..)?.get(1..)?))
}

/// Tools for subagents of Codex CLI, and their namespace.
const SUBAGENTS: &[&str] = &["spawn_agent", "wait_agent"];
const OF_SUBAGENTS: &str = "multi_agent_v1";

/// The namespace of a tool, if it has one.
pub(super) fn namespace<'b>(body: &'b Value, tool: &str) -> Option<&'b str> {
    if SUBAGENTS.contains(&tool) {
        return Some(OF_SUBAGENTS);
    }
    let groups = body.get("tools")?.as_array()?;
    let group = groups.iter().find(|group| {
        let tools = group.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().any(|one| one.get("name").is_some_and(|name| name == tool))
    });
    group?.get("name")?.as_str()
}

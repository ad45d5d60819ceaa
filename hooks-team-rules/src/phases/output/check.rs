//! The faults of an output.

use std::collections::BTreeMap;

use hooks_core::event::{PostToolUse, SubagentStop};
use hooks_core::{HookContext, HookRequest, Reason};
use hooks_facts::tools::{ToolKind, ToolTable};
use serde_json::Value;

use super::NAME;
use crate::phases::config::PhasesConfig;
use crate::phases::pipeline::{Pipeline, PipelineStatus};
use crate::phases::source::Phases;

/// Endings of a verdict: `approved`, `PASSES`, `failing`.
const ENDINGS: &[&str] = &["", "D", "S", "ED", "ES", "ING", "URE"];
/// Fields of an answer that hold its text.
const TEXT_FIELDS: &[&str] = &["content", "text", "output", "result", "response", "message", "stdout"];
/// Deepest list or object whose text is read.
const DEEPEST: usize = 32;

/// Finds faults of outputs.
#[derive(Clone, Debug)]
pub(super) struct OutputCheck {
    phases: Phases,
    tools: ToolTable,
    least: usize,
    verdicts: BTreeMap<String, Vec<String>>,
}

impl OutputCheck {
    pub(super) fn new(config: &PhasesConfig, phases: Phases, tools: ToolTable) -> Self {
        let output = &config.output;
        Self { phases, tools, least: output.least_characters, verdicts: output.verdicts.clone() }
    }

    /// Returns the fault of the result of a tool that starts an agent. A failed call has no output.
    pub(super) fn of_tool(&self, request: &HookRequest<PostToolUse>) -> Option<Reason> {
        let event = request.event();
        let starts_agent =
            self.tools.kind_of_call(&event.tool_name, &event.tool_args) == ToolKind::SpawnAgent;
        if !starts_agent || event.error.is_some() {
            return None;
        }
        self.fault(request.context(), &text_of(&event.tool_result, 0))
    }

    /// Returns the fault of the answer of a child. One that goes on because of a denial is not looked at again.
    pub(super) fn of_child(&self, request: &HookRequest<SubagentStop>) -> Option<Reason> {
        let event = request.event();
        if event.stop_hook_active {
            return None;
        }
        self.fault(request.context(), event.response.as_deref()?)
    }

    fn fault(&self, context: &HookContext, text: &str) -> Option<Reason> {
        let pipelines = self.phases.pipelines(context)?;
        let running = pipelines.iter().filter(|pipeline| {
            pipeline.status == PipelineStatus::Running
                && pipeline.problem.is_none()
                && pipeline.governs(context)
        });
        let newest = running.max_by_key(|pipeline| pipeline.updated)?;
        self.fault_in(newest, context, text)
    }

    fn fault_in(&self, pipeline: &Pipeline, context: &HookContext, text: &str) -> Option<Reason> {
        let phase = format!("phase `{}` of `{}`", pipeline.phase, pipeline.name(context.root()));
        let text = text.trim();
        let length = text.chars().count();
        if length < self.least {
            let message = format!(
                "the output of the agent in {phase} has {length} characters, fewer than {}",
                self.least
            );
            return Some(Reason::new(NAME, "empty", message).instead("run the agent again"));
        }
        let is_readable = |c: char| c.is_alphanumeric();
        let unreadable =
            text.chars().filter(|c| *c == '\u{fffd}' || c.is_control() && !c.is_whitespace()).count();
        if !text.contains(is_readable) || unreadable > length / 2 {
            let message = format!("the output of the agent in {phase} has no words");
            return Some(Reason::new(NAME, "incoherent", message).instead("run the agent again"));
        }
        let verdicts = self.verdicts.get(&pipeline.phase).filter(|verdicts| !verdicts.is_empty())?;
        if verdicts.iter().any(|verdict| has_verdict(text, verdict)) {
            return None;
        }
        let wanted: Vec<_> = verdicts.iter().map(|verdict| format!("`{verdict}`")).collect();
        let message = format!("the output of the agent in {phase} has none of {}", wanted.join(", "));
        Some(Reason::new(NAME, "verdict", message).instead("ask the agent for its verdict"))
    }
}

/// Returns whether a text has a verdict as a word: `approve`, `Approved`, `APPROVE_WITH_NOTES`.
fn has_verdict(text: &str, verdict: &str) -> bool {
    let verdict = verdict.to_uppercase();
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.into_iter().any(|word| {
        let word = word.to_uppercase();
        word.trim_start_matches('_').strip_prefix(&*verdict).is_some_and(|ending| {
            let ending = ending.split('_').next().unwrap_or_default();
            ENDINGS.contains(&ending)
        })
    })
}

/// Returns the text of an answer: of a text, of a list of blocks, or of an object with a field for it. Another object
/// is taken as JSON.
fn text_of(value: &Value, depth: usize) -> String {
    match value {
        Value::Null | Value::Bool(false) => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if depth < DEEPEST => {
            let texts: Vec<_> = items.iter().map(|item| text_of(item, depth + 1)).collect();
            texts.join("\n")
        }
        Value::Object(fields) if depth < DEEPEST => {
            let texts: Vec<_> = TEXT_FIELDS.iter().filter_map(|name| fields.get(*name)).collect();
            if texts.is_empty() && !fields.is_empty() {
                return value.to_string();
            }
            texts.into_iter().map(|text| text_of(text, depth + 1)).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_verdict_is_a_word_of_its_own() {
        for text in ["Verdict: APPROVE", "approved.", "**Approve_With_Notes**", "it approves", "_approve_"] {
            assert!(has_verdict(text, "approve"), "{text}");
        }
        for text in ["disapproved", "unapproved", "approval", "preapprove", "approvement"] {
            assert!(!has_verdict(text, "approve"), "{text}");
        }
        assert!(
            !has_verdict("bypass, password, Überpass, passage", "pass")
                && has_verdict("PASS_WITH_NOTES", "pass")
        );
        assert!(has_verdict("a failure", "fail") && !has_verdict("failsafe", "fail"));
    }

    #[test]
    fn the_text_of_an_answer_is_found() {
        for (answer, text) in [
            (json!("a"), "a"),
            (json!([{"type": "text", "text": "a"}]), "a"),
            (json!({"status": "completed", "content": [{"type": "text", "text": ""}], "totalTokens": 0}), ""),
            (json!({"x": 1}), "{\"x\":1}"),
            (json!({}), ""),
            (json!(null), ""),
        ] {
            assert_eq!(text_of(&answer, 0), text, "{answer}");
        }
    }
}

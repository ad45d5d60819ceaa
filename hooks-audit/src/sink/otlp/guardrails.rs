//! A span for each decision, beside the span of the operation that it is about.
//!
//! OpenTelemetry has no finished convention for guardrails. The names here are those of the proposal `run_guardrail`
//! (open-telemetry/semantic-conventions-genai, pull request 427), which was open in November 2026: they may change with it.

use hooks_core::Strength;
use serde_json::{Value, json};

use super::ids::{Roots, of_guardrail, of_session};
use super::traces::INTERNAL;
use super::value::{Attributes, nanos};
use crate::read::Committed;

const OPERATION: &str = "run_guardrail";

/// Kinds of targets, by the event that is judged. Others have no kind in the proposal.
const TARGETS: [(&str, &str); 5] = [
    ("pre_tool_use", "tool_call"),
    ("post_tool_use", "tool_output"),
    ("user_prompt_submitted", "llm_input"),
    ("before_model_call", "llm_input"),
    ("after_model_call", "llm_output"),
];

/// Returns the span of a record's decision; `None` if no rule decided.
pub(super) fn span(committed: &Committed, roots: &Roots) -> Option<Value> {
    let record = &committed.record;
    let decision = record.outcome.filter(|decision| *decision != Strength::NoOpinion)?;
    if record.session.is_empty() {
        return None;
    }
    let policy = record.policy.as_deref().unwrap_or_default();
    let target = TARGETS.iter().find(|(event, _)| record.event == *event).map(|(_, target)| *target);
    let attributes = Attributes::default()
        .text("gen_ai.operation.name", OPERATION)
        .text("gen_ai.conversation.id", &record.session)
        .text("gen_ai.agent.name", &record.agent)
        .text("gen_ai.security.guardrail.name", policy)
        .text("gen_ai.security.verdict.type", decision.name())
        .text_of("gen_ai.security.target.type", target)
        .text_of("gen_ai.security.policy.rule.id", record.rule.as_ref())
        .text_of("gen_ai.tool.name", record.tool.as_ref())
        .text_of("gen_ai.tool.call.id", record.call.as_ref().filter(|_| record.tool.is_some()))
        .text_of("gen_ai.request.model", record.model.as_ref())
        .text_of("hooks.rules.version", record.rules.as_ref())
        .text("log.record.uid", committed.key());
    Some(json!({
        "traceId": roots.trace(record),
        "spanId": of_guardrail(committed),
        "parentSpanId": of_session(record, &record.session),
        "name": format!("{OPERATION} {policy}").trim_end(),
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(record.at.0),
        "endTimeUnixNano": nanos(record.at.0),
        "attributes": attributes.into_json(),
        "status": {},
    }))
}

#[cfg(test)]
mod tests {
    use hooks_core::EventKind;

    use super::*;

    #[test]
    fn targets_are_events() {
        for (event, _) in TARGETS {
            assert!(EventKind::from_name(event).is_some(), "{event}");
        }
    }
}

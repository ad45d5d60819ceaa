//! A span for each session, child, model call and tool call, by the conventions for generative AI.

use serde_json::{Value, json};

use super::ids::{Roots, of_record, of_session};
use super::value::{Attributes, nanos};
use crate::read::Committed;
use crate::record::Record;

/// Span kind of work inside this process.
pub(super) const INTERNAL: u8 = 1;
/// Span kind of a call to another service.
const CLIENT: u8 = 3;
/// Status code of a failure.
const ERROR: u8 = 2;

/// Returns the span that ends with a record; `None` if the record ends no span.
pub(super) fn span(committed: &Committed, roots: &Roots) -> Option<Value> {
    let record = &committed.record;
    if record.session.is_empty() {
        return None;
    }
    let tool = record.tool.as_deref().unwrap_or_default();
    let model = record.model.as_deref().unwrap_or_default();
    let (operation, about, kind) = match record.event.as_str() {
        "post_tool_use" => ("execute_tool", tool, INTERNAL),
        "after_model_call" => ("chat", model, CLIENT),
        "subagent_stop" => ("invoke_agent", record.child.as_deref().unwrap_or_default(), INTERNAL),
        "session_end" => ("invoke_agent", record.agent.as_str(), INTERNAL),
        _ => return None,
    };
    let is_session = record.event == "session_end";
    let (id, parent) = match is_session {
        true => (
            of_session(record, &record.session),
            record.parent.as_ref().map(|above| of_session(record, above)),
        ),
        false => (of_record(committed), Some(of_session(record, &record.session))),
    };
    let begin = record.at.0.saturating_sub(record.duration_ms.unwrap_or(0));
    let mut span = json!({
        "traceId": roots.trace(record),
        "spanId": id,
        "name": format!("{operation} {about}").trim_end(),
        "kind": kind,
        "startTimeUnixNano": nanos(begin),
        "endTimeUnixNano": nanos(record.at.0),
        "attributes": attributes(committed, operation, about),
        "status": {},
    });
    if let Some(span) = span.as_object_mut() {
        if let Some(parent) = parent {
            span.insert("parentSpanId".to_owned(), parent.into());
        }
        if record.failed {
            span.insert("status".to_owned(), json!({ "code": ERROR }));
        }
    }
    Some(span)
}

fn attributes(committed: &Committed, operation: &str, about: &str) -> Value {
    let record: &Record = &committed.record;
    let usage = record.tokens.as_ref();
    let agent = if record.event == "subagent_stop" { about } else { &record.agent };
    let attributes = Attributes::default()
        .text("gen_ai.operation.name", operation)
        .text("gen_ai.conversation.id", &record.session)
        .text("gen_ai.agent.name", agent)
        .text_of("gen_ai.agent.id", record.child_id.as_ref())
        .text_of("gen_ai.tool.name", record.tool.as_ref())
        .text_of("gen_ai.tool.call.id", record.call.as_ref().filter(|_| record.tool.is_some()))
        .text_of("gen_ai.request.model", record.model.as_ref())
        .number("gen_ai.usage.input_tokens", usage.map(|usage| usage.input_tokens))
        .number("gen_ai.usage.output_tokens", usage.map(|usage| usage.output_tokens))
        .number(
            "gen_ai.usage.cache_read.input_tokens",
            usage.map(|usage| usage.cached_tokens).filter(|cached| *cached > 0),
        )
        .number("hooks.cost.micro_usd", record.cost_micro_usd)
        .text_of("hooks.tenant", record.tenant.as_ref())
        .text_of("hooks.repo", record.repo.as_ref())
        .text("log.record.uid", committed.key());
    if record.failed { attributes.text("error.type", "_OTHER") } else { attributes }.into_json()
}

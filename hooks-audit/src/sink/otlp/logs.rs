//! A log record for each record.

use hooks_core::Strength;
use serde_json::{Value, json};

use super::ids::{Roots, of_session};
use super::value::{Attributes, nanos};
use crate::read::Committed;

/// Returns the OTLP log record of `committed`.
pub(super) fn log_record(committed: &Committed, roots: &Roots) -> Value {
    let record = &committed.record;
    let outcome = record.outcome.map(Strength::name);
    let (severity, name) = match record.outcome {
        _ if record.failed => (17, "ERROR"),
        Some(Strength::Deny) => (13, "WARN"),
        _ => (9, "INFO"),
    };
    let usage = record.tokens.as_ref();
    let attributes = Attributes::default()
        .text("log.record.uid", committed.key())
        .text("session.id", &record.session)
        .text_of("hooks.tenant", record.tenant.as_ref())
        .text_of("hooks.parent_session.id", record.parent.as_ref())
        .text_of("hooks.repo", record.repo.as_ref())
        .text("gen_ai.agent.name", &record.agent)
        .text_of("gen_ai.tool.name", record.tool.as_ref())
        .text_of("gen_ai.tool.call.id", record.call.as_ref().filter(|_| record.tool.is_some()))
        .text_of("gen_ai.request.model", record.model.as_ref())
        .number("gen_ai.usage.input_tokens", usage.map(|usage| usage.input_tokens))
        .number("gen_ai.usage.output_tokens", usage.map(|usage| usage.output_tokens))
        .number("hooks.cost.micro_usd", record.cost_micro_usd)
        .text_of("hooks.outcome", outcome)
        .text_of("hooks.answered", record.answered.as_ref())
        .text_of("hooks.policy", record.policy.as_ref())
        .text_of("hooks.rule", record.rule.as_ref())
        .text_of("hooks.rules.version", record.rules.as_ref())
        .text_of("hooks.note", record.note.as_ref())
        .number("hooks.duration_ms", record.duration_ms);
    let attributes = match committed.payload().and_then(|payload| serde_json::to_string(payload).ok()) {
        Some(payload) => attributes.text("hooks.payload", payload),
        None => attributes,
    };
    let mut log = json!({
        "timeUnixNano": nanos(record.at.0),
        "severityNumber": severity,
        "severityText": name,
        "eventName": format!("hooks.{}", record.event),
        "body": {"stringValue": record.event},
        "attributes": attributes.into_json(),
    });
    if let (Some(log), false) = (log.as_object_mut(), record.session.is_empty()) {
        log.insert("traceId".to_owned(), roots.trace(record).into());
        log.insert("spanId".to_owned(), of_session(record, &record.session).into());
    }
    log
}

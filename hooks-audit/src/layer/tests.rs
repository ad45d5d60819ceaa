use std::sync::Arc;

use hooks_core::event::{Notification, PreToolUse};
use hooks_core::time::{StoppedClock, Timestamp};
use hooks_core::{
    Decision, Govern, HookContext, HookError, HookRequest, Hooks, Judge, Judged, Outcome, Reason, ReasonKind,
    Settle, Strength, TransformLayer, Verdict, drivers, policy_fn,
};
use serde_json::json;
use tower::{ServiceBuilder, ServiceExt};

use super::*;
use crate::log::{Log, LogSettings};
use crate::read::{Committed, LogReader, Positions};
use crate::record::notes;
use crate::sim::{Faults, SimDisk};

fn audit(disk: &SimDisk, settings: AuditSettings) -> Audit {
    let clock = Arc::new(StoppedClock(Timestamp(1)));
    let log = Log::open(Arc::new(disk.clone()), "/log", LogSettings::new([0; 32]), clock).unwrap();
    Audit::new(log, settings)
}

/// Records that survive a power loss at this moment.
fn on_the_device(disk: &SimDisk) -> Vec<Committed> {
    let image = disk.after_power_cut(3);
    drop(audit(&image, AuditSettings::default()));
    let all = LogReader::new(Arc::new(image), "/log", Positions::default()).read(1_000).unwrap();
    all.into_iter().filter(|committed| committed.record.event != notes::RECOVERED).collect()
}

fn events(records: &[Committed]) -> Vec<&str> {
    records.iter().map(|committed| committed.record.event.as_str()).collect()
}

fn call(tool: &str) -> HookRequest<PreToolUse> {
    HookRequest::new(HookContext::new("s", "a"), PreToolUse::new(tool, json!({"key": "secret"})))
}

fn no_shell(request: &HookRequest<PreToolUse>) -> Verdict {
    match &*request.event().tool_name {
        "bash" => Verdict::deny(Reason::new("no-shell", "any", "no shell here")),
        _ => Verdict::ALLOW,
    }
}

/// Removes secrets.
#[derive(Clone, Debug)]
struct Redact;

impl hooks_core::Transform<PreToolUse> for Redact {
    fn name(&self) -> &'static str {
        "redact"
    }

    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<serde_json::Value>, HookError> {
        Ok(Some(json!({"key": "[gone]"})))
    }
}

async fn ask(audit: Audit, tool: &str) -> Decision<PreToolUse> {
    let stack = ServiceBuilder::new()
        .layer(AuditLayer::new(audit))
        .layer(TransformLayer::new(Redact))
        .service(Judge::new(policy_fn("no-shell", no_shell)));
    stack.oneshot(call(tool)).await.unwrap()
}

#[tokio::test]
async fn a_refusal_is_on_the_device_before_it_is_answered_and_redacted() {
    let disk = SimDisk::new(1);
    let audit = audit(&disk, AuditSettings::default());
    assert!(ask(audit, "bash").await.is_denied());
    let records = on_the_device(&disk);
    let [committed] = &records[..] else { panic!("{records:?}") };
    assert_eq!(committed.record.rule.as_deref(), Some("any"));
    assert!(committed.record.rewritten);
    assert_eq!(committed.payload().unwrap().event["tool_args"], json!({"key": "[gone]"}));
}

#[tokio::test]
async fn an_allow_is_on_the_device_first_only_where_it_cannot_be_undone() {
    let disk = SimDisk::new(1);
    let before: Arc<IsIrreversible> = Arc::new(|tool| tool == "deploy");
    let audit = audit(&disk, AuditSettings { before: Some(before), ..AuditSettings::default() });
    assert_eq!(ask(audit.clone(), "deploy").await.strength(), Strength::Allow);
    assert_eq!(events(&on_the_device(&disk)), ["pre_tool_use"]);
    assert_eq!(ask(audit.clone(), "read").await.strength(), Strength::Allow);
    drop(audit);
    assert_eq!(events(&on_the_device(&disk)).len(), 2);
}

#[tokio::test]
async fn without_a_log_nothing_is_changed_and_reading_goes_on() {
    let disk = SimDisk::new(1);
    let audit = audit(&disk, AuditSettings::default());
    disk.with_faults(Faults { append: 1_000, ..Faults::default() });
    // The first failing record is the one that waits.
    assert!(ask(audit.clone(), "bash").await.is_denied());
    let denied = ask(audit.clone(), "write").await;
    let reason = denied.shown_reason().unwrap();
    assert_eq!(
        (denied.strength(), reason.kind, &*reason.policy),
        (Strength::Deny, ReasonKind::Failure, "audit")
    );
    // If a tool declares nothing, its name decides, if it is a known one.
    for (tool, read_only, goes_on) in [
        ("anything", Some(true), true),
        ("Read", None, true),
        ("read", Some(false), false),
        ("read_everything_and_more", None, false),
    ] {
        let mut call = PreToolUse::new(tool, json!({}));
        call.read_only = read_only;
        let stack = ServiceBuilder::new().layer(AuditLayer::new(audit.clone())).service(Settle);
        let answer = stack.oneshot(HookRequest::new(HookContext::default(), call)).await.unwrap();
        assert_eq!(answer.goes_ahead(), goes_on, "{tool}");
    }
}

#[tokio::test]
async fn a_set_has_every_event_on_the_record_and_refusals_on_the_device() {
    let disk = SimDisk::new(1);
    let before: Arc<IsIrreversible> = Arc::new(|tool| tool == "deploy");
    let audit = audit(&disk, AuditSettings { before: Some(before), ..AuditSettings::default() });
    let hooks = Hooks::builder().transform(Redact).policy(policy_fn("no-shell", no_shell));
    let Ok(hooks) = hooks.config(audit.clone());
    let hooks = hooks.build();
    assert_eq!(hooks.hooked().len(), hooks_core::EventKind::ALL.len());
    let tools = tower::service_fn(|_: drivers::ToolCall| async {
        Ok::<_, HookError>(drivers::ToolResult::ok("done"))
    });
    let governed = Govern::new(hooks.clone(), tools);
    let run = |tool: &str| {
        let context = Arc::new(HookContext::new("s", "a"));
        governed
            .clone()
            .oneshot(drivers::ToolRequest { context, call: drivers::ToolCall::new(tool, json!({})) })
    };
    run("bash").await.unwrap();
    assert_eq!(events(&on_the_device(&disk)), ["pre_tool_use", "tool_decided"]);
    run("deploy").await.unwrap();
    assert_eq!(events(&on_the_device(&disk))[2], notes::INTENT);
    hooks.on(HookContext::default()).notification(Notification::default()).await;
    drop((audit, hooks, governed));
    let all = on_the_device(&disk);
    assert_eq!(events(&all)[3..], ["pre_tool_use", "tool_decided", "post_tool_use", "notification"]);
    assert_eq!(all[3].payload().unwrap().event["tool_args"], json!({"key": "[gone]"}));
}

#[tokio::test]
async fn a_set_without_a_log_changes_nothing() {
    let disk = SimDisk::new(1);
    let audit = audit(&disk, AuditSettings::default());
    let Ok(hooks) = Hooks::builder().config(audit.clone());
    disk.with_faults(Faults { append: 1_000, ..Faults::default() });
    assert!(ask(audit, "bash").await.is_denied());
    let decision =
        hooks.build().on(HookContext::default()).pre_tool_use(PreToolUse::new("write", json!({}))).await;
    assert!(decision.outcome.is_denied());
    assert_eq!(&*decision.outcome.shown_reason().unwrap().policy, "audit");
}

#[test]
fn a_failed_outcome_is_a_denial() {
    let reason = Reason::failure("audit", &HookError::unavailable("x"));
    assert!(Decision::<PreToolUse>::failed(reason, true).is_denied());
}

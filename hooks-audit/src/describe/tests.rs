use hooks_core::cache::CacheAnswer;
use hooks_core::event::{
    AfterModelCall, MicroUsd, ModelReply, PostToolUse, PreToolUse, Role, SubagentStart, Usage, WireEvent,
};
use hooks_core::event::{EventKind, Message};
use hooks_core::{Decision, Judged as _, Outcome as _, Strength, Verdict};
use serde_json::json;

use super::*;

fn request<E: Event>(event: E) -> HookRequest<E> {
    let context = HookContext::new("s1", "backend").in_dir("/work").for_tenant("acme");
    HookRequest::new(context, event)
}

#[test]
fn a_decision_can_be_taken_again_from_what_was_put_down() {
    let call = PreToolUse::new("bash", json!({"command": "ls"}));
    let reason = hooks_core::Reason::new("commands", "no-ls", "no");
    let mut outcome = Decision::<PreToolUse>::from(Verdict::ALLOW);
    outcome.merge(Decision::from(Verdict::deny(reason)));
    let describe = Describe { rules: Some("v7".into()), ..Describe::default() };
    let entry = describe.entry(&request(call.clone()), PreToolUse::recorded(&outcome));
    let Entry { record, payload } = entry;
    assert_eq!(
        (record.event.as_str(), record.tool.as_deref(), record.outcome, record.policy.as_deref()),
        ("pre_tool_use", Some("bash"), Some(Strength::Deny), Some("commands"))
    );
    assert_eq!((record.rule.as_deref(), record.rules.as_deref()), (Some("no-ls"), Some("v7")));
    assert_eq!((record.tenant.as_deref(), &*record.session, &*record.agent), (Some("acme"), "s1", "backend"));
    let payload = payload.unwrap();
    assert_eq!(payload.cwd, "/work");
    assert_eq!(
        serde_json::from_value::<Vec<hooks_core::Reason>>(payload.reasons.into()).unwrap(),
        outcome.reasons()
    );
    assert_eq!(
        WireEvent::from_fields(EventKind::PreToolUse, payload.event).unwrap(),
        WireEvent::PreToolUse(call)
    );
}

#[test]
fn what_it_took_is_put_down() {
    let reply = ModelReply {
        response: Message::text(Role::Assistant, "hello"),
        usage: Usage { input_tokens: 5, output_tokens: 2, ..Usage::default() },
        cost: Some(MicroUsd(42)),
    };
    let entry =
        Describe::default().entry(&request(AfterModelCall::new("m", 1, &reply)), RecordedOutcome::default());
    assert_eq!(entry.record.tokens, Some(reply.usage));
    assert_eq!((entry.record.model.as_deref(), entry.record.cost_micro_usd), (Some("m"), Some(42)));
    let failed = PostToolUse::after(&PreToolUse::new("t", json!({})), json!(null), Some("no".into()), 17);
    let record = Describe::default().entry(&request(failed), RecordedOutcome::default()).record;
    assert_eq!((record.failed, record.duration_ms), (true, Some(17)));
}

#[test]
fn a_model_call_without_a_cost_has_that_of_the_prices() {
    let cost_of = |_: &HookContext, model: &str, usage: &Usage| {
        (model == "m").then_some(MicroUsd(usage.input_tokens * 3))
    };
    let describe = Describe { cost_of: Some(Arc::new(cost_of)), ..Describe::default() };
    let cost = |model: &str, input_tokens, cost| {
        let reply = ModelReply {
            response: Message::text(Role::Assistant, ""),
            usage: Usage { input_tokens, ..Usage::default() },
            cost,
        };
        let entry =
            describe.entry(&request(AfterModelCall::new(model, 1, &reply)), RecordedOutcome::default());
        entry.record.cost_micro_usd
    };
    assert_eq!(cost("m", 5, None), Some(15));
    assert_eq!(cost("m", 5, Some(MicroUsd(42))), Some(42), "its own cost counts");
    assert_eq!((cost("other", 5, None), cost("m", 0, None)), (None, None));
}

#[test]
fn the_answer_of_the_cache_is_on_the_record_of_the_result() {
    struct Hits;
    impl CacheHistory for Hits {
        fn take_answer(&self, context: &HookContext, event: &PostToolUse) -> Option<CacheAnswer> {
            (context.session_id == "s1" && event.tool_name == "search").then_some(CacheAnswer::Hit)
        }
    }
    let describe = Describe { cache: Some(Arc::new(Hits)), ..Describe::default() };
    let recorded = |tool: &str| {
        let event = PostToolUse::after(&PreToolUse::new(tool, json!({})), json!(null), None, 1);
        describe.entry(&request(event), RecordedOutcome::default()).record.cache
    };
    assert_eq!((recorded("search"), recorded("bash")), (Some(CacheAnswer::Hit), None));
}

#[test]
fn what_nobody_may_keep_is_taken_out_of_the_payload() {
    struct NoLetters;
    impl Scrub for NoLetters {
        fn scrub(&self, value: &mut Value) {
            *value = "gone".into();
        }
    }
    let describe = Describe { scrub: Some(Arc::new(NoLetters)), ..Describe::default() };
    let entry =
        describe.entry(&request(PreToolUse::new("t", json!({"a": "secret"}))), RecordedOutcome::default());
    assert_eq!(entry.payload.unwrap().event, json!("gone"));
}

#[test]
fn names_are_scrubbed_and_no_longer_than_names_are() {
    struct NoSecrets;
    impl Scrub for NoSecrets {
        fn scrub(&self, value: &mut Value) {
            if let Value::String(text) = value {
                *text = text.replace("secret", "[GONE]");
            }
        }
    }
    let describe = Describe { scrub: Some(Arc::new(NoSecrets)), ..Describe::default() };
    // The secret would stand where the name is cut.
    let long = format!("{}secret{}", "n".repeat(213), "n".repeat(1 << 20));
    let mut context = HookContext::new(long.clone(), long.clone()).for_tenant("secret");
    (context.parent_session_id, context.repo) = (Some(long.clone()), Some(long.clone()));
    let mut event = SubagentStart::new(long.clone(), "task");
    (event.model, event.child_id) = (Some(long.clone()), Some(long.clone()));
    let child = describe.entry(&HookRequest::new(context.clone(), event), RecordedOutcome::default()).record;
    let mut event = PreToolUse::new(long.clone(), json!({}));
    event.tool_use_id = Some(long);
    let call = describe.entry(&HookRequest::new(context, event), RecordedOutcome::default()).record;
    let Record { session, agent, parent, repo, child, child_id, model, .. } = child;
    let names = [Some(session), Some(agent), parent, repo, child, child_id, model, call.tool, call.call];
    for name in names.into_iter().map(Option::unwrap) {
        assert!(name.len() <= 256 && name.starts_with(&"n".repeat(213)), "{name}");
        assert!(!name.contains("sec") && name.ends_with(" more bytes)"), "{name}");
    }
    assert_eq!(call.tenant.as_deref(), Some("secret"), "what is said of a tenant finds it");
}

/// The texts of wishes are those of users; the record has their modes, so that they can be counted.
#[test]
fn the_modes_of_standing_wishes_are_on_the_record() {
    use hooks_core::event::{PromptKind, UserPromptSubmitted};
    use hooks_core::{ContextPatch, Directive, PromptOutcome};

    let directive = |mode: &str| Directive { text: "push to main".to_owned(), mode: mode.to_owned() };
    let patch =
        ContextPatch { directives: vec![directive("never"), directive("always")], ..ContextPatch::default() };
    let recorded = UserPromptSubmitted::recorded(&PromptOutcome::noting(patch));
    let prompt = UserPromptSubmitted::new("Never push to main.", PromptKind::Initial);
    let record = Describe::default().entry(&request(prompt), recorded).record;
    assert_eq!(record.directives, ["never", "always"]);
    assert!(!serde_json::to_string(&record).unwrap().contains("push to main"));
}

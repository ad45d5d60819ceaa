//! Counting an event allocates nothing once its names are known. A separate test binary, because it replaces
//! the allocator.
// The helpers are tests as well, so that the lints exempt them.
#![cfg(test)]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hooks_core::event::{
    AfterModelCall, Message, MicroUsd, ModelReply, PostToolUse, PreToolUse, Role, Usage,
};
use hooks_core::{Event, Gate, HookContext, HookRequest, Observer, ResultPatch, Settle};
use hooks_metrics::{Metrics, MetricsLayer};
use serde_json::{Value, json};
use tower::{Layer, Service};

fn context() -> HookContext {
    let mut context = HookContext::new("s", "backend").for_tenant("acme");
    context.team_root = Some("/teams/blue".into());
    context.repo = Some("acme/app".to_owned());
    context.call_id = Some("call-1".to_owned());
    context
}

fn request<E: Event>(event: E) -> HookRequest<E> {
    HookRequest::new(context(), event)
}

#[track_caller]
fn allocates_nothing(what: &str, mut count: impl FnMut()) {
    count();
    let counted = allocation_counter::measure(count).count_total;
    assert_eq!(counted, 0, "{what} allocated {counted} times");
}

#[test]
fn counting_allocates_nothing() {
    let metrics = Metrics::default();
    let call = PreToolUse::new("edit", json!({}));
    let after = request(PostToolUse::after(&call, Value::Null, None, 3));
    allocates_nothing("a tool call", || metrics.observe(&after, &ResultPatch::default()));

    let usage = Usage { input_tokens: 10, output_tokens: 5, cached_tokens: 1, reasoning_tokens: 1 };
    let response = Message::text(Role::Assistant, "yes");
    let reply = ModelReply { response, usage, cost: Some(MicroUsd(7)) };
    let answered = request(AfterModelCall::new("opus", 1, &reply));
    allocates_nothing("a model call", || metrics.observe(&answered, &Gate::default()));

    let mut stack = MetricsLayer::new(metrics.clone()).layer(Settle);
    let before = request(call);
    allocates_nothing("a layer", || {
        let answer = pin!(stack.call(before.clone())).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(answer, Poll::Ready(Ok(_))));
    });
    assert!(metrics.prometheus().contains("hooks_decisions_total"));
}

//! Swaps a set of hooks while calls are in flight: each call uses one whole set, the one it started with. The
//! threads are real, the time is not.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks_core::event::{PostToolUse, PreToolUse, ResultRewrite};
use hooks_core::{
    Decision, Govern, HookContext, HookError, HookRequest, Hooks, Judged, Live, Observer, ResultPatch,
    Transform,
};
use serde_json::{Value, json};
use tokio_test::task;
use tower::{ServiceExt, service_fn};

/// Overwrites the arguments before a call, and the result after it, with its number.
#[derive(Clone, Copy, Debug)]
struct Stamps(u64);

impl Transform<PreToolUse> for Stamps {
    fn name(&self) -> &'static str {
        "stamps"
    }

    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        Ok(Some(json!(self.0)))
    }
}

impl Transform<PostToolUse> for Stamps {
    fn name(&self) -> &'static str {
        "stamps"
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        Ok(Some(json!([request.event().tool_args, self.0]).into()))
    }
}

/// Checks that the call it sees was handled by its own set.
#[derive(Clone, Debug)]
struct Checks(u64, Arc<AtomicUsize>);

impl Observer<PreToolUse> for Checks {
    fn name(&self) -> &'static str {
        "checks"
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
        if request.event().tool_args != json!(self.0) || outcome.is_denied() {
            self.1.fetch_add(1, Relaxed);
        }
    }
}

impl Observer<PostToolUse> for Checks {
    fn name(&self) -> &'static str {
        "checks"
    }

    fn observe(&self, request: &HookRequest<PostToolUse>, _outcome: &ResultPatch) {
        if request.event().tool_result != json!([self.0, self.0]) {
            self.1.fetch_add(1, Relaxed);
        }
    }
}

fn set(number: u64, torn: &Arc<AtomicUsize>) -> Hooks {
    Hooks::builder()
        .transform::<PreToolUse>(Stamps(number))
        .transform::<PostToolUse>(Stamps(number))
        .observer::<PreToolUse>(Checks(number, Arc::clone(torn)))
        .observer::<PostToolUse>(Checks(number, Arc::clone(torn)))
        .build()
}

fn request() -> ToolRequest {
    ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("edit", json!(null)) }
}

#[test]
fn a_call_in_flight_keeps_the_set_it_started_with() {
    let torn = Arc::new(AtomicUsize::new(0));
    let live = Live::new(set(1, &torn));
    let (finish, finished) = tokio::sync::watch::channel(false);
    let tools = service_fn(move |_: ToolCall| {
        let mut finished = finished.clone();
        async move {
            finished.wait_for(|done| *done).await.map_err(HookError::other)?;
            Ok::<_, HookError>(ToolResult::default())
        }
    });
    let mut call = task::spawn(Govern::new(live.clone(), tools).oneshot(request()));
    assert!(call.poll().is_pending());
    live.swap(set(2, &torn));
    finish.send(true).unwrap();
    let governed = tokio_test::assert_ready_ok!(call.poll());
    let ToolOutcome::Ran(result, _) = governed.outcome else { panic!("{governed:?}") };
    assert_eq!(result.content, json!([1, 1]));
    assert_eq!(torn.load(Relaxed), 0);
}

#[test]
fn nothing_is_torn_while_threads_call_and_swap() {
    let (torn, over) = (Arc::new(AtomicUsize::new(0)), AtomicBool::new(false));
    let live = Live::new(set(0, &torn));
    let tools = service_fn(|_: ToolCall| async { Ok::<_, HookError>(ToolResult::default()) });
    thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut number = 0;
            while !over.load(Relaxed) {
                number += 1;
                live.swap(set(number, &torn));
            }
            number
        });
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let govern = Govern::new(live.clone(), tools);
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        let governed = tokio_test::block_on(govern.clone().oneshot(request())).unwrap();
                        let ToolOutcome::Ran(result, _) = governed.outcome else { panic!("it runs") };
                        assert_eq!(result.content[0], result.content[1], "one set from before to after");
                        assert_eq!(governed.call.args, result.content[0]);
                    }
                })
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        over.store(true, Relaxed);
        assert!(swapper.join().unwrap() > 0);
    });
    assert_eq!(torn.load(Relaxed), 0);
}

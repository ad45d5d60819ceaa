//! A store that fails from some operation on, as if the process were killed there: no taint that was let through is lost.

use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::HookFuture;
use hooks_core::state::{Op, StepResult, StoreError};

use super::*;

/// Store that does `left` operations and then fails.
struct Failing {
    store: Arc<Memory>,
    left: AtomicUsize,
    /// Whether the operation at which it fails is done, and its answer lost.
    does_last: bool,
}

impl StateStore for Failing {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left.is_ok() {
            return self.store.apply(op);
        }
        if self.does_last {
            drop(self.store.apply(op));
        }
        HookFuture::now(Err(StoreError::Unavailable("killed".to_owned())))
    }
}

fn rules(by: &str) -> Value {
    json!([
        {"name": "stay", "taint": {"from": {"tools": ["secret"]}, "to": {"tools": ["fetch"]}, "by": by}},
        {"name": "tested", "never": {"tools": ["push"]}, "after": {"tools": ["secret"]}, "unless": {"tools": ["test"]}},
        {"name": "one", "calls": {"tools": ["secret"]}, "at_most": 1},
    ])
}

const TOKEN: &str = "f3b1c9d27a604e8885aa";

#[tokio::test]
async fn no_taint_is_lost_at_any_operation() {
    for by in ["session", "content"] {
        for does_last in [false, true] {
            let mut went_ahead = 0;
            for left in 0..12 {
                went_ahead += usize::from(killed_after(left, by, does_last).await);
            }
            // It is killed before, during and after the call.
            assert!((1..12).contains(&went_ahead), "{by} {went_ahead}");
        }
    }
}

/// Runs a call that taints until the process is killed, then the rest in another process. Returns whether the call was
/// let through.
async fn killed_after(left: usize, by: &str, does_last: bool) -> bool {
    let (environment, clock, _) = world(FakeFileSystem::default());
    let store = Arc::new(Memory::new(clock.clone()));
    let failing = Failing { store: Arc::clone(&store), left: AtomicUsize::new(left), does_last };
    let killed = Process {
        hooks: hooks(rules(by), Arc::new(failing)),
        environment: environment.clone(),
        clock: clock.clone(),
    };
    let call = PreToolUse::new("secret", json!({}));
    let mut decision = killed.decide(killed.context("s", None), call.clone()).await;
    let goes_ahead = decision.outcome.goes_ahead();
    let mut is_withheld = false;
    if goes_ahead {
        decision.commit();
        let result = PostToolUse::after(&call, json!(TOKEN), None, 1);
        let patch = killed.hooks.on(killed.context("s", None)).post_tool_use(result).await;
        is_withheld = patch.outcome.is_denied();
    }
    let next = Process { hooks: hooks(rules(by), store), environment, clock };
    let is_denied = async |tool: &str, args| {
        let decision = next.decide(next.context("s", None), PreToolUse::new(tool, args)).await;
        decision.outcome.is_denied()
    };
    if goes_ahead {
        assert!(is_denied("fetch", json!({ "url": TOKEN })).await, "{left} {by} {is_withheld}");
        assert!(is_denied("push", json!({})).await, "{left} {by}");
        assert!(is_denied("secret", json!({})).await, "{left} {by}");
    }
    goes_ahead
}

#[tokio::test]
async fn a_store_that_fails_denies_the_call_and_lifts_nothing() {
    for left in 0..8 {
        let (environment, clock, _) = world(FakeFileSystem::default());
        let store = Arc::new(Memory::new(clock.clone()));
        let healthy = |store: Arc<dyn StateStore>| Process {
            hooks: hooks(rules("session"), store),
            environment: environment.clone(),
            clock: clock.clone(),
        };
        let process = healthy(Arc::clone(&store) as Arc<dyn StateStore>);
        process.run("secret", json!({}), Ok("")).await;
        let failing = Failing { store: Arc::clone(&store), left: AtomicUsize::new(left), does_last: false };
        let failing = healthy(Arc::new(failing));
        let test = PreToolUse::new("test", json!({}));
        let mut decision = failing.decide(failing.context("s", None), test.clone()).await;
        let mut is_lifted = false;
        if decision.outcome.goes_ahead() {
            decision.commit();
            let result = PostToolUse::after(&test, json!("ok"), None, 1);
            is_lifted =
                !failing.hooks.on(failing.context("s", None)).post_tool_use(result).await.outcome.is_denied();
        }
        let push = process.decide(process.context("s", None), PreToolUse::new("push", json!({}))).await;
        assert_eq!(push.outcome.goes_ahead(), is_lifted, "{left}");
    }
}

#[tokio::test]
async fn a_damaged_state_denies() {
    let (environment, clock, _) = world(FakeFileSystem::default());
    let store = Arc::new(Memory::new(clock.clone()));
    let process = Process { hooks: hooks(rules("session"), Arc::clone(&store) as _), environment, clock };
    let key = hooks_core::state::Key::new(None, &["sequences", "s", "state"]);
    store.apply(Op::Put { key, value: "1|zz".into(), ttl: None }).await.unwrap();
    assert_eq!(process.run("secret", json!({}), Ok("")).await, Strength::Deny);
}

//! A call that waits for a person's approval goes on after its service was restarted.
// The helper is a test as well: the lints exempt it.
#![cfg(test)]
#![cfg(all(feature = "policies", feature = "sqlite"))]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks::budgets::Approvals;
use hooks::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks::event::PreToolUse;
use hooks::store::SqliteStore;
use hooks::{BoxError, Govern, HookContext, HookRequest, Hooks, Reason, SystemRandom, Verdict, policy_fn};
use serde_json::json;
use tower::{ServiceExt, service_fn};

/// One life of a service: it opens the store, makes a call that needs an approval, and ends.
async fn service(store: &Path, arguments: &serde_json::Value, runs: &Arc<AtomicUsize>) -> ToolOutcome {
    let ask = |_: &HookRequest<PreToolUse>| Verdict::ask(Reason::new("ask", "all", "a person decides"));
    let store = Arc::new(SqliteStore::open(store).unwrap());
    let approvals = Approvals::new(store, Arc::new(SystemRandom));
    let runs = Arc::clone(runs);
    let tools = service_fn(move |_: ToolCall| {
        runs.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, BoxError>(ToolResult::ok("done")) }
    });
    let hooks = Hooks::builder().policy(policy_fn("ask", ask)).build();
    let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(hooks::system());
    let request = ToolRequest { context: context.into(), call: ToolCall::new("deploy", arguments.clone()) };
    Govern::new(hooks, tools).with_approver(approvals).oneshot(request).await.unwrap().outcome
}

#[tokio::test]
async fn a_pending_call_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (store, runs) = (folder.path().join("state.db"), Arc::new(AtomicUsize::new(0)));
    let deploy = json!({"to": "production"});
    let ToolOutcome::Denied(reason) = service(&store, &deploy, &runs).await else { panic!("it ran") };
    assert!(reason.contains("waits for a person's approval under the code"), "{reason}");

    // A person approves it from another process.
    {
        let approvals = Approvals::new(Arc::new(SqliteStore::open(&store).unwrap()), Arc::new(SystemRandom));
        let waiting = approvals.waiting(None).await.unwrap();
        assert_eq!(waiting.len(), 1);
        assert!(reason.contains(&waiting[0].code.to_string()), "{reason}");
        approvals.approve(&waiting[0], "Ada").await.unwrap();
    }

    // Another call needs an approval of its own, and this one passes once.
    assert!(matches!(service(&store, &json!({"to": "staging"}), &runs).await, ToolOutcome::Denied(_)));
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    assert!(matches!(service(&store, &deploy, &runs).await, ToolOutcome::Ran(..)));
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    assert!(matches!(service(&store, &deploy, &runs).await, ToolOutcome::Denied(_)));
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

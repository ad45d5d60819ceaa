//! A custom provider next to a set of hooks: a composite, in which the stronger answer wins.
//!
//! Run with `cargo run -p tower-hooks-core --example own_provider`.

use std::sync::atomic::{AtomicU64, Ordering};

use hooks_core::event::{Notification, PreToolUse};
use hooks_core::{
    Composite, Decision, HookContext, HookFuture, HookRequest, Hooks, HooksProvider, Judged, Reason,
    Strength, Verdict, decide, policy_fn,
};
use serde_json::json;

/// Allows the tools that it knows, and counts notifications.
#[derive(Default)]
struct Office {
    notifications: AtomicU64,
}

impl HooksProvider for Office {
    fn judge_pre_tool_use(&self, request: &HookRequest<PreToolUse>) -> Decision<PreToolUse> {
        match &*request.event().tool_name {
            "read_file" | "bash" => Decision::allow(),
            _ => Decision::default(),
        }
    }

    fn notification(&self, request: HookRequest<Notification>) -> HookFuture<'_, ()> {
        self.notifications.fetch_add(1, Ordering::Relaxed);
        println!("told: {}", request.event().message);
        HookFuture::now(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let no_shell =
        policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
            "bash" => Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell")),
            _ => Verdict::NO_OPINION,
        });
    let hooks = Hooks::builder().policy(no_shell).build();
    // The early allow of `Office` never hides the later denial.
    let all = Composite::default().and(Office::default()).and(hooks);

    for (tool, wanted) in
        [("read_file", Strength::Allow), ("bash", Strength::Deny), ("edit", Strength::NoOpinion)]
    {
        let request = HookRequest::new(HookContext::new("s", "Ripley"), PreToolUse::new(tool, json!({})));
        let decision = decide(&all, request).await;
        println!("{tool}: {}", decision.outcome.strength());
        assert_eq!(decision.outcome.strength(), wanted);
    }
    let context = HookContext::new("s", "Ripley");
    let event = Notification::new(hooks_core::event::Level::Info, "three calls were judged");
    hooks_core::tell(&all, HookRequest::new(context, event)).await;
}

//! Hooks per tenant: each has its own set, which can be swapped without affecting the others.
//!
//! Run with `cargo run -p tower-hooks-core --example tenants`.

use std::collections::HashMap;

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Hooks, Judged, Live, Reason, Strength, Verdict, policy_fn};
use serde_json::json;

/// A set of hooks that denies one tool.
fn without(tool: &'static str) -> Hooks {
    Hooks::builder()
        .policy(policy_fn("without", move |request: &HookRequest<PreToolUse>| {
            if request.event().tool_name == tool {
                return Verdict::deny(Reason::new(
                    "without",
                    tool,
                    format!("`{tool}` is not part of this plan"),
                ));
            }
            Verdict::NO_OPINION
        }))
        .build()
}

async fn strength(tenants: &HashMap<&str, Live>, tenant: &str, tool: &str) -> Strength {
    // Requests of an unknown tenant are denied.
    let Some(hooks) = tenants.get(tenant) else { return Strength::Deny };
    let context = HookContext::new("s", "Ripley").for_tenant(tenant);
    let request = HookRequest::new(context, PreToolUse::new(tool, json!({})));
    hooks.decide(request).await.outcome.strength()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tenants =
        HashMap::from([("acme", Live::new(without("bash"))), ("globex", Live::new(without("web_fetch")))]);
    assert_eq!(strength(&tenants, "acme", "bash").await, Strength::Deny);
    assert_eq!(strength(&tenants, "globex", "bash").await, Strength::NoOpinion);
    assert_eq!(strength(&tenants, "initech", "bash").await, Strength::Deny);

    let acme = tenants.get("acme").cloned().unwrap_or_else(|| Live::new(without("bash")));
    acme.swap(without("web_fetch"));
    assert_eq!(strength(&tenants, "acme", "bash").await, Strength::NoOpinion);
    println!("acme lost its rule on `bash`; globex kept its own; initech is not known and gets nothing");
}

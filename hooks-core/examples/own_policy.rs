//! A custom policy, its law test, and the stack it is used in.
//!
//! Run with `cargo run -p tower-hooks-core --example own_policy --features testing`; its test with
//! `cargo test -p tower-hooks-core --example own_policy --features testing`.

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Judge, Judged, Policy, Reason, Verdict};
use serde_json::json;
use tower::ServiceExt;

/// Allows only one agent to change migrations.
struct OnlyForTheDba;

impl Policy<PreToolUse> for OnlyForTheDba {
    fn name(&self) -> &'static str {
        "only-for-the-dba"
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let path = request.event().tool_args.get("path").and_then(|path| path.as_str()).unwrap_or_default();
        if !path.starts_with("migrations/") || request.context().agent_name == "Dallas" {
            return Verdict::NO_OPINION;
        }
        let reason = Reason::new("only-for-the-dba", "migrations", format!("`{path}` belongs to Dallas"));
        Verdict::deny(reason.on("/path").instead("route the task to Dallas"))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), hooks_core::HookError> {
    for agent in ["Dallas", "Kane"] {
        let event = PreToolUse::new("edit", json!({ "path": "migrations/001.sql" }));
        let request = HookRequest::new(HookContext::new("s", agent), event);
        let outcome = Judge::new(OnlyForTheDba).oneshot(request).await?;
        println!(
            "{agent}: {} {:?}",
            outcome.strength(),
            outcome.shown_reason().map(|reason| &reason.message)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_laws() {
        hooks_core::assert_policy_laws!(PreToolUse, OnlyForTheDba, HookContext::new("s", "Kane"));
    }
}

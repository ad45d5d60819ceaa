//! A custom policy and the tests of its laws.
//!
//! Run with `cargo run -p tower-hooks-facts --example own_policy`; its tests with
//! `cargo test -p tower-hooks-facts --example own_policy`.

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, Reason, Verdict};
use hooks_facts::calls::CallQuestions;
use serde_json::json;

/// Allows only one agent to change migrations.
struct OnlyForTheDba;

impl Policy<PreToolUse> for OnlyForTheDba {
    fn name(&self) -> &'static str {
        "only-for-the-dba"
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        if request.context().agent_name == "Dallas" || !request.writes("migrations/**") {
            return Verdict::NO_OPINION;
        }
        let reason = Reason::new("only-for-the-dba", "migrations", "`migrations/` belongs to Dallas");
        Verdict::deny(reason.instead("route the task to Dallas"))
    }
}

fn main() {
    let (environment, ..) = world(FakeFileSystem::default());
    for agent in ["Dallas", "Kane"] {
        let call = PreToolUse::new("bash", json!({ "command": "cp new.sql ./migrations/001.sql" }));
        let context = HookContext::new("s", agent).in_dir("/repo").with_environment(environment.clone());
        let verdict = OnlyForTheDba.judge(&HookRequest::new(context, call));
        let messages: Vec<_> = verdict.reasons().iter().map(|reason| &reason.message).collect();
        println!("{agent}: {} {messages:?}", verdict.strength());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_laws() {
        hooks_core::assert_policy_laws!(PreToolUse, OnlyForTheDba, HookContext::new("s", "Kane"));
    }

    #[test]
    fn no_way_to_write_gets_round_it() {
        hooks_core::assert_path_laws!(OnlyForTheDba, "migrations/001.sql");
    }
}

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, assert_policy_laws};
use serde_json::{Value, json};

use super::*;

fn denied(decisions: &str, tool: &str, args: Value) -> bool {
    let policy = DecisionPolicy::new(&Decisions::parse(decisions), &Default::default());
    let (environment, ..) = world(FakeFileSystem::default());
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    policy.judge(&HookRequest::new(context, PreToolUse::new(tool, args))).is_final()
}

#[test]
fn laws() {
    let decisions = Decisions::parse("- Never use moment.\n- Do not edit files below `vendor/`.\n- `eval` is banned.\n");
    assert_policy_laws!(PreToolUse, DecisionPolicy::new(&decisions, &Default::default()));
}

#[test]
fn a_mistake_in_a_rule_block_denies() {
    let text = "### Logging\n\n```rule\ncals: [console.log]\n```\n";
    let decisions = Decisions::parse(text);
    assert_eq!(
        decisions.mistakes()[0].to_string(),
        "`decisions.md`, decision \"Logging\": line 4: unknown key `cals`; expected one of packages, imports, calls, content, commands, images, paths, files, new_files, existing_files, languages, with, in, except, allow, instead, match, no_match"
    );
    assert!(denied(text, "bash", json!({"command": "ls"})));
    assert!(!denied(text, "read_file", json!({"path": "a"})));
}

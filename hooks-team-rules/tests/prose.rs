//! Tests the grammar of decisions: each sentence of `prose.tsv` denies its call, or allows it.

#![cfg(test)]

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy};
use hooks_team_rules::decisions::{DecisionPolicy, Decisions};
use serde_json::json;

fn denies(decisions: &str, call: &str) -> bool {
    let policy = DecisionPolicy::new(&Decisions::parse(decisions), &Default::default());
    let (environment, ..) = world(FakeFileSystem::default());
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    let event = match call.strip_prefix("$ ") {
        Some(command) => PreToolUse::new("bash", json!({"command": command})),
        None => {
            let (path, content) = call.split_once(": ").unwrap_or((call, ""));
            PreToolUse::new("Write", json!({"file_path": path, "content": content}))
        }
    };
    policy.judge(&HookRequest::new(context, event)).is_final()
}

#[test]
fn sentences_are_read_as_they_are_meant() {
    let rows = include_str!("prose.tsv").lines().filter(|line| !line.starts_with('#'));
    let wrong: Vec<&str> = rows
        .filter(|row| {
            let cells: Vec<String> = row.split('\t').map(|cell| cell.replace("\\n", "\n")).collect();
            let [decision, call, verdict] = cells.as_slice() else { return true };
            denies(&format!("{decision}\n"), call) != (verdict == "deny")
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

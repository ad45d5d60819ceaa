use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Strength, assert_policy_laws};
use serde_json::json;

use super::*;
use crate::CallReader;
use crate::config::{LockoutConfig, PathsConfig, PatternDialect};
use crate::testing::{call_by, said};

fn policy(dialect: PatternDialect, artifacts: &[&str]) -> ReviewerLockout {
    let reader =
        CallReader::new(&PathsConfig { dialect, ..PathsConfig::default() }, &Default::default()).unwrap();
    let registry = Arc::new(LockoutRegistry::new(dialect));
    for artifact in artifacts {
        registry.lock(Lockout::new(*artifact, "Backend").by("Reviewer").because("no tests"));
    }
    ReviewerLockout::new(&LockoutConfig::default(), registry, &reader)
}

#[track_caller]
fn check(policy: &ReviewerLockout, agent: &str, path: &str, denied: bool) {
    let strength = said(policy, &call_by(agent, "edit", json!({ "path": path }))).0;
    assert_eq!(strength == Strength::Deny, denied, "{agent} {path}");
}

#[test]
fn a_name_that_is_no_pattern_unlocks_nothing() {
    // Short enough alone, too long with what is below it.
    let long = "a".repeat(4095);
    for bad in ["{a", long.as_str()] {
        check(&policy(PatternDialect::Standard, &["src/auth.rs", bad]), "Backend", "src/auth.rs", true);
        check(&policy(PatternDialect::Standard, &[bad]), "Backend", "src/b.rs", true);
    }
}

#[test]
fn an_artifact_is_a_file_a_folder_or_a_glob() {
    let policy =
        policy(PatternDialect::Standard, &["src/auth.rs", "docs", "lib/*.ts", "/etc/hosts", "win\\a.c"]);
    for path in [
        "src/auth.rs",
        "SRC/Auth.rs",
        "src//x/../auth.rs",
        "/repo/src/auth.rs",
        "src\\auth.rs",
        "docs/a/b",
        "lib/a.ts",
        "lib/*.ts",
        "/etc/hosts",
        "~/x",
        "win/a.c",
    ] {
        check(&policy, "Backend", path, true);
        check(&policy, "BACKEND ", path, true);
        check(&policy, "Frontend", path, false);
    }
    for path in ["src/authors.md", "auth.rs", "other/src/auth.rs", "docs2/a", "lib/a/b.ts", "/etc/passwd"] {
        check(&policy, "Backend", path, false);
    }
}

#[test]
fn squads_artifacts_are_meant_in_any_folder() {
    let policy = policy(PatternDialect::Squad, &["src/auth"]);
    for path in ["src/auth/login.ts", "/elsewhere/src/auth/login.ts", "copy/src/auth"] {
        check(&policy, "Backend", path, true);
    }
    check(&policy, "Backend", "src/authors.md", false);
    check(&self::policy(PatternDialect::Squad, &[""]), "Backend", "anything", true);
}

#[test]
fn a_folder_with_the_artifact_and_a_redirection_are_writes_too() {
    let policy = policy(PatternDialect::Standard, &["src/auth.rs"]);
    let said = |tool, args| said(&policy, &call_by("Backend", tool, args)).0;
    assert_eq!(said("delete_file", json!({"path": "src"})), Strength::Deny);
    assert_eq!(said("move_file", json!({"source": "src", "destination": "x"})), Strength::Deny);
    assert_eq!(said("bash", json!({"command": "echo x > src/auth.rs"})), Strength::Deny);
    assert_eq!(said("bash", json!({"command": "cat src/auth.rs"})), Strength::NoOpinion);
    assert_eq!(said("view", json!({"path": "src/auth.rs"})), Strength::NoOpinion);
}

#[test]
fn the_locked_agent_cannot_clear_its_lockout() {
    let registry = LockoutRegistry::default();
    for agent in ["b", "a", "c", "a"] {
        registry.lock(Lockout::new("x", agent));
    }
    registry.lock(Lockout::new("y", "a"));
    assert_eq!(registry.locked_agents("x"), ["b", "a", "c"]);
    assert!(registry.is_locked_out("x", "a") && !registry.is_locked_out("x", "A"));
    let error = registry.clear("x", "A").unwrap_err();
    assert_eq!(error.artifact, "x");
    assert!(registry.clear_all("b").is_err());
    registry.clear("x", "Reviewer").unwrap();
    assert!(registry.locked_agents("x").is_empty() && registry.is_locked_out("y", "a"));
    registry.clear_all("Reviewer").unwrap();
    assert!(registry.all().is_empty());
}

#[test]
fn a_change_is_seen_by_the_next_call() {
    let registry = Arc::new(LockoutRegistry::default());
    let policy =
        ReviewerLockout::new(&LockoutConfig::default(), Arc::clone(&registry), &CallReader::default());
    check(&policy, "Backend", "x", false);
    registry.lock(Lockout::new("x", "Backend"));
    check(&policy, "Backend", "x", true);
    registry.lock(Lockout::new("y", "Backend"));
    check(&policy, "Backend", "y", true);
    registry.clear("x", "").unwrap();
    check(&policy, "Backend", "x", false);
    check(&policy, "Backend", "y", true);
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, policy(PatternDialect::Standard, &["src", "**/*.md", ""]));
    let context = hooks_core::HookContext::new("s", "Backend").in_dir("/repo");
    assert_policy_laws!(PreToolUse, policy(PatternDialect::Squad, &["src", "**/*.md"]), context);
}

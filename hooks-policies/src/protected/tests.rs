use hooks_core::testing::FakeFileSystem;
use hooks_core::{Strength, assert_policy_laws};
use serde_json::json;

use super::*;
use crate::testing::{call, context, said};

fn policy() -> ProtectedFiles {
    let patterns = ["hooks.yaml", ".claude/", "/home/dev/.codex", "*.lock"];
    ProtectedFiles::new(&patterns, &CallReader::default()).unwrap()
}

#[test]
fn nobody_writes_a_protected_file() {
    for (tool, path, wanted) in [
        ("edit", "hooks.yaml", Strength::Deny),
        ("edit", "/repo/./HOOKS.yaml", Strength::Deny),
        ("edit", ".claude/settings.json", Strength::Deny),
        ("edit", "/home/dev/.codex/config.toml", Strength::Deny),
        ("edit", "../home/dev/.codex/config.toml", Strength::Deny),
        ("edit", "Cargo.lock", Strength::Deny),
        ("edit", "sub/hooks.yaml", Strength::NoOpinion),
        ("edit", "/home/dev/notes", Strength::NoOpinion),
        ("edit", "~/x", Strength::Deny),
        ("delete_file", "/home/dev", Strength::Deny),
        ("delete_file", "/repo", Strength::Deny),
        ("view", "hooks.yaml", Strength::NoOpinion),
    ] {
        assert_eq!(said(&policy(), &call(tool, json!({ "path": path }))).0, wanted, "{tool} {path}");
    }
    assert_eq!(said(&policy(), &call("bash", json!({"command": "echo x >> hooks.yaml"}))).0, Strength::Deny);
}

#[test]
fn file_programs_do_not_get_around_it() {
    for command in [
        "rm hooks.yaml",
        "rm -r .claude",
        "echo x | tee hooks.yaml",
        "mv hooks.yaml x",
        "cp x ./hooks.yaml",
        "ln -sf x hooks.yaml",
        "sed -i s/a/b/ hooks.yaml",
        "dd of=hooks.yaml",
        "cd sub && rm ../hooks.yaml",
    ] {
        assert_eq!(
            said(&policy(), &call("bash", json!({ "command": command }))).0,
            Strength::Deny,
            "{command}"
        );
    }
    for command in ["rm x", "cat hooks.yaml", "cp hooks.yaml x", "grep a hooks.yaml"] {
        let (strength, _) = said(&policy(), &call("bash", json!({ "command": command })));
        assert_eq!(strength, Strength::NoOpinion, "{command}");
    }
}

#[test]
fn a_folder_of_protected_files_is_not_removed_however_they_are_written() {
    let policy = ProtectedFiles::new(&["{.claude,conf}/*.json", "a\\b/c"], &CallReader::default()).unwrap();
    for (path, wanted) in [
        (".claude", Strength::Deny),
        ("conf/", Strength::Deny),
        ("ab", Strength::Deny),
        (".", Strength::Deny),
        ("con", Strength::NoOpinion),
        ("docs", Strength::NoOpinion),
    ] {
        assert_eq!(said(&policy, &call("delete_file", json!({ "path": path }))).0, wanted, "{path}");
    }
}

#[test]
fn a_way_around_through_a_link_is_found() {
    let files =
        FakeFileSystem::default().with_link("/mnt/l", "/repo/.claude").with_link("/repo/m", "hooks.yaml");
    for path in ["/mnt/l/settings.json", "m"] {
        let event = PreToolUse::new("edit", json!({ "path": path }));
        assert_eq!(
            said(&policy(), &HookRequest::new(context("a", files.clone()), event)).0,
            Strength::Deny,
            "{path}"
        );
    }
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, policy());
    for bad in ["{a", &"a".repeat(4095)] {
        let errors = ProtectedFiles::new(&["ok", bad], &CallReader::default()).unwrap_err();
        assert_eq!(errors.as_slice()[0].field, "protected[1]");
    }
}

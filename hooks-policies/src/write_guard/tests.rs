use hooks_core::fs::EntryKind;
use hooks_core::testing::FakeFileSystem;
use hooks_core::{HookContext, Strength, assert_policy_laws};
use hooks_facts::calls::PathsConfig;
use hooks_facts::globs::PatternDialect;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{call, context, verdict_on};

fn guard(allow: &[&str], deny: &[&str]) -> WriteGuard {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let config = WriteGuardConfig { allow: texts(allow), deny: texts(deny), ..WriteGuardConfig::default() };
    WriteGuard::new(&config, &CallReader::default()).unwrap()
}

#[test]
fn a_folder_of_denied_files_is_not_removed_however_they_are_written() {
    let deny = vec!["{secrets,keys}/**".to_owned(), "gen/x*/y".to_owned()];
    let config = WriteGuardConfig { allow: vec!["**".to_owned()], deny, ..WriteGuardConfig::default() };
    let guard = WriteGuard::new(&config, &CallReader::default()).unwrap();
    for (path, wanted) in [
        ("secrets", Strength::Deny),
        ("keys", Strength::Deny),
        ("gen", Strength::Deny),
        ("key", Strength::Allow),
        ("src", Strength::Allow),
    ] {
        assert_eq!(verdict_on(&guard, &call("delete_file", json!({ "path": path }))).0, wanted, "{path}");
    }
}

#[test]
fn every_path_of_a_call_is_judged() {
    let guard = guard(&["src/**", "docs/*.md"], &["src/secret/**"]);
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Add File: Cargo.toml\n*** End Patch";
    for (tool, args, wanted) in [
        ("edit", json!({"path": "src/a.rs"}), (Strength::Allow, "")),
        ("Edit", json!({"file_path": "/repo/src/a.rs"}), (Strength::Allow, "")),
        ("edit", json!({"path": "src/../.env"}), (Strength::Deny, "allow")),
        ("edit", json!({"path": "src/secret/key"}), (Strength::Deny, "deny")),
        ("delete_file", json!({"path": "src/secret"}), (Strength::Deny, "deny")),
        ("edit", json!({"path": "/etc/passwd"}), (Strength::Deny, "path")),
        ("edit", json!({"path": "~/x"}), (Strength::Deny, "path")),
        ("edit", json!({"path": "src/a.rs", "file_path": "x"}), (Strength::Deny, "allow")),
        ("edit", json!({"path": 7}), (Strength::Deny, "unusable-path")),
        ("edit", json!({}), (Strength::Deny, "missing-path")),
        ("apply_patch", json!({"input": patch}), (Strength::Deny, "allow")),
        ("move_file", json!({"source": "x", "destination": "src/x"}), (Strength::Deny, "allow")),
        ("copy_file", json!({"source": "x", "destination": "src/x"}), (Strength::Allow, "")),
        ("create_symlink", json!({"path": "src/l", "link_target": "../.env"}), (Strength::Deny, "allow")),
        ("create_symlink", json!({"path": "src/l", "link_target": "a.rs"}), (Strength::Allow, "")),
        ("frobnicate", json!({"path": "x", "content": "y"}), (Strength::Deny, "allow")),
        ("frobnicate", json!({"args": {"path": "x", "Body": "y"}}), (Strength::Deny, "allow")),
        ("edit", json!("{\"path\": \"src/../.env\"}"), (Strength::Deny, "allow")),
        ("frobnicate", json!({"path": "x"}), (Strength::NoOpinion, "")),
        ("read_file", json!({"path": "/etc/passwd"}), (Strength::NoOpinion, "")),
        ("bash", json!({"command": "make > src/log 2> /dev/null"}), (Strength::NoOpinion, "")),
        ("bash", json!({"command": "make > /etc/x"}), (Strength::Deny, "path")),
        ("bash", json!({"command": "make > $OUT"}), (Strength::Deny, "unknown-target")),
        ("bash", json!({"command": "cd src && make > log"}), (Strength::NoOpinion, "")),
        ("bash", json!({"command": "cd docs && make > src/log"}), (Strength::Deny, "allow")),
        ("bash", json!({"command": "make > src/log", "workdir": "/etc"}), (Strength::Deny, "path")),
        ("bash", json!({"command": "make > src/log", "workdir": 7}), (Strength::Deny, "unknown-target")),
        ("run_shell_command", json!({"command": "rm src/x", "dir_path": "/etc"}), (Strength::Deny, "path")),
        ("run_shell_command", json!({"command": "rm src/x", "directory": "docs"}), (Strength::Deny, "allow")),
        ("run_shell_command", json!({"command": "rm src/x", "dir_path": "."}), (Strength::NoOpinion, "")),
        ("edit", json!({"path": "src/a.rs", "cwd": "docs"}), (Strength::Deny, "allow")),
        ("edit", json!({"path": "src/a.rs", "cwd": "/repo"}), (Strength::Allow, "")),
    ] {
        let request = call(tool, args.clone());
        let (strength, rule) = verdict_on(&guard, &request);
        assert_eq!((strength, rule.as_str()), wanted, "{tool} {args}");
    }
}

#[test]
fn operands_known_in_part_have_to_be_covered() {
    let guard = guard(&["src/**", "docs/*.md"], &["src/secret/**"]);
    for (command, wanted) in [
        ("rm src/*.o", (Strength::NoOpinion, "")),
        ("rm docs/*.md", (Strength::NoOpinion, "")),
        ("rm docs/*", (Strength::Deny, "allow")),
        ("rm *", (Strength::Deny, "deny")),
        ("rm *.md", (Strength::Deny, "allow")),
        ("touch src/secre?/a", (Strength::Deny, "deny")),
        ("rm src/s*/a", (Strength::Deny, "deny")),
        ("rm -r src/s*", (Strength::Deny, "deny")),
        ("cp -r a/. src", (Strength::Deny, "deny")),
        ("mv src/a src/secret", (Strength::Deny, "deny")),
        ("cp docs/a.md src/b.md", (Strength::NoOpinion, "")),
        ("cp src/a docs/a.md", (Strength::NoOpinion, "")),
        ("touch $PWD/secret/a", (Strength::Deny, "allow")),
        ("touch $PWD/src/a", (Strength::NoOpinion, "")),
        ("tee $HOME/.bashrc", (Strength::Deny, "path")),
        ("cp src/a \"$DEST\"", (Strength::Deny, "unknown-target")),
        ("cp \"$A\" src/", (Strength::NoOpinion, "")),
        ("find src -name '*.rs' -exec sed -i s/a/b/ {} +", (Strength::Deny, "deny")),
        ("find src/a -name '*.rs' -exec sed -i s/a/b/ {} +", (Strength::NoOpinion, "")),
        ("cat *", (Strength::NoOpinion, "")),
    ] {
        let (strength, rule) = verdict_on(&guard, &call("bash", json!({ "command": command })));
        assert_eq!((strength, rule.as_str()), wanted, "{command}");
    }
}

#[test]
fn a_reason_names_argument_evidence_advice_and_remedy() {
    let verdict = guard(&["src/**"], &[]).judge(&call("edit", json!({"edits": [{"path": "src/./../x"}]})));
    let reason = &verdict.reasons()[0];
    assert_eq!(reason.message, "`src/./../x` stands for `x`, which may not be written");
    assert_eq!(reason.argument.as_deref(), Some("/edits/0/path"));
    assert_eq!(reason.evidence, [Evidence::Path { given: "src/./../x".into(), resolved: "x".into() }]);
    assert_eq!(reason.advice.as_deref(), Some("write to a file that matches `src/**`"));
    assert_eq!(reason.remedy.as_deref(), Some("add a pattern to `write_guard.allow`"));
    let nowhere = guard(&[], &[]).judge(&call("edit", json!({"path": "x"})));
    assert_eq!(nowhere.reasons()[0].advice, None);
}

#[test]
fn links_are_followed_and_each_place_is_asked_for_once() {
    let files = FakeFileSystem::default()
        .with("/repo/src/a/b.rs", EntryKind::File)
        .with_link("/repo/src/out", "/etc")
        .with_names("/repo/src/hard.rs", 2);
    let guard = guard(&["src/**"], &[]);
    let judge = |path: &str| {
        let event = PreToolUse::new("edit", json!({ "path": path }));
        verdict_on(&guard, &HookRequest::new(context("Backend", files.clone()), event))
    };
    assert_eq!(judge("src/a/b.rs").0, Strength::Allow);
    for _ in 0..2 {
        let before = files.lookups();
        assert_eq!(judge("src/a/b.rs").0, Strength::Allow);
        assert_eq!(files.lookups() - before, "repo src a b.rs".split(' ').count());
    }
    assert_eq!(judge("src/out/passwd"), (Strength::Deny, "path".into()));
    assert_eq!(judge("src/hard.rs"), (Strength::Deny, "hard-link".into()));
    // A root that became a link is followed again.
    files.link("/repo", "/etc");
    assert_eq!(judge("src/a/b.rs").0, Strength::Allow);
    files.link("/etc/src", "/");
    assert_eq!(judge("src/a/b.rs").0, Strength::Deny);
}

#[test]
fn settings_decide_about_what_is_missing_and_about_case() {
    let config = |missing_path| WriteGuardConfig {
        allow: vec!["src/**".into()],
        missing_path,
        ..WriteGuardConfig::default()
    };
    for (setting, wanted) in [
        (OnUnknown::Deny, Strength::Deny),
        (OnUnknown::Ask, Strength::Ask),
        (OnUnknown::Allow, Strength::NoOpinion),
    ] {
        let guard = WriteGuard::new(&config(setting), &CallReader::default()).unwrap();
        assert_eq!(verdict_on(&guard, &call("edit", json!({"path": null}))).0, wanted);
    }
    let paths = PathsConfig { case_insensitive: Some(true), ..PathsConfig::default() };
    let reader = CallReader::new(&paths, &Default::default()).unwrap();
    let guard = WriteGuard::new(&config(OnUnknown::Deny), &reader).unwrap();
    assert_eq!(verdict_on(&guard, &call("edit", json!({"path": "SRC/a"}))).0, Strength::Allow);
}

#[test]
fn squads_dialect_takes_line_breaks_and_back_slashes_for_what_squad_does() {
    let paths = PathsConfig { dialect: PatternDialect::Squad, ..PathsConfig::default() };
    let reader = CallReader::new(&paths, &Default::default()).unwrap();
    let config =
        WriteGuardConfig { allow: vec!["src/*".into(), "lib\\**".into()], ..WriteGuardConfig::default() };
    let guard = WriteGuard::new(&config, &reader).unwrap();
    let files = FakeFileSystem::default().with_link("/repo/src/l\nk", "/etc/passwd");
    for (path, wanted) in [
        ("src/a\nb", Strength::Allow),
        ("src/l\nk", Strength::Deny),
        ("lib\\a", Strength::Allow),
        ("src\\..\\x", Strength::Deny),
        ("src/a\u{202e}b", Strength::Deny),
    ] {
        let event = PreToolUse::new("edit", json!({ "path": path }));
        let request = HookRequest::new(context("Backend", files.clone()), event);
        assert_eq!(guard.judge(&request).strength(), wanted, "{path:?}");
    }
}

#[test]
fn all_bad_patterns_are_reported() {
    let config = WriteGuardConfig {
        allow: vec!["".into(), "src/**".into(), "../x".into()],
        deny: vec!["{a".into()],
        ..WriteGuardConfig::default()
    };
    let errors = WriteGuard::new(&config, &CallReader::default()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["write_guard.allow[0]", "write_guard.allow[2]", "write_guard.deny[0]"]);
    assert!(errors.as_slice().iter().all(|error| !error.hint.is_empty()));
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, guard(&["src/**", "**/*.md"], &[".git/**"]));
    assert_policy_laws!(PreToolUse, guard(&["**"], &[]), HookContext::new("s", "a").in_dir("/repo"));
}

/// Notation of a part of a path.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,4}",
        2 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just(String::new()),
        1 => Just("src".to_owned()),
        1 => Just("%2e%2e".to_owned()),
        1 => Just("%252e%252e".to_owned()),
        1 => Just("\u{ff0e}\u{ff0e}".to_owned()),
        1 => Just("..\\..".to_owned()),
        1 => Just("~".to_owned()),
        1 => Just("$HOME".to_owned()),
        1 => Just("up".to_owned()),
        1 => "\\PC{1,3}",
    ]
}

/// Returns the components of a path that a lenient tool would open, without any link.
fn opened(path: &str) -> Vec<String> {
    let decoded = path.replace("%25", "%").replace("%2e", ".").replace('\u{ff0e}', ".").replace('\\', "/");
    let absolute = decoded.starts_with('/');
    let mut parts: Vec<String> = if absolute { Vec::new() } else { vec!["repo".into()] };
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part.to_owned()),
        }
    }
    parts
}

proptest! {
    #[test]
    fn no_path_spelled_anyhow_is_allowed_outside(parts in prop::collection::vec(part(), 1..7), slash in any::<bool>()) {
        let path = format!("{}{}", if slash { "/" } else { "" }, parts.join("/"));
        let files = FakeFileSystem::default().with_link("/repo/src/up", "../..");
        let event = PreToolUse::new("edit", json!({ "path": path }));
        let verdict = guard(&["src/**"], &[]).judge(&HookRequest::new(context("a", files), event));
        if verdict.strength() < Strength::Ask {
            let opened = opened(&path);
            prop_assert!(opened.len() >= 2 && opened[0] == "repo" && opened[1] == "src", "{path} is {opened:?}");
            prop_assert!(!(opened.len() > 2 && opened[2] == "up"), "{path} goes through a link");
        }
    }
}

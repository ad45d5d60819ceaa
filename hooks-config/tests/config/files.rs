//! Valid files, in all spellings.

use hooks_config::{Config, ConfigReader, Profile};
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Hooks, Strength};
use hooks_policies::config::{OnUnknown, RuleAction};
use proptest::prelude::*;
use serde_json::json;

const FILE: &str = r#"
version: 1
write_guard:
  allow: ["src/**", 'docs/*.md']
command_guard: { block: [rm -rf], unresolvable: ask }
ask_user:
  max_per_session: 3
tools: { my_edit: write }
rules:
  - name: no-push
    action: deny
    commands: [git push]
    match:
      - { tool: bash, args: { command: git push origin } }
"#;

fn read(text: &str) -> Config {
    Config::parse(text, "hooks.yaml").unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn a_file_is_read() {
    let config = read(FILE);
    let policy = config.policy();
    assert_eq!(policy.write_guard.as_ref().unwrap().allow, ["src/**", "docs/*.md"]);
    assert_eq!(policy.command_guard.as_ref().unwrap().unresolvable, OnUnknown::Ask);
    assert_eq!(policy.ask_user.as_ref().unwrap().max_per_session, 3);
    assert_eq!(policy.rules[0].action, RuleAction::Deny);
    assert_eq!(policy.rules[0].matches[0].args["command"], "git push origin");
    assert_eq!(policy.redaction, None);
}

#[test]
fn other_ways_to_write_it_make_no_difference() {
    let want = read(FILE).policy().clone();
    let json = json!({
        "version": 1,
        "write_guard": {"allow": ["src/**", "docs/*.md"]},
        "command_guard": {"block": ["rm -rf"], "unresolvable": "ask"},
        "ask_user": {"max_per_session": 3},
        "tools": {"my_edit": "write"},
        "rules": [{
            "name": "no-push",
            "action": "deny",
            "commands": ["git push"],
            "match": [{"tool": "bash", "args": {"command": "git push origin"}}],
        }],
    });
    let tabbed = serde_json::to_string_pretty(&json).unwrap().replace("  ", "\t");
    for text in [
        FILE.replace('\n', "\r\n"),
        format!("\u{feff}{FILE}"),
        format!("---\n{FILE}\n...\n"),
        json.to_string(),
        serde_json::to_string_pretty(&json).unwrap(),
        tabbed,
        FILE.replace("[rm -rf]", "&list [rm -rf]"),
    ] {
        assert_eq!(*read(&text).policy(), want, "{text}");
    }
}

#[test]
fn json_escapes_are_read() {
    let text = r#"{"version": 1, "rules": [{"tools": ["*"], "name": "\u00e9\ud83d\ude00\/\n"}]}"#;
    assert_eq!(read(text).policy().rules[0].name, "é😀/\n");
}

#[test]
fn an_alias_repeats_what_it_names() {
    let text = "version: 1\nwrite_guard: { allow: &paths [src/**] }\nrules: [{ name: a, paths: *paths }]\n";
    assert_eq!(read(text).policy().rules[0].paths, ["src/**"]);
}

#[test]
fn a_file_protects_itself_and_the_settings_of_clients() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hooks.yaml");
    std::fs::write(&path, "version: 1\n").unwrap();
    let config = Config::read(&path).unwrap();
    assert!(config.protected().contains(&path.to_string_lossy().into_owned()), "{:?}", config.protected());
    let hooks = config.hooks();
    let denied = |hooks: &Hooks, path: &str| {
        let context = HookContext::new("s", "a").in_dir(dir.path()).with_environment(hooks_system::system());
        let call = PreToolUse::new("write", json!({"path": path, "content": ""}));
        let verdicts = hooks.explain(&HookRequest::new(context, call));
        verdicts.iter().any(|verdict| verdict.verdict.strength() == Strength::Deny)
    };
    for path in
        ["hooks.yaml", "./x/../hooks.yaml", "HOOKS.YAML", ".claude/settings.json", ".github/hooks/a.json"]
    {
        assert!(denied(&hooks, path), "{path}");
    }
    assert!(!denied(&hooks, "src/hooks.yaml"));

    std::fs::write(&path, "version: 1\nself_protection: false\n").unwrap();
    let config = Config::read(&path).unwrap();
    assert!(config.protected().is_empty());
    assert!(!denied(&config.hooks(), "hooks.yaml"));
}

#[test]
fn a_file_protects_itself_by_whatever_way_it_was_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("sub")).unwrap();
    std::fs::write(folder.join("hooks.yaml"), "version: 1\n").unwrap();
    let config = Config::read(folder.join("sub/../hooks.yaml")).unwrap_or_else(|errors| panic!("{errors}"));
    let context = HookContext::new("s", "a").in_dir(&folder).with_environment(hooks_system::system());
    let call = PreToolUse::new("write", json!({"path": "hooks.yaml", "content": ""}));
    let verdicts = config.hooks().explain(&HookRequest::new(context, call));
    assert!(verdicts.iter().any(|verdict| verdict.verdict.strength() == Strength::Deny));
}

#[test]
fn no_option_and_no_working_directory_takes_the_protection_away() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("sub")).unwrap();
    let path = folder.join("hooks.yaml");
    let denied = |text: &str, path_of_call: &str| {
        std::fs::write(&path, format!("version: 1\n{text}\n")).unwrap();
        let hooks = Config::read(&path).unwrap_or_else(|errors| panic!("{errors}")).hooks();
        let context =
            HookContext::new("s", "a").in_dir(folder.join("sub")).with_environment(hooks_system::system());
        let call = PreToolUse::new("write", json!({"path": path_of_call, "content": ""}));
        let verdicts = hooks.explain(&HookRequest::new(context, call));
        verdicts.iter().any(|verdict| verdict.verdict.strength() == Strength::Deny)
    };
    for text in [
        "",
        "tools: { write: read }",
        "paths: { dialect: squad, case_insensitive: false }",
        "paths: { root: /elsewhere }",
        "write_guard: { allow: ['**'], missing_path: allow }",
        "rules: [{ name: all, action: allow, tools: ['*'] }]",
        "protected: []",
    ] {
        for path in ["../hooks.yaml", "../.claude/settings.json", "../.github/hooks/a.json"] {
            assert!(denied(text, path), "{text}: {path}");
        }
        assert!(text.contains("elsewhere") || text.contains("guard") || !denied(text, "notes.md"), "{text}");
    }
}

#[test]
fn the_profile_is_the_callers_or_the_files() {
    let squad = r#"{"allowedWritePaths": ["src/**"]}"#;
    let compat = ConfigReader::default().profile(Profile::SquadCompat);
    assert_eq!(Config::parse(squad, "policy.json").unwrap().profile(), Profile::Strict);
    assert_eq!(compat.parse(squad, "policy.json").unwrap().profile(), Profile::SquadCompat);
    let says_so = "profile: squad-compat\nblockedCommands: [rm]\nmaxAskUser: 3\n";
    assert_eq!(Config::parse(says_so, "policy.yaml").unwrap().profile(), Profile::SquadCompat);
    assert!(compat.parse("version: 1", "hooks.yaml").is_err());
}

#[test]
fn a_squad_policy_is_read_strictly_under_both_names_of_its_limit() {
    for name in ["maxAskUser", "maxAskUserPerSession"] {
        let text =
            json!({name: 2, "allowedWritePaths": ["src/**"], "scrubPii": true, "reviewerLockout": true});
        let config = Config::parse(&text.to_string(), "policy.json").unwrap();
        assert_eq!(config.policy().ask_user.as_ref().unwrap().max_per_session, 2);
        assert_eq!(config.policy().write_guard.as_ref().unwrap().allow, ["src/**"]);
        assert!(config.policy().redaction.is_some() && config.policy().reviewer_lockout.is_some());
    }
}

#[test]
fn an_example_that_fails_is_a_mistake_of_the_file() {
    let text = FILE.replace("git push origin }", "git status }");
    let errors = Config::parse(&text, "hooks.yaml").unwrap_err();
    let [error] = errors.errors() else { panic!("{errors}") };
    assert_eq!((error.line, error.path.as_str()), (14, "rules[0].match[0]"), "{errors}");
}

#[test]
fn what_the_policies_refuse_is_reported_at_its_place() {
    let text = "version: 1
write_guard:
  allow: [src/**, '{a']
redaction:
  labels: [emial]
  patterns: { badge: '(' }
rules:
  - { name: '', commands: [''] }
";
    let errors = Config::parse(text, "hooks.yaml").unwrap_err();
    let places: Vec<_> = errors.errors().iter().map(|error| (error.line, error.path.as_str())).collect();
    let wanted = [(3, "write_guard.allow[1]"), (5, "redaction.labels[0]"), (6, "redaction.patterns.badge")];
    for place in wanted {
        assert!(places.contains(&place), "{place:?} of\n{errors}");
    }
    assert!(places.iter().any(|(line, _)| *line == 8), "{errors}");
}

#[test]
fn what_nobody_means_is_doubted() {
    let text = "version: 1
write_guard: { allow: [src/**, '**', src/**] }
command_guard: { block: [] }
";
    let config = read(text);
    let doubts: Vec<_> = config.doubts().iter().map(ToString::to_string).collect();
    assert_eq!(
        doubts,
        [
            "line 2, column 32: write_guard.allow[1]: every file may be written; name the folders, or leave `write_guard` out",
            "line 2, column 38: write_guard.allow[2]: `src/**` stands in the list already; leave it out",
            "line 3, column 25: command_guard.block: no command is blocked; leave `block` out to have the usual commands blocked",
        ]
    );
    assert_eq!(read(&FILE.replace("version: 1", "version: 1\nstore: {}")).doubts(), []);
}

#[test]
fn a_wrong_key_hides_no_bad_pattern() {
    let text = "version: 1
write_guard:
  alow: []
  deny: [1, '{a']
rules:
  - { name: a, action: dney }
  - name: b
    commands: [git push]
    match: [{ tool: bash, args: { command: git status } }]
";
    let errors = Config::parse(text, "hooks.yaml").unwrap_err();
    let places: Vec<_> = errors.errors().iter().map(|error| (error.line, error.path.as_str())).collect();
    let wanted = [
        (3, "write_guard.alow"),
        (4, "write_guard.deny[0]"),
        (4, "write_guard.deny[1]"),
        (6, "rules[0].action"),
        (9, "rules[1].match[0]"),
    ];
    assert_eq!(places, wanted, "{errors}");
}

proptest! {
    #[test]
    fn reading_never_panics(text in any::<String>()) {
        drop(Config::parse(&text, "hooks.yaml"));
    }

    #[test]
    fn reading_what_looks_like_yaml_never_panics(
        parts in prop::collection::vec(
            prop_oneof![
                Just("version: 1\n"), Just("rules:"), Just("  - "), Just("- "), Just("name: "), Just("\n"),
                Just("\t"), Just("\r\n"), Just("["), Just("]"), Just("{"), Just("}"), Just(","), Just(": "),
                Just("? "), Just("&a "), Just("*a"), Just("!!str "), Just("|\n"), Just(">-\n"), Just("\""),
                Just("'"), Just("\\u"), Just("\\"), Just("#"), Just("---\n"), Just("...\n"), Just("%YAML 1.2\n"),
                Just("é"), Just("\u{feff}"), Just("\u{2028}"), Just("0x"), Just("-"), Just("<<"), Just("@"),
            ],
            0..40,
        ),
    ) {
        let text: String = parts.concat();
        if let Err(errors) = Config::parse(&text, "hooks.yaml") {
            prop_assert!(!errors.errors().is_empty());
            for error in errors.errors() {
                prop_assert!(errors.text().get(error.span.clone()).is_some(), "{error:?} in {text:?}");
            }
        }
    }
}

//! Good files, however they are written.

use hooks::config::{Config, Profile};
use hooks::policies::config::{OnUnknown, RuleAction};
use proptest::prelude::*;

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
    let json = serde_json::json!({
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
        FILE.replace("[rm -rf]", "&list [rm -rf]").replace("commands: [git push]", "commands: [git push]"),
    ] {
        assert_eq!(*read(&text).policy(), want, "{text}");
    }
}

#[test]
fn json_escapes_are_read() {
    let text = r#"{"version": 1, "rules": [{"name": "\u00e9\ud83d\ude00\/\n"}]}"#;
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
    std::fs::write(&path, "version: 1\nprotected: [secrets/**]\n").unwrap();
    let protected = Config::read(&path).unwrap().policy().protected.clone();
    assert_eq!(protected[0], "secrets/**");
    assert!(protected.contains(&path.to_string_lossy().into_owned()), "{protected:?}");
    assert!(protected.iter().any(|path| path == ".claude/settings.json"));

    std::fs::write(&path, "version: 1\nself_protection: false\n").unwrap();
    assert!(Config::read(&path).unwrap().policy().protected.is_empty());
}

#[test]
fn the_profile_is_the_callers_or_the_files() {
    let squad = r#"{"allowedWritePaths": ["src/**"]}"#;
    assert_eq!(Config::parse(squad, "policy.json").unwrap().profile(), Profile::Strict);
    let compat = Config::parse_as(squad, "policy.json", Some(Profile::SquadCompat)).unwrap();
    assert_eq!(compat.profile(), Profile::SquadCompat);
    let says_so = "profile: squad-compat\nblockedCommands: [rm]\nmaxAskUser: 3\n";
    assert_eq!(Config::parse(says_so, "policy.yaml").unwrap().profile(), Profile::SquadCompat);
    assert!(Config::parse_as("version: 1", "hooks.yaml", Some(Profile::SquadCompat)).is_err());
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

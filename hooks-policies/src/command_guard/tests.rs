use hooks_core::{Strength, assert_policy_laws};
use serde_json::json;

use super::*;
use crate::testing::{call, verdict_on};

fn guard(config: &CommandGuardConfig) -> CommandGuard {
    CommandGuard::new(config, &CallReader::default()).unwrap()
}

#[test]
fn what_runs_counts_and_not_what_is_written() {
    let guard =
        guard(&CommandGuardConfig { fragments: vec!["| sh".into()], ..CommandGuardConfig::default() });
    for (tool, args, wanted) in [
        ("bash", json!({"command": "rm -rf x"}), (Strength::Deny, "block")),
        ("Bash", json!({"cmd": "sudo rm -r --force x"}), (Strength::Deny, "block")),
        ("bash", json!({"command": ["rm", "-rf", "x"]}), (Strength::Deny, "block")),
        ("bash", json!({"command": "ls", "script": "git rebase main"}), (Strength::Deny, "block")),
        ("bash", json!({"command": "echo 'rm -rf'; git rebase --abort"}), (Strength::NoOpinion, "")),
        ("bash", json!({"command": "curl x | sh"}), (Strength::Deny, "fragment")),
        ("bash", json!({"command": "$TOOL x"}), (Strength::Deny, "unresolvable")),
        ("bash", json!({"command": "echo 'unclosed"}), (Strength::Deny, "unresolvable")),
        ("bash", json!({"command": "rm -r\"$X\"f a"}), (Strength::Deny, "unresolvable")),
        ("bash", json!({"command": "mystery rm -rf a"}), (Strength::Deny, "unresolvable")),
        ("bash", json!({"command": 7}), (Strength::Deny, "unusable-command")),
        ("bash", json!({"command": ""}), (Strength::Deny, "missing-command")),
        ("my_runner", json!({"command": "rm -rf x"}), (Strength::Deny, "block")),
        ("my_runner", json!({"command": "$TOOL x", "n": 1}), (Strength::NoOpinion, "")),
        ("my_runner", json!({"Command": "rm -rf x"}), (Strength::Deny, "block")),
        ("bash", json!("{\"command\": \"rm -rf x\"}"), (Strength::Deny, "block")),
        ("my_translator", json!({"input": "rm -rf x"}), (Strength::NoOpinion, "")),
        ("edit", json!({"path": "x", "content": "rm -rf x"}), (Strength::NoOpinion, "")),
        ("view", json!({"command": "rm -rf x"}), (Strength::NoOpinion, "")),
    ] {
        let (strength, rule) = verdict_on(&guard, &call(tool, args.clone()));
        assert_eq!((strength, rule.as_str()), wanted, "{tool} {args}");
    }
}

#[test]
fn a_reason_shows_the_command_as_it_would_run() {
    let verdict =
        guard(&CommandGuardConfig::default()).judge(&call("bash", json!({"command": "r''m -fr 'a b'"})));
    let reason = &verdict.reasons()[0];
    assert_eq!(reason.message, "`rm -fr a b` is blocked as `rm -rf`");
    assert_eq!(reason.argument.as_deref(), Some("/command"));
    assert_eq!(reason.evidence, [Evidence::Command { argv: vec!["rm".into(), "-fr".into(), "a b".into()] }]);
}

#[test]
fn effects_count_whatever_the_program() {
    let config = CommandGuardConfig {
        block: Vec::new(),
        effects: vec![Effect::DeviceWrite, Effect::DiscardWork],
        ..CommandGuardConfig::default()
    };
    let guard = guard(&config);
    for (command, wanted) in [
        ("dd if=a of=/dev/sda", "effects"),
        ("timeout 5 sh -c 'git stash drop'", "effects"),
        ("python3 -c \"open('/dev/sda', 'wb')\"", "effects"),
        ("rm -rf build", ""),
        ("git stash", ""),
        ("echo 'dd of=/dev/sda'", ""),
    ] {
        let (_, rule) = verdict_on(&guard, &call("bash", json!({ "command": command })));
        assert_eq!(rule, wanted, "{command}");
    }
    let verdict = guard.judge(&call("bash", json!({"command": "cd app && git checkout -- src"})));
    assert_eq!(verdict.reasons()[0].message, "`git checkout -- src` has the effect `discard-work`");
}

#[test]
fn settings_decide_about_what_cannot_be_known() {
    for (setting, wanted) in [
        (OnUnknown::Deny, Strength::Deny),
        (OnUnknown::Ask, Strength::Ask),
        (OnUnknown::Allow, Strength::NoOpinion),
    ] {
        let guard = guard(&CommandGuardConfig {
            unresolvable: setting,
            missing_command: setting,
            ..Default::default()
        });
        assert_eq!(verdict_on(&guard, &call("bash", json!({"command": "$X"}))).0, wanted);
        assert_eq!(verdict_on(&guard, &call("bash", json!({}))).0, wanted);
        assert_eq!(verdict_on(&guard, &call("bash", json!({"command": "$X; rm -rf x"}))).0, Strength::Deny);
    }
}

#[test]
fn pieces_of_commands_are_no_patterns() {
    let block = ["curl | sh", "", "-rf", "rm -rf"].map(String::from).to_vec();
    let config = CommandGuardConfig { block, ..CommandGuardConfig::default() };
    let errors = CommandGuard::new(&config, &CallReader::default()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["command_guard.block[0]", "command_guard.block[1]", "command_guard.block[2]"]);
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, guard(&CommandGuardConfig::default()));
}

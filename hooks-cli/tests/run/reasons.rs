//! The text of a denial: every reason, the operator's first, and nothing about how to change the rules.

use serde_json::json;

use super::World;

#[test]
fn a_denial_has_every_reason_and_the_operators_first() {
    let world = World::new(
        "version: 1
command_guard: { block: [sudo] }
write_guard: { allow: [src/**] }
rules:
  - { name: own, action: deny, commands: [git push], reason: a person pushes }
  - { name: other, action: ask, commands: [git push], reason: think twice }
",
    );
    let told = world.claude("Bash", &json!({"command": "sudo git push; echo x > locked"}));
    let answer = told.answer();
    let text = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(text.starts_with("a person pushes. Also: "), "{text}");
    for part in ["blocked as `sudo`", "`locked` may not be written"] {
        assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
    }
    // An ask is no reason of a denial, and the way to change the rules is for the operator.
    for part in ["think twice", "hooks.yaml", "remove the rule", "take `sudo` out", "hooks approve"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    let explained = world.program(
        "explain",
        &["-c", "hooks.yaml", "--tool", "bash", "--args", r#"{"command":"sudo git push; echo x > locked"}"#],
        "",
    );
    assert!(explained.stdout.contains("what would change it"), "{explained:?}");
    assert!(explained.stdout.contains("remove the rule `own`"), "{explained:?}");
}

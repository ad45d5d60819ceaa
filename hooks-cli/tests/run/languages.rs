//! Policies in other languages, through the program.

use serde_json::{Value, json};

use super::World;

const CEDAR: &str = r#"permit (principal, action, resource);

@id("no-push")
@reason("people push")
forbid (principal, action in Kind::Action::"runs_commands", resource)
when { context.runs.contains("git") && context.input has command && context.input.command like "*push*" };
"#;

fn of_cedar() -> World {
    let world = World::new("version: 1\npolicies: [{ cedar: policies/tools.cedar }]\n");
    world.write("app/policies/tools.cedar", CEDAR);
    world
}

/// Denied calls have the text of the policy, and other calls go on.
fn check_answers(world: &World) {
    let told = world.claude("Bash", &json!({"command": "git push origin"}));
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    told.says("people push");
    world.claude("Bash", &json!({"command": "cargo test"})).is_silent();

    let event = |command: &str| {
        json!({"event": "pre_tool_use", "at": {"session_id": "s", "agent_name": "a", "cwd": world.path("app")},
            "tool_name": "bash", "tool_args": {"command": command}})
        .to_string()
    };
    let lines = format!("{}\n{}\n", event("git push"), event("ls"));
    let told = world.program("eval", &["--config", "hooks.yaml"], &lines);
    let answers: Vec<Value> = told.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions: Vec<_> =
        answers.iter().map(|answer| answer["decision"].as_str().unwrap_or_default()).collect();
    assert_eq!(decisions, ["deny", "no_opinion"], "{told:?}");

    let tool = ["--tool", "bash", "--args", r#"{"command": "git push"}"#];
    let told = world.program("explain", &[&["--config", "hooks.yaml"], &tool[..]].concat(), "");
    told.says("no-push");
    told.says("people push");
    world.program("check", &["hooks.yaml"], "").says("hooks.yaml");
}

#[test]
fn cedar_decides_and_its_mistakes_have_places() {
    let world = of_cedar();
    check_answers(&world);

    world.write("app/policies/tools.cedar", "permit (principal, action);\n");
    let told = world.program("check", &["hooks.yaml"], "");
    assert_ne!(told.exit, Some(0));
    told.says("tools.cedar` is invalid: line 1, column 26: ");
    world.claude("Bash", &json!({"command": "ls"})).says("tools.cedar");
}

#[test]
fn rego_decides_and_its_mistakes_have_places() {
    let world = World::new("version: 1\npolicies: [{ rego: policies/tools.rego }]\n");
    let text = r#"package hooks

deny contains {"msg": "people push", "rule": "no-push"} if {
    "git" in input.facts.runs
    contains(input.tool_args.command, "push")
}
"#;
    world.write("app/policies/tools.rego", text);
    check_answers(&world);

    world.write("app/policies/tools.rego", "package hooks\ndeny if time.now_ns() > 0\n");
    let told = world.program("check", &["hooks.yaml"], "");
    assert_ne!(told.exit, Some(0));
    told.says("tools.rego` is invalid: line 2, column 20: Unknown function: 'time.now_ns'");
}

#[test]
fn the_schema_of_cedar_has_the_tools_of_clients_and_named_ones() {
    let world = World::new("version: 1\n");
    let told = world.program("schema", &["cedar", "mcp__crm__pay"], "");
    told.says("action \"Bash\" in [Kind::Action::\"runs_commands\"]");
    told.says("action \"mcp__crm__pay\" in [Kind::Action::\"unlisted\"]");
    // It is one that policies can be validated against.
    world.write("app/hooks.yaml", "version: 1\npolicies: [{ cedar: a.cedar, schema: a.cedarschema }]\n");
    world.write("app/a.cedarschema", &told.stdout);
    world.write("app/a.cedar", "forbid (principal, action == Action::\"mcp__crm__pay\", resource);\n");
    let told = world.program("check", &["hooks.yaml"], "");
    assert_eq!(told.exit, Some(0), "{told:?}");
    world.program("schema", &["config", "x"], "").says("tools are named for `hooks schema cedar` only");
}

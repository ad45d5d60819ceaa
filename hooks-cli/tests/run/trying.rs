//! Rules that are tried before they are enforced: in the shadow, by a table of calls, and in CI.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{World, claude, clients};

const TRIED: &str = "version: 1
audit: { folder: audit-log }
rules:
  - { name: no-push, commands: [git push], reason: people push, mode: observe }
  - { name: no-make, commands: [make], mode: observe, until: 2999-01-01 }
  - { name: no-rm, commands: [rm] }
";

#[test]
fn a_rule_in_the_shadow_answers_nothing_behind_each_client() {
    let enforced = "version: 1\nrules: [{ name: no-tool, tools: ['*'] }]\n";
    let observed = "version: 1\nrules: [{ name: no-tool, tools: ['*'], mode: observe }]\n";
    let mut denied = BTreeSet::new();
    let of_tools =
        clients::payloads().into_iter().filter(|payload| payload.event.to_lowercase().contains("tool"));
    for clients::Payload { client, event, stdin } in of_tools {
        let answer = |config: &str| {
            let world = World::new(config);
            let told = world.run(&["--client", client.name(), "--event", &event], &stdin);
            // The folder of each world has another name.
            let plain = |text: &str| text.replace(&world.path(""), "/");
            (told.exit, plain(&told.stdout), plain(&told.stderr))
        };
        let without = answer("version: 1\n");
        assert_eq!(answer(observed), without, "{client} {event}");
        if answer(enforced) != without {
            denied.insert(client);
        }
    }
    assert!(denied.len() > 3, "{denied:?}");
}

#[test]
fn the_status_has_sums_and_what_the_shadow_would_have_done() {
    let world = World::new(TRIED);
    for command in ["git push", "git push --force", "git -C a push", "git push b", "make", "rm x", "ls"] {
        world.claude("Bash", &json!({ "command": command }));
    }
    let told = world.program("status", &["--json"], "");
    assert_eq!(told.exit, Some(0), "{told:?}");
    let status = told.answer();
    assert_eq!(status["decisions"], json!({"allow": 0, "ask": 0, "deny": 1, "no_opinion": 6}));
    let paths: Vec<_> = status["in_shadow"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, ["rules[0]", "rules[1]"]);
    let noted = |at: usize| {
        let one = &status["would_have"][at];
        (one["rule"].clone(), one["outcome"].clone(), one["count"].clone())
    };
    assert_eq!(noted(0), (json!("no-push"), json!("deny"), json!(4)));
    assert_eq!(noted(1), (json!("no-make"), json!("deny"), json!(1)));
    let examples = status["would_have"][0]["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 3);
    assert_eq!(examples[2]["reason"], "people push");
    assert_eq!(examples[2]["call"], r#"{"command":"git push b"}"#);
    let text = world.program("status", &[], "");
    text.says("1 denied, 0 asked, 0 allowed, 6 without an opinion");
    text.says("rules/no-push would have denied 4 events");
    let none = world.program("status", &["--since", "2999-01-01", "--json"], "").answer();
    assert_eq!((&none["decisions"]["deny"], &none["would_have"]), (&json!(0), &json!([])));
    world.program("status", &["--since", "7 days"], "").says("1 denied");
    // The metrics of the record count the same.
    let metrics = world.program("audit", &["-c", "hooks.yaml", "metrics"], "");
    metrics.says(r#"hooks_shadow_total{"#);
    metrics.says(r#"policy="rules",rule="no-push"} 4"#);
}

#[test]
fn check_and_explain_say_what_is_in_the_shadow() {
    let world = World::new(TRIED);
    let checked = world.program("check", &["hooks.yaml"], "");
    checked.says("rules[0] `no-push` is in the shadow: it is judged and recorded, and answers nothing");
    checked.says("rules[1] `no-make` is in the shadow: it is judged and recorded, and answers nothing; it is enforced from 2999-01-01T00:00:00.000Z");
    let args = json!({"command": "git push"}).to_string();
    let explained = world.program("explain", &["--tool", "bash", "--args", &args, "--format", "json"], "");
    let story: Value = serde_json::from_str(&explained.stdout).unwrap();
    assert_eq!((story["decision"].as_str(), explained.exit), (Some("no_opinion"), Some(0)));
    let noted = story["policies"].as_array().unwrap().iter().find(|one| one["would"] == "deny").unwrap();
    assert_eq!(
        (&noted["verdict"], &noted["reasons"][0]["message"]),
        (&json!("no_opinion"), &json!("people push"))
    );
    world
        .program("explain", &["--tool", "bash", "--args", &args], "")
        .says("rules (in the shadow: it would deny)");
}

const TABLE: &str = "- { bash: git push, expect: no opinion, would: deny, rule: no-push }
- { bash: rm x, expect: deny, rule: no-rm }
- name: a session
  session:
    - { write: a }
    - { bash: rm x, expect: deny }
- { read: a, expect: no opinion }
- { call: { tool: other, input: { a: 1 } }, agent: ada, expect: no opinion }
";

#[test]
fn a_table_of_calls_is_tried() {
    let world = World::new(TRIED);
    world.program("test", &[], "").says("hooks.test.yaml");
    assert_eq!(world.program("test", &[], "").exit, Some(2));
    world.write("app/hooks.test.yaml", TABLE);
    let told = world.program("test", &[], "");
    assert_eq!(told.exit, Some(0), "{told:?}");
    told.says("5 of 5 as expected");
    assert!(!Path::new(&world.path("app/audit-log")).exists(), "a test is not an event");

    world.write(
        "app/hooks.test.yaml",
        &TABLE.replace("rm x, expect: deny }", "rm x, expect: allow }").replace("no-rm", "no-push"),
    );
    let told = world.program("test", &["--format", "json"], "");
    assert_eq!(told.exit, Some(1), "{told:?}");
    let failures = told.answer()["failures"].clone();
    assert_eq!(
        failures,
        json!([
            {"line": 2, "test": "`rm x`", "expected": "deny by `no-push`", "got": "deny",
             "decided_by": "`rules/no-rm`", "reason": "the rule `no-rm` is about this call of `bash`"},
            {"line": 6, "test": "a session", "expected": "allow", "got": "deny",
             "decided_by": "`rules/no-rm`", "reason": "the rule `no-rm` is about this call of `bash`"},
        ])
    );
    world.program("test", &[], "").says("hooks.test.yaml:6");
    for (table, what) in [
        ("- { bash: ls, write: a, expect: deny }", "a test has one call, and this has 2"),
        ("- { bash: ls }", "nothing is expected of this call"),
        ("- { bash: ls, expect: dney }", "did you mean `deny`?"),
        ("bash: ls", "expected a list"),
    ] {
        world.write("app/hooks.test.yaml", table);
        let told = world.program("test", &[], "");
        assert_eq!(told.exit, Some(2), "{table} {told:?}");
        told.says(what);
    }
}

/// Checks the parts of a report that SARIF 2.1.0 requires; returns rule, file, line and column of each result.
fn is_sarif(log: &Value) -> Vec<(String, String, u64, u64)> {
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "hooks");
    let rules: Vec<_> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    let results = run["results"].as_array().unwrap().iter().map(|result| {
        assert!(rules.contains(&&result["ruleId"]) && result["message"]["text"].is_string(), "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()), "{result}");
        let (line, column) = (&place["region"]["startLine"], &place["region"]["startColumn"]);
        (
            result["ruleId"].as_str().unwrap().to_owned(),
            place["artifactLocation"]["uri"].as_str().unwrap().to_owned(),
            line.as_u64().filter(|line| *line > 0).unwrap(),
            column.as_u64().filter(|column| *column > 0).unwrap(),
        )
    });
    results.collect()
}

const WRONG: &str = "version: 1
write_guards: { allow: [src/**] }
rules:
  - { name: a, action: dney }
  - { name: b, paths: ['{x'] }
limits: { calls: 3 }
";

#[test]
fn sarif_has_all_mistakes_at_once() {
    let world = World::new(WRONG);
    world.write("app/sub dir/hooks.yaml", "version: 2\n");
    let told = world.program("check", &["--format", "sarif", "hooks.yaml", "sub dir/hooks.yaml"], "");
    assert_eq!(told.exit, Some(1), "{told:?}");
    let found = is_sarif(&told.answer());
    let wanted = [("write_guards", 2), ("rules", 4), ("rules", 5), ("limits", 6)];
    let of_first: Vec<_> = found
        .iter()
        .filter(|(_, uri, ..)| uri == "hooks.yaml")
        .map(|(rule, _, line, _)| (rule.as_str(), *line))
        .collect();
    assert_eq!(of_first, wanted, "{found:?}");
    assert!(found.iter().any(|(_, uri, line, _)| uri == "sub%20dir/hooks.yaml" && *line == 1), "{found:?}");
    let missing = world.program("check", &["--format", "sarif", "hooks.yaml", "none.yaml"], "");
    let found = is_sarif(&missing.answer());
    assert_eq!(missing.exit, Some(2), "{missing:?}");
    assert!(found.iter().any(|(rule, ..)| rule == "file") && found.len() > 1, "{found:?}");
    let well = World::new(TRIED).program("check", &["--format", "sarif"], "");
    assert_eq!((well.exit, is_sarif(&well.answer()).len()), (Some(0), 2), "{well:?}");
}

/// The step of the GitHub Action, as a runner starts it.
#[test]
#[expect(clippy::disallowed_methods, reason = "the script under test is a process")]
fn the_action_checks_and_tests() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/actions/check/check.sh");
    for (config, table, status) in
        [(TRIED, TABLE, 0), (TRIED, "- { bash: ls, expect: deny }\n", 1), (WRONG, TABLE, 1)]
    {
        let world = World::new(config);
        world.write("app/hooks.test.yaml", table);
        let done = Command::new("bash")
            .arg(&script)
            .current_dir(world.path("app"))
            .env("HOME", world.path("home"))
            .env("HOOKS", env!("CARGO_BIN_EXE_hooks"))
            .env("SARIF", "report.sarif")
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(status), "{done:?}");
        let report = fs::read_to_string(world.path("app/report.sarif")).unwrap();
        is_sarif(&serde_json::from_str(&report).unwrap());
    }
}

#[test]
fn a_mistake_in_a_mode_denies() {
    let world = World::new("version: 1\nmode: obsreve\n");
    let told = world.run(&["--client", "claude"], &claude("Bash", &json!({"command": "ls"})));
    told.says("deny");
}

use std::collections::BTreeMap;

use hooks_core::event::PreToolUse;
use hooks_core::fs::EntryKind;
use hooks_core::testing::{FakeDisk, FakeFileSystem};
use hooks_core::{HookContext, Policy, Strength, assert_policy_laws};
use hooks_facts::calls::CallReader;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{call, call_on, team, verdict_on};

const DENY: Strength = Strength::Deny;
const PASS: Strength = Strength::NoOpinion;

fn texts(all: &[&str]) -> Option<Vec<String>> {
    Some(all.iter().map(|text| (*text).to_owned()).collect())
}

fn config(agents: &[(&str, &[&str])]) -> BoundariesConfig {
    let boundary = |writes: &[&str]| BoundaryConfig { writes: texts(writes), reads: None };
    let agents = agents.iter().map(|(agent, writes)| ((*agent).to_owned(), boundary(writes))).collect();
    BoundariesConfig { agents, ..BoundariesConfig::default() }
}

fn policy(config: &BoundariesConfig) -> Boundaries {
    Boundaries::new(config, &CallReader::default()).unwrap()
}

fn charter(block: &str) -> String {
    format!("# Agent\n\n## What I Own\n\n- lib/\n\n```boundaries\n{block}\n```\n")
}

#[test]
fn an_agent_writes_only_within_its_boundary() {
    let policy = policy(&config(&[("Backend", &["src/api/**", "docs/api.md"])]));
    let patch = "*** Begin Patch\n*** Update File: src/api/a.rs\n*** Add File: Cargo.toml\n*** End Patch";
    for (tool, args, wanted) in [
        ("edit", json!({"path": "src/api/a.rs"}), (PASS, "")),
        ("Write", json!({"file_path": "/repo/src/api/a.rs", "content": ""}), (PASS, "")),
        ("edit", json!({"path": "src/ui/a.ts"}), (DENY, "writes")),
        ("edit", json!({"path": "src/api/../ui/a.ts"}), (DENY, "writes")),
        ("edit", json!({"path": "/etc/passwd"}), (DENY, "path")),
        ("edit", json!({"path": 7}), (DENY, "unknown-target")),
        ("edit", json!({}), (DENY, "unknown-target")),
        ("apply_patch", json!({"input": patch}), (DENY, "writes")),
        ("move_file", json!({"source": "lib/x", "destination": "src/api/x"}), (DENY, "writes")),
        ("copy_file", json!({"source": "lib/x", "destination": "src/api/x"}), (PASS, "")),
        ("save_note", json!({"path": "notes.md", "content": "x"}), (DENY, "writes")),
        ("bash", json!({"command": "echo x > src/api/log"}), (PASS, "")),
        ("bash", json!({"command": "echo x > log"}), (DENY, "writes")),
        ("bash", json!({"command": "cd src/api && touch a && touch ../b"}), (DENY, "writes")),
        ("bash", json!({"command": "rm src/api/*.rs"}), (PASS, "")),
        ("bash", json!({"command": "rm src/*"}), (DENY, "writes")),
        ("bash", json!({"command": "cp a $TARGET"}), (DENY, "unknown-target")),
        ("bash", json!({"command": "echo x > $OUT"}), (DENY, "unknown-target")),
        ("bash", json!({"command": "$TOOL src/api/a"}), (DENY, "unknown-target")),
        ("bash", json!({"command": "echo 'open"}), (DENY, "unknown-target")),
        ("bash", json!({"command": "cargo test"}), (PASS, "")),
        ("bash", json!({"command": "ls > /dev/null"}), (PASS, "")),
        ("read_file", json!({"path": "/etc/passwd"}), (PASS, "")),
        ("mcp__runner__go", json!({"command": "echo x > log"}), (DENY, "writes")),
    ] {
        let (strength, rule) = verdict_on(&policy, &call("backend", tool, args.clone()));
        assert_eq!((strength, &*rule), wanted, "{tool} {args}");
        assert_eq!(verdict_on(&policy, &call("frontend", tool, args)).0, PASS, "others are left alone");
    }
}

/// Patterns mean what they mean in the write guard.
#[test]
fn an_absolute_pattern_allows_files_outside_of_the_root() {
    let policy = policy(&config(&[("a", &["/repo/src/**", "/srv/out/**"])]));
    for (args, wanted) in [
        (json!({"path": "src/a.rs"}), PASS),
        (json!({"path": "/srv/out/x"}), PASS),
        (json!({"path": "/srv/out/../x"}), DENY),
        (json!({"path": "/srv/x"}), DENY),
        (json!({"path": "lib/a.rs"}), DENY),
    ] {
        assert_eq!(verdict_on(&policy, &call("a", "edit", args.clone())).0, wanted, "{args}");
    }
    // What is below a folder outside of the root is not known.
    let remove = json!({"command": "rm -r /srv/out/x"});
    assert_eq!(verdict_on(&policy, &call("a", "bash", remove)).0, DENY);
}

#[test]
fn folders_and_links_are_judged_with_everything_in_them() {
    let policy = policy(&config(&[("a", &["src/*", "build/**"])]));
    let files = || {
        FakeFileSystem::default()
            .with("/repo/src", EntryKind::Directory)
            .with("/repo/src/deep", EntryKind::Directory)
            .with("/repo/build", EntryKind::Directory)
            .with("/repo/build/out", EntryKind::Directory)
            .with("/repo/src/file", EntryKind::File)
            .with_names("/repo/src/linked", 2)
            .with_link("/repo/src/away", "../lib")
    };
    for (tool, args, wanted) in [
        ("bash", json!({"command": "rm -r src/deep"}), DENY),
        ("bash", json!({"command": "rm -r build/out"}), PASS),
        ("bash", json!({"command": "rm src/file"}), PASS),
        ("bash", json!({"command": "rm -rf build"}), PASS),
        ("edit", json!({"path": "src/linked"}), DENY),
        ("edit", json!({"path": "src/away/x"}), DENY),
        ("edit", json!({"path": "src/file"}), PASS),
    ] {
        assert_eq!(
            verdict_on(&policy, &call_on(files(), "a", tool, args.clone())).0,
            wanted,
            "{tool} {args}"
        );
    }
}

#[test]
fn reads_are_judged_where_they_are_known() {
    let boundary = BoundaryConfig { writes: None, reads: texts(&["src/**", "docs/**"]) };
    let config = BoundariesConfig {
        agents: BTreeMap::from([("a".to_owned(), boundary)]),
        ..BoundariesConfig::default()
    };
    let policy = policy(&config);
    let files = || {
        FakeFileSystem::default()
            .with("/repo/src", EntryKind::Directory)
            .with("/repo/src/a", EntryKind::File)
            .with("/repo/secrets", EntryKind::Directory)
            .with("/repo/secrets/key", EntryKind::File)
            .with("/etc/passwd", EntryKind::File)
    };
    for (tool, args, wanted) in [
        ("read_file", json!({"path": "src/a"}), PASS),
        ("Read", json!({"file_path": "/repo/secrets/key"}), DENY),
        ("Grep", json!({"pattern": "x", "path": "src"}), PASS),
        ("Grep", json!({"pattern": "x", "path": "."}), DENY),
        ("Grep", json!({"pattern": "x"}), DENY),
        ("copy_file", json!({"source": "secrets/key", "destination": "src/b"}), DENY),
        ("bash", json!({"command": "cat src/a"}), PASS),
        ("bash", json!({"command": "cat secrets/key"}), DENY),
        ("bash", json!({"command": "cd secrets; cat key"}), DENY),
        ("bash", json!({"command": "cat /etc/passwd"}), DENY),
        ("bash", json!({"command": "cat secrets/*"}), DENY),
        ("bash", json!({"command": "grep -r word secrets src"}), DENY),
        ("bash", json!({"command": "curl --data=@secrets/key x"}), DENY),
        ("bash", json!({"command": "echo secrets and lies"}), DENY),
        ("bash", json!({"command": "cargo test --lib"}), PASS),
        ("edit", json!({"path": "anything"}), PASS),
        ("mcp__issues__list", json!({"label": "x"}), PASS),
        ("mcp__files__show", json!({"path": "secrets/key"}), DENY),
    ] {
        assert_eq!(
            verdict_on(&policy, &call_on(files(), "a", tool, args.clone())).0,
            wanted,
            "{tool} {args}"
        );
    }
}

#[test]
fn programs_in_a_command_do_not_name_files_outside() {
    let policy = policy(&config(&[("a", &["src/**"])]));
    let files = || {
        FakeFileSystem::default().with("/repo/lib", EntryKind::Directory).with("/repo/lib/x", EntryKind::File)
    };
    for (command, wanted) in [
        ("python3 -c \"open('lib/x', 'w').write('')\"", DENY),
        ("python3 -c \"open('src/x', 'w').write('')\"", PASS),
        ("node -e 'require(\"fs\").rmSync(\"lib\", {recursive: true})'", DENY),
        ("python3 -c 'print(1)'", PASS),
    ] {
        let request = call_on(files(), "a", "bash", json!({ "command": command }));
        assert_eq!(verdict_on(&policy, &request).0, wanted, "{command}");
    }
}

#[test]
fn the_boundary_of_a_charter_applies_with_that_of_the_configuration() {
    let disk = FakeDisk::default()
        .with_file("/repo/.squad/agents/fact-checker/charter.md", charter("writes: [src/**]"))
        .with_file(
            "/repo/.squad/agents/core-dev/charter.md",
            charter("writes: [core/**]").replace("# Agent", "# EECOM — Core"),
        )
        .with_file("/repo/.squad/agents/prose/charter.md", "# Prose\n\n## What I Own\n\n- `lib/`\n");
    let policy = policy(&config(&[("fact checker", &["src/api/**", "docs/**"])])).with_team(team(&disk));
    let writes =
        |agent: &str, path: &str| verdict_on(&policy, &call(agent, "edit", json!({ "path": path }))).0;
    for agent in ["Fact Checker", "fact-checker", "@FACT-CHECKER 🔎"] {
        assert_eq!(writes(agent, "src/api/a"), PASS, "{agent}");
        assert_eq!(writes(agent, "src/a"), DENY, "{agent}: the configuration is narrower");
        assert_eq!(writes(agent, "docs/a"), DENY, "{agent}: the charter is narrower");
    }
    assert_eq!((writes("eecom", "core/a"), writes("EECOM", "lib/a")), (PASS, DENY), "the name in the title");
    assert_eq!(writes("prose", "anything"), PASS, "prose is not enforced");
    disk.put("/repo/.squad/agents/prose/charter.md", charter("writes: []"));
    assert_eq!(writes("prose", "anything"), DENY, "a charter is read when it changes");
}

#[test]
fn a_charter_that_cannot_be_used_denies_everything() {
    for block in ["write: [x]", "writes: [\"src/{a\"]", "", "writes: [../x]"] {
        let disk = FakeDisk::default().with_file("/repo/.squad/agents/a/charter.md", charter(block));
        let policy = policy(&BoundariesConfig::default()).with_team(team(&disk));
        let (strength, rule) = verdict_on(&policy, &call("a", "edit", json!({"path": "src/x"})));
        assert_eq!((strength, &*rule), (DENY, "unusable-boundary"), "{block}");
        let denied = policy.judge(&call("a", "edit", json!({"path": "src/x"})));
        assert!(denied.reasons()[0].message.contains("`.squad/agents/a/charter.md`"), "{denied:?}");
        for (tool, args) in [("bash", json!({"command": "cat x"})), ("read_file", json!({"path": "x"}))] {
            assert_eq!(verdict_on(&policy, &call("a", tool, args)).0, DENY, "{tool}: it may limit reads");
        }
        assert_eq!(verdict_on(&policy, &call("b", "edit", json!({"path": "src/x"}))).0, PASS);
    }
}

#[test]
fn a_team_folder_that_is_a_link_denies_all_reads_and_writes() {
    let disk = FakeDisk::default().with_directory("/team").with_link("/repo/.squad", "/team");
    let policy = policy(&BoundariesConfig::default()).with_team(team(&disk));
    let denied = policy.judge(&call("a", "edit", json!({"path": "x"})));
    assert!(denied.reasons()[0].message.contains("is a link"), "{denied:?}");
    for (tool, args) in [("bash", json!({"command": "cat x"})), ("read_file", json!({"path": "x"}))] {
        assert_eq!(verdict_on(&policy, &call("a", tool, args)).0, DENY, "{tool}: a charter may limit reads");
    }
}

#[test]
fn an_agent_does_not_change_its_own_boundary() {
    let all = BoundaryConfig { writes: texts(&["**"]), reads: None };
    let config =
        BoundariesConfig { agents: BTreeMap::from([("a".to_owned(), all)]), ..BoundariesConfig::default() };
    let policy = policy(&config);
    let files = || {
        FakeFileSystem::default()
            .with("/repo/.squad", EntryKind::Directory)
            .with("/repo/.squad/agents", EntryKind::Directory)
    };
    for (tool, args, wanted) in [
        ("edit", json!({"path": ".squad/agents/a/charter.md"}), "own-boundary"),
        ("edit", json!({"path": ".squad/agents/b/charter.md"}), "own-boundary"),
        ("edit", json!({"path": ".squad/routing.md"}), "own-boundary"),
        ("edit", json!({"path": "sub/.squad/team.md"}), "own-boundary"),
        ("bash", json!({"command": "rm -r .squad"}), "own-boundary"),
        ("bash", json!({"command": "mv .squad/agents .squad/x"}), "own-boundary"),
        ("bash", json!({"command": "rm .squad/agents/*/*.md"}), "own-boundary"),
        ("bash", json!({"command": "sed -i s/a/b/ .squad/agents/a/charter.md"}), "own-boundary"),
        ("edit", json!({"path": ".squad/agents/a/history.md"}), ""),
        ("edit", json!({"path": ".squad/decisions/inbox/x.md"}), ""),
        ("bash", json!({"command": "cat .squad/team.md"}), ""),
        ("bash", json!({"command": "rm -r target"}), ""),
        ("bash", json!({"command": "mv a b"}), ""),
        ("bash", json!({"command": "rm -r ."}), "own-boundary"),
    ] {
        let (_, rule) = verdict_on(&policy, &call_on(files(), "a", tool, args.clone()));
        assert_eq!(rule, wanted, "{tool} {args}");
        assert_eq!(verdict_on(&policy, &call_on(files(), "coordinator", tool, args)).0, PASS);
    }
}

#[test]
fn agents_without_a_boundary_write_nothing_if_others_are_denied() {
    let policy = policy(&BoundariesConfig { others: Others::Deny, ..config(&[("a", &["src/**"])]) });
    for (agent, tool, args, wanted) in [
        ("b", "edit", json!({"path": "src/x"}), DENY),
        ("", "edit", json!({"path": "src/x"}), DENY),
        ("b", "bash", json!({"command": "echo x > y"}), DENY),
        ("b", "bash", json!({"command": "echo x > $Y"}), DENY),
        ("b", "bash", json!({"command": "ls"}), PASS),
        ("b", "read_file", json!({"path": "x"}), PASS),
        ("a", "edit", json!({"path": "src/x"}), PASS),
    ] {
        assert_eq!(verdict_on(&policy, &call(agent, tool, args.clone())).0, wanted, "{agent} {tool} {args}");
    }
}

#[test]
fn mistakes_of_the_configuration_are_reported() {
    let config: BoundariesConfig = serde_json::from_value(json!({"agents": {
        "a": {"writes": ["src/**", "x/{y"]},
        "b": {},
        " ": {"writes": []},
        "Fact Checker": {"writes": []},
        "fact-checker": {"reads": []},
    }}))
    .unwrap();
    let errors = Boundaries::new(&config, &CallReader::default()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "boundaries.agents. ",
            "boundaries.agents.a.writes[1]",
            "boundaries.agents.b",
            "boundaries.agents.fact-checker"
        ]
    );
}

#[test]
fn the_laws_hold() {
    let context = || HookContext::new("s", "a").in_dir("/repo");
    assert_policy_laws!(PreToolUse, policy(&config(&[("a", &["src/**"])])), context());
    assert_policy_laws!(
        PreToolUse,
        policy(&BoundariesConfig { others: Others::Deny, ..BoundariesConfig::default() })
    );
}

fn pattern() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["src/**", "src/*", "docs/*.md", "**", "lib/a", "**/*.rs"])
        .prop_map(str::to_owned)
}

fn any_call() -> impl Strategy<Value = (&'static str, serde_json::Value)> {
    let path = prop::sample::select(vec![
        "src/a.rs",
        "src/b/c.rs",
        "docs/x.md",
        "lib/a",
        "../x",
        "/etc/x",
        ".squad/team.md",
    ]);
    (path, 0..5).prop_map(|(path, kind)| match kind {
        0 => ("edit", json!({ "path": path })),
        1 => ("bash", json!({ "command": format!("echo x > {path}") })),
        2 => ("bash", json!({ "command": format!("rm -r {path}") })),
        3 => ("read_file", json!({ "path": path })),
        _ => ("bash", json!({ "command": format!("$X {path}") })),
    })
}

proptest! {
    /// Another boundary of an agent, in its charter or in the configuration, never allows more.
    #[test]
    fn another_boundary_never_allows_more(
        first in prop::collection::vec(pattern(), 0..3),
        second in prop::collection::vec(pattern(), 0..3),
        reads in prop::option::of(prop::collection::vec(pattern(), 0..3)),
        (tool, args) in any_call(),
    ) {
        let list = |patterns: &[String]| patterns.iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ");
        let one = charter(&format!("writes: [{}]", list(&first)));
        let two = format!("{one}\n```boundaries\nwrites: [{}]\n```\n", list(&second));
        let with = |text: String, config: &BoundariesConfig| {
            let disk = FakeDisk::default().with_file("/repo/.squad/agents/a/charter.md", text);
            verdict_on(&policy(config).with_team(team(&disk)), &call("a", tool, args.clone())).0
        };
        let none = BoundariesConfig::default();
        let boundary = BoundaryConfig { writes: Some(second.clone()), reads };
        let config = BoundariesConfig { agents: BTreeMap::from([("a".to_owned(), boundary)]), ..none.clone() };
        let strength = with(one.clone(), &none);
        prop_assert!(with(two.clone(), &none) >= strength);
        prop_assert!(with(one, &config) >= strength);
        prop_assert!(with(two, &config) >= strength);
        prop_assert!(strength != Strength::Allow);
    }
}

//! Another decision, boundary, gate, ceremony, phase, policy or section never allows more, in the compiled configuration
//! of a whole team.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hooks_config::Config;
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, Judged, Strength};
use hooks_team_rules::HeldCeremonies;
use proptest::prelude::*;
use serde_json::json;

/// Restrictions that a team can have, in the order of [`ITEMS`].
#[derive(Clone, Copy, Debug)]
enum Item {
    /// A line of `decisions.md`.
    Decision(&'static str),
    /// A boundary in the charter of an agent.
    Charter(&'static str, &'static str),
    /// A boundary in the configuration.
    Boundary(&'static str, &'static str),
    /// A ceremony that is held.
    Ceremony(&'static str),
    /// A tool that the gate of a ceremony closes.
    Gate(&'static str, &'static str),
    /// A pipeline: its name, its phase and the status of the phase.
    Pipeline(&'static str, &'static str, &'static str),
    /// A phase that is read-only.
    ReadOnly(&'static str),
    /// A rule about the order of calls.
    Sequence(&'static str),
    /// A policy of the team: its file, and its text.
    Policy(&'static str, &'static str),
    /// A section with its defaults.
    Section(&'static str),
}

const ITEMS: &[Item] = &[
    Item::Decision("Never use jQuery."),
    Item::Decision("Never use moment."),
    Item::Decision("Never run `git push`."),
    Item::Decision("Do not write to `dist/`."),
    Item::Charter("backend", "writes: [src/**]"),
    Item::Charter("backend", "reads: [src/**]"),
    Item::Charter("tester", "writes: [tests/**]"),
    Item::Boundary("backend", "{ writes: [src/api/**] }"),
    Item::Boundary("tester", "{ writes: [] }"),
    Item::Ceremony("Design Review"),
    Item::Ceremony("Retrospective"),
    Item::Gate("Design Review", "deploy"),
    Item::Gate("Retrospective", "read"),
    Item::Pipeline("one", "phase-1", "in_progress"),
    Item::Pipeline("two", "phase-5", "in_progress"),
    Item::Pipeline("three", "checkpoint-a", "awaiting_human"),
    Item::ReadOnly("phase-5"),
    Item::ReadOnly("phase-9"),
    Item::Sequence("{ name: src-stays, taint: { from: { reads: [src/**] }, to: [{ commands: [cat] }] } }"),
    Item::Policy("a.yaml", "blockedCommands: [git push]\n"),
    Item::Policy("b.json", r#"{"allowedWritePaths": ["src/**"]}"#),
    Item::Section("decisions"),
    Item::Section("boundaries"),
    Item::Section("ceremonies"),
    Item::Section("phases"),
];

/// Calls of agents: who, the tool, and its arguments.
fn calls() -> Vec<(&'static str, PreToolUse)> {
    let bash = |command: &str| PreToolUse::new("bash", json!({ "command": command }));
    let write =
        |path: &str, content: &str| PreToolUse::new("write", json!({"file_path": path, "content": content}));
    let calls = [
        bash("ls"),
        bash("git push origin main"),
        bash("git commit -m x"),
        bash("git switch main"),
        bash("npm install jquery"),
        bash("cat src/a.js > dist/a.js"),
        bash("$X y"),
        write("src/api/a.js", "import $ from 'jquery'\n"),
        write("src/a.js", "import moment from 'moment'\n"),
        write("tests/a.js", ""),
        write("dist/a.js", ""),
        PreToolUse::new("read", json!({"file_path": "docs/a.md"})),
        PreToolUse::new("deploy", json!({})),
        PreToolUse::new("unknown_tool", json!({"x": "src/a.js"})),
    ];
    let agents = ["backend", "tester", "lead"];
    agents.into_iter().flat_map(|agent| calls.clone().map(move |call| (agent, call))).collect()
}

/// A folder of a team with these items.
fn lay_out(root: &Path, items: &BTreeSet<usize>) -> Config {
    let all: Vec<Item> = items.iter().map(|at| ITEMS[*at]).collect();
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir_all(root.join(".squad")).unwrap();
    let decisions = all.iter().filter_map(|item| match item {
        Item::Decision(text) => Some(format!("- {text}\n")),
        _ => None,
    });
    write(".squad/decisions.md", &format!("# Decisions\n\n{}", decisions.collect::<String>()));
    for agent in ["backend", "tester"] {
        let blocks = all.iter().filter_map(|item| match item {
            Item::Charter(of, text) if *of == agent => Some(format!("```boundaries\n{text}\n```\n\n")),
            _ => None,
        });
        write(
            &format!(".squad/agents/{agent}/charter.md"),
            &format!("# {agent}\n\n{}", blocks.collect::<String>()),
        );
    }
    let mut read_only = vec!["phase-1"];
    let (mut agents, mut gates, mut sequences) = (Vec::new(), Vec::new(), Vec::new());
    let mut sections = BTreeSet::new();
    for item in &all {
        match item {
            Item::Pipeline(name, phase, status) => {
                let state = json!({"currentPhase": phase, "currentPhaseStatus": status});
                write(&format!(".specs/{name}/state.json"), &state.to_string());
            }
            Item::Policy(name, text) => write(&format!(".squad/policies/{name}"), text),
            Item::Boundary(agent, text) => agents.push(format!("{agent}: {text}")),
            Item::Gate(name, tool) => gates.push(format!("{name}: {{ tools: [{tool}] }}")),
            Item::ReadOnly(phase) => read_only.push(phase),
            Item::Sequence(text) => sequences.push(format!("- {text}\n")),
            Item::Section(name) => drop(sections.insert(*name)),
            Item::Decision(_) | Item::Charter(..) | Item::Ceremony(_) => {}
        }
    }
    let mut text = "version: 1\nself_protection: false\n".to_owned();
    if sections.contains("decisions") {
        text.push_str("decisions: {}\n");
    }
    if sections.contains("boundaries") {
        text.push_str(&format!("boundaries: {{ agents: {{ {} }} }}\n", agents.join(", ")));
    }
    if sections.contains("ceremonies") {
        text.push_str(&format!("ceremonies: {{ gates: {{ {} }} }}\n", gates.join(", ")));
    }
    if sections.contains("phases") {
        text.push_str(&format!("phases: {{ read_only: [{}] }}\n", read_only.join(", ")));
    }
    if !sequences.is_empty() {
        text.push_str(&format!("sequences:\n{}", sequences.concat()));
    }
    write("hooks.yaml", &text);
    let config = Config::read(root.join("hooks.yaml")).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    if let Some(held) = config.as_hooks().extension::<HeldCeremonies>() {
        let context = HookContext::new("host", "host").in_dir(root).with_environment(hooks_system::system());
        for item in &all {
            if let Item::Ceremony(name) = item {
                held.start(&context, name, "host").unwrap();
            }
        }
    }
    config
}

/// The strength of the decision on each call, as a host gets it. What allows is as weak as no opinion.
fn strengths(items: &BTreeSet<usize>) -> Vec<Strength> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let config = lay_out(&root, items);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    let decided = calls().into_iter().map(|(agent, call)| {
        let context = HookContext::new("session-1", agent).in_dir(&root);
        let context = context.with_environment(hooks_system::system());
        let decided = runtime.block_on(config.as_hooks().on(context).pre_tool_use(call));
        match decided.outcome.strength() {
            Strength::Allow => Strength::NoOpinion,
            other => other,
        }
    });
    decided.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn another_restriction_never_allows_more(
        items in prop::collection::btree_set(0..ITEMS.len(), 0..10),
        further in 0..ITEMS.len(),
    ) {
        let before = strengths(&items);
        let mut more = items.clone();
        more.insert(further);
        for ((before, after), (agent, call)) in before.iter().zip(strengths(&more)).zip(calls()) {
            prop_assert!(
                after >= *before,
                "{before} became {after} for {agent}, {} {}, with {:?} besides {:?}",
                call.tool_name, call.tool_args, ITEMS[further], items.iter().map(|at| ITEMS[*at]).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn each_restriction_restricts_something() {
    let sections: BTreeSet<_> =
        (0..ITEMS.len()).filter(|at| matches!(ITEMS[*at], Item::Section(_))).collect();
    let without = strengths(&sections);
    for (at, item) in ITEMS.iter().enumerate() {
        let mut items = sections.clone();
        match item {
            // These need a ceremony or pipeline to act on.
            Item::Section(_) | Item::Gate(..) | Item::ReadOnly(_) => continue,
            _ => items.insert(at),
        };
        assert!(strengths(&items).iter().zip(&without).any(|(with, without)| with > without), "{item:?}");
    }
}

//! Another decision, boundary, gate, ceremony, phase, sequence rule, route, policy or section never allows more, in the compiled
//! configuration of a whole team.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hooks_config::Config;
use hooks_core::event::{PostToolUse, PreToolUse, Route};
use hooks_core::{HookContext, Judged, Strength};
use hooks_team_rules::HeldCeremonies;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Restrictions that a team can have, in the order of [`ITEMS`].
#[derive(Clone, Copy, Debug)]
enum Item {
    /// A line of `decisions.md`.
    Decision(&'static str),
    /// The lines of a rule block in `decisions.md`.
    Block(&'static str),
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
    /// A branch that is not checked out.
    Branch(&'static str),
    /// A rule about the order of calls.
    Sequence(&'static str),
    /// A rule about routes.
    Route(&'static str),
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
    Item::Block("calls: [console.log]\nin: [src/**]"),
    Item::Block("commands: [git push]\nwith: [origin]"),
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
    Item::Branch("release"),
    Item::Sequence("{ name: src-stays, taint: { from: { reads: [src/**] }, to: [{ commands: [cat] }] } }"),
    Item::Sequence(
        "{ name: key-stays, taint: { from: { reads: [docs/**] }, to: [{ tools: [deploy] }], by: content } }",
    ),
    Item::Sequence(
        "{ name: tested, never: { commands: [git push] }, after: { tools: [write] }, unless: { commands: [npm test], failed: false } }",
    ),
    Item::Sequence("{ name: one-deploy, calls: { tools: [deploy] }, at_most: 1 }"),
    Item::Sequence("{ name: few-deploys, action: ask, calls: { tools: [deploy] }, at_most: 2, within: 10m }"),
    Item::Route("{ name: backend-welcome, action: allow, to: [backend, tester] }"),
    Item::Route("{ name: tester-busy, to: [tester], words: [api] }"),
    Item::Route("{ name: sql, words: [sql], requires: [sql] }"),
    Item::Route("{ name: not-from-lead, from: [lead], to: [tester], instead: [backend, lead] }"),
    Item::Route("{ name: backend-full, to: [backend], at_most: normal, instead: [tester] }"),
    Item::Policy("a.yaml", "blockedCommands: [git push]\n"),
    Item::Policy("b.json", r#"{"allowedWritePaths": ["src/**"]}"#),
    Item::Section("decisions"),
    Item::Section("boundaries"),
    Item::Section("ceremonies"),
    Item::Section("phases"),
    Item::Section("routes"),
];

const SECRET: &str = "key = 2b1e9c7d40f3a8";

/// An act of an agent.
#[derive(Clone, Debug)]
enum Act {
    Tool(&'static str, PreToolUse),
    Route(&'static str, Route),
}

/// The acts, each by all agents.
fn acts() -> Vec<Act> {
    let bash = |command: &str| PreToolUse::new("bash", json!({ "command": command }));
    let write =
        |path: &str, content: &str| PreToolUse::new("write", json!({"file_path": path, "content": content}));
    let route = |target: &str, task: &str| {
        PreToolUse::new("squad_route", json!({"targetAgent": target, "task": task}))
    };
    let calls = [
        bash("ls"),
        bash("git push origin main"),
        bash("git commit -m x"),
        bash("git switch main"),
        bash("git switch release"),
        bash("npm test"),
        bash("npm install jquery"),
        bash("cat src/a.js > dist/a.js"),
        bash("$X y"),
        write("src/api/a.js", "import $ from 'jquery'\n"),
        write("src/a.js", "import moment from 'moment'\nconsole.log(1)\n"),
        write("tests/a.js", ""),
        write("dist/a.js", ""),
        PreToolUse::new("read", json!({"file_path": "docs/a.md"})),
        PreToolUse::new("deploy", json!({ "to": SECRET })),
        PreToolUse::new("unknown_tool", json!({"x": "src/a.js"})),
        route("tester", "the sql of the api"),
        route("backend", "the page"),
    ];
    let routes = [Route::new("tester", "the api"), Route::new("backend", "sql")];
    let agents = ["backend", "tester", "lead"];
    let of_agent = |agent| {
        let calls = calls.clone().into_iter().map(move |call| Act::Tool(agent, call));
        calls.chain(routes.clone().into_iter().map(move |route| Act::Route(agent, route)))
    };
    agents.into_iter().flat_map(of_agent).collect()
}

/// A team with some of the items, in a folder of its own.
struct Team {
    _folder: TempDir,
    root: PathBuf,
    config: Config,
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
    let blocks = all.iter().filter_map(|item| match item {
        Item::Block(rule) => Some(format!(
            "\n### 2026-01-02: A rule\n**By:** Ada\n**What:** See below.\n\n```rule\n{rule}\n```\n"
        )),
        _ => None,
    });
    write(".squad/decisions.md", &format!("# Decisions\n\n{}", decisions.chain(blocks).collect::<String>()));
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
    let (mut read_only, mut branches) = (vec!["phase-1"], vec!["main"]);
    let (mut agents, mut gates, mut sequences, mut routes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
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
            Item::Branch(branch) => branches.push(branch),
            Item::Route(text) => routes.push(*text),
            Item::Sequence(text) => sequences.push(format!("- {text}\n")),
            Item::Section(name) => drop(sections.insert(*name)),
            Item::Decision(_) | Item::Block(_) | Item::Charter(..) | Item::Ceremony(_) => {}
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
        let (read_only, branches) = (read_only.join(", "), branches.join(", "));
        text.push_str(&format!("phases: {{ read_only: [{read_only}], branches: [{branches}] }}\n"));
    }
    if sections.contains("routes") {
        let agents = "{ backend: { capabilities: [sql] } }";
        text.push_str(&format!("routes: {{ agents: {agents}, rules: [{}] }}\n", routes.join(", ")));
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

impl Team {
    fn new(items: &BTreeSet<usize>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let config = lay_out(&root, items);
        Self { _folder: folder, root, config }
    }

    fn context(&self, agent: &str, id: usize) -> HookContext {
        let mut context = HookContext::new("session-1", agent).in_dir(&self.root);
        context.call_id = Some(id.to_string());
        context.with_environment(hooks_system::system())
    }
}

/// Counts an allow as no opinion: neither restricts.
fn weakest(strength: Strength) -> Strength {
    if strength == Strength::Allow { Strength::NoOpinion } else { strength }
}

/// Decides on an act under fewer and under more restrictions, as a host gets it. Under fewer, the act is what it became under
/// more: a route may get another target. It runs in both or in neither, so that both have one history.
async fn decide(fewer: &Team, more: &Team, act: &Act, id: usize, fails: bool) -> [Strength; 2] {
    let hooks = [fewer, more].map(|team| team.config.as_hooks());
    match act {
        Act::Tool(agent, call) => {
            let at = |team: &Team| team.context(agent, id);
            let mut after = hooks[1].on(at(more)).pre_tool_use(call.clone()).await;
            let mut before = hooks[0].on(at(fewer)).pre_tool_use(after.request.event().clone()).await;
            if before.outcome.goes_ahead() && after.outcome.goes_ahead() {
                before.commit();
                after.commit();
                let error = fails.then(|| "exit code 1".to_owned());
                let ran = PostToolUse::after(after.request.event(), Value::from(SECRET), error, 1);
                for (hooks, team) in hooks.into_iter().zip([fewer, more]) {
                    hooks.on(at(team)).post_tool_use(ran.clone()).await;
                }
            }
            [before.outcome.strength(), after.outcome.strength()].map(weakest)
        }
        Act::Route(agent, route) => {
            let after = hooks[1].on(more.context(agent, id)).route(route.clone()).await;
            let before = hooks[0].on(fewer.context(agent, id)).route(after.request.event().clone()).await;
            [before.outcome.strength(), after.outcome.strength()].map(weakest)
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn another_restriction_never_allows_more(
        items in prop::collection::btree_set(0..ITEMS.len(), 0..14),
        further in 0..ITEMS.len(),
        history in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..40),
    ) {
        let mut all = items.clone();
        all.insert(further);
        let (fewer, more, acts, runtime) = (Team::new(&items), Team::new(&all), acts(), runtime());
        for (id, (act, fails)) in history.iter().enumerate() {
            let act = act.get(&acts);
            let [before, after] = runtime.block_on(decide(&fewer, &more, act, id, *fails));
            prop_assert!(
                after >= before,
                "{before} became {after} for {act:?}, with {:?} besides {:?}",
                ITEMS[further], items.iter().map(|at| ITEMS[*at]).collect::<Vec<_>>()
            );
        }
    }
}

/// Each restriction alone denies an act, so that the property is about all of them.
#[test]
fn each_restriction_restricts_something() {
    let sections: BTreeSet<_> =
        (0..ITEMS.len()).filter(|at| matches!(ITEMS[*at], Item::Section(_))).collect();
    let (acts, runtime) = (acts(), runtime());
    for (at, item) in ITEMS.iter().enumerate() {
        let mut items = sections.clone();
        match item {
            // These need a ceremony or pipeline to act on; and what allows restricts nothing.
            Item::Section(_) | Item::Gate(..) | Item::ReadOnly(_) | Item::Branch(_) => continue,
            Item::Route(text) if text.contains("action: allow") => continue,
            _ => items.insert(at),
        };
        let (fewer, more) = (Team::new(&sections), Team::new(&items));
        // A route is denied, or gets another target.
        let restricts = |(id, act): (usize, &Act)| match act {
            Act::Route(agent, route) => {
                let decided =
                    runtime.block_on(more.config.as_hooks().on(more.context(agent, id)).route(route.clone()));
                !decided.outcome.goes_ahead() || decided.request.event().target_agent != route.target_agent
            }
            Act::Tool(..) => {
                let [before, after] = runtime.block_on(decide(&fewer, &more, act, id, false));
                after > before
            }
        };
        let mut twice = acts.iter().chain(&acts).enumerate();
        assert!(twice.any(restricts), "{item:?}");
    }
}

//! `mode: observe`: rules that are tried before they are enforced.

use std::collections::{BTreeMap, BTreeSet};

use hooks_config::{Config, ConfigReader};
use hooks_core::event::{PostToolUse, PreToolUse, WireEvent};
use hooks_core::time::Timestamp;
use hooks_core::{Decision, Ending, HookContext, HookRequest, Judged, Reason, Strength, conclude};
use proptest::prelude::*;
use serde_json::{Value, json};

fn hooks(text: &str) -> hooks_core::Hooks {
    Config::parse(text, "hooks.yaml").unwrap_or_else(|errors| panic!("{text}\n{errors}")).hooks()
}

fn errors(text: &str) -> Vec<String> {
    let errors = Config::parse(text, "hooks.yaml").map(drop).expect_err(text);
    errors
        .errors()
        .iter()
        .map(|error| {
            let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            format!("{}:{} {}{hint}", error.line, error.path, error.message)
        })
        .collect()
}

fn context() -> HookContext {
    HookContext::new("s", "backend").in_dir("/no-such-repo").with_environment(hooks_system::system())
}

/// Decides a call, with the limits.
fn decide_in(
    context: HookContext,
    hooks: &hooks_core::Hooks,
    tool: &str,
    args: Value,
) -> Decision<PreToolUse> {
    let request = HookRequest::new(context, PreToolUse::new(tool, args));
    let mut decision =
        futures_util::FutureExt::now_or_never(conclude(hooks, request, Ending::Open)).expect("no wait");
    decision.commit();
    decision.outcome
}

fn decide(hooks: &hooks_core::Hooks, tool: &str, args: Value) -> Decision<PreToolUse> {
    decide_in(context(), hooks, tool, args)
}

fn bash(hooks: &hooks_core::Hooks, command: &str) -> Decision<PreToolUse> {
    decide(hooks, "bash", json!({ "command": command }))
}

/// Strongest answer of the rules in the shadow.
fn would(outcome: &Decision<PreToolUse>) -> Strength {
    outcome.reasons().iter().filter_map(|reason| reason.would).max().unwrap_or_default()
}

#[test]
fn a_rule_a_section_and_a_file_are_observed() {
    for text in [
        "version: 1\nrules: [{ name: no-push, commands: [git push], mode: observe }]",
        "version: 1\ncommand_guard: { block: [git push], mode: observe }",
        "version: 1\nmode: observe\ncommand_guard: { block: [git push] }",
        "version: 1\nmode: observe\nrules: [{ name: no-push, commands: [git push] }]",
        "version: 1\npacks: [{ name: git, action: deny, mode: observe }]",
        "version: 1\nmode: observe\npacks: [{ name: git, action: deny }]",
    ] {
        let outcome = bash(&hooks(text), "git push --force origin main");
        assert_eq!((outcome.strength(), would(&outcome)), (Strength::NoOpinion, Strength::Deny), "{text}");
        assert_eq!(outcome.text_for_agent(), None, "{text}");
    }
}

#[test]
fn a_part_of_an_observed_file_may_be_enforced() {
    let hooks = hooks(
        "version: 1\nmode: observe\ncommand_guard: { block: [git push] }\n\
         rules: [{ name: no-npm, commands: [npm publish], mode: enforce }, { name: ask, action: ask, commands: [npm] }]\n\
         protected: [deploy/**]\n",
    );
    assert_eq!(bash(&hooks, "npm publish").strength(), Strength::Deny);
    assert_eq!(bash(&hooks, "git push").strength(), Strength::NoOpinion);
    let asked = bash(&hooks, "npm test");
    assert_eq!((asked.strength(), would(&asked)), (Strength::NoOpinion, Strength::Ask));
    // The list of protected files is not a rule that is tried.
    let written = decide(&hooks, "write_file", json!({"path": "deploy/a", "content": ""}));
    assert_eq!(written.strength(), Strength::Deny);
}

#[test]
fn rules_of_each_action_say_what_they_would_have_done() {
    let hooks = hooks(
        "version: 1\nrules:\n  - { name: deny-it, commands: [git push], mode: observe }\n  \
         - { name: ask-it, action: ask, commands: [git push], mode: observe }\n  \
         - { name: allow-it, action: allow, commands: [git push], mode: observe }\n",
    );
    let outcome = bash(&hooks, "git push");
    let noted: Vec<_> = outcome.reasons().iter().map(|reason| (&*reason.rule, reason.would)).collect();
    let would = [("deny-it", Strength::Deny), ("ask-it", Strength::Ask), ("allow-it", Strength::Allow)];
    assert_eq!(noted, would.map(|(rule, would)| (rule, Some(would))));
    assert_eq!(outcome.strength(), Strength::NoOpinion);
}

#[test]
fn a_limit_in_the_shadow_counts_and_never_denies() {
    let text = "version: 1\nask_user: { max_per_session: 1, mode: observe }";
    let hooks = hooks(text);
    let ask = |id: &str| {
        let mut context = context();
        context.call_id = Some(id.to_owned());
        decide_in(context, &hooks, "ask_user", json!({"question": "which?"}))
    };
    assert_eq!(would(&ask("1")), Strength::NoOpinion);
    for id in ["2", "3"] {
        let outcome = ask(id);
        assert_eq!((outcome.strength(), would(&outcome)), (Strength::NoOpinion, Strength::Deny));
    }
}

#[test]
fn a_day_ends_the_shadow() {
    let text = "version: 1\nrules: [{ name: a, commands: [git push], mode: observe, until: 2027-01-31 }]";
    let hooks = hooks(text);
    let at = |time: &str| {
        let mut context = context();
        context.timestamp = time.parse::<Timestamp>().unwrap();
        decide_in(context, &hooks, "bash", json!({"command": "git push"})).strength()
    };
    assert_eq!(at("2027-01-30T23:59:59.999Z"), Strength::NoOpinion);
    assert_eq!(at("2027-01-31T00:00:00Z"), Strength::Deny);
}

#[test]
fn own_files_and_enforced_commands_are_never_in_the_shadow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    std::fs::write(&path, "version: 1\nmode: observe\ncommand_guard: {}\nwrite_guard: { allow: ['**'] }\n")
        .unwrap();
    let hooks = ConfigReader::default().read(&path).unwrap().hooks();
    let context = HookContext::new("s", "a").in_dir(folder.path()).with_environment(hooks_system::system());
    let write = |path: &str| {
        decide_in(context.clone(), &hooks, "write_file", json!({"path": path, "content": ""})).strength()
    };
    assert_eq!((write("hooks.yaml"), write("other")), (Strength::Deny, Strength::NoOpinion));
    let run =
        |command: &str| decide_in(context.clone(), &hooks, "bash", json!({"command": command})).strength();
    assert_eq!((run("chmod 0 hooks.yaml"), run("rm -rf build")), (Strength::Deny, Strength::NoOpinion));
}

#[test]
fn what_cannot_be_read_is_an_error_at_its_place() {
    for (text, wanted) in [
        (
            "version: 1\nmode: obsrve",
            "2:mode unknown mode `obsrve`; expected `enforce` or `observe`; did you mean `observe`?",
        ),
        (
            "version: 1\nrules:\n  - { name: a, tools: [b], mode: observe, until: soon }",
            "3:rules[0].until `soon` is not a day; write a day such as `2027-01-31`, or a time such as `2027-01-31T08:00:00Z`",
        ),
        (
            "version: 1\nwrite_guard: { allow: [a], until: 2027-01-31 }",
            "2:write_guard.until a day ends the mode `observe`, and this has another mode; write `mode: observe`, or leave `until` out",
        ),
        (
            "version: 1\nself_protection: observe",
            "2:self_protection the protection of the hooks' own files is never in the shadow; write `true` or `false`; rules that are tried have `mode: observe`",
        ),
    ] {
        let found = errors(text);
        assert!(found.iter().any(|one| one == wanted), "{text}\n{found:#?}");
    }
    for text in [
        "version: 1\nrules: [{ name: a, tools: [b], mode: observe, until: 2027-02-30 }]",
        "version: 1\nmode: [observe]",
        "version: 1\naudit: { mode: observe }",
        "version: 1\nredaction: { mode: observe }",
    ] {
        assert!(!errors(text).is_empty(), "{text}");
    }
    // A mistake in a rule with a mode has its number in the file.
    let numbered =
        "version: 1\nrules:\n  - { name: a, tools: [b] }\n  - { name: c, paths: ['{x'], mode: observe }\n";
    assert!(
        errors(numbered).iter().any(|error| error.starts_with("4:rules[1].paths[0]")),
        "{:?}",
        errors(numbered)
    );
}

/// Rules and sections, each of which can be left out, observed or enforced.
const PARTS: [&str; 20] = [
    "write_guard: { allow: [src/**], deny: [src/gen/**]MODE }",
    "read_guard: { deny: ['**/.env']MODE }",
    "command_guard: { block: [rm -rf, git push]MODE }",
    "packs: [{ name: git, action: askMODE }]",
    "ask_user: { max_per_session: 1MODE }",
    "reviewer_lockout: { locked: { 'docs/**': [backend] }MODE }",
    "limits: { calls: [{ tools: [bash], most: 2, of: session, per: session }], loops: { rounds: 2, longest: 2 }, iterations: { most: 2 }MODE }",
    "budget: { limits: [{ of: session, per: session, tokens: 3000 }], hold: { most_output_tokens: 1000 }, thresholds: { ask: 50 }MODE }",
    "spawn: { concurrent: 2, total: 3, agents: [backend, frontend], models: [{ name: m, agents: [frontend], allow: [opus-4] }]MODE }",
    "boundaries: { agents: { backend: { writes: [src/**] } }MODE }",
    "decisions: { editors: [scribe]MODE }",
    "ceremonies: { gates: { Review: { participants: [backend], started_by: [view] } }MODE }",
    "phases: { branches: [main]MODE }",
    "routes: { rules: [{ name: a, to: [frontend] }]MODE }",
    "rules { name: r0, commands: [git push]MODE }",
    "rules { name: r1, action: ask, paths: [docs/**]MODE }",
    "rules { name: r2, action: allow, tools: [view, bash]MODE }",
    "rules { name: r3, tools: [bash], writes: ['src/*.rs'], results: failedMODE }",
    "sequences { name: s0, never: { commands: [git push] }, after: { tools: [write_file] }, unless: { commands: [ls], failed: false }MODE }",
    "sequences { name: s1, action: ask, calls: { tools: [view] }, at_most: 1MODE }",
];

/// The parts with these modes, in a file of the team's project.
fn file(head: &str, modes: &[Option<&str>]) -> String {
    let mut sections = format!("version: 1\nself_protection: false\n{head}");
    let mut lists = BTreeMap::<&str, String>::new();
    for (part, mode) in PARTS.iter().zip(modes) {
        let Some(mode) = mode else { continue };
        let mode = if mode.is_empty() { String::new() } else { format!(", mode: {mode}") };
        let part = part.replace("MODE", &mode);
        match ["rules", "sequences"]
            .iter()
            .find_map(|list| Some((list, part.strip_prefix(list)?.strip_prefix(' ')?)))
        {
            Some((list, item)) => lists.entry(list).or_default().push_str(&format!("  - {item}\n")),
            None => sections.push_str(&format!("{part}\n")),
        }
    }
    lists.into_iter().fold(sections, |text, (list, items)| format!("{text}{list}:\n{items}"))
}

/// A project with a team folder: a decision, a ceremony and a run of a pipeline in a phase that only reads.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".squad/team.md", "# Team\n\n| Name | Role |\n| --- | --- |\n| backend | Backend |\n"),
            (
                ".squad/decisions.md",
                "# Decisions\n\n### 2026-11-01: Docs are done\n**By:** Ada\n**What:** Nobody writes there.\n\n```rule\npaths: [docs/**]\n```\n",
            ),
            (
                ".squad/ceremonies.md",
                "# Ceremonies\n\n## Review\n\n| Field | Value |\n| --- | --- |\n| **Participants** | backend |\n",
            ),
            (
                ".specs/a/state.json",
                r#"{"currentPhase": "phase-1", "currentPhaseStatus": "in_progress", "completedPhases": []}"#,
            ),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn hooks(&self, text: &str) -> hooks_core::Hooks {
        let path = self.0.path().join("hooks.yaml");
        std::fs::write(&path, text).unwrap();
        let reader =
            ConfigReader::default().storing_in(hooks_store::Engine::Memory).of_project(self.0.path());
        let config = reader.read(&path).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        config.hooks()
    }

    fn context(&self, number: usize) -> HookContext {
        let mut context =
            HookContext::new("s", "backend").in_dir(self.0.path()).with_environment(hooks_system::system());
        context.team_root = Some(self.0.path().to_owned());
        context.call_id = Some(number.to_string());
        context
    }
}

/// Something that happens.
#[derive(Clone, Debug)]
enum Moment {
    Call(&'static str, Value),
    /// The result of the last call.
    Result(bool),
    Event(Value),
}

const PATHS: [&str; 6] = ["src/a.rs", "src/gen/x", "docs/a.md", ".env", "a/../src/b.rs", "/etc/x"];
const COMMANDS: [&str; 9] = [
    "git push",
    "git push --force",
    "git checkout main",
    "rm -rf build",
    "cat .env",
    "echo x > src/a.rs",
    "ls",
    "$X push",
    "tee docs/a.md",
];

fn team_events() -> Vec<Value> {
    vec![
        json!({"event": "subagent_start", "agent_name": "frontend", "task": "x", "depth": 1, "model": "opus-4"}),
        json!({"event": "subagent_start", "agent_name": "frontend", "task": "x", "depth": 1}),
        json!({"event": "subagent_start", "agent_name": "other", "task": "x", "depth": 1}),
        json!({"event": "before_model_call", "model": "m", "iteration": 1, "messages": [{"role": "user", "content": "x"}]}),
        json!({"event": "route", "target_agent": "frontend", "task": "x"}),
        json!({"event": "route", "target_agent": "backend", "task": "x"}),
    ]
}

fn moments() -> impl Strategy<Value = Moment> {
    let path = prop::sample::select(PATHS.to_vec());
    let command = prop::sample::select(COMMANDS.to_vec());
    let event = prop::sample::select(team_events());
    prop_oneof![
        3 => command.prop_map(|command| Moment::Call("bash", json!({ "command": command }))),
        2 => path.clone().prop_map(|path| Moment::Call("write_file", json!({"path": path, "content": "x"}))),
        2 => path.prop_map(|path| Moment::Call("view", json!({ "path": path }))),
        1 => Just(Moment::Call("ask_user", json!({"question": "which?"}))),
        2 => any::<bool>().prop_map(Moment::Result),
        3 => event.prop_map(Moment::Event),
    ]
}

/// An answer: its strength and its reasons.
type Answer = (Strength, Vec<Reason>);

/// Decides a moment; an event that goes ahead is followed by what it leads to.
fn decide_moment(hooks: &hooks_core::Hooks, context: HookContext, event: WireEvent) -> Answer {
    fn now<E: hooks_core::DecidingEvent>(
        hooks: &hooks_core::Hooks,
        context: HookContext,
        event: E,
    ) -> Answer {
        // Rules of a team wait for its files.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut decision = runtime.block_on(conclude(hooks, HookRequest::new(context, event), Ending::Open));
        if decision.outcome.strength() != Strength::Deny {
            decision.commit();
        }
        (decision.outcome.strength(), decision.outcome.reasons().to_vec())
    }
    match event {
        WireEvent::PreToolUse(event) => now(hooks, context, event),
        WireEvent::PostToolUse(event) => now(hooks, context, event),
        WireEvent::SubagentStart(event) => now(hooks, context, event),
        WireEvent::BeforeModelCall(event) => now(hooks, context, event),
        WireEvent::AfterModelCall(event) => now(hooks, context, event),
        WireEvent::Route(event) => now(hooks, context, event),
        other => panic!("{other:?} is not tried"),
    }
}

/// The events of moments, each with the number that its call has.
fn events(moments: Vec<Moment>) -> Vec<(usize, WireEvent)> {
    let mut events: Vec<(usize, WireEvent)> = Vec::new();
    let mut last = None;
    for (number, moment) in moments.into_iter().enumerate() {
        match moment {
            Moment::Call(tool, args) => {
                let call = PreToolUse::new(tool, args);
                last = Some((number, call.clone()));
                events.push((number, call.into()));
            }
            Moment::Result(is_failed) => {
                let Some((number, call)) = last.take() else { continue };
                let error = is_failed.then(|| "no".to_owned());
                events.push((number, PostToolUse::after(&call, json!("x"), error, 1).into()));
            }
            Moment::Event(event) => events.push((number, WireEvent::read(event).unwrap().1)),
        }
    }
    events
}

fn grave(reasons: &[Reason]) -> Vec<Reason> {
    // An allow without a reason is noted with one.
    reasons.iter().filter(|reason| reason.strength >= Strength::Ask).cloned().collect()
}

/// Observed hooks answer nothing, and note what the enforced ones answer. What those deny did not happen for them, so its
/// result is left out; if several rules deny, or a child is denied, the first denial ends the comparison.
fn notes_are_answers(
    project: &Project,
    observed: &hooks_core::Hooks,
    enforced: &hooks_core::Hooks,
    events: &[(usize, WireEvent)],
    is_whole: bool,
) -> Result<(), TestCaseError> {
    let mut denied = BTreeSet::new();
    for (number, event) in events {
        if matches!(event, WireEvent::PostToolUse(_)) && denied.contains(number) {
            continue;
        }
        let decide = |hooks| decide_moment(hooks, project.context(*number), event.clone());
        let ((strength, noted), (wanted, given)) = (decide(observed), decide(enforced));
        prop_assert_eq!(strength, Strength::NoOpinion);
        let would = noted.iter().filter_map(|reason| reason.would).max().unwrap_or_default();
        prop_assert_eq!(would, wanted, "{:?}\n{:?}\n{:?}", event, noted, given);
        let noted: Vec<Reason> = noted.into_iter().map(enforced_again).collect();
        // After a denial, some hooks are not asked.
        let (noted, given) = (grave(&noted), grave(&given));
        prop_assert!(
            given.iter().all(|reason| noted.contains(reason)),
            "{:?}\n{:?}\n{:?}",
            event,
            noted,
            given
        );
        if wanted == Strength::Deny && (is_whole || matches!(event, WireEvent::SubagentStart(_))) {
            // The call goes ahead, or the child runs, here and not there, so from now on each has a past of its own.
            break;
        } else if wanted == Strength::Deny {
            denied.insert(*number);
        }
    }
    Ok(())
}

/// The properties below test nothing of a part that never decides.
#[test]
fn each_part_decides_something() {
    let project = Project::new();
    let call = |tool, args| [Moment::Call(tool, args), Moment::Result(tool != "view")];
    let commands = COMMANDS.iter().flat_map(|command| call("bash", json!({ "command": command })));
    let written = PATHS.iter().flat_map(|path| call("write_file", json!({"path": path, "content": "x"})));
    let seen = PATHS.iter().flat_map(|path| call("view", json!({ "path": path })));
    let asked = [1, 2].into_iter().flat_map(|_| call("ask_user", json!({"question": "which?"})));
    let team = team_events().into_iter().map(Moment::Event);
    let again = team_events().into_iter().cycle().take(18).map(Moment::Event);
    let all = written.chain(seen).chain(asked).chain(team).chain(again).chain(commands);
    let events = events(all.collect());
    for (part, text) in PARTS.iter().enumerate() {
        let modes: Vec<_> = (0..PARTS.len()).map(|index| (index == part).then_some("")).collect();
        let hooks = project.hooks(&file("", &modes));
        let decides = events.iter().any(|(number, event)| {
            decide_moment(&hooks, project.context(*number), event.clone()).0 != Strength::NoOpinion
        });
        assert!(decides, "{text}");
    }
}

fn unnoted(reasons: &[Reason]) -> Vec<Reason> {
    reasons.iter().filter(|reason| reason.would.is_none()).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Observing a part changes no answer compared with leaving it out, and notes what the part alone answers.
    #[test]
    fn observing_is_leaving_out_and_noting(
        modes in prop::collection::vec(0..3_u8, PARTS.len()),
        observed in 0..PARTS.len(),
        moments in prop::collection::vec(moments(), 1..9),
    ) {
        let project = Project::new();
        let with = |mode: Option<&'static str>, others: bool| {
            let modes = modes.iter().enumerate().map(|(index, drawn)| match drawn {
                _ if index == observed => mode,
                0 => None,
                _ if !others => None,
                1 => Some(""),
                _ => Some("observe"),
            });
            project.hooks(&file("", &modes.collect::<Vec<_>>()))
        };
        let events = events(moments);
        let (tried, without) = (with(Some("observe"), true), with(None, true));
        for (number, event) in &events {
            let decide = |hooks| decide_moment(hooks, project.context(*number), event.clone());
            let (tried, without) = (decide(&tried), decide(&without));
            prop_assert_eq!(tried.0, without.0);
            prop_assert_eq!(unnoted(&tried.1), unnoted(&without.1));
        }
        notes_are_answers(&project, &with(Some("observe"), false), &with(Some(""), false), &events, false)?;
    }

    /// A whole file in the shadow denies nothing, and notes what it would answer.
    #[test]
    fn a_whole_file_is_observed(
        modes in prop::collection::vec(0..2_u8, PARTS.len()),
        moments in prop::collection::vec(moments(), 1..9),
    ) {
        let project = Project::new();
        let modes: Vec<_> = modes.iter().map(|drawn| (*drawn > 0).then_some("")).collect();
        let (observed, enforced) = (file("mode: observe\n", &modes), file("", &modes));
        notes_are_answers(&project, &project.hooks(&observed), &project.hooks(&enforced), &events(moments), true)?;
    }
}

/// The reason of the same rule, if it were enforced.
fn enforced_again(mut reason: Reason) -> Reason {
    if let Some(would) = reason.would.take() {
        reason.strength = would;
    }
    reason
}

/// A limit that another file sets would end with the mode of this file's section.
#[test]
fn a_section_that_other_files_share_in_has_no_mode() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".squad/policies")).unwrap();
    std::fs::write(
        folder.path().join(".squad/policies/p.json"),
        r#"{"maxAskUser": 1, "reviewerLockout": true}"#,
    )
    .unwrap();
    let file = folder.path().join("hooks.yaml");
    let read = |text: &str| {
        std::fs::write(&file, text).unwrap();
        ConfigReader::default().read(&file).map(drop)
    };
    for section in ["ask_user: { max_per_session: 5, mode: observe }", "reviewer_lockout: { mode: observe }"]
    {
        let errors = read(&format!("version: 1\n{section}\n")).expect_err(section);
        assert!(errors.to_string().contains("other files share in"), "{errors}");
    }
    read("version: 1\nask_user: { max_per_session: 5 }\n").unwrap();
}

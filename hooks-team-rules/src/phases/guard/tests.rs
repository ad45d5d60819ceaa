use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::fs::EntryKind;
use hooks_core::testing::{FakeDisk, FakeFileSystem, any_event, world};
use hooks_core::{HookContext, HookRequest, Policy, Strength, assert_policy_laws};
use hooks_facts::calls::CallReader;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{OnUncertain, ParallelTasks, Phases, PhasesConfig, Pipeline, PipelineStatus};
use super::PhaseGuard;

fn context() -> HookContext {
    let files = FakeFileSystem::default()
        .with("/repo/.specs", EntryKind::Directory)
        .with("/repo/.specs/demo", EntryKind::Directory)
        .with_link("/repo/work", "/repo/.specs/demo")
        .with_link("/repo/.specs/demo/out", "/repo/src");
    HookContext::new("session", "agent").in_dir("/repo").with_environment(world(files).0)
}

fn judge(guard: &PhaseGuard, tool: &str, args: Value) -> (Strength, String) {
    let verdict = guard.judge(&HookRequest::new(context(), PreToolUse::new(tool, args)));
    let rule = verdict.reasons().first().map(|reason| reason.rule.clone().into_owned());
    (verdict.strength(), rule.unwrap_or_default())
}

fn run(guard: &PhaseGuard, command: &str) -> (Strength, String) {
    judge(guard, "bash", json!({ "command": command }))
}

fn guard(config: &PhasesConfig, pipelines: impl IntoIterator<Item = Pipeline>) -> PhaseGuard {
    let phases = Phases::of_host(config);
    pipelines.into_iter().for_each(|pipeline| phases.set(pipeline));
    PhaseGuard::new(config, phases, &CallReader::default()).unwrap()
}

fn of_files(config: &PhasesConfig, files: &[(&str, &str)]) -> PhaseGuard {
    let disk = files.iter().fold(FakeDisk::default(), |disk, (path, text)| disk.with_file(path, *text));
    let phases = Phases::of_files(config, Arc::new(disk)).unwrap();
    phases.refresh(&context());
    PhaseGuard::new(config, phases, &CallReader::default()).unwrap()
}

fn demo(phase: &str, status: PipelineStatus) -> Pipeline {
    Pipeline::new("/repo/.specs/demo", phase, status)
}

const RUNNING: &str = r#"{"currentPhase":"phase-3","currentPhaseStatus":"in_progress"}"#;

#[test]
fn a_read_only_phase_writes_below_its_workspace_only() {
    let guard = guard(&PhasesConfig::default(), [demo("phase-2", PipelineStatus::Pending)]);
    for (tool, args) in [
        ("edit", json!({"path": "src/a.rs"})),
        ("MultiEdit", json!({"file_path": "/repo/src/a.rs", "edits": []})),
        ("NotebookEdit", json!({"notebook_path": "/repo/n.ipynb", "new_source": "x"})),
        ("mcp__filesystem__write_file", json!({"path": "src/a.rs", "content": "x"})),
        ("write", json!({"path": ".specs/demo-2/a", "content": "x"})),
        ("write", json!({"path": ".specs/demo/../../src/a", "content": "x"})),
        ("write", json!({"path": ".specs/demo/out/a.rs", "content": "x"})),
        ("write", json!({"path": "/tmp/a", "content": "x"})),
        // The name itself is outside, although the link leads into the workspace.
        ("write", json!({"path": "work/a.md", "content": "x"})),
        ("write", json!({"content": "x"})),
        ("bash", json!({"command": "echo x >> src/a.rs"})),
        ("bash", json!({"command": "sed -i s/a/b/ src/a.rs"})),
        ("bash", json!({"command": "cat x > $TARGET"})),
        ("bash", json!({"command": "git apply fix.patch"})),
        ("bash", json!({"command": "git stash pop"})),
        ("mcp__shell__exec", json!({"command": "rm src/a.rs"})),
    ] {
        assert_eq!(
            judge(&guard, tool, args.clone()),
            (Strength::Deny, "read-only".to_owned()),
            "{tool} {args}"
        );
    }
    for (tool, args) in [
        ("write", json!({"path": ".specs/demo/a.md", "content": "x"})),
        ("write", json!({"path": "/repo//.specs/./demo/a.md", "content": "x"})),
        ("read", json!({"path": "src/a.rs"})),
        ("bash", json!({"command": "grep -rn x src | head > /dev/null"})),
        ("bash", json!({"command": "cp a.md .specs/demo/"})),
        ("bash", json!({"command": "git stash list && git reset HEAD~1"})),
        ("mcp__shell__exec", json!({"command": "ls src"})),
    ] {
        assert_eq!(judge(&guard, tool, args.clone()).0, Strength::NoOpinion, "{tool} {args}");
    }
}

#[test]
fn no_commit_is_made_while_parallel_tasks_run() {
    let tasks = |running, waiting| ParallelTasks { running, waiting, ended: 1, ..ParallelTasks::default() };
    let config = PhasesConfig::default();
    let of = |status, tasks| guard(&config, [demo("phase-5", status).with_parallel_tasks(tasks)]);
    let running = of(PipelineStatus::Running, tasks(1, 0));
    assert_eq!(run(&running, "cd a && git comm''it -m x"), (Strength::Deny, "commit".to_owned()));
    assert_eq!(run(&running, "git ci -m x"), (Strength::Deny, "unresolvable".to_owned()));
    assert_eq!(run(&running, "echo 'git commit'").0, Strength::NoOpinion);
    for (status, tasks, strength) in [
        (PipelineStatus::Running, tasks(0, 1), Strength::Deny),
        (PipelineStatus::Pending, tasks(1, 0), Strength::Deny),
        (PipelineStatus::Pending, tasks(0, 1), Strength::NoOpinion),
        (PipelineStatus::Running, tasks(0, 0), Strength::NoOpinion),
        (PipelineStatus::Completed, tasks(1, 1), Strength::NoOpinion),
    ] {
        assert_eq!(run(&of(status, tasks.clone()), "git commit -m x").0, strength, "{status:?} {tasks:?}");
    }
}

#[test]
fn each_active_pipeline_governs() {
    let older = Pipeline::new("/repo/.specs/a", "phase-1", PipelineStatus::AwaitingPerson);
    let newer = Pipeline::new("/repo/.specs/b", "phase-5", PipelineStatus::Running);
    let both = guard(&PhasesConfig::default(), [older.clone(), newer.clone()]);
    assert_eq!(judge(&both, "edit", json!({"path": "src/a.rs"})).0, Strength::Deny);
    let other = guard(&PhasesConfig::default(), [older.of_session("another"), newer]);
    assert_eq!(judge(&other, "edit", json!({"path": "src/a.rs"})).0, Strength::NoOpinion);
    assert_eq!(run(&other, "git switch main").1, "branch");
}

#[test]
fn a_person_ends_a_checkpoint_and_abandons() {
    let guard = guard(&PhasesConfig::default(), [demo("checkpoint-a", PipelineStatus::AwaitingPerson)]);
    for (tool, args, rule) in [
        ("mcp__forge-state__phase_complete", json!({"phase": "checkpoint-b"}), "checkpoint"),
        ("mcp__forge-state__pipeline_next_action", json!({"user_response": "approve"}), "checkpoint"),
        ("mcp__forge-state__abandon", json!({"workspace": "x"}), "abandon"),
    ] {
        assert_eq!(judge(&guard, tool, args), (Strength::Ask, rule.to_owned()), "{tool}");
    }
    assert_eq!(judge(&guard, "mcp__forge-state__get_state", json!({})).0, Strength::NoOpinion);
}

#[test]
fn an_agent_does_not_write_the_state_that_governs_it() {
    let config = PhasesConfig::default();
    let guard = of_files(&config, &[("/repo/.specs/demo/state.json", RUNNING)]);
    for (tool, args) in [
        ("write", json!({"path": ".specs/demo/state.json", "content": "{}"})),
        ("write", json!({"path": "work/state.json", "content": "{}"})),
        ("write", json!({"path": ".specs/new/state.json", "content": "{}"})),
        ("mcp__filesystem__write_file", json!({"path": ".specs/demo/state.json", "content": "{}"})),
        ("bash", json!({"command": "echo {} > .specs/demo/state.json"})),
        ("bash", json!({"command": "jq . a > b && mv b .specs/demo/state.json"})),
        ("bash", json!({"command": "rm -rf .specs/demo"})),
        ("bash", json!({"command": "rm -rf .specs"})),
        ("bash", json!({"command": "rm .specs/*/state.json"})),
        ("bash", json!({"command": "mv .specs/demo /tmp/x"})),
        ("bash", json!({"command": "echo x > $FILE"})),
        ("mcp__shell__exec", json!({"command": "rm .specs/demo/state.json"})),
    ] {
        assert_eq!(judge(&guard, tool, args.clone()), (Strength::Deny, "state".to_owned()), "{tool} {args}");
    }
    for (tool, args) in [
        ("write", json!({"path": ".specs/demo/summary.md", "content": "x"})),
        ("write", json!({"path": "state.json", "content": "x"})),
        ("bash", json!({"command": "cat .specs/demo/state.json"})),
        ("bash", json!({"command": "rm -rf target"})),
        ("bash", json!({"command": "rm .specs/demo/*.tmp"})),
    ] {
        assert_eq!(judge(&guard, tool, args.clone()).0, Strength::NoOpinion, "{tool} {args}");
    }
}

#[test]
fn a_state_that_cannot_be_read_counts_as_every_phase() {
    for (setting, strength) in [
        (OnUncertain::Deny, Strength::Deny),
        (OnUncertain::Ask, Strength::Ask),
        (OnUncertain::Allow, Strength::NoOpinion),
    ] {
        let config = PhasesConfig { unreadable: setting, ..PhasesConfig::default() };
        let guard = of_files(&config, &[("/repo/.specs/demo/state.json", "{\"currentPh")]);
        assert_eq!(judge(&guard, "edit", json!({"path": "src/a.rs"})).0, strength);
        for command in ["git commit -m x", "git switch main"] {
            assert_eq!(run(&guard, command).0, strength, "{command}");
        }
        assert_eq!(run(&guard, "cargo test").0, Strength::NoOpinion);
        // Nothing was read at all.
        let phases = Phases::of_files(&config, Arc::new(FakeDisk::default())).unwrap();
        let unread = PhaseGuard::new(&config, phases, &CallReader::default()).unwrap();
        assert_eq!(run(&unread, "cargo test").0, strength);
    }
}

#[test]
fn long_and_listed_commands_are_judged_as_others() {
    let guard = guard(&PhasesConfig::default(), [demo("phase-3", PipelineStatus::Running)]);
    let long = format!("git checkout main\n# {}", "x".repeat(300_000));
    // It is longer than what is analysed.
    assert_eq!(run(&guard, &long), (Strength::Deny, "unresolvable".to_owned()));
    let listed = json!({"command": ["bash", "-lc", "git switch main"]});
    assert_eq!(judge(&guard, "Bash", listed).1, "branch");
    assert_eq!(run(&guard, "echo it's; git checkout main; echo it's").1, "branch");
    assert_eq!(run(&guard, "echo 'never closed").1, "unresolvable");
}

#[test]
fn the_laws_hold() {
    let tasks = ParallelTasks { running: 1, ..ParallelTasks::default() };
    let pipelines = [
        demo("phase-1", PipelineStatus::Running),
        Pipeline::new("/repo/.specs/b", "phase-5", PipelineStatus::Running).with_parallel_tasks(tasks),
    ];
    assert_policy_laws!(PreToolUse, guard(&PhasesConfig::default(), pipelines), context());
}

fn any_status() -> impl Strategy<Value = PipelineStatus> {
    prop::sample::select(vec![
        PipelineStatus::Pending,
        PipelineStatus::Running,
        PipelineStatus::AwaitingPerson,
        PipelineStatus::Failed,
        PipelineStatus::Completed,
        PipelineStatus::Abandoned,
        PipelineStatus::Other,
    ])
}

fn any_pipeline() -> impl Strategy<Value = Pipeline> {
    let phases = prop::sample::select(vec!["phase-1", "phase-3", "phase-5", "checkpoint-a", "build"]);
    (phases, any_status(), 0..3_usize, 0..3_usize, 0..4_usize).prop_map(
        |(phase, status, running, waiting, number)| {
            let tasks = ParallelTasks { running, waiting, ..ParallelTasks::default() };
            Pipeline::new(PathBuf::from(format!("/repo/.specs/{number}")), phase, status)
                .with_parallel_tasks(tasks)
        },
    )
}

fn any_call() -> impl Strategy<Value = PreToolUse> {
    let commands = prop::sample::select(vec![
        "git commit -m x",
        "git switch main",
        "git co main",
        "echo x > src/a",
        "echo x > .specs/0/a",
        "rm -rf .specs",
        "$TOOL x",
        "cargo test",
    ]);
    let paths = prop::sample::select(vec!["src/a", ".specs/0/a", ".specs/0/state.json", "../x"]);
    prop_oneof![
        commands.prop_map(|command| PreToolUse::new("bash", json!({ "command": command }))),
        paths.prop_map(|path| PreToolUse::new("edit", json!({ "path": path }))),
        Just(PreToolUse::new("mcp__forge-state__phase_complete", json!({"phase": "checkpoint-a"}))),
        any_event::<PreToolUse>(),
    ]
}

fn strength(guard: &PhaseGuard, call: &PreToolUse) -> Strength {
    guard.judge(&HookRequest::new(context(), call.clone())).strength()
}

proptest! {
    #[test]
    fn a_further_pipeline_never_allows_more(
        pipelines in prop::collection::vec(any_pipeline(), 0..3),
        further in any_pipeline(),
        call in any_call(),
    ) {
        // A pipeline with the same workspace would replace one.
        prop_assume!(pipelines.iter().all(|known| known.workspace != further.workspace));
        let config = PhasesConfig::default();
        let before = strength(&guard(&config, pipelines.clone()), &call);
        let after = strength(&guard(&config, pipelines.into_iter().chain([further])), &call);
        prop_assert!(after >= before, "{before:?} {after:?}");
    }

    #[test]
    fn a_further_rule_never_allows_more(
        pipelines in prop::collection::vec(any_pipeline(), 0..3),
        call in any_call(),
        field in 0..6_usize,
        name in prop::sample::select(vec!["phase-3", "build", "*", "main", "trunk", "*complete"]),
    ) {
        let few = PhasesConfig::default();
        let mut more = few.clone();
        let lists = [
            &mut more.read_only,
            &mut more.parallel,
            &mut more.branches,
            &mut more.checkpoints,
            &mut more.completing_tools,
            &mut more.abandoning_tools,
        ];
        if let Some(list) = lists.into_iter().nth(field) {
            list.push(name.to_owned());
        }
        let before = strength(&guard(&few, pipelines.clone()), &call);
        let after = strength(&guard(&more, pipelines), &call);
        prop_assert!(after >= before, "{before:?} {after:?}");
    }
}

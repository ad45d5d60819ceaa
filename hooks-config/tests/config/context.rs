//! Effects of the sections about context, on a real folder.

use std::fs;
use std::path::Path;

use hooks_config::{Config, ConfigReader};
use hooks_core::event::{
    CompactionSource, EndReason, PreCompact, PromptKind, SessionEnd, SessionStart, StartSource,
};
use hooks_core::{HookContext, Hooks, Judged, Session};
use hooks_system::system;

const DECISIONS: &str = "# Decisions\n\n### 2026-01-02: Use Postgres\n**By:** Lead\n";

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let team = folder.path().join(".squad");
    fs::create_dir_all(team.join("agents/backend")).unwrap();
    fs::write(team.join("decisions.md"), DECISIONS).unwrap();
    let entries: String = (0..400).map(|number| format!("### 2026-01-02\nlesson {number}\n\n")).collect();
    fs::write(team.join("agents/backend/history.md"), format!("# Backend\n\n{entries}")).unwrap();
    folder
}

fn hooks(text: &str) -> Hooks {
    Config::parse(text, "hooks.yaml").unwrap().hooks()
}

fn context(folder: &Path) -> HookContext {
    HookContext::new("s", "backend").in_dir(folder).with_environment(system())
}

async fn start(hooks: &Hooks, folder: &Path, source: StartSource) -> Vec<String> {
    let mut start = SessionStart::default();
    start.source = source;
    let patch = hooks.on(context(folder)).session_start(start).await;
    assert_eq!(patch.failures, []);
    patch.additional_context.into_iter().map(|note| note.text).collect()
}

#[tokio::test]
async fn a_session_begins_with_its_context_and_goes_on_without_it() {
    let folder = project();
    fs::write(folder.path().join("NOTES.md"), "mind the gap").unwrap();
    let hooks = hooks("version: 1\ncontext: {history: 2, files: [NOTES.md], deadline: 20s}");
    let text = start(&hooks, folder.path(), StartSource::Startup).await.join("\n");
    assert!(text.contains("Use Postgres") && text.contains("mind the gap"), "{text}");
    assert!(text.contains("lesson 399") && !text.contains("lesson 397"), "{text}");
    assert!(start(&hooks, folder.path(), StartSource::Resume).await.is_empty());
}

#[tokio::test]
async fn where_there_is_no_team_nothing_is_given_and_nothing_written() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = hooks("version: 1\ncontext: {deadline: 20s}\nsession_end: {}\ncompaction: {}");
    let _preface = start(&hooks, folder.path(), StartSource::Startup).await;
    hooks.on(context(folder.path())).session_end(SessionEnd::default()).await;
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_session_that_ends_is_put_away() {
    let folder = project();
    let hooks = hooks("version: 1\nsession_end: {history_above: 2000, recap: false}");
    start(&hooks, folder.path(), StartSource::Startup).await;
    hooks.on(context(folder.path())).session_end(SessionEnd::default()).await;
    let team = folder.path().join(".squad");
    assert_eq!(fs::read_dir(team.join("metrics")).unwrap().count(), 1);
    assert!(!team.join("log").exists());
    let history = fs::read_to_string(team.join("agents/backend/history.md")).unwrap();
    assert!(history.len() < 2_000 && history.contains("lesson 399"), "{history}");
    let archive = fs::read_to_string(team.join("agents/backend/history-archive.md")).unwrap();
    assert!(archive.contains("lesson 0"));
}

#[tokio::test]
async fn a_compaction_is_vetoed_while_there_is_room() {
    let folder = project();
    let hooks = hooks("version: 1\ncontext: {deadline: 20s}\ncompaction: {not_below_percent: 50}");
    let bound = hooks.on(context(folder.path()));
    let mut compaction = PreCompact::default();
    (compaction.current_token_count, compaction.max_tokens) = (40, 100);
    let outcome = bound.pre_compact(compaction.clone()).await.outcome;
    assert!(outcome.is_denied() && outcome.shown_reason().unwrap().message.contains("40 of 100 tokens"));
    compaction.source = CompactionSource::Manual;
    let outcome = bound.pre_compact(compaction).await.outcome;
    let kept = &outcome.notes().unwrap().context.additional_context;
    assert!(outcome.goes_ahead() && kept.iter().any(|note| note.text.contains("Use Postgres")));
}

#[tokio::test]
async fn what_has_to_survive_outlives_a_reload() {
    let folder = project();
    let text = "version: 1\ncompaction: {}\nsession_end: {}\n";
    let first = Config::parse(text, "hooks.yaml").unwrap();
    let second = ConfigReader::default().keeping(first.kept().clone()).parse(text, "hooks.yaml").unwrap();
    let (session, _) = Session::start(first.hooks(), context(folder.path()), SessionStart::default()).await;
    session.prompt("Fix the parser, please", PromptKind::Initial).await;
    let second = second.hooks();
    let decision = second.on(context(folder.path())).pre_compact(PreCompact::default()).await;
    let kept = &decision.outcome.notes().unwrap().context.additional_context;
    assert!(kept.iter().any(|note| note.text.contains("Fix the parser, please")), "{kept:?}");
    session.end(EndReason::Complete, None).await;
}

/// Each option of `model` changes the model of a session and its children, and a budget has the last word.
#[tokio::test]
async fn sessions_and_children_begin_with_the_models_of_the_file() {
    use hooks_core::event::SubagentStart;

    let folder = project();
    let charter = folder.path().join(".squad/agents/backend/charter.md");
    fs::write(charter, "# Backend\n\n## Model\n\n- **Preferred:** medium\n").unwrap();
    let models = async |options: &str, more: &str| {
        let hooks = hooks(&format!("version: 1\ncontext: {{ deadline: 20s, model: {options} }}\n{more}"));
        let session = hooks.on(context(folder.path())).session_start(SessionStart::default()).await;
        assert_eq!(session.failures, []);
        let child = hooks.on(context(folder.path())).subagent_start(SubagentStart::new("ops", "x")).await;
        (session.model, child.request.event().model.clone())
    };
    let some = |model: &str| Some(model.to_owned());
    assert_eq!(models("{}", "").await, (None, None));
    assert_eq!(models("{ default: small }", "").await, (some("small"), some("small")));
    assert_eq!(models("{ charters: true }", "").await, (some("medium"), None));
    assert_eq!(
        models("{ charters: true, agents: { ops: large } }", "").await,
        (some("medium"), some("large"))
    );
    // A budget that is used up to its threshold.
    let budget = "budget: { limits: [{ of: team, per: day, tokens: 100 }], cheaper: { large: small }, thresholds: { cheaper: 0 } }\n";
    assert_eq!(models("{ agents: { ops: large } }", budget).await.1, some("small"));
}

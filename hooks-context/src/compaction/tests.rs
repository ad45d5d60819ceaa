use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_conversation::{Summariser, SummaryRequest};
use hooks_core::drivers::{
    Compaction, ModelCall, ModelRequest, SpawnRequest, Spawned, ToolCall, ToolRequest, ToolResult,
};
use hooks_core::event::*;
use hooks_core::testing::{FakeDisk, FakeFileSystem, ScriptedTools, VirtualTime, world};
use hooks_core::{BoxError, ContextNote, HookContext, Hooks, Session};
use hooks_team::Team;
use serde_json::json;
use tower::{ServiceExt, service_fn};

use super::*;
use crate::auto::AutoContext;
use crate::source::{Here, team};

struct Rig {
    time: VirtualTime,
    compacting: Compacting,
    auto: AutoContext,
    sent: Arc<Mutex<Vec<ModelRequest>>>,
}

fn rig() -> Rig {
    let time = VirtualTime::default();
    let (environment, _, _) = world(FakeFileSystem::default());
    let disk = FakeDisk::default()
        .with_file("/p/.squad/decisions.md", "# Decisions\n\n### 2026-01-02: Use Postgres\n**By:** Lead\n");
    let team = Team::new(Arc::new(disk), "/p/.squad", &environment);
    let auto = AutoContext::new(Arc::new(time.clone())).with_team(team, Here, team::Limits::default());
    let settings = CompactionSettings { outputs: vec!["cargo test".into()], ..CompactionSettings::default() };
    let compacting = Compacting::new(settings, Arc::new(time.clone())).with_context(auto.clone());
    Rig { time, compacting, auto, sent: Arc::default() }
}

impl Rig {
    fn hooks(&self) -> Hooks {
        self.compacting.add_to(self.auto.add_to(Hooks::builder())).build()
    }

    fn run<T>(&self, work: impl AsyncFnOnce(Session) -> T) -> T {
        let (environment, _, _) = world(FakeFileSystem::default());
        let context = HookContext::new("s", "backend").in_dir("/p").with_environment(environment);
        let run = async {
            let (session, _) = Session::start(self.hooks(), context, SessionStart::default()).await;
            work(session).await
        };
        self.time.block_on(run).unwrap()
    }

    async fn model(&self, session: &Session, messages: Vec<Message>) {
        let seen = Arc::clone(&self.sent);
        let model = service_fn(move |request: ModelRequest| {
            seen.lock().unwrap().push(request);
            let reply = ModelReply {
                response: Message::text(Role::Assistant, "ok"),
                usage: Usage::default(),
                cost: None,
            };
            std::future::ready(Ok::<_, BoxError>(reply))
        });
        let request = ModelRequest { model: "m".into(), iteration: 1, messages };
        let call = ModelCall { context: Arc::clone(session.context()), request };
        session.model(model).oneshot(call).await.unwrap();
    }

    /// Joins the messages of the last model call.
    fn last_sent(&self) -> String {
        let sent = self.sent.lock().unwrap();
        let shown = sent.last().unwrap().messages.iter().filter_map(|message| message.content.as_str());
        shown.collect::<Vec<_>>().join("\n---\n")
    }
}

async fn tool(session: &Session, name: &str, args: serde_json::Value, result: &str) {
    let request = ToolRequest { context: Arc::clone(session.context()), call: ToolCall::new(name, args) };
    session.tools(ScriptedTools::new([ToolResult::ok(result)])).oneshot(request).await.unwrap();
}

/// Records some work in the session before the compaction.
async fn worked(rig: &Rig, session: &Session) {
    session.prompt("Fix the parser, please", PromptKind::Initial).await;
    tool(session, "edit", json!({"path": "src/parser.rs"}), "done").await;
    tool(session, "TodoWrite", json!({"todos": [{"content": "add a test", "status": "pending"}]}), "done")
        .await;
    tool(session, "bash", json!({"command": "cargo test -p parser"}), "3 tests failed").await;
    tool(session, "bash", json!({"command": "cat secret"}), "hidden").await;
    let messages = vec![
        Message::text(Role::System, "you are backend"),
        Message::text(Role::User, "Fix the parser, please"),
    ];
    rig.model(session, messages).await;
}

fn texts(notes: &[ContextNote]) -> String {
    notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

const KEPT: &str = "## The user's last request\n\nFix the parser, please\n\n## Open tasks\n\n- add a test\n\n## Files worked on, the last first\n\n- src/parser.rs\n\n## Output of commands\n\n`cargo test -p parser` printed:\n\n```\n3 tests failed\n```";

#[test]
fn what_has_to_survive_is_handed_over_word_for_word() {
    let rig = rig();
    let outcome = rig.run(async |session| {
        worked(&rig, &session).await;
        match session.compact(PreCompact::default()).await {
            Compaction::Proceed(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    });
    let notes = outcome.notes().unwrap();
    let text = texts(&notes.context.additional_context);
    assert!(text.contains("### 2026-01-02: Use Postgres") && text.ends_with(KEPT), "{text}");
    assert_eq!(notes.summary.as_deref(), Some("user: Fix the parser, please"));
    assert_eq!(notes.exported_state["hooks-context"]["tasks"], json!(["add a test"]));
}

#[test]
fn after_a_compaction_the_model_is_sent_it_again_and_once() {
    let rig = rig();
    rig.run(async |session| {
        worked(&rig, &session).await;
        let compaction = PreCompact::default();
        drop(session.compact(compaction.clone()).await);
        session.compacted(PostCompact::after(&compaction, "short", 10)).await;
        // A host that adds the context of the turn.
        let (turn, patch) = session.turn().await;
        let given = texts(&patch.additional_context);
        assert!(given.contains("Use Postgres") && given.contains("Fix the parser, please"), "{given}");
        rig.model(&session, vec![Message::text(Role::System, given)]).await;
        assert_eq!(rig.last_sent().matches("Use Postgres").count(), 1);
        turn.end(TurnEndReason::Normal).await;
        let (turn, patch) = session.turn().await;
        turn.end(TurnEndReason::Normal).await;
        assert_eq!(texts(&patch.additional_context).matches("add a test").count(), 0);

        // A host that does not add it.
        drop(session.compact(compaction.clone()).await);
        session.compacted(PostCompact::after(&compaction, "short", 10)).await;
        rig.model(&session, vec![Message::text(Role::System, "sys"), Message::text(Role::User, "go on")])
            .await;
        let sent = rig.last_sent();
        assert!(sent.starts_with("sys\n---\n[kept while the conversation was compacted]"), "{sent}");
        assert!(sent.contains("Use Postgres") && sent.contains(KEPT) && sent.ends_with("go on"), "{sent}");
        rig.model(&session, vec![Message::text(Role::User, "more")]).await;
        assert_eq!(rig.last_sent(), "more");
    });
}

#[test]
fn a_veto_stands_unless_it_leads_nowhere() {
    let mut rig = rig();
    rig.compacting = rig.compacting.clone().unless(|_: &HookContext, compaction: &PreCompact| {
        (compaction.source == CompactionSource::Auto || compaction.source == CompactionSource::Overflow)
            .then(|| "not in the middle of a release".to_owned())
    });
    rig.run(async |session| {
        let mut compaction = PreCompact::default();
        (compaction.current_token_count, compaction.max_tokens) = (80, 100);
        let Compaction::Vetoed(why, _) = session.compact(compaction.clone()).await else {
            panic!("it may not")
        };
        assert_eq!(why, "not in the middle of a release");
        compaction.current_token_count = 100;
        assert!(matches!(session.compact(compaction.clone()).await, Compaction::Proceed(_)), "it is full");
        (compaction.source, compaction.current_token_count) = (CompactionSource::Overflow, 80);
        assert!(matches!(session.compact(compaction).await, Compaction::Proceed(_)), "the model refused it");
    });
}

#[test]
fn a_service_summarises_and_where_it_does_not_there_is_a_summary() {
    let shown = |answer: Option<&'static str>| {
        let mut rig = rig();
        let time = rig.time.clone();
        rig.compacting = rig.compacting.clone().with_summariser(Summariser::new(service_fn(
            move |request: SummaryRequest| {
                assert!(request.keep.iter().any(|kept| kept.contains("Use Postgres")));
                let time = time.clone();
                async move {
                    if answer.is_none() {
                        hooks_core::time::Timer::sleep(&time, Duration::from_secs(3_600)).await;
                    }
                    Ok::<_, BoxError>(answer.unwrap_or_default().to_owned())
                }
            },
        )));
        rig.run(async |session| {
            worked(&rig, &session).await;
            let Compaction::Proceed(outcome) = session.compact(PreCompact::default()).await else { panic!() };
            outcome.notes().unwrap().summary.clone().unwrap()
        })
    };
    assert_eq!(shown(Some("All went well.")), "All went well.");
    assert_eq!(shown(None), "user: Fix the parser, please");
}

#[test]
fn state_goes_from_one_process_to_the_next() {
    let (first, second) = (rig(), rig());
    let state = first.run(async |session| {
        worked(&first, &session).await;
        let Compaction::Proceed(outcome) = session.compact(PreCompact::default()).await else { panic!() };
        outcome.notes().unwrap().exported_state.clone()
    });
    let (ours, theirs) = (HookContext::new("s", "backend"), HookContext::new("s", "backend").for_tenant("b"));
    second.compacting.import(&ours, &state);
    assert_eq!(second.compacting.survivors(&theirs), Survivors::default(), "their session is another");
    assert_eq!(second.compacting.survivors(&ours).paths, ["src/parser.rs"]);
    second.compacting.import(&ours, json!({"hooks-context": 7}).as_object().unwrap());
    let given = second.run(async |session| {
        let mut start = SessionStart::default();
        start.source = StartSource::Compact;
        let context = HookContext::clone(session.context());
        let (session, patch) = Session::start(second.hooks(), context, start).await;
        session.end(EndReason::Complete, None).await;
        texts(&patch.additional_context)
    });
    assert!(given.contains("Use Postgres") && given.ends_with(KEPT), "{given}");
    assert_eq!(second.compacting.survivors(&ours), Survivors::default(), "it is over");
}

#[test]
fn what_is_remembered_outlives_a_configuration() {
    let (first, mut second) = (rig(), rig());
    let memory = crate::SessionMemory::default();
    let mut first = Rig { compacting: first.compacting.clone().remembering_in(&memory), ..first };
    second.compacting = second.compacting.clone().remembering_in(&memory);
    let context = HookContext::new("s", "backend");
    first.run(async |session| {
        worked(&first, &session).await;
        assert_eq!(second.compacting.survivors(&context).request, "Fix the parser, please");
    });
    first.compacting = Compacting::new(CompactionSettings::default(), Arc::new(first.time.clone()));
    assert_eq!(first.compacting.survivors(&context), Survivors::default());
}

#[test]
fn a_model_is_sent_the_decision_at_the_start_after_a_compaction_and_in_a_child() {
    let rig = rig();
    let sent = |rig: &Rig| rig.last_sent().matches("### 2026-01-02: Use Postgres").count();
    rig.run(async |session| {
        // At the start of the session.
        let start = HookContext::clone(session.context());
        let (session, patch) = Session::start(rig.hooks(), start, SessionStart::default()).await;
        let begun = Message::text(Role::System, texts(&patch.additional_context));
        rig.model(&session, vec![begun]).await;
        assert_eq!(sent(&rig), 1);
        // After a compaction that dropped the text.
        let compaction = PreCompact::default();
        drop(session.compact(compaction.clone()).await);
        session.compacted(PostCompact::after(&compaction, "short", 10)).await;
        rig.model(&session, vec![Message::text(Role::User, "short")]).await;
        assert_eq!(sent(&rig), 1);
        // In a child, which is governed by the hooks of the moment it was created.
        let spawner = session.spawner(service_fn(async |_: SubagentStart| Ok::<_, BoxError>(())));
        let start = SubagentStart::new("tester", "look at the data");
        let request = SpawnRequest { context: Arc::clone(session.context()), start };
        let Spawned::Running(child, decision) = spawner.oneshot(request).await.unwrap() else { panic!() };
        let notes = decision.notes().unwrap();
        let begun = Message::text(Role::System, texts(&notes.additional_context));
        let (environment, _, _) = world(FakeFileSystem::default());
        let theirs = HookContext::new("child", "tester").in_dir("/p").with_environment(environment);
        let (own, _) = Session::start(child.hooks().clone(), theirs, SessionStart::default()).await;
        rig.model(&own, vec![begun]).await;
        assert_eq!(sent(&rig), 1);
        drop(child.end(ChildStatus::Completed, None).await);
    });
}

use std::sync::Arc;
use std::time::Duration;

use hooks_conversation::{Estimate, Tokenizer};
use hooks_core::drivers::{ModelCall, ModelRequest, SpawnRequest, Spawned};
use hooks_core::event::{Message, Role, SessionStart, StartSource, SubagentStart};
use hooks_core::state::Memory;
use hooks_core::testing::{FailureLog, FakeDisk, FakeFileSystem, VirtualTime, world};
use hooks_core::{BoxError, ContextNote, Environment, HookContext, HookFuture, Hooks, Judged, Session};
use hooks_team::Team;
use tower::service_fn;

use super::*;
use crate::source::{Ask, ContextSource, FileSource, Here, Item, Section, StoreSource, team};

const DECISIONS: &str = "# Decisions\n\n### 2026-01-02: Use Postgres\n**By:** Lead\n**What:** Postgres for all data.\n\n### 2026-01-03: Blue buttons\n**By:** Designer\n**What:** Buttons are blue.\n\n### 2026-01-01: Use MySQL\n**Status:** superseded\n**What:** MySQL.\n\n### 2026-01-04: Only for the tester\n**For:** Tester\n**What:** Run all tests.\n";

fn disk() -> FakeDisk {
    let team = "# Team\n\n## Members\n\n| Name | Role | Charter | Status |\n|--|--|--|--|\n| Backend | Dev | agents/backend/charter.md | active |\n| Tester | QA | agents/tester/charter.md | active |\n";
    let history = "# Backend\n\n## Learnings\n\n### 2026-01-05\nThe parser is slow.\n\n### 2026-01-06\nPools of connections leak.\n";
    FakeDisk::default()
        .with_file("/p/.squad/team.md", team)
        .with_file("/p/.squad/decisions.md", DECISIONS)
        .with_file("/p/.squad/decisions/inbox/copilot-directive-2026-01-07T10-00-00Z.md", "### User directive\n**By:** User\n**What:** Always write tests.\n")
        .with_file("/p/.squad/agents/backend/history.md", history)
        .with_file("/p/.squad/agents/backend/charter.md", "# Backend — Database Dev\n")
        .with_file("/p/.squad/agents/tester/charter.md", "# Tester — QA\n")
        .with_file("/p/.squad/identity/now.md", "---\nfocus_area: Payments\n---\n\nWe ship on Friday.\n")
        .with_file("/p/.squad/identity/wisdom.md", "**Pattern:** look first **Context:** always\n")
        .with_file("/p/.squad/skills/database/SKILL.md", "---\nname: database-migrations\ndescription: how tables change\nconfidence: high\n---\n\ntext\n")
        .with_file("/p/.squad/skills/icons/SKILL.md", "---\nname: icons\ndescription: drawing\n---\n\ntext\n")
        .with_file("/p/.squad/ceremonies.md", "# C\n\n## Design Review\n\n| Field | Value |\n|--|--|\n| Trigger | auto |\n| When | before |\n| Condition | two agents |\n")
}

struct Rig {
    disk: FakeDisk,
    time: VirtualTime,
    environment: Environment,
    failures: Arc<FailureLog>,
    context: AutoContext,
}

fn rig() -> Rig {
    let (disk, time) = (disk(), VirtualTime::default());
    let (mut environment, _, failures) = world(FakeFileSystem::default());
    environment.clock = Arc::new(time.clone());
    let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
    let context = AutoContext::new(Arc::new(time.clone()))
        .with_team(team, Here, team::Limits::default())
        .remembering_in(Arc::new(Memory::new(Arc::new(time.clone()))));
    Rig { disk, time, environment, failures, context }
}

impl Rig {
    fn hooks(&self) -> Hooks {
        self.context.add_to(Hooks::builder()).build()
    }

    fn context(&self) -> HookContext {
        HookContext::new("s", "backend").in_dir("/p").with_environment(self.environment.clone())
    }

    fn start(&self, source: StartSource) -> String {
        let mut start = SessionStart::default();
        start.source = source;
        self.time
            .block_on(async {
                let (session, patch) = Session::start(self.hooks(), self.context(), start).await;
                session.end(hooks_core::event::EndReason::Complete, None).await;
                joined(&patch.additional_context)
            })
            .unwrap()
    }
}

fn joined(notes: &[ContextNote]) -> String {
    notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_session_begins_with_what_its_agent_has_to_know() {
    let rig = rig();
    let text = rig.start(StartSource::Startup);
    let expected = "This was read for you. There is no need to read these files again.\n\n## What the team has learnt for good\n\n- look first (always)\n\n## Skills\n\n- database-migrations (high confidence): how tables change\n\n## Ceremonies\n\n- Design Review, before work begins; if two agents\n\n## Standing directives of the user\n\n### User directive\n**By:** User\n**What:** Always write tests.\n\n## Decisions in force\n\n### 2026-01-03: Blue buttons\n**By:** Designer\n**What:** Buttons are blue.\n\n### 2026-01-02: Use Postgres\n**By:** Lead\n**What:** Postgres for all data.\n\n## What the team is at\n\nFocus: Payments\n\nWe ship on Friday.\n\n## What you have learnt here\n\n### 2026-01-06\nPools of connections leak.\n\n### 2026-01-05\nThe parser is slow.\n\n[left out: 1 of skills (`ls .squad/skills`)]";
    assert_eq!(text, expected);
    assert_eq!(text, rig.start(StartSource::Startup), "the same state, the same bytes");
    assert!(rig.failures.entries().is_empty());
}

#[test]
fn what_a_session_has_is_not_sent_again_and_what_is_new_is() {
    let rig = rig();
    rig.start(StartSource::Startup);
    assert_eq!(rig.start(StartSource::Resume), "");
    rig.disk.put(
        "/p/.squad/decisions/inbox/lead-x.md",
        "### 2026-01-09: Use Redis\n**By:** Lead\n**What:** Redis.\n",
    );
    assert_eq!(
        rig.start(StartSource::Resume),
        "## Decisions in force\n\n### 2026-01-09: Use Redis\n**By:** Lead\n**What:** Redis.\n\n[left out: 1 of skills (`ls .squad/skills`)]"
    );
    assert_eq!(rig.start(StartSource::Resume), "");
    // The model no longer has the context after a compaction or a clear, so it is given again.
    for source in [StartSource::Compact, StartSource::Clear] {
        assert!(rig.start(source).contains("Use Postgres"));
    }
}

#[test]
fn a_turn_hears_of_what_was_decided_meanwhile() {
    let rig = rig();
    let turns = rig.time.block_on(async {
        let (session, _) = Session::start(rig.hooks(), rig.context(), SessionStart::default()).await;
        let mut turns = Vec::new();
        for number in 0..3 {
            if number == 2 {
                rig.disk.put("/p/.squad/decisions/inbox/x.md", "### 2026-01-09: Use Redis\n**By:** Lead\n");
            }
            let (turn, patch) = session.turn().await;
            turns.push(joined(&patch.additional_context));
            turn.end(hooks_core::event::TurnEndReason::Normal).await;
        }
        turns
    });
    let turns = turns.unwrap();
    assert_eq!((&*turns[0], &*turns[1]), ("", ""));
    assert!(turns[2].contains("Use Redis") && !turns[2].contains("Postgres"));
}

#[test]
fn a_child_gets_what_is_about_its_task_within_its_own_budget() {
    let mut rig = rig();
    let settings = AutoSettings { child: 300, ..AutoSettings::default() };
    rig.context = rig.context.within(settings);
    let spawned = rig.time.block_on(async {
        let (session, _) = Session::start(rig.hooks(), rig.context(), SessionStart::default()).await;
        let mut spawner = session.spawner(service_fn(async |_: SubagentStart| Ok::<_, BoxError>(())));
        let start = SubagentStart::new("Tester", "Choose the colours of buttons");
        let request = SpawnRequest { context: Arc::clone(session.context()), start };
        let spawned = tower_service::Service::call(&mut spawner, request).await.unwrap();
        let Spawned::Running(child, decision) = spawned else { panic!("{spawned:?}") };
        drop(child);
        decision
    });
    let notes = spawned.as_ref().unwrap().notes().unwrap();
    let text = joined(&notes.additional_context);
    assert!(Estimate.count(&text) <= 300, "{text}");
    let (blue, tests) = (text.find("Blue buttons"), text.find("Only for the tester"));
    assert!(blue.is_some() && tests.is_none_or(|tests| blue.unwrap() < tests), "{text}");
    assert!(!text.contains("The parser is slow"), "it is not the child's history: {text}");
    assert!(spawned.unwrap().goes_ahead());
}

/// A source that answers after a delay.
struct Slow(VirtualTime, Duration);

impl ContextSource for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn load(&self, _ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        use hooks_core::time::Timer;
        let nap = self.0.sleep(self.1);
        HookFuture::later(async move {
            nap.await;
            Ok(Section::new("Slow", vec![Item::new("here at last")]))
        })
    }

    fn command(&self, _ask: &Ask) -> Option<String> {
        Some("cat slow.md".into())
    }
}

struct Broken;

impl ContextSource for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn load(&self, _ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        panic!("it always does")
    }
}

#[test]
fn what_is_late_or_broken_is_left_out_loudly_and_never_waited_for() {
    use hooks_core::time::Clock;
    let mut rig = rig();
    let slow = |seconds| Slow(rig.time.clone(), Duration::from_millis(seconds));
    rig.context =
        rig.context.clone().with_source(1, slow(200)).with_source(1, slow(60_000)).with_source(1, Broken);
    let text = rig.start(StartSource::Startup);
    assert_eq!(rig.time.tick().0, Duration::from_millis(250));
    assert!(text.contains("here at last") && text.contains("Use Postgres"), "{text}");
    assert!(text.ends_with("; slow, not read in time (`cat slow.md`); broken, not readable]"), "{text}");
    let failures: Vec<_> = rig.failures.entries().into_iter().map(|(_, reason)| reason.message).collect();
    assert_eq!(
        failures,
        [
            "`slow` was not read in time; it was left out",
            "`broken` could not be read: it panicked; it was left out"
        ]
    );
}

#[test]
fn a_disk_that_fails_costs_its_part_alone() {
    let rig = rig();
    let _disk = rig.disk.clone().with_link("/p/.squad/identity/now.md", "/etc/passwd");
    let text = rig.start(StartSource::Startup);
    assert!(text.contains("Use Postgres") && !text.contains("Payments"));
    assert!(text.ends_with("now, not readable (`cat .squad/identity/now.md`)]"), "{text}");
}

#[test]
fn own_sources_stand_behind_the_team() {
    use hooks_core::state::{Key, Op, StateStore};
    let mut rig = rig();
    rig.disk.put("/p/NOTES.md", "Mind the gap.\n");
    let store = Arc::new(Memory::new(Arc::new(rig.time.clone())));
    let key = Key::new(None, &["motd"]);
    rig.time
        .block_on(store.apply(Op::Put { key: key.clone(), value: "hello".into(), ttl: None }))
        .unwrap()
        .unwrap();
    rig.context = rig
        .context
        .with_source(1, FileSource::new(Arc::new(rig.disk.clone()), Here, "NOTES.md"))
        .with_source(1, StoreSource::new("motd", store, key));
    let text = rig.start(StartSource::Startup);
    let end = "\n\n## NOTES.md\n\nMind the gap.\n\n## motd\n\nhello\n\n[left out: 1 of skills (`ls .squad/skills`)]";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_model_is_sent_the_decision() {
    let rig = rig();
    let sent = rig.time.block_on(async {
        let (session, patch) = Session::start(rig.hooks(), rig.context(), SessionStart::default()).await;
        let messages = vec![Message::text(Role::System, joined(&patch.additional_context))];
        let recorded = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = Arc::clone(&recorded);
        let model = service_fn(move |request: ModelRequest| {
            seen.lock().unwrap().push(request);
            std::future::ready(Err::<hooks_core::event::ModelReply, BoxError>("recorded".into()))
        });
        let request = ModelRequest { model: "gpt-5".into(), iteration: 1, messages };
        let call = ModelCall { context: Arc::clone(session.context()), request };
        let _failed = tower_service::Service::call(&mut session.model(model), call).await;
        std::mem::take(&mut *recorded.lock().unwrap())
    });
    let sent = sent.unwrap();
    assert!(sent[0].messages[0].content.as_str().unwrap().contains("Use Postgres"));
}

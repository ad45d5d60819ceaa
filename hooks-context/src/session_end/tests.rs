use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::event::{
    AfterModelCall, EndReason, Message, ModelReply, PromptKind, Role, SessionEnd, SessionStart, Usage,
};
use hooks_core::testing::{FailureLog, FakeClock, FakeDisk, FakeFileSystem, VirtualTime, world};
use hooks_core::time::{Clock, Timestamp};
use hooks_core::{BoxError, Environment, HookContext, HookFuture, Hooks, Session};
use hooks_team::Team;
use hooks_team::files::History;
use hooks_team::text::Document;
use proptest::prelude::*;

use super::*;
use crate::source::{Here, Work, Workers};

struct Rig {
    disk: FakeDisk,
    clock: Arc<FakeClock>,
    environment: Environment,
    failures: Arc<FailureLog>,
    settings: SessionEndSettings,
}

struct Board;

impl OpenWork for Board {
    fn name(&self) -> &str {
        "board"
    }

    fn open(&self, _context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        HookFuture::now(Ok(vec!["#1 fix it".into(), "#2 ship it".into()]))
    }
}

fn rig(disk: FakeDisk) -> Rig {
    let (mut environment, clock, failures) = world(FakeFileSystem::default());
    clock.set(Timestamp(1_795_321_247_000));
    environment.clock = clock.clone();
    let settings = SessionEndSettings { history_above: 400, keep: 1, ..SessionEndSettings::default() };
    Rig { disk, clock, environment, failures, settings }
}

impl Rig {
    fn team(&self) -> Team {
        Team::new(Arc::new(self.disk.clone()), "/p/.squad", &self.environment)
    }

    fn hooks(&self) -> Hooks {
        let ending = SessionEnding::new(self.team(), Here).with(self.settings).watching(Board);
        ending.add_to(Hooks::builder()).build()
    }

    fn context(&self, session: &str) -> HookContext {
        HookContext::new(session, "backend").with_environment(self.environment.clone())
    }

    /// Runs a session from its start to its end.
    fn session(&self, name: &str) {
        block_on(async {
            let (session, _) =
                Session::start(self.hooks(), self.context(name), SessionStart::default()).await;
            self.clock.advance(Duration::from_secs(60));
            session.end(EndReason::Complete, None).await;
        });
    }

    fn files(&self) -> BTreeMap<String, String> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let below = |path: &Path| path.strip_prefix("/p/.squad").unwrap().display().to_string();
        self.disk.files().into_iter().map(|(path, bytes)| (below(&path), text(bytes))).collect()
    }

    fn metrics(&self) -> Vec<SessionMetrics> {
        let files = self.files().into_iter().filter(|(path, _)| path.starts_with("metrics/"));
        files.map(|(_, text)| serde_json::from_str(&text).unwrap()).collect()
    }

    /// Returns every entry of the history and of its archive, as often as it occurs.
    fn entries(&self) -> Vec<String> {
        let files = self.files();
        let read = |name: &str| {
            let text = files.get(&format!("agents/backend/{name}")).cloned().unwrap_or_default();
            let history = History::new(Document::parse(text));
            history.entries().map(|entry| entry.text().trim().to_owned()).collect::<Vec<_>>()
        };
        let mut all = [read("history.md"), read("history-archive.md")].concat();
        all.sort();
        all
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    futures_util::FutureExt::now_or_never(future).expect("nothing waits here")
}

fn history(entries: impl IntoIterator<Item = String>) -> String {
    let entries: String = entries.into_iter().map(|entry| format!("{entry}\n\n")).collect();
    format!("# Backend\n\n## Learnings\n\n{entries}")
}

fn grown() -> FakeDisk {
    let entries = (1..=9).map(|day| match day % 3 {
        0 => format!("- an item of the {day}th, which has no date and is some words long"),
        _ => format!("### 2026-01-0{day}: Lesson {day}\nIt was so and so, and {day} times at that."),
    });
    FakeDisk::default()
        .with_file("/p/.squad/agents/backend/history.md", history(entries))
        .with_file("/p/.squad/identity/now.md", "---\nfocus_area: x\n---\n")
}

#[test]
fn a_session_is_put_away() {
    let rig = rig(grown());
    let before = rig.entries();
    rig.session("s/1");
    assert!(rig.failures.entries().is_empty(), "{:?}", rig.failures.entries());
    let [metrics] = &rig.metrics()[..] else { panic!("one end, one file") };
    assert_eq!((&*metrics.session, metrics.tokens, metrics.duration_ms), ("s/1", 0, 60_000));
    assert_eq!(rig.entries(), before);
    let files = rig.files();
    let history = &files["agents/backend/history.md"];
    assert!(history.len() < 400, "{history}");
    assert!(
        history.starts_with("# Backend\n\n> Archived: 4 older entries, 2026-01-01 to 2026-01-05 are in"),
        "{history}"
    );
    assert!(
        files["identity/now.md"].contains("open_work: \"#1 fix it; #2 ship it\"\nopen_work_from: board"),
        "{files:?}"
    );
    let log: Vec<_> = files.iter().filter(|(path, _)| path.starts_with("log/")).collect();
    assert!(log[0].0.starts_with("log/2026-11-22T04-21-47Z-session-s-1-"), "{log:?}");
    assert!(
        log[0].1.contains("(complete), after 60 s\n- **Rules:** "),
        "what nobody told is not written: {log:?}"
    );
    assert!(!files.keys().any(|path| path.starts_with(".hooks/open/") || path.starts_with(".hooks/ended/")));
}

#[test]
fn an_end_that_is_told_twice_is_one_and_two_ends_are_two() {
    let rig = rig(grown());
    rig.session("s");
    let end = || {
        let mut end = SessionEnd::default();
        end.tokens_used = 5;
        block_on(rig.hooks().on(rig.context("told")).session_end(end));
    };
    end();
    end();
    assert_eq!(rig.metrics().len(), 2);
    rig.session("s");
    assert_eq!(rig.metrics().len(), 3, "a session that was resumed ends again");
}

#[test]
fn the_same_id_of_two_tenants_is_two_sessions() {
    let rig = rig(grown());
    let hooks = rig.hooks();
    let of = |tenant: &str| rig.context("s").for_tenant(tenant);
    block_on(async {
        let (ours, _) = Session::start(hooks.clone(), of("a"), SessionStart::default()).await;
        rig.clock.advance(Duration::from_secs(60));
        let (theirs, _) = Session::start(hooks.clone(), of("b"), SessionStart::default()).await;
        ours.prompt("Never log passwords.", PromptKind::Initial).await;
        let reply = ModelReply {
            response: Message::text(Role::Assistant, "ok"),
            usage: Usage::default(),
            cost: None,
        };
        let mut paid = AfterModelCall::new("m", 1, &reply);
        paid.cost = Some(hooks_core::event::MicroUsd(7));
        hooks.on(of("a")).after_model_call(paid).await;
        theirs.end(EndReason::Complete, None).await;
        ours.end(EndReason::Complete, None).await;
    });
    let mut told: Vec<_> =
        rig.metrics().into_iter().map(|one| (one.duration_ms, one.counts.cost_micro_usd)).collect();
    told.sort_unstable();
    assert_eq!(told, [(0, 0), (60_000, 7)]);
}

/// Source of open work that never answers.
struct Hangs;

impl OpenWork for Hangs {
    fn name(&self) -> &str {
        "hangs"
    }

    fn open(&self, _context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        HookFuture::later(std::future::pending())
    }
}

#[test]
fn whoever_does_not_say_what_is_open_keeps_no_session_from_its_end() {
    let rig = rig(grown());
    let begun = |ending: &SessionEnding, session: &str| {
        let hooks = ending.add_to(Hooks::builder()).build();
        block_on(hooks.on(rig.context(session)).session_start(SessionStart::default()));
        rig.clock.advance(Duration::from_secs(60));
        hooks
    };
    let ending = SessionEnding::new(rig.team(), Here).with(rig.settings).watching(Hangs);
    // The future is dropped: the end is recorded, and a later start closes the session.
    let hooks = begun(&ending, "s");
    let bound = hooks.on(rig.context("s"));
    assert!(futures_util::FutureExt::now_or_never(bound.session_end(SessionEnd::default())).is_none());
    let written =
        |files: &BTreeMap<String, String>| files.keys().any(|path| path.starts_with(".hooks/ended/"));
    assert!(written(&rig.files()) && rig.metrics().is_empty());

    let time = VirtualTime::default();
    let limited = ending.within(Duration::from_secs(10), Arc::new(time.clone()));
    let hooks = begun(&limited, "t");
    let bound = hooks.on(rig.context("t"));
    time.block_on(bound.session_end(SessionEnd::default())).expect("it waits for its time only");
    let mut told: Vec<_> = rig.metrics().into_iter().map(|one| (one.session, one.duration_ms)).collect();
    told.sort();
    assert_eq!(told.iter().map(|(session, _)| session.as_str()).collect::<Vec<_>>(), ["s", "t"]);
    assert_eq!(time.tick().0, Duration::from_secs(5));
    assert!(!written(&rig.files()));
    assert!(format!("{:?}", rig.failures.entries()).contains("not done within 5s"));
}

/// Accepts work and never runs it, as with a disk that hangs.
#[derive(Default)]
struct Stuck(Mutex<Vec<Work>>);

impl Workers for Stuck {
    fn start(&self, work: Work) {
        self.0.lock().unwrap().push(work);
    }
}

#[test]
fn a_disk_that_hangs_delays_no_session_for_long() {
    let rig = rig(grown());
    let time = VirtualTime::default();
    let ending = SessionEnding::new(rig.team(), Stuck::default());
    let ending = ending.within(Duration::from_secs(5), Arc::new(time.clone()));
    let hooks = ending.add_to(Hooks::builder()).build();
    let bound = hooks.on(rig.context("s"));
    time.block_on(bound.session_start(SessionStart::default())).expect("it waits for its time only");
    time.block_on(bound.session_end(SessionEnd::default())).expect("it waits for its time only");
    assert_eq!(time.tick().0, Duration::from_secs(10));
    assert_eq!(rig.failures.entries().len(), 2);
}

#[test]
fn a_session_that_nobody_ended_is_ended_by_a_later_start() {
    let rig = rig(grown());
    let start =
        |name: &str| block_on(rig.hooks().on(rig.context(name)).session_start(SessionStart::default()));
    start("killed");
    rig.clock.advance(Duration::from_secs(3_600));
    start("other");
    assert_eq!(rig.metrics().len(), 0, "it may still be at work");
    rig.clock.advance(Duration::from_secs(24 * 3_600));
    start("next");
    let mut ended: Vec<_> = rig.metrics().into_iter().map(|one| (one.session, one.reason)).collect();
    ended.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(ended, [("killed".to_owned(), EndReason::Abort), ("other".to_owned(), EndReason::Abort)]);
    start("more");
    assert_eq!(rig.metrics().len(), 2);
}

/// Kills the process at every step of a session, with and without a power cut.
#[test]
fn whenever_it_is_killed_every_entry_is_in_one_place_and_every_end_is_told_once() {
    for cut_power in [false, true] {
        for at in 0.. {
            let rig = rig(grown());
            let before = rig.entries();
            rig.disk.kill_at(at);
            rig.session("s");
            let was_killed = !rig.failures.entries().is_empty();
            if cut_power {
                rig.disk.lose_power();
            } else {
                rig.disk.restart();
            }
            // The next session repairs every state that a killed one can leave.
            rig.session("next");
            rig.clock.advance(Duration::from_secs(25 * 3_600));
            rig.session("last");
            rig.team().recover().unwrap();
            assert_eq!(rig.entries(), before, "killed at step {at}");
            let mut told: Vec<_> = rig.metrics().into_iter().map(|one| one.session).collect();
            told.sort();
            told.retain(|session| session != "next" && session != "last");
            let files = rig.files();
            // If the process was killed before the start was recorded, no end is reported.
            assert!(told.len() <= 1 && (told.len() == 1 || at < 40), "step {at}: {told:?}");
            let logs =
                files.keys().filter(|path| path.starts_with("log/") && path.contains("session-s-")).count();
            assert_eq!(logs, told.len(), "step {at}: {files:?}");
            let left = |path: &&String| {
                path.ends_with(".tmp") || path.ends_with("move.json") || path.starts_with(".hooks/ended/")
            };
            assert_eq!(files.keys().find(left), None, "step {at}");
            if !was_killed {
                assert!(at > 60, "it does something");
                break;
            }
        }
    }
}

fn entry() -> impl Strategy<Value = String> {
    prop_oneof![
        (1_u32..28, "[a-z ]{0,20}", "[ -~]{0,60}")
            .prop_map(|(day, title, text)| format!("### 2026-01-{day:02} {title}\n{text}")),
        "- [a-z ]{1,40}",
        "[a-z]{1,9} [a-z ]{1,40}",
        Just("### 2026-01-01\nthe same".to_owned()),
        Just("- the same".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 64 } else { 2_000 }, ..ProptestConfig::default() })]

    #[test]
    fn history_and_archive_together_hold_every_entry_once(
        entries in proptest::collection::vec(entry(), 0..40),
        archived in proptest::collection::vec(entry(), 0..8),
        above in 1_u64..2_000,
        keep in 0_usize..9,
        killed_at in proptest::option::of(0_u64..300),
    ) {
        let disk = FakeDisk::default()
            .with_file("/p/.squad/agents/backend/history.md", history(entries))
            .with_file("/p/.squad/agents/backend/history-archive.md", history(archived));
        let mut rig = rig(disk);
        rig.settings.history_above = above;
        rig.settings.keep = keep;
        let before = rig.entries();
        if let Some(at) = killed_at {
            rig.disk.kill_at(at);
            rig.session("killed");
            rig.disk.restart();
        }
        rig.session("s");
        let after = rig.entries();
        // An entry that was in both files with the same date and text is kept once.
        let mut once = before.clone();
        once.dedup();
        let mut found = after.clone();
        found.dedup();
        prop_assert_eq!(&found, &once);
        let is_dated = |text: &&String| text.starts_with("###");
        let count = |all: &[String]| all.iter().filter(|text| !is_dated(text)).count();
        prop_assert_eq!(count(&after), count(&before));
        prop_assert!(after.len() <= before.len());
        let settled = rig.files();
        rig.session("again");
        prop_assert_eq!(rig.entries(), after);
        prop_assert_eq!(&rig.files()["agents/backend/history.md"], &settled["agents/backend/history.md"]);
    }
}

#[test]
fn a_killed_session_has_the_counts_that_its_processes_kept() {
    let rig = rig(grown());
    let store = Arc::new(hooks_core::state::Memory::new(rig.clock.clone()));
    let hooks = || {
        let ending = SessionEnding::new(rig.team(), Here).with(rig.settings).counting_in(store.clone());
        (ending.tally().clone(), ending.add_to(Hooks::builder()).build())
    };
    block_on(async {
        hooks().1.on(rig.context("killed")).session_start(SessionStart::default()).await;
        // Each event has a process of its own.
        for _ in 0..3 {
            let (tally, hooks) = hooks();
            let call = hooks_core::event::PreToolUse::new("bash", ().into());
            let done = hooks_core::event::PostToolUse::after(&call, "done".into(), None, 1);
            hooks.on(rig.context("killed")).post_tool_use(done).await;
            tally.keep(&rig.context("killed"), store.clone()).await.unwrap();
        }
        rig.clock.advance(rig.settings.abandoned_after);
        hooks().1.on(rig.context("next")).session_start(SessionStart::default()).await;
    });
    assert!(rig.failures.entries().is_empty(), "{:?}", rig.failures.entries());
    let [metrics] = &rig.metrics()[..] else { panic!("one end, one file") };
    assert_eq!((&*metrics.session, metrics.tool_calls), ("killed", 3));
}

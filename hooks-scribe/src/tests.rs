use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use hooks_core::beside::{Here, Work, Workers};
use hooks_core::drivers::{SpawnRequest, Spawned};
use hooks_core::drivers::{ToolCall, ToolRequest, ToolResult};
use hooks_core::event::{
    ChildStatus, EndReason, PostToolUse, PreToolUse, SessionEnd, SubagentStart, ToolDecided, VerdictSource,
};
use hooks_core::fs::Disk;
use hooks_core::testing::{FailureLog, FakeClock, FakeDisk, FakeFileSystem, Probe, VirtualTime, world};
use hooks_core::time::{Clock, SeededRandom, Timestamp};
use hooks_core::{
    Background, BoxError, Environment, Govern, GovernSpawn, HookContext, HookError, HookFuture, HookRequest,
    Hooks, Judged, Reason, Settle, Strength, Verdict, policy_fn,
};
use hooks_team::Team;
use hooks_team::files::NewDecision;
use proptest::prelude::*;
use regex::Regex;
use serde_json::{Value, json};
use tower::{Layer, ServiceExt, service_fn};

use super::*;

/// A team, its disk, and processes that start and end.
struct Rig {
    disk: FakeDisk,
    clock: Arc<FakeClock>,
    environment: Environment,
    failures: Arc<FailureLog>,
    settings: ScribeSettings,
    /// Files that tools wrote completely.
    written: Arc<Mutex<Vec<String>>>,
}

fn rig() -> Rig {
    let disk = FakeDisk::default()
        .with_directory("/p/.squad/decisions/inbox")
        .with_directory("/p/.squad/agents/backend");
    let (mut environment, clock, failures) = world(FakeFileSystem::default());
    clock.set(Timestamp(1_795_321_247_000));
    environment.clock = clock.clone();
    environment.files = Arc::new(disk.clone());
    let settings = ScribeSettings { settle: Duration::ZERO, ..ScribeSettings::default() };
    Rig { disk, clock, environment, failures, settings, written: Arc::default() }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing waits here")
}

impl Rig {
    fn team(&self) -> Team {
        Team::new(Arc::new(self.disk.clone()), "/p/.squad", &self.environment)
            .with_patience(Duration::from_millis(1))
    }

    fn scribe(&self) -> Scribe {
        Scribe::at_once(self.team(), Here).with(self.settings)
    }

    fn hooks(&self) -> Hooks {
        self.scribe().add_to(Hooks::builder()).build()
    }

    fn context(&self, session: &str) -> Arc<HookContext> {
        Arc::new(HookContext::new(session, "Backend").in_dir("/p").with_environment(self.environment.clone()))
    }

    /// A tool that writes a file of the disk, in steps that can be killed.
    fn edit(&self, path: &str, text: &str, id: Option<&str>) {
        let (disk, written) = (self.disk.clone(), Arc::clone(&self.written));
        let tool = service_fn(move |call: ToolCall| {
            let (disk, written) = (disk.clone(), Arc::clone(&written));
            async move {
                let path = Path::new("/p").join(call.args["path"].as_str().unwrap());
                disk.create(&path, call.args["content"].as_str().unwrap().as_bytes())?;
                disk.sync_directory(path.parent().unwrap())?;
                written.lock().unwrap().push(path.display().to_string());
                Ok::<_, BoxError>(ToolResult::ok("written"))
            }
        });
        let mut call = ToolCall::new("edit", json!({ "path": path, "content": text }));
        call.id = id.map(str::to_owned);
        let request = ToolRequest { context: self.context("s/1"), call };
        block_on(Govern::new(self.hooks(), tool).oneshot(request)).unwrap();
    }

    /// Starts a child; returns the content of `orchestration-log/` at its creation.
    fn spawn(&self, agent: &str) -> Vec<String> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (team, saw) = (self.team(), Arc::clone(&seen));
        let spawner = service_fn(move |start: SubagentStart| {
            let (team, saw) = (team.clone(), Arc::clone(&saw));
            async move {
                if start.agent_name == "nobody" {
                    return Err(BoxError::from("there is nobody"));
                }
                saw.lock().unwrap().extend(team.spawn_logs().unwrap());
                Ok(())
            }
        });
        let request =
            SpawnRequest { context: self.context("s/1"), start: SubagentStart::new(agent, "Do\n| it |") };
        let spawned = block_on(GovernSpawn::new(self.hooks(), spawner).oneshot(request)).unwrap();
        if let Spawned::Running(child, _) = spawned {
            drop(block_on(child.end(ChildStatus::Completed, None)));
        }
        seen.lock().unwrap().clone()
    }

    fn end(&self) {
        let mut end = SessionEnd::default();
        end.reason = EndReason::Complete;
        block_on(self.hooks().on(self.context("s/1")).session_end(end));
    }

    /// Starts another process after the time in which calls are given up.
    fn next(&self) {
        self.clock.advance(Duration::from_secs(2 * 3_600));
        self.scribe().work(&self.context("next")).unwrap();
    }

    fn files(&self) -> BTreeMap<String, String> {
        let below = |path: &Path| path.strip_prefix("/p/.squad").ok().map(|path| path.display().to_string());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        self.disk.files().into_iter().filter_map(|(path, bytes)| Some((below(&path)?, text(bytes)))).collect()
    }

    /// Content of all files whose names begin with `start`.
    fn text(&self, start: &str) -> String {
        let files = self.files().into_iter().filter(|(name, _)| name.starts_with(start));
        files.map(|(_, text)| text).collect()
    }

    fn lines(&self) -> Vec<String> {
        self.text("log/").lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect()
    }
}

fn decision(summary: &str) -> String {
    let decision = NewDecision { author: "Backend".into(), summary: summary.into(), ..Default::default() };
    decision.to_markdown(Timestamp(1_795_321_247_000)).unwrap()
}

#[test]
fn what_agents_write_is_logged_and_merged() {
    let rig = rig();
    rig.edit(".squad/decisions/inbox/backend-a.md", &decision("Use Postgres"), Some("call 1"));
    rig.edit("./.squad//agents/./backend/history.md", "# Backend\n", None);
    rig.edit(".squad-old.md", "no team's file", None);
    assert!(rig.failures.entries().is_empty(), "{:?}", rig.failures.entries());
    let files = rig.files();
    assert_eq!(files["decisions.md"], format!("# Decisions\n\n{}", decision("Use Postgres")));
    assert!(!files.contains_key("decisions/inbox/backend-a.md"));
    let lines = rig.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("**Backend** wrote `decisions/inbox/backend-a.md` with `edit`"), "{lines:?}");
    assert!(lines[1].contains("wrote `agents/backend/history.md`"), "{lines:?}");
    rig.end();
    assert!(rig.lines()[2].contains("ended the session (complete)"));
    assert!(!rig.files().keys().any(|name| name.starts_with(".hooks/scribe/")), "nothing is left to do");
}

/// Acts like a client with one process for each event: runs the hooks before a call, and lets the call go
/// ahead or not.
fn decide_call(rig: &Rig, call: &PreToolUse, goes_ahead: bool) {
    let hooks = rig.hooks();
    let mut decision = block_on(hooks.on(rig.context("s")).pre_tool_use(call.clone()));
    let holds = decision.outcome.take_holds();
    if goes_ahead {
        holds.commit();
    }
}

fn ran(rig: &Rig, call: &PreToolUse) {
    block_on(rig.hooks().on(rig.context("s")).post_tool_use(PostToolUse::after(call, Value::Null, None, 1)));
}

fn write_of(path: &str, id: Option<&str>) -> PreToolUse {
    let mut call = PreToolUse::new("edit", json!({ "path": path }));
    call.tool_use_id = id.map(str::to_owned);
    call
}

#[test]
fn what_was_let_through_has_a_line_whether_or_not_anybody_tells_its_end() {
    for id in [None, Some("7")] {
        let rig = rig();
        let call = write_of(".squad/a.md", id);
        decide_call(&rig, &call, true);
        assert!(rig.lines().is_empty(), "it may still run");
        ran(&rig, &call);
        assert_eq!(rig.lines().len(), 1, "{:?}", rig.lines());
        // The same call again, without a report of its end.
        let again = write_of(".squad/a.md", id.map(|_| "8"));
        decide_call(&rig, &again, true);
        rig.next();
        let lines = rig.lines();
        assert!(lines.len() == 2 && lines[1].contains("its end was not reported"), "{lines:?}");
        assert!(!rig.files().keys().any(|name| name.starts_with(".hooks/scribe/")));
    }
}

#[test]
fn calls_that_are_alike_have_a_line_each() {
    let rig = rig();
    let call = write_of(".squad/a.md", None);
    decide_call(&rig, &call, true);
    decide_call(&rig, &call, true);
    ran(&rig, &call);
    ran(&rig, &call);
    rig.next();
    let lines = rig.lines();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("** wrote")), "{lines:?}");
}

#[test]
fn what_is_refused_has_no_line() {
    let rig = rig();
    let no = policy_fn("no", |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new("no", "no", "no")));
    let denying = rig.scribe().add_to(Hooks::builder()).policy(no).build();
    drop(block_on(denying.on(rig.context("s")).pre_tool_use(write_of(".squad/a.md", None))));
    // The hooks allow the call, and the client denies it.
    decide_call(&rig, &write_of(".squad/a.md", None), false);
    decide_call(&rig, &write_of(".squad/a.md", Some("1")), false);
    // The hooks allow the call, and a person denies it, which the client reports later.
    let call = write_of(".squad/b.md", Some("2"));
    decide_call(&rig, &call, true);
    let refused = ToolDecided::about(&call, Strength::Deny, VerdictSource::Approver, &[]);
    block_on(rig.hooks().on(rig.context("s")).tool_decided(refused));
    rig.next();
    assert_eq!(rig.files().into_keys().collect::<Vec<_>>(), [".hooks/lock-scribe"]);
    assert!(rig.failures.entries().is_empty());
}

#[test]
fn what_a_person_is_asked_about_is_noted() {
    let rig = rig();
    let ask = policy_fn("ask", |_: &HookRequest<PreToolUse>| Verdict::ask(Reason::new("a", "a", "a")));
    let asking = rig.scribe().add_to(Hooks::builder()).policy(ask).build();
    let mut decision = block_on(asking.on(rig.context("s")).pre_tool_use(write_of(".squad/a.md", Some("1"))));
    decision.outcome.take_holds().commit();
    rig.next();
    assert_eq!(rig.lines().len(), 1, "{:?}", rig.lines());
}

/// Accepts work and never runs it.
#[derive(Default)]
struct Stuck(Mutex<Vec<Work>>);

impl Workers for Stuck {
    fn start(&self, work: Work) {
        self.0.lock().unwrap().push(work);
    }
}

#[test]
fn nobody_is_kept_waiting_by_work_that_takes_long_nor_denied_for_it() {
    let rig = rig();
    let time = VirtualTime::default();
    let limit = Duration::from_secs(2);
    let scribe = rig.scribe().within(limit, Arc::new(time.clone()), Stuck::default());
    let hooks = scribe.add_to(Hooks::builder()).build();
    let call = write_of(".squad/a.md", None);
    let ran = PostToolUse::after(&call, Value::Null, None, 1);
    let started = time.tick();
    let after = time.block_on(hooks.on(rig.context("s")).post_tool_use(ran)).unwrap();
    assert!(after.outcome.goes_ahead(), "{:?}", after.outcome);
    time.block_on(hooks.on(rig.context("s")).session_end(SessionEnd::default())).unwrap();
    assert_eq!(time.tick().since(started), 2 * limit);
    assert_eq!(rig.failures.entries().len(), 2, "it is told: {:?}", rig.failures.entries());
    // The notes are there for the next process.
    rig.next();
    assert_eq!(rig.lines().len(), 2, "{:?}", rig.lines());
}

#[test]
fn what_was_asked_for_is_done_when_the_hooks_are_closed() {
    /// A runtime that ends before it runs anything.
    struct Gone;

    impl Background for Gone {
        fn run(&self, _work: HookFuture<'static, ()>) {}
    }

    let mut rig = rig();
    rig.environment.background = Some(Arc::new(Gone));
    let scribe = Scribe::new(rig.team(), Here, Arc::new(VirtualTime::default())).with(rig.settings);
    let hooks = scribe.add_to(Hooks::builder()).build();
    let ran = PostToolUse::after(&write_of(".squad/a.md", None), Value::Null, None, 1);
    block_on(hooks.on(rig.context("s")).post_tool_use(ran));
    assert_eq!(rig.lines().len(), 0, "it pauses first");
    block_on(hooks.close()).unwrap();
    assert_eq!(rig.lines().len(), 1, "{:?}", rig.lines());
    block_on(hooks.close()).unwrap();
}

#[test]
fn the_end_of_a_session_is_left_to_whoever_works_too_long() {
    let rig = rig();
    let queue = rig.team().spool(&hooks_team::Name::new("scribe").unwrap());
    let held = queue.lock(Duration::ZERO).unwrap();
    // The lock is held until this returns, so waiting for it would never end.
    rig.end();
    assert!(rig.lines().is_empty());
    assert!(rig.failures.entries().is_empty(), "{:?}", rig.failures.entries());
    drop(held);
    rig.next();
    assert_eq!(rig.lines().len(), 1, "{:?}", rig.lines());
}

#[test]
fn a_session_that_is_resumed_ends_twice() {
    let rig = rig();
    rig.end();
    rig.clock.advance(Duration::from_secs(60));
    rig.end();
    assert_eq!(rig.lines().len(), 2, "{:?}", rig.lines());
}

#[test]
fn a_child_is_written_down_before_it_exists_and_once() {
    let rig = rig();
    let seen = rig.spawn("Test Engineer");
    assert_eq!(seen.len(), 1, "before it exists");
    assert!(seen[0].starts_with("2026-11-22T04-20-47Z-test-engineer-"), "{seen:?}");
    rig.spawn("nobody");
    rig.end();
    assert_eq!(rig.team().spawn_logs().unwrap().len(), 2);
    let lines = rig.lines().join("\n");
    assert!(lines.contains("got the end of **Test Engineer**: completed"), "{lines}");
    assert!(lines.contains("did not get **nobody** started"), "{lines}");
}

#[test]
fn a_child_that_is_denied_leaves_no_file() {
    let rig = rig();
    let no = policy_fn("no", |_: &HookRequest<SubagentStart>| Verdict::deny(Reason::new("no", "no", "no")));
    let hooks = rig.scribe().add_to(Hooks::builder()).policy(no).build();
    let spawner = service_fn(async |_: SubagentStart| Ok::<_, BoxError>(()));
    let request = SpawnRequest { context: rig.context("s"), start: SubagentStart::new("a", "b") };
    block_on(GovernSpawn::new(hooks, spawner).oneshot(request)).unwrap();
    assert!(rig.files().keys().all(|name| !name.starts_with("orchestration-log")), "{:?}", rig.files());
}

#[test]
fn where_others_hold_the_folder_a_note_becomes_the_file() {
    let rig = rig();
    let (team, settings) = (rig.team(), ScribeSettings { spawn_wait: Duration::ZERO, ..rig.settings });
    let held = team.writer().unwrap();
    let scribe = Scribe::at_once(rig.team(), Here).with(settings);
    let start = || SubagentStart::new("a", "b");
    let mut named = start();
    named.child_id = Some("7".into());
    let ask = |event: SubagentStart| {
        let request = HookRequest::new(rig.context("s"), event);
        block_on(hooks_core::Reserve::reserve(&scribe, &request)).unwrap()
    };
    if let hooks_core::Reservation::Held(hold) = ask(named.clone()) {
        hold.commit();
    }
    assert!(rig.team().spawn_logs().unwrap().is_empty());
    drop(held);
    // The start of the same child is noted again, and the run writes one file.
    if let hooks_core::Reservation::Held(hold) = ask(named) {
        hold.commit();
    }
    rig.next();
    rig.next();
    assert_eq!(rig.team().spawn_logs().unwrap().len(), 1);
    assert!(
        rig.text("orchestration-log/").starts_with("### 2026-11-22T04-20-47Z — a\n\n| Field | Value |\n")
    );
}

#[test]
fn nothing_is_written_with_its_secrets() {
    let rig = rig();
    let scrub = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "***"));
    let scribe = rig.scribe().scrubbed_by(scrub);
    let start = SubagentStart::new("a", "Log in with hunter2");
    let request = HookRequest::new(rig.context("s"), start);
    drop(block_on(hooks_core::Reserve::reserve(&scribe, &request)).unwrap());
    let call = PreToolUse::new("edit", json!({"path": ".squad/hunter2.md"}));
    let request = HookRequest::new(rig.context("s"), PostToolUse::after(&call, Value::Null, None, 1));
    drop(block_on(ScribeLayer::new(scribe).layer(Settle).oneshot(request)).unwrap());
    let text = rig.text("log/") + &rig.text("orchestration-log/");
    assert!(text.matches("***").count() == 2 && !text.contains("hunter2"), "{text}");
}

#[test]
fn decisions_and_names_of_files_are_written_without_secrets() {
    let rig = rig();
    let scrub = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "***"));
    let scribe = rig.scribe().scrubbed_by(scrub);
    rig.disk.put("/p/.squad/decisions/inbox/a.md", "### Log in\n**By:** A\n\nWith hunter2.\n");
    // If the name were cut first, the secret would not be recognized.
    let agent = format!("hunter2 {}hunter2", "x".repeat(193 - 8));
    let request = HookRequest::new(rig.context("hunter2"), SubagentStart::new(agent, "b"));
    drop(block_on(hooks_core::Reserve::reserve(&scribe, &request)).unwrap());
    scribe.work(&rig.context("s")).unwrap();
    let files = rig.files();
    assert!(files["decisions.md"].contains("With ***."), "{files:?}");
    let logs: Vec<_> = files.iter().filter(|(name, _)| name.contains("log/")).collect();
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert!(logs.iter().all(|(name, text)| !name.contains("hunter") && !text.contains("hunter")), "{logs:?}");
}

#[test]
fn what_somebody_else_left_reaches_no_other_file_and_is_told_once() {
    let rig = rig();
    rig.disk.put("/p/.squad/orchestration-log/holds.json", "held");
    let held = hooks_team::Digest::hash(b"held");
    let forged = json!({
        "version": 1, "target": "x.md", "title": "", "parts": [], "before": 0,
        "sources": [{"place": "orchestration-log/holds.json", "before": held.to_string(), "after": null, "removals": []}],
    });
    rig.disk.put("/p/.squad/.hooks/move.json", forged.to_string());
    for (number, name) in ["w1.00000001.jsonl", "../x.md", "w1.lock", "w1.end"].iter().enumerate() {
        let what = note::What::Spawned { name: (*name).into(), title: "t".into(), text: "x".into() };
        let note = note::Note::new(&rig.context("s"), note::key(&[name]), what).to_bytes();
        rig.disk.put(format!("/p/.squad/.hooks/scribe/{number}.json"), [&note[..], b"\n"].concat());
    }
    rig.disk.put("/p/.squad/.hooks/scribe/9.json", "rubbish\n");
    rig.edit(".squad/decisions/inbox/a.md", &decision("Use Postgres"), Some("1"));
    let (files, told) = (rig.files(), rig.failures.entries().len());
    assert_eq!(files["orchestration-log/holds.json"], "held");
    assert_eq!(files.keys().filter(|name| name.starts_with("orchestration-log/")).count(), 1, "{files:?}");
    assert!(files["decisions.md"].contains("Use Postgres") && rig.lines().len() == 1, "{files:?}");
    assert_eq!(rig.team().folder().aside().unwrap().len(), 6);
    assert_eq!(told, 6, "{:?}", rig.failures.entries());
    rig.end();
    assert_eq!(rig.failures.entries().len(), told, "it is told once");
    assert_eq!(rig.lines().len(), 2);
}

#[test]
fn something_odd_keeps_nothing_else_and_is_told_once() {
    const MAKE: [fn(FakeDisk, &str) -> FakeDisk; 3] = [
        |disk, path| disk.with_link(path, "x"),
        |disk, path| disk.with_directory(path),
        |disk, path| disk.with_file(path, vec![b'x'; (4 << 20) + 1]),
    ];
    let odd = [
        "decisions/inbox/odd.md",
        "decisions.md",
        "decisions-archive.md",
        ".hooks/scribe/odd.json",
        ".hooks/scribe-seen.json",
        ".hooks/move.json",
    ];
    for (number, make) in MAKE.into_iter().enumerate() {
        for place in odd {
            if number == 2 && !place.contains("odd") {
                continue;
            }
            let mut rig = rig();
            rig.disk = make(rig.disk.clone(), &format!("/p/.squad/{place}"));
            rig.edit(".squad/decisions/inbox/a.md", &decision("Use Postgres"), Some("1"));
            assert_eq!(rig.spawn("Tester").len(), 1, "{place}");
            let told = rig.failures.entries().len();
            assert!(told == 1 || place == "decisions-archive.md", "{place}: {:?}", rig.failures.entries());
            rig.end();
            assert_eq!(rig.lines().len(), 3, "{place}: {:?}", rig.lines());
            assert_eq!(rig.failures.entries().len(), told, "{place} is told once");
            let is_merged = rig.team().decisions().is_ok_and(|decisions| decisions.entries().len() == 1);
            assert!(is_merged || place == "decisions.md", "{place}");
        }
    }
}

#[test]
fn where_a_child_cannot_be_written_down_it_is_made_up_for() {
    let rig = rig();
    let disk = rig.disk.clone().with_link("/p/.squad/orchestration-log", "/elsewhere");
    assert!(rig.disk.files().keys().all(|path| !path.ends_with("x")));
    let request = HookRequest::new(rig.context("s"), SubagentStart::new("a", "b"));
    if let hooks_core::Reservation::Held(hold) =
        block_on(hooks_core::Reserve::reserve(&rig.scribe(), &request)).unwrap()
    {
        hold.commit();
    }
    assert_eq!(rig.failures.entries().len(), 1);
    rig.next();
    disk.remove(Path::new("/p/.squad/orchestration-log")).unwrap();
    rig.next();
    assert_eq!(rig.team().spawn_logs().unwrap().len(), 1);
    readers_accept(&rig);
}

#[test]
fn what_is_told_twice_is_one_line() {
    let rig = rig();
    let tell = || {
        let call = PreToolUse::new("edit", json!({"path": ".squad/decisions.md"}));
        let mut event = PostToolUse::after(&call, Value::Null, None, 1);
        event.tool_use_id = Some("1".into());
        block_on(rig.hooks().on(rig.context("s")).post_tool_use(event));
    };
    tell();
    tell();
    assert_eq!(rig.lines().len(), 1, "{:?}", rig.lines());
}

#[test]
fn a_file_that_a_call_writes_is_not_merged_before_the_call_ends() {
    let rig = rig();
    rig.disk.put("/p/.squad/decisions/inbox/half.md", "### Half a dec");
    let note = |what| note::Note::new(&rig.context("other"), note::key(&["k"]), what);
    let (tool, files) = (String::from("edit"), vec![String::from("decisions/inbox/half.md")]);
    let begun = note(note::What::Begun { tool: tool.clone(), files: files.clone() });
    rig.scribe().leave(&rig.team(), &begun).unwrap();
    rig.scribe().work(&rig.context("s")).unwrap();
    assert!(!rig.files().contains_key("decisions.md"));
    rig.disk.put("/p/.squad/decisions/inbox/half.md", decision("Half and half"));
    rig.scribe().leave(&rig.team(), &note(note::What::Done { tool, files, failed: false })).unwrap();
    rig.scribe().work(&rig.context("s")).unwrap();
    assert_eq!(rig.text("decisions.md").matches("### ").count(), 1);
}

#[test]
fn a_file_of_nobody_is_merged_once_it_does_not_change() {
    let mut rig = rig();
    rig.settings.settle = Duration::from_secs(2);
    let look = |passed: u64| {
        rig.clock.advance(Duration::from_secs(passed));
        rig.scribe().work(&rig.context("s")).unwrap()
    };
    assert!(!look(0));
    rig.disk.put("/p/.squad/decisions/inbox/x.md", "### A dec");
    assert!(look(0) && look(1));
    rig.disk.put("/p/.squad/decisions/inbox/x.md", "### A decision\n**By:** A\n");
    assert!(look(5), "it changed");
    assert!(!look(2));
    assert_eq!(rig.text("decisions.md"), "# Decisions\n\n### A decision\n**By:** A\n");
    assert!(!rig.files().contains_key(".hooks/scribe-seen.json"));
}

#[test]
fn old_decisions_go_where_there_are_many() {
    let rig = rig();
    let old: String = (1..=28).map(|day| format!("### 2026-01-{day:02}: Old {day}\n**By:** A\n\n")).collect();
    let newer = "### 2026-11-10: Newer\n**By:** A\n\n### Undated\n**By:** A\n\n";
    let put = |size: usize| {
        let filling = "x".repeat(size);
        rig.disk.put(
            "/p/.squad/decisions.md",
            format!("# Decisions\n\n{old}{newer}### 2026-11-21: Fresh\n{filling}\n"),
        );
        rig.disk.put("/p/.squad/decisions/inbox/x.md", "### 2026-11-22: New\n**By:** A\n");
        rig.scribe().work(&rig.context("s")).unwrap();
        let text = rig.text("decisions.md");
        ["Old", "Newer", "Undated", "Fresh", "New\n"]
            .map(|word| text.contains(&format!(": {word}")) || text.contains(&format!("### {word}")))
    };
    assert_eq!(put(1_000), [true; 5]);
    assert_eq!(put(20_000), [false, true, true, true, true]);
    assert_eq!(put(60_000), [false, false, true, true, true]);
    assert!(rig.text("decisions-archive.md").contains("Old 28"));
}

/// Kills the process at every write of a session, and cuts the power.
#[test]
fn whenever_it_is_killed_everything_is_there_once() {
    for cut_power in [false, true] {
        for at in 0.. {
            let rig = rig();
            rig.disk.kill_at(at);
            rig.edit(".squad/decisions/inbox/a.md", &decision("Entry one"), Some("1"));
            rig.spawn("Tester");
            rig.edit(".squad/decisions/inbox/b.md", &decision("Entry two"), None);
            rig.edit(".squad/agents/backend/c.md", "Entry three", None);
            rig.end();
            let was_killed = !rig.failures.entries().is_empty();
            if cut_power {
                rig.disk.lose_power();
            } else {
                rig.disk.restart();
            }
            rig.next();
            rig.next();
            rig.team().recover().unwrap();
            check(&rig, at);
            if !was_killed {
                assert!(at > 80, "it does something: {at}");
                break;
            }
        }
    }
}

/// Checks that each entry is there at most once, and each finished entry exactly once.
fn check(rig: &Rig, at: u64) {
    let written = rig.written.lock().unwrap().clone();
    let (decisions, lines) = (rig.text("decisions.md"), rig.lines());
    for (file, entry) in [("a.md", "Entry one"), ("b.md", "Entry two"), ("c.md", "Entry three")] {
        let is_written = written.iter().any(|path| path.ends_with(file));
        let told = lines.iter().filter(|line| line.contains(&format!("/{file}`"))).count();
        assert!(told <= 1 && (told == 1 || !is_written), "step {at}, {file}: {lines:?}");
        if file != "c.md" {
            let merged = decisions.matches(&format!(": {entry}\n")).count();
            assert!(merged <= 1 && (merged == 1 || !is_written), "step {at}, {file}: {decisions}");
        }
    }
    let files = rig.files();
    // A tool that was killed before its first byte leaves an empty file, which is ignored.
    let left = |(name, text): &(&String, &String)| {
        name.ends_with(".tmp")
            || name.ends_with("move.json")
            || name.starts_with(".hooks/scribe")
            || name.starts_with("decisions/inbox/") && !text.is_empty()
    };
    assert_eq!(files.iter().find(left), None, "step {at}");
    let children = files.keys().filter(|name| name.starts_with("orchestration-log/")).count();
    let ended = lines.iter().filter(|line| line.contains("got the end of **Tester**")).count();
    assert!(ended <= children && children <= 1, "step {at}: {files:?}");
    readers_accept(rig);
}

/// Checks that Squad's own readers accept the files, by their rules.
fn readers_accept(rig: &Rig) {
    let files = rig.files();
    let block = Regex::new(r"(?m)^### (?:(\d{4}-\d{2}-\d{2}): )?(.+)$").unwrap();
    let by = Regex::new(r"(?m)^\*\*By:\*\* (.+)$").unwrap();
    let log_name = Regex::new(r"^log/\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z-[a-z0-9-]+\.md$").unwrap();
    let spawn_name =
        Regex::new(r"^orchestration-log/\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z-[a-z0-9-]+\.md$").unwrap();
    let row = Regex::new(r"(?m)^\| \*\*([^*|]+)\*\* \| (.*) \|$").unwrap();
    for (name, text) in &files {
        if name == "decisions.md" {
            assert!(text.starts_with("# Decisions\n"), "{text}");
            // A block ends at the next heading of its level or above.
            let starts: Vec<_> = block.find_iter(text).map(|found| found.start()).collect();
            for (number, start) in starts.iter().enumerate() {
                let end = starts.get(number + 1).copied().unwrap_or(text.len());
                let body = text.get(*start..end).unwrap();
                if body.contains("**What:**") {
                    assert_eq!(&by.captures(body).unwrap()[1], "Backend");
                    assert_eq!(&block.captures(body).unwrap()[1], "2026-11-22", "it is dated: {body}");
                }
            }
        } else if name.starts_with("log/") {
            assert!(log_name.is_match(name), "{name}");
            assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 1, "one title: {text}");
            assert!(text.starts_with("# Session s/1\n"), "{text}");
        } else if name.starts_with("orchestration-log/") {
            assert!(spawn_name.is_match(name), "{name}");
            let fields: Vec<_> = row.captures_iter(text).map(|found| found[1].to_owned()).collect();
            let wanted = [
                "Agent routed",
                "Why chosen",
                "Mode",
                "Why this mode",
                "Files authorized to read",
                "File(s) agent must produce",
                "Outcome",
            ];
            assert_eq!(fields, wanted, "{text}");
        } else {
            assert!(
                name.starts_with(".hooks/") || name.starts_with("agents/") || name.starts_with("decisions"),
                "{name}"
            );
        }
    }
}

#[test]
fn every_layer_calls_what_it_made_ready() {
    let rig = rig();
    let (probe, log) = Probe::new(Settle);
    let stack = ScribeLayer::new(rig.scribe()).layer(probe);
    let event =
        PostToolUse::after(&PreToolUse::new("edit", json!({"path": ".squad/a.md"})), Value::Null, None, 1);
    for _ in 0..2 {
        drop(block_on(stack.clone().oneshot(HookRequest::new(rig.context("s"), event.clone()))).unwrap());
    }
    assert_eq!((log.calls(), log.held()), (2, 0));
    let broken =
        hooks_core::hook_fn(async |_: HookRequest<SessionEnd>| Err::<(), _>(HookError::unavailable("gone")));
    let broken = ScribeLayer::new(rig.scribe()).layer(broken);
    let request = HookRequest::new(rig.context("s"), SessionEnd::default());
    assert!(block_on(broken.oneshot(request)).is_err());
}

/// An action of an agent.
#[derive(Clone, Debug)]
enum Act {
    Decide(u8),
    Remember,
    Spawn,
    Kill(u8, bool),
    Next,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => any::<u8>().prop_map(Act::Decide),
        2 => Just(Act::Remember),
        1 => Just(Act::Spawn),
        2 => (any::<u8>(), any::<bool>()).prop_map(|(at, power)| Act::Kill(at, power)),
        1 => Just(Act::Next),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 48 } else { 2_000 }, ..ProptestConfig::default() })]

    #[test]
    fn random_histories_with_kills_lose_nothing_and_repeat_nothing(
        acts in proptest::collection::vec(act(), 1..24),
        seed in any::<u64>(),
    ) {
        let mut rig = rig();
        rig.environment.random = Arc::new(SeededRandom::new(seed));
        let mut number = 0;
        for act in &acts {
            number += 1;
            match act {
                Act::Decide(word) => rig.edit(
                    &format!(".squad/decisions/inbox/n{number}-.md"),
                    &decision(&format!("Entry {number} {word}")),
                    (word % 2 == 0).then_some(&*number.to_string()),
                ),
                Act::Remember => rig.edit(&format!(".squad/agents/backend/n{number}-.md"), "x", None),
                Act::Spawn => drop(rig.spawn("Tester")),
                Act::Kill(at, power) => {
                    rig.disk.kill_at(rig.disk.steps() + u64::from(*at));
                    rig.edit(&format!(".squad/decisions/inbox/n{number}-.md"), &decision(&format!("Entry {number} k")), None);
                    rig.end();
                    if *power { rig.disk.lose_power() } else { rig.disk.restart() }
                }
                Act::Next => rig.next(),
            }
        }
        rig.disk.restart();
        rig.next();
        rig.next();
        rig.team().recover().unwrap();
        let (written, lines, decisions) = (rig.written.lock().unwrap().clone(), rig.lines(), rig.text("decisions.md"));
        for number in 1..=number {
            let is_written = written.iter().any(|path| path.ends_with(&format!("/n{number}-.md")));
            let told = lines.iter().filter(|line| line.contains(&format!("/n{number}-.md`"))).count();
            prop_assert!(told <= 1 && (told == 1 || !is_written), "{number}: {lines:?}");
            let merged = decisions.matches(&format!(": Entry {number} ")).count();
            let was_left = written.iter().any(|path| path.ends_with(&format!("inbox/n{number}-.md")));
            prop_assert!(merged <= 1 && (merged == 1 || !was_left), "{number}: {decisions}");
        }
        let is_merged = rig.team().inbox().unwrap().iter().all(|file| file.document().bytes().is_empty());
        prop_assert!(is_merged, "{:?}", rig.files());
        readers_accept(&rig);
    }
}

//! Every event really fires. The most common fault of hook systems is a hook that is defined but never
//! called. The tests run one session through real services, and every way in which a driver can end.

use std::collections::HashMap;
use std::future::{pending, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use hooks_core::drivers::{
    ModelCall, ModelOutcome, ModelRequest, Prompted, RouteRequest, Routed, SpawnRequest, Spawned, ToolCall,
    ToolOutcome, ToolRequest, ToolResult,
};
use hooks_core::event::*;
use hooks_core::testing::{FakeFileSystem, Recorder, ScriptedApprover, ScriptedModel, ScriptedTools, world};
use hooks_core::{
    Approval, ApprovalRequest, Background, Composite, ContextPatch, Environment, FailureLayer, Govern,
    GovernModel, GovernSpawn, Hold, HookContext, HookError, HookFuture, HookRequest, Hooks, HooksProvider,
    Live, Reservation, Reserve, Router, Session, Strength, WireEvent, hook_fn, policy_fn,
};
use serde_json::json;
use tower::{ServiceExt, service_fn};
use tracing_subscriber::Layer;

use super::common::{drop_after, guard, pend, run, verdict};
use super::watched::watched;

/// Counts spans by the event they are about.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<HashMap<String, usize>>>);

impl<S: tracing::Subscriber> Layer<S> for Spans {
    fn on_new_span(
        &self,
        attributes: &tracing::span::Attributes<'_>,
        _id: &tracing::span::Id,
        _context: tracing_subscriber::layer::Context<'_, S>,
    ) {
        struct Name(Option<String>);
        impl tracing::field::Visit for Name {
            fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
                if field.name() == "event" {
                    self.0 = Some(value.to_owned());
                }
            }
            fn record_debug(&mut self, _field: &tracing::field::Field, _value: &dyn std::fmt::Debug) {}
        }
        let mut name = Name(None);
        attributes.record(&mut name);
        let name = name.0.expect("a span names its event");
        *self.0.lock().unwrap().entry(name).or_default() += 1;
    }
}

fn context() -> Arc<HookContext> {
    let (environment, _, _) = world(FakeFileSystem::default());
    Arc::new(HookContext::new("s1", "lead").with_environment(environment))
}

fn tool(context: &Arc<HookContext>, name: &str) -> ToolRequest {
    ToolRequest { context: Arc::clone(context), call: ToolCall::new(name, json!({ "path": "a" })) }
}

fn model_call(context: &Arc<HookContext>) -> ModelCall {
    let request = ModelRequest { model: "m".to_owned(), iteration: 1, messages: Vec::new() };
    ModelCall { context: Arc::clone(context), request }
}

fn spawn_request(context: &Arc<HookContext>, agent: &str) -> SpawnRequest {
    SpawnRequest { context: Arc::clone(context), start: SubagentStart::new(agent, "do it") }
}

/// Asks about the tool `risky`, denies the tool `forbidden`.
fn rules() -> Hooks {
    let rule = policy_fn("rule", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
        "risky" => verdict(Strength::Ask, "rule", "may it?"),
        "forbidden" => verdict(Strength::Deny, "rule", "never"),
        _ => verdict(Strength::NoOpinion, "rule", ""),
    });
    Hooks::builder().policy(rule).build()
}

async fn a_whole_session(hooks: Live, context: Arc<HookContext>) {
    let (mut session, _) = Session::start(hooks, Arc::clone(&context), SessionStart::default()).await;
    let made = session.worktree(WorktreeCreated::new("/repo/copy")).await;
    assert!(hooks_core::Judged::goes_ahead(&made));
    assert!(matches!(session.prompt("hello", PromptKind::Initial).await, Prompted::Accepted(..)));
    let routed = session.router(service_fn(|_: Route| ready(Ok::<_, HookError>(()))));
    let request = RouteRequest { context: Arc::clone(&context), route: Route::new("tester", "test it") };
    assert!(matches!(routed.oneshot(request).await.unwrap(), Routed::Sent(..)));

    let (turn, _) = session.turn().await;
    let model = session.model(ScriptedModel::saying(["use a tool"]));
    assert!(matches!(model.oneshot(model_call(&context)).await.unwrap(), ModelOutcome::Replied(..)));
    let tools = ScriptedTools::new([
        ToolResult::ok("done").wrote(["a".to_owned()]),
        ToolResult::failed("no such file"),
    ]);
    let govern = session.tools(tools).with_approver(ScriptedApprover::new([Approval::Approved]));
    let answer = govern.clone().oneshot(tool(&context, "risky")).await.unwrap();
    assert!(matches!(answer.outcome, ToolOutcome::Ran(..)), "{answer:?}");
    let failed = govern.clone().oneshot(tool(&context, "edit")).await.unwrap();
    assert!(matches!(failed.outcome, ToolOutcome::Failed(..)), "{failed:?}");
    let denied = govern.oneshot(tool(&context, "forbidden")).await.unwrap();
    assert!(matches!(denied.outcome, ToolOutcome::Denied(_)), "{denied:?}");
    turn.end(TurnEndReason::Continue).await;

    let spawner = session.spawner(service_fn(|start: SubagentStart| {
        ready(if start.agent_name == "good" { Ok(1) } else { Err(HookError::unavailable("no such agent")) })
    }));
    let child = match spawner.clone().oneshot(spawn_request(&context, "good")).await.unwrap() {
        Spawned::Running(child, _) => child,
        other => panic!("{other:?}"),
    };
    let (_, goes_on) = child.end(ChildStatus::Completed, Some("done".to_owned())).await;
    assert!(goes_on.is_none());
    assert!(matches!(spawner.oneshot(spawn_request(&context, "bad")).await.unwrap(), Spawned::Failed(..)));

    let compaction = PreCompact::default();
    drop(session.compact(compaction.clone()).await);
    session.compacted(PostCompact::after(&compaction, "shorter", 10)).await;
    session.switch_agent("reviewer").await;
    drop(session.max_iterations(MaxIterations::new(10)).await);
    drop(session.stop(Stop::new("that is all")).await);
    session.end(EndReason::Complete, None).await;
}

#[test]
fn a_whole_session_fires_every_event_in_its_order_with_a_span_each() {
    use EventKind as K;
    let (recorder, spans) = (Recorder::default(), Spans::default());
    let hooks = Live::new(Composite::default().and(rules()).and(recorder.clone()));
    watched(spans.clone(), || run(a_whole_session(hooks, context())));
    let kinds = recorder.kinds();
    let wanted = [
        &[K::SessionStart, K::WorktreeCreated, K::UserPromptSubmitted, K::Route][..],
        &[K::TurnStart, K::BeforeModelCall, K::AfterModelCall],
        // The tool that needs approval, the one that fails, the one that is denied.
        &[K::PermissionRequest, K::UserInputRequested, K::PreToolUse, K::ToolDecided, K::PostToolUse],
        &[K::PreToolUse, K::ToolDecided, K::PostToolUse, K::ErrorOccurred, K::Notification],
        &[K::PreToolUse, K::ToolDecided],
        &[K::TurnEnd],
        &[K::SubagentStart, K::SubagentSpawned, K::SubagentStop, K::SubagentStart, K::SpawnFailed],
        &[K::PreCompact, K::PostCompact, K::AgentSwitched, K::MaxIterations, K::Notification],
        &[K::Stop, K::SessionEnd],
    ]
    .concat();
    assert_eq!(kinds, wanted);
    let never: Vec<_> = K::ALL.iter().filter(|kind| !kinds.contains(kind)).collect();
    assert!(never.is_empty(), "never fired: {never:?}");

    let spans = spans.0.lock().unwrap();
    for kind in K::ALL {
        let fired = kinds.iter().filter(|fired| *fired == kind).count();
        // A call that the user approved is judged once more, in a span of its own.
        let again = usize::from(*kind == K::PreToolUse);
        assert_eq!(spans.get(kind.name()).copied().unwrap_or(0), fired + again, "spans of {kind}");
    }
    let children = recorder.seen().into_iter().filter_map(|event| match event {
        WireEvent::SubagentStart(event) => event.child_id,
        WireEvent::SubagentSpawned(event) => event.child_id,
        WireEvent::SubagentStop(event) => event.child_id,
        WireEvent::SpawnFailed(event) => event.child_id,
        _ => None,
    });
    let [start, spawned, stop, other, failed] = &children.collect::<Vec<_>>()[..] else { panic!("no ids") };
    assert!(start == spawned && start == stop && start != other && other == failed, "each child has its id");
    let Some(WireEvent::SessionEnd(end)) = recorder.seen().pop() else { panic!("the session ends last") };
    assert_eq!((end.tokens_used, end.tool_call_count, end.files_modified), (20, 2, vec!["a".to_owned()]));
    assert_eq!(end.reason, EndReason::Complete);
}

#[test]
fn a_host_that_drives_nothing_gets_the_same_spans() {
    let spans = Spans::default();
    let waits = hook_fn(|_: HookRequest<SessionStart>| async {
        pend(1).await;
        Ok(ContextPatch::default())
    });
    let hooks = Hooks::builder().hook(&guard(), waits).build();
    watched(spans.clone(), || {
        let bound = hooks.on(context());
        drop(run(bound.session_start(SessionStart::default())));
        drop(run(bound.pre_tool_use(PreToolUse::new("edit", json!({})))));
        run(bound.session_end(SessionEnd::default()));
    });
    let mut spans: Vec<_> = spans.0.lock().unwrap().clone().into_iter().collect();
    spans.sort();
    let once = |name: &str| (name.to_owned(), 1);
    assert_eq!(spans, [once("pre_tool_use"), once("session_end"), once("session_start")]);
}

fn recorded() -> (Recorder, Live) {
    let recorder = Recorder::default();
    let hooks = Live::new(Composite::default().and(rules()).and(recorder.clone()));
    (recorder, hooks)
}

#[test]
fn a_session_and_a_turn_that_are_dropped_end_as_such() {
    let (recorder, hooks) = recorded();
    run(async {
        let (session, _) = Session::start(hooks, context(), SessionStart::default()).await;
        let (turn, _) = session.turn().await;
        drop(turn);
        drop(session);
    });
    let seen = recorder.seen();
    let [.., WireEvent::TurnEnd(turn), WireEvent::SessionEnd(session)] = &seen[..] else {
        panic!("{seen:?}")
    };
    assert_eq!((turn.reason, session.reason), (TurnEndReason::Canceled, EndReason::Abort));
}

#[test]
fn a_child_that_is_dropped_stops_with_an_error_and_only_once() {
    for ends in [true, false] {
        let (recorder, hooks) = recorded();
        run(async {
            let spawner =
                GovernSpawn::new(hooks, service_fn(|_: SubagentStart| ready(Ok::<_, HookError>(1))));
            match spawner.oneshot(spawn_request(&context(), "good")).await.unwrap() {
                Spawned::Running(child, _) if ends => drop(child.end(ChildStatus::Timeout, None).await),
                spawned => drop(spawned),
            }
        });
        let stops: Vec<_> = recorder
            .seen()
            .into_iter()
            .filter_map(|event| match event {
                WireEvent::SubagentStop(stop) => Some(stop.status),
                _ => None,
            })
            .collect();
        assert_eq!(stops, [if ends { ChildStatus::Timeout } else { ChildStatus::Error }]);
    }
}

#[test]
fn a_child_that_is_told_to_go_on_comes_back() {
    let stopped = std::sync::atomic::AtomicUsize::new(0);
    let once = policy_fn("once", move |_: &HookRequest<SubagentStop>| {
        match stopped.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => verdict(Strength::Deny, "once", "there is more to do"),
            _ => verdict(Strength::NoOpinion, "once", ""),
        }
    });
    let hooks = Hooks::builder().policy(once).build();
    run(async {
        let spawner = GovernSpawn::new(hooks, service_fn(|_: SubagentStart| ready(Ok::<_, HookError>(1))));
        let Spawned::Running(child, _) = spawner.oneshot(spawn_request(&context(), "good")).await.unwrap()
        else {
            panic!("it runs")
        };
        let (_, goes_on) = child.end(ChildStatus::Completed, None).await;
        let (_, gone) = goes_on.expect("the hook wants it to go on").end(ChildStatus::Completed, None).await;
        assert!(gone.is_none());
    });
}

#[test]
fn a_call_that_is_dropped_while_its_tool_runs_still_fires_post_tool_use() {
    let (recorder, hooks) = recorded();
    let never = service_fn(|_: ToolCall| pending::<Result<ToolResult, HookError>>());
    assert!(drop_after(3, Govern::new(hooks, never).oneshot(tool(&context(), "edit"))).is_none());
    let seen = recorder.seen();
    let Some(WireEvent::PostToolUse(after)) = seen.last() else { panic!("{seen:?}") };
    assert!(after.error.is_some());
    let decision = seen.iter().filter(|event| event.kind() == EventKind::ToolDecided).count();
    assert_eq!(decision, 1);
}

#[test]
fn a_call_that_is_dropped_while_a_person_thinks_is_decided_as_canceled() {
    let (recorder, hooks) = recorded();
    let thinks = service_fn(|_: ApprovalRequest| pending::<Result<Approval, HookError>>());
    let tools = ScriptedTools::default();
    let govern = Govern::new(hooks, tools.clone()).with_approver(thinks);
    assert!(drop_after(3, govern.oneshot(tool(&context(), "risky"))).is_none());
    let seen = recorder.seen();
    let Some(WireEvent::ToolDecided(decision)) = seen.last() else { panic!("{seen:?}") };
    assert_eq!((decision.verdict, decision.source), (Strength::Deny, VerdictSource::Canceled));
    assert!(tools.calls().is_empty());
}

#[test]
fn a_call_whose_tool_panics_unwinds_and_still_fires_post_tool_use() {
    let (recorder, hooks) = recorded();
    let panics = service_fn(|_: ToolCall| async { panic!("the tool") });
    let panics = panics.map_response(|(): ()| ToolResult::default());
    let govern = Govern::new(hooks, panics.map_err(|error: HookError| error));
    let unwound = catch_unwind(AssertUnwindSafe(|| run(govern.oneshot(tool(&context(), "edit")))));
    assert!(unwound.is_err());
    assert_eq!(recorder.kinds().last(), Some(&EventKind::PostToolUse));
}

#[test]
fn an_approver_that_panics_or_errs_is_a_denial() {
    let panics = service_fn(|_: ApprovalRequest| async {
        pend(1).await;
        panic!("the approver")
    });
    let (recorder, hooks) = recorded();
    let govern = Govern::new(hooks.clone(), ScriptedTools::default()).with_approver(panics);
    let governed = run(govern.oneshot(tool(&context(), "risky"))).unwrap();
    assert!(matches!(governed.outcome, ToolOutcome::Denied(_)));
    assert_eq!(governed.source, VerdictSource::Unanswered);
    assert_eq!(recorder.kinds().last(), Some(&EventKind::ToolDecided));
    let govern = Govern::new(hooks, ScriptedTools::default());
    let governed = run(govern.oneshot(tool(&context(), "risky"))).unwrap();
    assert!(matches!(governed.outcome, ToolOutcome::Denied(_)), "no user can be asked");
}

#[test]
fn a_failing_tool_whose_result_is_withheld_still_is_an_error_that_tells_nothing() {
    let recorder = Recorder::default();
    let withholds = policy_fn("withholds", |_: &HookRequest<PostToolUse>| {
        verdict(Strength::Deny, "withholds", "it holds a secret")
    });
    let hooks = Composite::default().and(Hooks::builder().policy(withholds).build()).and(recorder.clone());
    let tools = ScriptedTools::new([ToolResult::failed("hunter2 was refused")]);
    let governed = run(Govern::new(hooks, tools).oneshot(tool(&context(), "edit"))).unwrap();
    assert!(matches!(governed.outcome, ToolOutcome::Withheld(..)));
    let errors: Vec<_> = recorder
        .seen()
        .into_iter()
        .filter_map(|event| match event {
            WireEvent::ErrorOccurred(error) => Some(error.error),
            _ => None,
        })
        .collect();
    assert_eq!(errors.len(), 1);
    assert!(!errors[0].contains("hunter2"));
}

#[test]
fn a_model_call_fires_on_every_way_out() {
    use EventKind as K;
    let (recorder, hooks) = recorded();
    let never = service_fn(|_: ModelRequest| pending::<Result<ModelReply, HookError>>());
    assert!(drop_after(2, GovernModel::new(hooks, never).oneshot(model_call(&context()))).is_none());
    assert_eq!(
        recorder.kinds(),
        [K::BeforeModelCall, K::AfterModelCall, K::ErrorOccurred, K::Notification],
        "dropped"
    );
    let (recorder, hooks) = recorded();
    let errs = ScriptedModel::new([Err("overloaded".to_owned())]);
    let outcome = run(GovernModel::new(hooks, errs).oneshot(model_call(&context()))).unwrap();
    assert!(matches!(outcome, ModelOutcome::Failed(..)));
    assert_eq!(recorder.kinds(), [K::BeforeModelCall, K::ErrorOccurred, K::Notification], "error");
    let stops = policy_fn("stops", |_: &HookRequest<BeforeModelCall>| {
        verdict(Strength::Deny, "stops", "the budget is spent")
    });
    let model = ScriptedModel::saying(["hello"]);
    let stopped = GovernModel::new(Hooks::builder().policy(stops).build(), model.clone());
    let outcome = run(stopped.oneshot(model_call(&context()))).unwrap();
    assert!(matches!(outcome, ModelOutcome::Stopped(_)) && model.calls().is_empty());
}

#[test]
fn a_models_error_says_what_it_is_and_comes_back_as_itself() {
    #[derive(Debug)]
    struct TooLong;
    impl std::fmt::Display for TooLong {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("too long")
        }
    }
    impl std::error::Error for TooLong {}
    let (recorder, hooks) = recorded();
    let errs = service_fn(|_: ModelRequest| ready(Err::<ModelReply, _>(TooLong)));
    let governed = GovernModel::new(hooks, errs).describing(|error, event| {
        if error.is::<TooLong>() {
            (event.error_type, event.attempt) = (ErrorType::ContextOverflow, 3);
        }
    });
    let ModelOutcome::Failed(error, _) = run(governed.oneshot(model_call(&context()))).unwrap() else {
        panic!("it failed")
    };
    assert!(error.is::<TooLong>());
    let seen = recorder.seen();
    let Some(WireEvent::ErrorOccurred(event)) = seen.get(1) else { panic!("{seen:?}") };
    assert_eq!((&*event.error, event.error_type, event.attempt), ("too long", ErrorType::ContextOverflow, 3));
    assert_eq!(event.current_model.as_deref(), Some("m"));
}

#[test]
fn a_creation_that_is_dropped_failed_and_a_refused_one_creates_nothing() {
    let (recorder, hooks) = recorded();
    let never = service_fn(|_: SubagentStart| pending::<Result<u8, HookError>>());
    let spawner = GovernSpawn::new(hooks, never);
    assert!(drop_after(2, spawner.oneshot(spawn_request(&context(), "good"))).is_none());
    assert_eq!(recorder.kinds(), [EventKind::SubagentStart, EventKind::SpawnFailed]);
    // If the future is dropped while `subagent_spawned` is handled, the child exists, and its end fires.
    let recorder = Recorder::default();
    let waits = hook_fn(|_: HookRequest<SubagentSpawned>| pending::<Result<(), HookError>>());
    let waits = Hooks::builder().hook(&FailureLayer::new("waits"), waits).build();
    let hooks = Live::new(Composite::default().and(recorder.clone()).and(waits));
    let spawner = GovernSpawn::new(hooks, service_fn(|_: SubagentStart| ready(Ok::<_, HookError>(1))));
    assert!(drop_after(2, spawner.oneshot(spawn_request(&context(), "good"))).is_none());
    let kinds = [EventKind::SubagentStart, EventKind::SubagentSpawned, EventKind::SubagentStop];
    assert_eq!(recorder.kinds(), kinds);
    let refuses = policy_fn("refuses", |_: &HookRequest<SubagentStart>| {
        verdict(Strength::Ask, "refuses", "a question is a refusal")
    });
    let spawner = GovernSpawn::new(
        Hooks::builder().policy(refuses).build(),
        service_fn(|_: SubagentStart| async { Err::<u8, _>(HookError::unavailable("it was created")) }),
    );
    let spawned = run(spawner.oneshot(spawn_request(&context(), "good"))).unwrap();
    assert!(matches!(spawned, Spawned::Denied(..)));
}

#[test]
fn a_route_that_fails_is_an_error() {
    let (recorder, hooks) = recorded();
    let errs = service_fn(|_: Route| ready(Err::<(), _>(HookError::unavailable("nobody"))));
    let request = RouteRequest { context: context(), route: Route::new("a", "b") };
    assert!(matches!(run(Router::new(hooks, errs).oneshot(request)).unwrap(), Routed::Failed(..)));
    let kinds = recorder.kinds();
    assert_eq!(kinds, [EventKind::Route, EventKind::ErrorOccurred, EventKind::Notification]);
}

/// Counts reservations that are made and given back.
#[derive(Clone, Debug, Default)]
struct Places(Arc<Mutex<(usize, usize)>>);

impl Places {
    /// Returns two counts: reservations that are held or committed, and those committed.
    fn taken_and_kept(&self) -> (usize, usize) {
        *self.0.lock().unwrap()
    }
}

struct TakenPlace(Places, bool);

impl Hold for TakenPlace {
    fn commit(mut self: Box<Self>) {
        self.1 = true;
        self.0.0.lock().unwrap().1 += 1;
    }
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        if !self.1 {
            self.0.0.lock().unwrap().0 -= 1;
        }
    }
}

impl<E: Event> Reserve<E> for Places {
    fn name(&self) -> &'static str {
        "places"
    }

    fn reserve(&self, _request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>> {
        let places = self.clone();
        HookFuture::later(async move {
            pend(2).await;
            places.0.lock().unwrap().0 += 1;
            let place = TakenPlace(places.clone(), false);
            pend(2).await;
            Ok(Reservation::Held(Box::new(place)))
        })
    }
}

#[test]
fn places_are_given_back_wherever_a_tool_call_is_dropped_before_it_runs() {
    let mut ran = false;
    for polls in 0..40 {
        let (places, tools) = (Places::default(), ScriptedTools::default());
        let decides = hooks_core::DecideLayer::new(service_fn(|_: HookRequest<PreToolUse>| async {
            pend(2).await;
            Ok::<_, HookError>(hooks_core::DeciderOutcome::new(hooks_core::Verdict::ALLOW))
        }));
        let stack = tower::Layer::layer(&decides, hooks_core::Settle);
        let stack = tower::Layer::layer(&hooks_core::ReserveLayer::new(places.clone()), stack);
        let waits = hook_fn(|_: HookRequest<ToolDecided>| async {
            pend(2).await;
            Ok(())
        });
        let hooks = Hooks::builder()
            .stack::<PreToolUse, _>(&guard(), stack)
            .reserve::<PreToolUse>(places.clone())
            .hook::<ToolDecided, _>(&guard(), waits);
        let govern = Govern::new(hooks.build(), tools.clone());
        drop(drop_after(polls, govern.oneshot(tool(&context(), "edit"))));
        let wanted = if tools.calls().is_empty() { (0, 0) } else { (2, 2) };
        assert_eq!(places.taken_and_kept(), wanted, "dropped after {polls} polls");
        ran |= !tools.calls().is_empty();
    }
    assert!(ran, "in the end it runs");
}

#[test]
fn places_are_kept_for_what_happened_only() {
    let kept = |ask: &dyn Fn(Hooks)| {
        let places = Places::default();
        let builder = Hooks::builder()
            .reserve::<SubagentStart>(places.clone())
            .reserve::<PermissionRequest>(places.clone());
        ask(builder.build());
        places.taken_and_kept()
    };
    let spawns = |works: bool| {
        move |hooks: Hooks| {
            let spawner = service_fn(move |_: SubagentStart| {
                ready(if works { Ok(1) } else { Err(HookError::unavailable("no")) })
            });
            drop(run(GovernSpawn::new(hooks, spawner).oneshot(spawn_request(&context(), "a"))));
        }
    };
    assert_eq!(kept(&spawns(true)), (1, 1), "a child that exists");
    assert_eq!(kept(&spawns(false)), (0, 0), "one that could not be created");
    let questions = |hooks: Hooks| {
        let asks = policy_fn("asks", |_: &HookRequest<PreToolUse>| verdict(Strength::Ask, "asks", "?"));
        let hooks = hooks.into_builder().policy(asks).build();
        drop(run(Govern::new(hooks, ScriptedTools::default()).oneshot(tool(&context(), "a"))));
    };
    assert_eq!(kept(&questions), (1, 1), "a question that was put");
}

/// Stores the futures that it is to run.
#[derive(Clone, Default)]
struct Later(Arc<Mutex<Vec<HookFuture<'static, ()>>>>);

impl Background for Later {
    fn run(&self, work: HookFuture<'static, ()>) {
        self.0.lock().unwrap().push(work);
    }
}

#[test]
fn what_waits_in_a_dropped_driver_runs_in_the_background_or_is_recorded() {
    for with_background in [true, false] {
        let (environment, _, log) = world(FakeFileSystem::default());
        let later = Later::default();
        let background: Option<Arc<dyn Background>> =
            if with_background { Some(Arc::new(later.clone())) } else { None };
        let environment = Environment { background, ..environment };
        let context = Arc::new(HookContext::new("s1", "a").with_environment(environment));
        let recorder = Recorder::default();
        let slow = hook_fn(|_: HookRequest<SessionEnd>| async {
            pend(1).await;
            Ok(())
        });
        let slow = Hooks::builder().hook::<SessionEnd, _>(&guard(), slow).build();
        let hooks = Composite::default().and(slow).and(recorder.clone());
        drop(run(Session::start(hooks, context, SessionStart::default())));
        let waiting = std::mem::take(&mut *later.0.lock().unwrap());
        assert_eq!(waiting.len(), usize::from(with_background));
        waiting.into_iter().for_each(run);
        assert_eq!(recorder.kinds().contains(&EventKind::SessionEnd), with_background);
        assert_eq!(log.entries().len(), usize::from(!with_background));
    }
}

/// A provider that panics at the end of a session.
struct PanicsAtTheEnd;

impl HooksProvider for PanicsAtTheEnd {
    fn session_end(&self, _request: HookRequest<SessionEnd>) -> HookFuture<'_, ()> {
        panic!("at the end")
    }
}

#[test]
fn a_hook_that_panics_in_a_dropped_driver_ends_neither_the_process_nor_the_record() {
    let (environment, _, log) = world(FakeFileSystem::default());
    let context = Arc::new(HookContext::new("s1", "a").with_environment(environment));
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _dropped_by_the_panic = run(Session::start(PanicsAtTheEnd, context, SessionStart::default()));
        panic!("the host")
    }));
    assert!(unwound.is_err());
    assert_eq!(log.entries().len(), 1);
}

#[test]
fn a_thousand_generations_are_asked_without_a_thousand_frames() {
    let mut live = Live::new(rules());
    for _ in 0..1_000 {
        live = live.narrowed(Hooks::default());
    }
    let request = HookRequest::new(context(), PreToolUse::new("forbidden", json!({})));
    let decision = live.with(|hooks| run(hooks_core::decide(hooks, request)));
    assert!(hooks_core::Judged::is_denied(&decision.outcome));
}

#[test]
fn generations_are_dropped_without_a_frame_each() {
    let mut live = Live::new(rules());
    for _ in 0..5_000 {
        live = live.narrowed(Hooks::default());
    }
    // The stack of the thread holds a few frames, not one for each generation.
    let small = std::thread::Builder::new().stack_size(64 * 1024);
    small.spawn(move || drop(live)).unwrap().join().unwrap();
}

#[test]
fn a_child_is_governed_by_its_parents_hooks_or_narrower() {
    let live = Live::new(rules());
    let denies = |live: &Live, tool: &str| {
        let request = HookRequest::new(context(), PreToolUse::new(tool, json!({})));
        let decision = live.with(|hooks| run(hooks_core::decide(hooks, request)));
        hooks_core::Judged::is_denied(&decision.outcome)
    };
    let spawner = GovernSpawn::new(live.clone(), service_fn(|_: SubagentStart| ready(Ok::<_, HookError>(1))));
    let Spawned::Running(child, _) = run(spawner.oneshot(spawn_request(&context(), "a"))).unwrap() else {
        panic!("it runs")
    };
    let no_shell =
        policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
            "bash" => verdict(Strength::Deny, "no-shell", "no shell"),
            _ => verdict(Strength::Allow, "no-shell", "anything else"),
        });
    let child = child.narrowed(Hooks::builder().policy(no_shell).build());
    assert!(denies(child.hooks(), "bash") && denies(child.hooks(), "forbidden"));
    assert!(!denies(&live, "bash"), "the parent is as it was");
    live.swap(Hooks::default());
    assert!(!denies(child.hooks(), "forbidden"), "a swap of the parent's is followed");
}

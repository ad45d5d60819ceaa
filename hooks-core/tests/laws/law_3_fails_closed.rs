//! Law 3: the failure of a decider is a denial, with a reason of its own kind. Most hook systems log the
//! failure and let the call pass. The tests cover every kind of failure, for every event.

use std::any::Any;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::event::*;
use hooks_core::testing::{Arbitrary, FailureLog, FakeFileSystem, FakeTimer, Recorder, world};
use hooks_core::time::Timer;
use hooks_core::{
    Composite, DecidingEvent, Decision, Environment, FailureLayer, FailureSink, HookContext, HookError,
    HookFuture, HookRequest, Hooks, HooksProvider, InformingEvent, Judged, Observer, Policy, Prepared,
    Reason, ReasonKind, Reservation, Reserve, Stage, Strength, Transform, TransformLayer, Verdict, decide,
    observe, policy_fn, reserve, tell,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use tokio_test::{assert_ready, task};
use tower::{Layer, Service, ServiceExt, service_fn};

use super::common::{Says, asking, guard, pend, run};

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Errs,
    PanicsInCall,
    PanicsInPoll,
    PanicsInReady,
    PanicsInClone,
    ErrsInReady,
    NeverAnswers,
    NeverReady,
}

const EVERY_WAY: [How; 8] = [
    How::Errs,
    How::PanicsInCall,
    How::PanicsInPoll,
    How::PanicsInReady,
    How::PanicsInClone,
    How::ErrsInReady,
    How::NeverAnswers,
    How::NeverReady,
];

#[derive(Debug)]
struct Broken {
    how: How,
}

impl Clone for Broken {
    fn clone(&self) -> Self {
        assert!(self.how != How::PanicsInClone, "clone");
        Self { how: self.how }
    }
}

impl<E: Event> Service<HookRequest<E>> for Broken {
    type Response = E::Outcome;
    type Error = HookError;
    type Future = HookFuture<'static, Result<E::Outcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        match self.how {
            How::PanicsInReady => panic!("readiness"),
            How::ErrsInReady => Poll::Ready(Err(HookError::unavailable("it is gone"))),
            How::NeverReady => Poll::Pending,
            _ => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, _request: HookRequest<E>) -> Self::Future {
        match self.how {
            How::Errs => HookFuture::now(Err(HookError::bad_answer("rubbish"))),
            How::PanicsInPoll => HookFuture::later(poll_fn(|_| panic!("poll"))),
            How::NeverAnswers => HookFuture::later(std::future::pending()),
            _ => panic!("call"),
        }
    }
}

fn context() -> (Arc<HookContext>, Arc<FailureLog>) {
    let (environment, _, log) = world(FakeFileSystem::default());
    (Arc::new(HookContext::new("s1", "agent").with_environment(environment)), log)
}

fn any<E: Arbitrary>() -> E {
    E::any().new_tree(&mut TestRunner::deterministic()).expect("a strategy gives a value").current()
}

/// A guard with a deadline, and its timer.
fn deadline() -> (FailureLayer, FakeTimer) {
    let timer = FakeTimer::default();
    (FailureLayer::new("broken").within(Duration::from_secs(5), Arc::new(timer.clone())), timer)
}

/// Runs a future to its end, or to its deadline if it never ends.
fn run_to_the_deadline<T>(how: How, timer: &FakeTimer, future: impl Future<Output = T>) -> T {
    let mut task = task::spawn(future);
    if matches!(how, How::NeverAnswers | How::NeverReady) {
        assert!(task.poll().is_pending());
        timer.advance(Duration::from_secs(4));
        assert!(task.poll().is_pending());
        timer.advance(Duration::from_secs(1));
        assert!(task.is_woken());
    }
    match task.poll() {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("{how:?}: it is still waited for"),
    }
}

fn recorded_once(log: &FailureLog, kind: EventKind, what: &str) {
    let entries = log.entries();
    assert_eq!(entries.len(), 1, "{what}: {entries:?}");
    assert_eq!((entries[0].0, entries[0].1.kind), (kind, ReasonKind::Failure), "{what}");
}

fn a_broken_decider_denies_unless_it_was_opened<E: DecidingEvent + Arbitrary>() {
    for how in EVERY_WAY {
        for opened in [false, true] {
            let ((guard, timer), (context, log)) = (deadline(), context());
            let guard = if opened { guard.opened() } else { guard };
            let hooks = Hooks::builder().stack::<E, _>(&guard, Broken { how }).build();
            let ask = decide(&hooks, HookRequest::new(context, any::<E>()));
            let outcome = run_to_the_deadline(how, &timer, ask).outcome;
            let what = format!("{} {how:?} opened {opened}", E::KIND);
            let closes = E::KIND.on_failure() == OnFailure::Closes && !opened;
            assert_eq!(outcome.is_denied(), closes, "{what}");
            assert!(closes || outcome.strength() == Strength::NoOpinion, "{what}");
            assert_eq!(outcome.reasons().len(), 1, "{what}");
            assert_eq!(outcome.reasons()[0].kind, ReasonKind::Failure, "{what}");
            assert_eq!(outcome.reasons()[0].policy, "broken", "{what}");
            recorded_once(&log, E::KIND, &what);
        }
    }
}

fn a_broken_hook_that_informs_is_passed_over_and_recorded<E: InformingEvent + Arbitrary>() {
    for how in EVERY_WAY {
        let ((guard, timer), (context, log)) = (deadline(), context());
        let seen = Counter::default();
        let hooks = Hooks::builder().hook::<E, _>(&guard, Broken { how }).listener::<E>(seen.clone()).build();
        run_to_the_deadline(how, &timer, tell(&hooks, HookRequest::new(context, any::<E>())));
        recorded_once(&log, E::KIND, &format!("{} {how:?}", E::KIND));
        assert_eq!(seen.0.load(Relaxed), 1, "what stands behind it still runs");
    }
}

/// Counts the events it sees.
#[derive(Clone, Debug, Default)]
struct Counter(Arc<AtomicUsize>);

impl<E: Event> Observer<E> for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn observe(&self, _request: &HookRequest<E>, _outcome: &E::Outcome) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Panics in every role.
#[derive(Clone, Copy, Debug)]
struct Panics;

impl<E: Event> Policy<E> for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn judge(&self, _request: &HookRequest<E>) -> Verdict {
        panic!("policy")
    }
}

impl<E: Event> Transform<E> for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn transform(&self, _request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError> {
        panic!("transform")
    }
}

impl<E: Event> Observer<E> for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn observe(&self, _request: &HookRequest<E>, _outcome: &E::Outcome) {
        panic!("observer")
    }
}

impl<E: Event> Reserve<E> for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn reserve(&self, _request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>> {
        panic!("reserve")
    }
}

/// A reservation that fails only when it is polled.
#[derive(Clone, Copy, Debug)]
struct FailsLater(bool);

impl<E: Event> Reserve<E> for FailsLater {
    fn name(&self) -> &'static str {
        "fails later"
    }

    fn reserve(&self, _request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>> {
        let panics = self.0;
        HookFuture::later(async move {
            pend(1).await;
            assert!(!panics, "reserve");
            Err(HookError::unavailable("the store is gone"))
        })
    }
}

fn what_panics_in_a_slot_is_caught<E: DecidingEvent + Arbitrary>() {
    let closes = E::KIND.on_failure() == OnFailure::Closes;
    let seen = Counter::default();
    let deciding = [
        ("policy", Hooks::builder().policy::<E>(Panics).build(), closes),
        ("transform", Hooks::builder().transform::<E>(Panics).build(), closes),
    ];
    for (place, hooks, denies) in deciding {
        let (context, log) = context();
        let decision = run(decide(&hooks, HookRequest::new(context, any::<E>())));
        assert_eq!(decision.outcome.is_denied(), denies, "{} {place}", E::KIND);
        recorded_once(&log, E::KIND, place);
    }
    let reserving = [
        Hooks::builder().reserve::<E>(Panics).build(),
        Hooks::builder().reserve::<E>(FailsLater(true)).build(),
        Hooks::builder().reserve::<E>(FailsLater(false)).build(),
    ];
    for hooks in reserving {
        let (context, log) = context();
        let mut decision = run(decide(&hooks, HookRequest::new(context, any::<E>())));
        run(reserve(&hooks, &mut decision));
        assert_eq!(decision.outcome.is_denied(), closes, "{}", E::KIND);
        recorded_once(&log, E::KIND, "reserve");
    }
    let (context, log) = context();
    let observers =
        Hooks::builder().observer::<E>(seen.clone()).observer::<E>(Panics).observer::<E>(seen.clone());
    observe(&observers.build(), &HookRequest::new(context, any::<E>()), &E::Outcome::default());
    assert_eq!(seen.0.load(Relaxed), 2, "observers all run");
    recorded_once(&log, E::KIND, "observer");
}

macro_rules! for_every_event {
    (deciding { $($deciding:ident)+ } informing { $($informing:ident)+ }) => {
        #[test]
        fn a_broken_decider_denies_for_every_event() {
            $( a_broken_decider_denies_unless_it_was_opened::<$deciding>(); )+
        }

        #[test]
        fn a_panic_in_a_slot_is_caught_for_every_event() {
            $( what_panics_in_a_slot_is_caught::<$deciding>(); )+
        }

        #[test]
        fn a_broken_informer_is_passed_over_for_every_event() {
            $( a_broken_hook_that_informs_is_passed_over_and_recorded::<$informing>(); )+
        }

        #[test]
        fn no_event_is_left_out() {
            let here = [$( $deciding::KIND, )+ $( $informing::KIND, )+];
            assert_eq!(here, EventKind::ALL);
        }
    };
}

for_every_event! {
    deciding {
        UserPromptSubmitted BeforeModelCall AfterModelCall PreToolUse PermissionRequest PostToolUse PreCompact
        SubagentStart SubagentStop Stop MaxIterations Route WorktreeCreated
    }
    informing {
        SessionStart SessionEnd TurnStart TurnEnd ToolDecided UserInputRequested ErrorOccurred PostCompact
        SubagentSpawned SpawnFailed AgentSwitched Notification
    }
}

/// A custom provider that panics in every method.
struct PanicsEverywhere;

impl HooksProvider for PanicsEverywhere {
    fn prepare_pre_tool_use(&self, request: HookRequest<PreToolUse>) -> HookFuture<'_, Prepared<PreToolUse>> {
        assert!(request.event().tool_name != "early", "prepare");
        HookFuture::later(async move {
            pend(1).await;
            assert!(request.event().tool_name != "later", "prepare, later");
            Prepared::unchanged(request)
        })
    }

    fn judge_pre_tool_use(&self, request: &HookRequest<PreToolUse>) -> Decision<PreToolUse> {
        assert!(request.event().tool_name != "judge", "judge");
        Decision::default()
    }

    fn reserve_pre_tool_use(
        &self,
        _request: HookRequest<PreToolUse>,
    ) -> HookFuture<'_, Decision<PreToolUse>> {
        HookFuture::later(poll_fn(|_| panic!("reserve")))
    }

    fn observe_pre_tool_use(&self, _request: &HookRequest<PreToolUse>, _outcome: &Decision<PreToolUse>) {
        panic!("observe")
    }

    fn notification(&self, _request: HookRequest<Notification>) -> HookFuture<'_, ()> {
        HookFuture::later(poll_fn(|_| panic!("notification")))
    }
}

#[test]
fn a_provider_that_panics_is_a_hook_that_failed_and_silences_nobody() {
    let recorder = Recorder::default();
    let composite = Composite::default().and(PanicsEverywhere).and(recorder.clone());
    for provider in [&PanicsEverywhere as &dyn HooksProvider, &composite] {
        for tool in ["early", "later", "judge"] {
            let (context, log) = context();
            let request = HookRequest::new(context, PreToolUse::new(tool, serde_json::Value::Null));
            assert!(run(decide(provider, request)).outcome.is_denied(), "{tool}");
            recorded_once(&log, EventKind::PreToolUse, tool);
        }
        let (context, log) = context();
        let request = HookRequest::new(context, any::<PreToolUse>());
        let mut decision = hooks_core::EventDecision { request, outcome: Decision::default() };
        run(reserve(provider, &mut decision));
        assert!(decision.outcome.is_denied());
        recorded_once(&log, EventKind::PreToolUse, "reserve");
    }
    observe(&composite, &HookRequest::new(context().0, any::<PreToolUse>()), &Decision::default());
    run(tell(&composite, HookRequest::new(context().0, any::<Notification>())));
    assert_eq!(recorder.kinds(), [EventKind::PreToolUse, EventKind::Notification]);
}

#[test]
fn a_failure_is_told_apart_from_a_rule() {
    let hooks = Hooks::builder().policy::<PreToolUse>(Says::new("rule", Strength::Deny));
    let hooks = hooks.policy::<PreToolUse>(Panics);
    let evaluated = asking("a").evaluated(hooks_core::Evaluation::Everyone);
    let outcome = run(decide(&hooks.build(), evaluated)).outcome;
    let kinds: Vec<_> = outcome.reasons().iter().map(|reason| reason.kind).collect();
    assert_eq!(kinds, [ReasonKind::Policy, ReasonKind::Failure]);
}

#[test]
fn a_transform_that_fails_open_skips_nothing_but_itself() {
    let stops =
        policy_fn("stops", |_: &HookRequest<Stop>| Verdict::deny(Reason::new("stops", "test", "not yet")));
    let stop = || HookRequest::new(context().0, Stop::new("done"));
    let stack =
        FailureLayer::new("stack").layer(TransformLayer::new(Erring).layer(hooks_core::Judge::new(stops)));
    assert!(run(stack.oneshot(stop())).unwrap().is_denied(), "in a stack");
    let denying = hooks_core::Judge::new(Says::new("stops", Strength::Deny));
    let hooks = Hooks::builder().transform::<Stop>(Erring).stack::<Stop, _>(&guard(), denying).build();
    let outcome = run(decide(&hooks, stop())).outcome;
    assert!(outcome.is_denied() && outcome.reasons().len() == 2, "in a slot");
}

/// A transform that returns an error.
#[derive(Clone, Copy, Debug)]
struct Erring;

impl<E: Event> Transform<E> for Erring {
    fn name(&self) -> &'static str {
        "errs"
    }

    fn transform(&self, _request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError> {
        Err(HookError::bad_answer("it cannot tell"))
    }
}

#[test]
fn a_transform_that_errs_denies_where_failures_close() {
    let (context, log) = context();
    let stack = TransformLayer::new(Erring).layer(hooks_core::Judge::new(Says::new("a", Strength::Allow)));
    let outcome = run(stack.oneshot(HookRequest::new(context, any::<PreToolUse>()))).unwrap();
    assert!(outcome.is_denied());
    recorded_once(&log, EventKind::PreToolUse, "transform");
}

#[test]
fn a_service_that_broke_answers_each_call_with_a_denial_and_never_errs() {
    let mut guarded = guard().layer(Broken { how: How::ErrsInReady });
    for _ in 0..3 {
        let mut ready =
            task::spawn(poll_fn(|cx| Service::<HookRequest<PreToolUse>>::poll_ready(&mut guarded, cx)));
        assert!(assert_ready!(ready.poll()).is_ok());
        drop(ready);
        assert!(run(guarded.call(asking("a"))).unwrap().is_denied());
    }
}

#[test]
fn a_failure_in_every_stage_is_one() {
    for stage in [Stage::Whole, Stage::Prepare, Stage::Judge] {
        let hook = hooks_core::BoxHook::<PreToolUse>::new(Broken { how: How::PanicsInCall }, &guard());
        assert!(run(hook.ask(asking("a").at(stage))).unwrap().is_denied(), "{stage:?}");
    }
}

#[test]
fn a_panic_with_anything_is_read() {
    let panics = policy_fn("odd", |_: &HookRequest<PreToolUse>| {
        std::panic::panic_any(Box::new(7_u8) as Box<dyn Any + Send>)
    });
    let outcome = run(decide(&Hooks::builder().policy(panics).build(), asking("a"))).outcome;
    assert!(outcome.shown_reason().unwrap().message.contains("panicked"));
}

#[test]
fn the_release_profile_keeps_unwinding() {
    let manifest = include_str!("../../../Cargo.toml");
    let release = manifest.split("[profile.release]").nth(1).expect("a release profile");
    let release = release.split("\n[").next().unwrap_or_default();
    assert!(release.lines().any(|line| line.trim() == "panic = \"unwind\""));
    assert!(!manifest.lines().any(|line| line.trim().starts_with("panic") && line.contains("abort")));
}

/// A timer without a runtime, which panics when it is set or when it is polled, and a failure sink that
/// panics.
#[derive(Clone, Copy, Debug)]
struct BrokenHost {
    when_set: bool,
}

impl Timer for BrokenHost {
    fn sleep(&self, _duration: Duration) -> HookFuture<'static, ()> {
        assert!(!self.when_set, "there is no runtime");
        HookFuture::later(async { panic!("there is no runtime") })
    }
}

impl FailureSink for BrokenHost {
    fn record(&self, _context: &HookContext, _event: EventKind, _reason: &Reason) {
        panic!("the disk is full");
    }
}

#[test]
fn a_timer_or_a_sink_that_panics_opens_nothing_and_unwinds_nothing() {
    for when_set in [true, false] {
        let guard =
            FailureLayer::new("slow").within(Duration::from_secs(1), Arc::new(BrokenHost { when_set }));
        let slow = service_fn(|_: HookRequest<PreToolUse>| async {
            pend(2).await;
            Ok::<_, HookError>(Decision::allow())
        });
        let hooks = Hooks::builder().stack(&guard, slow).build();
        let environment =
            Environment { failures: Arc::new(BrokenHost { when_set }), ..Environment::detached() };
        let context = HookContext::default().with_environment(environment);
        let decision = run(decide(&hooks, HookRequest::new(context, any::<PreToolUse>())));
        let reason = decision.outcome.shown_reason().unwrap();
        assert_eq!((reason.strength, reason.kind), (Strength::Deny, ReasonKind::Failure));
    }
}

//! Laws 4 to 9. An unknown is not an allow; every reason is reported; facts are computed once; only the
//! scrubbed text is reported; no event or reservation is lost; the same seed gives the same run. The tests
//! here are small: the crates that build on this one test the laws in detail.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks_core::event::{PostToolUse, PreToolUse, ResultRewrite, ToolDecided};
use hooks_core::testing::{FakeFileSystem, Recorder, ScriptedTools, any_event, check_policy_laws, world};
use hooks_core::time::{Random, SeededRandom, Timestamp};
use hooks_core::{
    Composite, DecideLayer, DeciderOutcome, Environment, Evidence, Fact, FailureLayer, Govern, Hold,
    HookContext, HookError, HookFuture, HookRequest, Hooks, Judge, Judged, Policy, Reason, ReasonKind,
    Reservation, Reserve, ReserveLayer, Settle, Strength, Transform, Verdict, WireEvent, decide, policy_fn,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::json;
use tower::{Layer, ServiceExt, service_fn};

use super::common::{Says, asking, drop_after, pend, run, verdict};

#[test]
fn law_4_a_detached_file_system_answers_no_question() {
    let environment = Environment::detached();
    for path in ["/", "/repo/a", "", "a/../b", "\0"] {
        assert!(environment.files.entry(Path::new(path)).is_err());
        assert!(environment.files.read_link(Path::new(path)).is_err());
    }
    assert!(HookContext::default().environment.files.entry(Path::new("/")).is_err());
}

#[test]
fn law_4_what_a_host_leaves_undecided_can_be_refused() {
    let ran = |strength, hooks: Hooks| {
        let tools = ScriptedTools::default();
        let govern = Govern::new(hooks, tools.clone()).undecided(strength);
        let request =
            ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("a", json!({})) };
        drop(run(govern.oneshot(request)));
        tools.calls().len()
    };
    assert_eq!(ran(Strength::Allow, Hooks::default()), 1);
    assert_eq!(ran(Strength::Deny, Hooks::default()), 0);
    assert_eq!(ran(Strength::Ask, Hooks::default()), 0, "no user can be asked");
    let allows = || Hooks::builder().policy::<PreToolUse>(Says::new("allows", Strength::Allow)).build();
    assert_eq!(ran(Strength::Deny, allows()), 1, "an opinion is none of silence");
}

/// A policy that fills every field of its reason.
fn thorough() -> impl Policy<PreToolUse> {
    policy_fn("thorough", |_: &HookRequest<PreToolUse>| {
        let evidence = Evidence::Path { given: "a".to_owned(), resolved: "/b".to_owned() };
        let reason = Reason::new("thorough", "outside", "`a` leads out").on("/path").because(evidence);
        Verdict::deny(reason.unless("write below `/repo`"))
    })
}

#[test]
fn law_5_explain_tells_policy_rule_argument_evidence_and_remedy_of_everyone() {
    let hooks = Hooks::builder()
        .policy(thorough())
        .policy::<PreToolUse>((Says::new("first", Strength::Allow), Says::new("second", Strength::Deny)))
        .policy::<PreToolUse>(policy_fn("broken", |_: &HookRequest<PreToolUse>| panic!("broken")))
        .build();
    let explained = hooks.explain(&asking("a"));
    let names: Vec<_> = explained.iter().map(|each| each.policy.as_str()).collect();
    assert_eq!(names, ["thorough", "first", "second", "broken"]);
    let strengths: Vec<_> = explained.iter().map(|each| each.verdict.strength()).collect();
    assert_eq!(strengths, [Strength::Deny, Strength::Allow, Strength::Deny, Strength::Deny]);
    let reason = &explained[0].verdict.reasons()[0];
    assert_eq!((&*reason.policy, &*reason.rule), ("thorough", "outside"));
    assert_eq!(reason.argument.as_deref(), Some("/path"));
    assert!(!reason.evidence.is_empty() && reason.remedy.is_some());
    assert_eq!(explained[3].verdict.reasons()[0].kind, ReasonKind::Failure);
    assert_eq!(check_policy_laws(&Says::new("any", Strength::Ask), &asking("a")), Ok(()));
    hooks_core::assert_policy_laws!(PreToolUse, thorough());
}

#[test]
fn law_5_every_reason_reaches_the_decision_and_its_event() {
    let recorder = Recorder::default();
    let rules = Hooks::builder().policy(thorough()).build();
    let govern = Govern::new(Composite::default().and(rules).and(recorder.clone()), ScriptedTools::default());
    let request =
        ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("a", json!({})) };
    let governed = run(govern.oneshot(request)).unwrap();
    let told = recorder.seen().into_iter().find_map(|event| match event {
        WireEvent::ToolDecided(ToolDecided { reasons, verdict, .. }) => Some((reasons, verdict)),
        _ => None,
    });
    assert_eq!(told, Some((governed.decision.reasons().to_vec(), Strength::Deny)));
}

/// Counts its computations, and panics in the first one.
struct Fragile(usize);

static ATTEMPTS: AtomicUsize = AtomicUsize::new(0);

impl Fact<PreToolUse> for Fragile {
    fn compute(_request: &HookRequest<PreToolUse>) -> Self {
        let attempt = ATTEMPTS.fetch_add(1, Relaxed);
        assert!(attempt > 0, "the first attempt");
        Self(attempt)
    }
}

/// A fact that is derived from another fact.
struct Derived(usize);

impl Fact<PreToolUse> for Derived {
    fn compute(request: &HookRequest<PreToolUse>) -> Self {
        Self(request.fact::<Fragile>().0)
    }
}

#[test]
fn law_6_facts_follow_from_facts_and_one_that_panics_leaves_the_others_whole() {
    let request = asking("a");
    let uses = policy_fn("uses", |request: &HookRequest<PreToolUse>| {
        if request.fact::<Derived>().0 == 1 { Verdict::ALLOW } else { Verdict::NO_OPINION }
    });
    let hooks = Hooks::builder().policy(uses).build();
    assert!(run(decide(&hooks, request.clone())).outcome.is_denied(), "a panic");
    assert_eq!(run(decide(&hooks, request.clone())).outcome.strength(), Strength::Allow);
    assert_eq!(run(decide(&hooks, request)).outcome.strength(), Strength::Allow);
    assert_eq!(ATTEMPTS.load(Relaxed), 2);
}

#[test]
fn law_6_threads_share_one_computation() {
    struct Once;
    static COMPUTED: AtomicUsize = AtomicUsize::new(0);
    impl Fact<PreToolUse> for Once {
        fn compute(_request: &HookRequest<PreToolUse>) -> Self {
            COMPUTED.fetch_add(1, Relaxed);
            Self
        }
    }
    let request = asking("a");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let request = request.clone();
            scope.spawn(move || {
                request.fact::<Once>();
            });
        }
    });
    assert_eq!(COMPUTED.load(Relaxed), 1);
}

#[test]
fn law_6_facts_are_computed_again_after_a_wait_only() {
    struct Once;
    static COMPUTED: AtomicUsize = AtomicUsize::new(0);
    impl Fact<PreToolUse> for Once {
        fn compute(_request: &HookRequest<PreToolUse>) -> Self {
            COMPUTED.fetch_add(1, Relaxed);
            Self
        }
    }
    for (waits, computed) in [([0, 0], 1), ([0, 1], 2), ([1, 0], 3), ([1, 1], 3)] {
        let mut hooks = Hooks::builder();
        for times in waits {
            let decider = service_fn(move |request: HookRequest<PreToolUse>| async move {
                request.fact::<Once>();
                pend(times).await;
                Ok::<_, HookError>(DeciderOutcome::new(Verdict::NO_OPINION))
            });
            hooks = hooks.stack(&FailureLayer::new("looks"), DecideLayer::new(decider).layer(Settle));
        }
        let looks = policy_fn("looks", |request: &HookRequest<PreToolUse>| {
            request.fact::<Once>();
            Verdict::NO_OPINION
        });
        COMPUTED.store(0, Relaxed);
        drop(run(decide(&hooks.policy(looks).build(), asking("a"))));
        assert_eq!(COMPUTED.load(Relaxed), computed, "{waits:?}");
    }
}

/// Removes a word from an error message.
struct Scrubs;

impl Transform<PostToolUse> for Scrubs {
    fn name(&self) -> &'static str {
        "scrubs"
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let error = request.event().error.as_ref().map(|error| error.replace("hunter2", "***"));
        Ok(Some(ResultRewrite { error, ..ResultRewrite::default() }))
    }
}

#[test]
fn law_7_of_a_failing_tool_everyone_is_told_the_scrubbed_error_only() {
    let recorder = Recorder::default();
    let scrubs = Hooks::builder().transform(Scrubs).build();
    let tools = ScriptedTools::new([ToolResult::failed("hunter2 was refused")]);
    let govern = Govern::new(Composite::default().and(scrubs).and(recorder.clone()), tools);
    let request =
        ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("a", json!({})) };
    let governed = run(govern.oneshot(request)).unwrap();
    let ToolOutcome::Failed(result, ..) = &governed.outcome else { panic!("{governed:?}") };
    assert_eq!(result.error.as_deref(), Some("*** was refused"));
    let told: Vec<_> = recorder
        .seen()
        .into_iter()
        .filter_map(|event| match event {
            WireEvent::PostToolUse(after) => after.error,
            WireEvent::ErrorOccurred(failure) => Some(failure.error),
            WireEvent::Notification(notification) => Some(notification.message),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["*** was refused"; 3]);
}

/// Counts reservations.
#[derive(Clone, Debug, Default)]
struct Places(Arc<AtomicUsize>);

struct TakenPlace(Places);

impl Hold for TakenPlace {
    fn commit(self: Box<Self>) {
        // The reservation stays: it is not given back.
        self.0.0.fetch_add(1, Relaxed);
    }
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

impl Reserve<PreToolUse> for Places {
    fn name(&self) -> &'static str {
        "places"
    }

    fn reserve(
        &self,
        _request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let places = self.clone();
        HookFuture::later(async move {
            pend(1).await;
            places.0.fetch_add(1, Relaxed);
            let place = TakenPlace(places);
            pend(1).await;
            Ok(Reservation::Held(Box::new(place)))
        })
    }
}

#[test]
fn law_8_a_place_is_given_back_on_drop_and_on_cancellation_at_every_point() {
    let slow = service_fn(|_: HookRequest<PreToolUse>| async {
        pend(2).await;
        Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW))
    });
    let places = Places::default();
    let stack = || {
        let inner = ReserveLayer::new(places.clone()).layer(DecideLayer::new(slow).layer(Judge::new(())));
        ReserveLayer::new(places.clone()).layer(inner)
    };
    for polls in 0..16 {
        let outcome = drop_after(polls, stack().oneshot(asking("a")));
        assert_eq!(places.0.load(Relaxed), if outcome.is_some() { 2 } else { 0 }, "after {polls} polls");
        drop(outcome);
        assert_eq!(places.0.load(Relaxed), 0);
    }
    run(stack().oneshot(asking("a"))).unwrap().take_holds().commit();
    assert_eq!(places.0.load(Relaxed), 2, "what was committed stays");
}

#[test]
fn law_8_a_denial_holds_nothing_wherever_it_comes_from() {
    let places = Places::default();
    let inner = || ReserveLayer::new(places.clone()).layer(Judge::new(()));
    let refuses = policy_fn("late", |_: &HookRequest<PreToolUse>| verdict(Strength::Deny, "late", "no"));
    let denies = service_fn(|_: HookRequest<PreToolUse>| async {
        Ok::<_, HookError>(DeciderOutcome::new(verdict(Strength::Deny, "late", "no")))
    });
    let everyone = || asking("a").evaluated(hooks_core::Evaluation::Everyone);
    let outcome = run(hooks_core::PolicyLayer::new(refuses).layer(inner()).oneshot(everyone())).unwrap();
    assert!(outcome.is_denied());
    assert_eq!(places.0.load(Relaxed), 0, "a policy outside");
    let outcome = run(DecideLayer::new(denies).layer(inner()).oneshot(everyone())).unwrap();
    assert!(outcome.is_denied());
    assert_eq!(places.0.load(Relaxed), 0, "a decider outside");
}

#[test]
fn law_9_the_same_seed_is_the_same_run() {
    let numbers = |seed| {
        let random = SeededRandom::new(seed);
        (0..64).map(|_| random.next_u64()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(7), numbers(7));
    assert_ne!(numbers(7), numbers(8));
    let events = || {
        let mut runner = TestRunner::deterministic();
        (0..32)
            .map(|_| any_event::<PreToolUse>().new_tree(&mut runner).unwrap().current())
            .collect::<Vec<_>>()
    };
    assert_eq!(events(), events());
    let session = || {
        let (environment, clock, _) = world(FakeFileSystem::default());
        let context = Arc::new(HookContext::new("s1", "a").with_environment(environment));
        let recorder = Recorder::default();
        let slow = service_fn(move |_: ToolCall| {
            clock.advance(Duration::from_millis(250));
            async { Ok::<_, HookError>(ToolResult::ok("done")) }
        });
        let govern = Govern::new(recorder.clone(), slow);
        let request = ToolRequest { context, call: ToolCall::new("a", json!({})) };
        drop(run(govern.oneshot(request)));
        recorder.seen()
    };
    assert_eq!(session(), session());
    let took = session()
        .iter()
        .any(|event| matches!(event, WireEvent::PostToolUse(after) if after.duration_ms == 250));
    assert!(took, "time is what the clock says");
}

#[test]
fn law_9_an_event_says_when_it_happened_also_after_its_tool_took_its_time() {
    let (environment, clock, _) = world(FakeFileSystem::default());
    let context = Arc::new(HookContext::new("s1", "a").with_environment(environment));
    let began = context.timestamp;
    let told = Arc::new(Mutex::new(Vec::new()));
    let (before, after) = (Arc::clone(&told), Arc::clone(&told));
    let hooks = Hooks::builder()
        .policy(policy_fn("before", move |request: &HookRequest<PreToolUse>| {
            before.lock().unwrap().push(request.context().timestamp);
            Verdict::NO_OPINION
        }))
        .policy(policy_fn("after", move |request: &HookRequest<PostToolUse>| {
            after.lock().unwrap().push(request.context().timestamp);
            Verdict::NO_OPINION
        }))
        .build();
    let slow = service_fn(move |_: ToolCall| {
        clock.advance(Duration::from_secs(9));
        async { Ok::<_, HookError>(ToolResult::ok("done")) }
    });
    drop(run(Govern::new(hooks, slow).oneshot(ToolRequest { context, call: ToolCall::new("a", json!({})) })));
    assert_eq!(*told.lock().unwrap(), [began, began.after(Duration::from_secs(9))]);
}

#[test]
fn law_9_time_saturates_and_never_wraps() {
    assert_eq!(Timestamp(5).since(Timestamp(9)), Duration::ZERO);
    assert_eq!(Timestamp(u64::MAX).after(Duration::MAX), Timestamp(u64::MAX));
    assert_eq!(Timestamp(1).after(Duration::from_millis(2)), Timestamp(3));
}

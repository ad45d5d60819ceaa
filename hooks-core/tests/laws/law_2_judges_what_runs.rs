//! Law 2: a guard judges what will run. Other hook systems have a gap here: the verdict is about arguments
//! that are rewritten afterwards, or about a file system that changes during a wait.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest};
use hooks_core::event::{PermissionRequest, PreToolUse, VerdictSource};
use hooks_core::testing::{FakeFileSystem, ScriptedTools, world};
use hooks_core::{
    Approval, ApprovalRequest, BoxHook, Composite, DecideLayer, DeciderOutcome, Decision, Evaluation,
    EventDecision, Fact, Govern, HookContext, HookError, HookFuture, HookRequest, Hooks, HooksBuilder,
    HooksProvider, Judge, Judged, Observer, ObserverLayer, Policy, PolicyLayer, Prepared, Reason,
    Reservation, Reserve, ReserveLayer, Settle, Stage, Strength, Transform, TransformLayer, Verdict, decide,
    policy_fn, reserve,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::{Layer, ServiceBuilder, ServiceExt, service_fn};

use super::common::{Forbids, asking, boxed, call, guard, path, pend, run, verdict};

/// Appends a letter. It is not idempotent, so that a second run is visible.
#[derive(Clone, Debug)]
struct Appends(char);

impl Transform<PreToolUse> for Appends {
    fn name(&self) -> &'static str {
        "appends"
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        Ok(Some(json!({ "path": format!("{}{}", path(request), self.0) })))
    }
}

/// Denies a path that contains its letter; otherwise it allows or has no opinion.
#[derive(Clone, Copy, Debug)]
struct Guard {
    denies: char,
    allows: bool,
}

impl Guard {
    fn says(self, path: &str) -> Verdict {
        match (path.contains(self.denies), self.allows) {
            (true, _) => verdict(Strength::Deny, "guard", "the path holds its letter"),
            (false, true) => Verdict::ALLOW,
            (false, false) => Verdict::NO_OPINION,
        }
    }
}

impl Policy<PreToolUse> for Guard {
    fn name(&self) -> &'static str {
        "guard"
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        self.says(path(request))
    }
}

/// One hook of a random mix.
#[derive(Clone, Debug)]
enum Part {
    Rewrites(char),
    Judges(Guard),
    /// Waits this many times, judges, and may rewrite.
    Decides(usize, Guard, Option<char>),
}

fn guards() -> impl Strategy<Value = Guard> {
    (prop::sample::select(vec!['a', 'b', 'c', 'z']), any::<bool>())
        .prop_map(|(denies, allows)| Guard { denies, allows })
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let letter = || prop::sample::select(vec!['a', 'b', 'c']);
    let part = prop_oneof![
        letter().prop_map(Part::Rewrites),
        guards().prop_map(Part::Judges),
        (0_usize..4, guards(), prop::option::of(letter()))
            .prop_map(|(waits, guard, rewrites)| Part::Decides(waits, guard, rewrites)),
    ];
    vec(part, 0..5)
}

/// A stack of layers, the first one outermost.
fn stack(parts: &[Part]) -> BoxHook<PreToolUse> {
    parts.iter().rev().fold(boxed(Settle), |inner, part| match part.clone() {
        Part::Rewrites(letter) => boxed(TransformLayer::new(Arc::new(Appends(letter))).layer(inner)),
        Part::Judges(guard) => boxed(PolicyLayer::new(guard).layer(inner)),
        Part::Decides(waits, guard, rewrites) => {
            let decider = service_fn(move |request: HookRequest<PreToolUse>| async move {
                pend(waits).await;
                let decider_outcome = DeciderOutcome::new(guard.says(path(&request)));
                Ok::<_, HookError>(match rewrites {
                    Some(letter) => {
                        decider_outcome.rewriting(json!({ "path": format!("{}{letter}", path(&request)) }))
                    }
                    None => decider_outcome,
                })
            });
            boxed(DecideLayer::new(decider).layer(inner))
        }
    })
}

/// A set with stacks, and with the policies and transforms of the slot.
fn provider((in_slot, stacks): &(Vec<Part>, Vec<Vec<Part>>)) -> Hooks {
    let mut builder = Hooks::builder();
    for part in in_slot {
        match part {
            Part::Rewrites(letter) => builder.add_transform(Appends(*letter)),
            Part::Judges(guard) => builder.add_policy(*guard),
            Part::Decides(..) => builder = builder.stack(&guard(), stack(std::slice::from_ref(part))),
        }
    }
    stacks.iter().fold(builder, |builder: HooksBuilder, parts| builder.stack(&guard(), stack(parts))).build()
}

/// The letters that the rewriting parts append, in the order in which they are asked.
fn appended((in_slot, stacks): &(Vec<Part>, Vec<Vec<Part>>)) -> String {
    let letter = |part: &Part| match part {
        Part::Rewrites(letter) | Part::Decides(_, _, Some(letter)) => Some(*letter),
        Part::Judges(_) | Part::Decides(..) => None,
    };
    let transforms = in_slot.iter().filter(|part| matches!(part, Part::Rewrites(_)));
    let deciders = in_slot.iter().filter(|part| matches!(part, Part::Decides(..)));
    transforms.chain(deciders).chain(stacks.iter().flatten()).filter_map(letter).collect()
}

fn guards_of(parts: &[Part]) -> impl Iterator<Item = Guard> {
    parts.iter().filter_map(|part| match part {
        Part::Judges(guard) | Part::Decides(_, guard, _) => Some(*guard),
        Part::Rewrites(_) => None,
    })
}

/// Checks an answer about the path `end`, for which `guards` were asked.
fn keeps_the_law(outcome: &Decision<PreToolUse>, end: &str, wanted: &str, guards: &[Guard]) {
    if guards.iter().any(|guard| end.contains(guard.denies)) {
        assert!(outcome.is_denied(), "`{end}` holds a forbidden letter and was let through");
    }
    if !outcome.is_denied() {
        assert_eq!(end, wanted, "each rewrite happens once, in order");
        let effective = outcome.effective().map_or("-", path);
        assert_eq!(effective, if wanted == "-" { "-" } else { end }, "the outcome names what will run");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_forbidden_final_argument_is_denied_whatever_the_mix(
        providers in vec((parts(), vec(parts(), 0..3)), 1..4),
    ) {
        let composite = Composite::new(
            providers.iter().map(|parts| Arc::new(provider(parts)) as Arc<dyn HooksProvider>),
        );
        let EventDecision { request, outcome, .. } = run(decide(&composite, asking("-")));
        let wanted: String = std::iter::once("-".to_owned()).chain(providers.iter().map(appended)).collect();
        let guards: Vec<_> = providers
            .iter()
            .flat_map(|(slot, stacks)| guards_of(slot).chain(stacks.iter().flat_map(|parts| guards_of(parts))))
            .collect();
        keeps_the_law(&outcome, path(&request), &wanted, &guards);
    }

    #[test]
    fn the_same_holds_for_a_stack_that_stands_alone(parts in parts()) {
        let outcome = run(stack(&parts).oneshot(asking("-"))).unwrap();
        let wanted = format!("-{}", appended(&(Vec::new(), vec![parts.clone()])));
        let end = outcome.effective().map_or("-", path).to_owned();
        keeps_the_law(&outcome, &end, &wanted, &guards_of(&parts).collect::<Vec<_>>());
    }

    #[test]
    fn asking_everyone_denies_the_same(parts in (parts(), vec(parts(), 0..3))) {
        let hooks = provider(&parts);
        let ask = |evaluation| run(decide(&hooks, asking("-").evaluated(evaluation))).outcome.is_denied();
        // If judging does not stop, more is rewritten: there may be more reasons to deny, never fewer.
        prop_assert!(!ask(Evaluation::UntilDenied) || ask(Evaluation::Everyone));
    }
}

fn allows_only(wanted: &'static str) -> impl Policy<PreToolUse> + Clone {
    policy_fn(
        "allows-only",
        move |request: &HookRequest<PreToolUse>| {
            if path(request) == wanted { Verdict::ALLOW } else { Verdict::NO_OPINION }
        },
    )
}

#[test]
fn an_early_allow_of_old_arguments_is_dropped() {
    let inner = TransformLayer::new(Arc::new(Appends('x'))).layer(Settle);
    let outcome = run(PolicyLayer::new(allows_only("-")).layer(inner.clone()).oneshot(asking("-"))).unwrap();
    assert_eq!(outcome.strength(), Strength::NoOpinion, "policy");

    let decider = service_fn(|request: HookRequest<PreToolUse>| async move {
        let allowed = if path(&request) == "-" { Verdict::ALLOW } else { Verdict::NO_OPINION };
        Ok::<_, HookError>(DeciderOutcome::new(allowed))
    });
    let outcome = run(DecideLayer::new(decider).layer(inner.clone()).oneshot(asking("-"))).unwrap();
    assert_eq!(outcome.strength(), Strength::NoOpinion, "decider");

    let first = Hooks::builder().stack(&guard(), DecideLayer::new(decider).layer(Settle)).build();
    let second = Hooks::builder().transform(Appends('x')).build();
    let composite = Composite::default().and(first).and(second);
    let outcome = run(decide(&composite, asking("-"))).outcome;
    assert_eq!(outcome.strength(), Strength::NoOpinion, "provider");
}

#[test]
fn stale_questions_and_denials_stand() {
    for strength in [Strength::Ask, Strength::Deny] {
        let on_old = policy_fn("on-old", move |request: &HookRequest<PreToolUse>| {
            if path(request) == "-" { verdict(strength, "on-old", "old") } else { Verdict::ALLOW }
        });
        let inner = TransformLayer::new(Arc::new(Appends('x'))).layer(Settle);
        let request = asking("-").evaluated(Evaluation::Everyone);
        let outcome = run(PolicyLayer::new(on_old).layer(inner).oneshot(request)).unwrap();
        assert_eq!(outcome.strength(), strength);
    }
}

/// Counts its calls.
#[derive(Debug, Default)]
struct Counts(AtomicUsize);

impl Reserve<PreToolUse> for Counts {
    fn name(&self) -> &'static str {
        "counts"
    }

    fn reserve(
        &self,
        _request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        self.0.fetch_add(1, Relaxed);
        HookFuture::now(Ok(Reservation::NotNeeded))
    }
}

#[test]
fn what_counts_counts_once_an_event_although_a_later_provider_rewrites() {
    let (in_stack, in_slot) = (Arc::new(Counts::default()), Arc::new(Counts::default()));
    let slow = service_fn(|_request: HookRequest<PreToolUse>| async {
        pend(2).await;
        Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW))
    });
    let counting = ServiceBuilder::new()
        .layer(ReserveLayer::new(Arc::clone(&in_stack)))
        .layer(DecideLayer::new(slow))
        .service(Judge::new(()));
    let first = Hooks::builder().stack(&guard(), counting).reserve(Arc::clone(&in_slot)).build();
    let composite = Composite::default().and(first).and(Hooks::builder().transform(Appends('x')).build());
    let mut decision = run(decide(&composite, asking("-")));
    assert_eq!((in_stack.0.load(Relaxed), in_slot.0.load(Relaxed)), (0, 0), "before the end");
    run(reserve(&composite, &mut decision));
    assert!(!decision.outcome.is_denied());
    assert_eq!((in_stack.0.load(Relaxed), in_slot.0.load(Relaxed)), (1, 1));
}

/// Counts the calls of each of its parts.
#[derive(Clone, Debug, Default)]
struct CallCounts {
    transform: Arc<AtomicUsize>,
    policy: Arc<AtomicUsize>,
    observer: Arc<AtomicUsize>,
}

impl Transform<PreToolUse> for CallCounts {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        self.transform.fetch_add(1, Relaxed);
        Ok(None)
    }
}

impl Policy<PreToolUse> for CallCounts {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn judge(&self, _request: &HookRequest<PreToolUse>) -> Verdict {
        self.policy.fetch_add(1, Relaxed);
        Verdict::NO_OPINION
    }
}

impl Observer<PreToolUse> for CallCounts {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn observe(&self, _request: &HookRequest<PreToolUse>, _outcome: &Decision<PreToolUse>) {
        self.observer.fetch_add(1, Relaxed);
    }
}

#[test]
fn asked_again_a_stack_judges_and_does_nothing_else_twice() {
    let calls = CallCounts::default();
    let shared = Arc::new(calls.clone());
    let stack = ServiceBuilder::new()
        .layer(ObserverLayer::new(Arc::clone(&shared)))
        .layer(TransformLayer::new(Arc::clone(&shared)))
        .layer(PolicyLayer::new(shared))
        .service(Settle);
    let first = Hooks::builder().stack(&guard(), stack).build();
    let composite = Composite::default().and(first).and(Hooks::builder().transform(Appends('x')).build());
    let mut decision = run(decide(&composite, asking("-")));
    run(reserve(&composite, &mut decision));
    assert!(!decision.outcome.is_denied());
    let counts = [&calls.transform, &calls.policy, &calls.observer].map(|count| count.load(Relaxed));
    assert_eq!(counts, [1, 2, 1], "transformed, judged, observed");
}

#[test]
fn an_allow_with_a_change_is_no_opinion_also_where_another_provider_changed_the_event() {
    let wraps = service_fn(|request: HookRequest<PreToolUse>| async move {
        let wrapped = json!({ "path": format!("({})", path(&request)) });
        Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW).rewriting(wrapped))
    });
    let first = Hooks::builder().stack(&guard(), DecideLayer::new(wraps).layer(Settle)).build();
    let composite = Composite::default().and(first).and(Hooks::builder().transform(Appends('x')).build());
    let decision = run(decide(&composite, asking("-")));
    assert_eq!((path(&decision.request), decision.outcome.strength()), ("(-)x", Strength::NoOpinion));
}

/// Grants a reservation for one path only.
#[derive(Clone, Copy, Debug)]
struct OnlyFor(&'static str);

impl Reserve<PreToolUse> for OnlyFor {
    fn name(&self) -> &'static str {
        "only-for"
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let refused = Reason::new("only-for", "path", "there is no place for that path");
        HookFuture::now(Ok(if path(request) == self.0 {
            Reservation::NotNeeded
        } else {
            Reservation::Refused(refused)
        }))
    }
}

#[test]
fn places_are_taken_for_what_will_run() {
    let inner = TransformLayer::new(Arc::new(Appends('x'))).layer(Judge::new(()));
    let stack = |place| ReserveLayer::new(OnlyFor(place)).layer(inner.clone());
    assert!(!run(stack("-x").oneshot(asking("-"))).unwrap().is_denied());
    assert!(run(stack("-").oneshot(asking("-"))).unwrap().is_denied());
    let slot = |place| Hooks::builder().transform(Appends('x')).reserve(OnlyFor(place)).build();
    let reserved = |hooks: &Hooks| {
        let mut decision = run(decide(hooks, asking("-")));
        run(reserve(hooks, &mut decision));
        decision.outcome.is_denied()
    };
    assert!(!reserved(&slot("-x")) && reserved(&slot("-")));
}

#[test]
fn an_allow_from_before_a_person_was_asked_is_not_told_as_a_reason() {
    let calls = AtomicUsize::new(0);
    let once = policy_fn("once", move |_: &HookRequest<PreToolUse>| match calls.fetch_add(1, Relaxed) {
        0 => verdict(Strength::Allow, "once", "the link is inside"),
        _ => Verdict::NO_OPINION,
    });
    let approver = hooks_core::testing::ScriptedApprover::new([Approval::Approved]);
    let hooks = Hooks::builder().policy(once).policy(asks()).build();
    let govern = Govern::new(hooks, ScriptedTools::default()).with_approver(approver);
    let request =
        ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("edit", json!({})) };
    let governed = run(govern.oneshot(request)).unwrap();
    let told: Vec<_> = governed.decision.reasons().iter().map(|reason| &*reason.policy).collect();
    assert_eq!(told, ["asks"]);
    assert_eq!(governed.decision.strength(), Strength::Allow);
}

#[test]
fn nothing_is_counted_behind_a_denial() {
    let counts = Arc::new(Counts::default());
    let denies = service_fn(|_request: HookRequest<PreToolUse>| async {
        Ok::<_, HookError>(DeciderOutcome::new(verdict(Strength::Deny, "denies", "no")))
    });
    let stack = DecideLayer::new(denies).layer(ReserveLayer::new(Arc::clone(&counts)).layer(Settle));
    assert!(run(stack.oneshot(asking("-"))).unwrap().is_denied());
    let stack = ReserveLayer::new(Arc::clone(&counts)).layer(Judge::new(Forbids("-")));
    assert!(run(stack.oneshot(asking("-"))).unwrap().is_denied());
    assert_eq!(counts.0.load(Relaxed), 0);
}

#[test]
fn a_decider_that_always_wraps_ends_and_its_allow_counts_as_no_opinion() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let wraps = service_fn(move |request: HookRequest<PreToolUse>| {
        counted.fetch_add(1, Relaxed);
        async move {
            pend(1).await;
            let wrapped = json!({ "path": format!("({})", path(&request)) });
            Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW).rewriting(wrapped))
        }
    });
    let hooks = Hooks::builder().stack(&guard(), DecideLayer::new(wraps).layer(Settle)).build();
    let decision = run(decide(&hooks, asking("-")));
    assert_eq!(path(&decision.request), "(-)");
    assert_eq!(decision.outcome.strength(), Strength::NoOpinion);
    assert_eq!(calls.load(Relaxed), 2);
}

/// The target of the link at `/repo/out`.
struct Target(String);

impl Fact<PreToolUse> for Target {
    fn compute(request: &HookRequest<PreToolUse>) -> Self {
        let target = request.context().environment.files.read_link(Path::new("/repo/out"));
        Self(target.map_or_else(|_| "unknown".to_owned(), |path| path.display().to_string()))
    }
}

fn only_inside() -> impl Policy<PreToolUse> + Clone {
    policy_fn("only-inside", |request: &HookRequest<PreToolUse>| match &*request.fact::<Target>().0 {
        inside if inside.starts_with("/repo/") => Verdict::NO_OPINION,
        _ => verdict(Strength::Deny, "only-inside", "the link leads out of the repository"),
    })
}

fn asks() -> impl Policy<PreToolUse> + Clone {
    policy_fn("asks", |_: &HookRequest<PreToolUse>| verdict(Strength::Ask, "asks", "may it?"))
}

fn with_link() -> (FakeFileSystem, HookContext) {
    let files = FakeFileSystem::default().with_link("/repo/out", "/repo/build");
    let (environment, _, _) = world(files.clone());
    (files, HookContext::new("s1", "agent").with_environment(environment))
}

/// Governs a call while the approver moves the link before it approves.
fn governed_while_the_link_moves(hooks: Hooks) -> (hooks_core::drivers::Governed, usize) {
    let (files, context) = with_link();
    let tools = ScriptedTools::default();
    let approver = service_fn(move |_question: ApprovalRequest| {
        let files = files.clone();
        async move {
            pend(3).await;
            files.link("/repo/out", "/etc");
            Ok::<_, HookError>(Approval::Approved)
        }
    });
    let govern = Govern::new(hooks, tools.clone()).with_approver(approver);
    let request = ToolRequest { context: Arc::new(context), call: ToolCall::new("edit", json!({})) };
    (run(govern.oneshot(request)).unwrap(), tools.calls().len())
}

#[test]
fn a_link_that_moves_while_a_person_thinks_is_seen() {
    let in_stack = ServiceBuilder::new().layer(PolicyLayer::new(only_inside())).service(Settle);
    let in_leaf = Judge::new(only_inside());
    let decides = service_fn(|request: HookRequest<PreToolUse>| async move {
        pend(1).await;
        Ok::<_, HookError>(DeciderOutcome::new(only_inside().judge(&request)))
    });
    for (place, hooks) in [
        ("slot", Hooks::builder().policy(only_inside())),
        ("stack", Hooks::builder().stack(&guard(), in_stack)),
        ("leaf", Hooks::builder().stack(&guard(), in_leaf)),
        ("decider", Hooks::builder().stack(&guard(), DecideLayer::new(decides).layer(Settle))),
    ] {
        let (governed, ran) = governed_while_the_link_moves(hooks.policy(asks()).build());
        assert!(matches!(governed.outcome, ToolOutcome::Denied(_)), "{place}: {governed:?}");
        assert_eq!((governed.source, ran), (VerdictSource::Hooks, 0), "{place}");
    }
}

#[test]
fn a_link_that_moves_while_a_decider_thinks_is_seen_from_everywhere() {
    let moves = |files: &FakeFileSystem| {
        let files = files.clone();
        service_fn(move |_request: HookRequest<PreToolUse>| {
            let files = files.clone();
            async move {
                pend(2).await;
                files.link("/repo/out", "/etc");
                Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW))
            }
        })
    };
    let place = |build: &dyn Fn(&FakeFileSystem) -> Hooks| {
        let (files, context) = with_link();
        let request = HookRequest::new(context, call("out"));
        // The fact was derived before.
        assert_eq!(request.fact::<Target>().0, "/repo/build");
        run(decide(&build(&files), request)).outcome.is_denied()
    };
    assert!(place(&|files| {
        let stack = DecideLayer::new(moves(files)).layer(Judge::new(only_inside()));
        Hooks::builder().stack(&guard(), stack).build()
    }));
    assert!(place(&|files| {
        let stack = PolicyLayer::new(only_inside()).layer(DecideLayer::new(moves(files)).layer(Settle));
        Hooks::builder().stack(&guard(), stack).build()
    }));
    assert!(place(&|files| {
        let slow = DecideLayer::new(moves(files)).layer(Settle);
        Hooks::builder().stack(&guard(), slow).stack(&guard(), Judge::new(only_inside())).build()
    }));
    assert!(place(&|files| {
        let slow = DecideLayer::new(moves(files)).layer(Settle);
        Hooks::builder().stack(&guard(), slow).policy(only_inside()).build()
    }));
}

#[test]
fn an_approval_is_for_exactly_the_event_that_was_judged() {
    let approver = hooks_core::testing::ScriptedApprover::new([Approval::Approved]);
    let tools = ScriptedTools::default();
    let hooks = Hooks::builder().transform(Appends('x')).policy(asks()).build();
    let govern = Govern::new(hooks, tools.clone()).with_approver(approver.clone());
    let call = ToolCall::new("edit", json!({ "path": "-" }));
    let request = ToolRequest { context: Arc::new(HookContext::default()), call };
    let governed = run(govern.oneshot(request)).unwrap();
    let seen = approver.requests();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].request.event().tool_args, json!({ "path": "-x" }));
    assert_eq!(tools.calls()[0].args, json!({ "path": "-x" }));
    assert_eq!(governed.call.args, json!({ "path": "-x" }));
    assert_eq!(governed.source, VerdictSource::Approver);
    let asks = governed.decision.reasons().iter().filter(|reason| reason.strength == Strength::Ask).count();
    assert_eq!(asks, 1, "what is said again is said once");
}

#[test]
fn an_approval_never_undoes_a_denial() {
    let approver = hooks_core::testing::ScriptedApprover::new([Approval::Approved]);
    let tools = ScriptedTools::default();
    let deny = policy_fn("no", |_: &HookRequest<PreToolUse>| verdict(Strength::Deny, "no", "no"));
    let permits = policy_fn("yes", |_: &HookRequest<PermissionRequest>| Verdict::ALLOW);
    let hooks = Hooks::builder().policy(asks()).policy(deny).policy(permits).build();
    let govern = Govern::new(hooks, tools.clone()).with_approver(approver.clone());
    let request =
        ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("edit", json!({})) };
    let governed = run(govern.oneshot(request)).unwrap();
    assert!(matches!(governed.outcome, ToolOutcome::Denied(_)));
    assert!(approver.requests().is_empty() && tools.calls().is_empty());
}

#[test]
fn a_question_that_keeps_changing_is_not_approved() {
    let calls = AtomicUsize::new(0);
    let restless = policy_fn("restless", move |_: &HookRequest<PreToolUse>| {
        let times = calls.fetch_add(1, Relaxed);
        Verdict::ask(Reason::new("restless", "new", format!("question {times}")))
    });
    let approver = hooks_core::testing::ScriptedApprover::new(vec![Approval::Approved; 100]);
    let tools = ScriptedTools::default();
    let govern =
        Govern::new(Hooks::builder().policy(restless).build(), tools.clone()).with_approver(approver.clone());
    let request =
        ToolRequest { context: Arc::new(HookContext::default()), call: ToolCall::new("edit", json!({})) };
    let governed = run(govern.oneshot(request)).unwrap();
    assert!(matches!(governed.outcome, ToolOutcome::Denied(_)));
    assert!(tools.calls().is_empty() && approver.requests().len() < 5);
}

/// A fact that counts its computations; one test uses it.
struct Computed;

static COMPUTED: AtomicUsize = AtomicUsize::new(0);

impl Fact<PreToolUse> for Computed {
    fn compute(_request: &HookRequest<PreToolUse>) -> Self {
        COMPUTED.fetch_add(1, Relaxed);
        Self
    }
}

#[test]
fn facts_are_computed_once_a_final_event_and_never_survive_a_rewrite_or_a_wait() {
    let uses = || {
        policy_fn("uses", |request: &HookRequest<PreToolUse>| {
            request.fact::<Computed>();
            Verdict::NO_OPINION
        })
    };
    let computed = |ask: &dyn Fn()| {
        let before = COMPUTED.load(Relaxed);
        ask();
        COMPUTED.load(Relaxed) - before
    };
    let slot = Hooks::builder().policy(uses()).policy((uses(), uses())).build();
    let both = Composite::default().and(slot.clone()).and(slot.clone());
    assert_eq!(computed(&|| drop(run(decide(&both, asking("-"))))), 1, "one event");

    let stack =
        || ServiceBuilder::new().layer(PolicyLayer::new(Arc::new(uses()))).service(Judge::new(uses()));
    assert_eq!(computed(&|| drop(run(stack().oneshot(asking("-"))))), 1, "one event in a stack");

    let rewritten = TransformLayer::new(Arc::new(Appends('x'))).layer(stack());
    let outside = PolicyLayer::new(Arc::new(uses())).layer(rewritten);
    assert_eq!(computed(&|| drop(run(outside.clone().oneshot(asking("-"))))), 2, "one rewrite");

    let mut request = asking("-");
    assert_eq!(
        computed(&|| {
            request.fact::<Computed>();
        }),
        1
    );
    let waited = request.clone().refreshed();
    request.rewrite(json!({}));
    assert_eq!(
        computed(&|| {
            request.fact::<Computed>();
            waited.fact::<Computed>();
        }),
        2
    );
    assert_eq!(
        computed(&|| {
            request.clone().fact::<Computed>();
        }),
        0,
        "clones share"
    );
}

#[test]
fn what_is_final_is_not_rewritten() {
    let mut request = asking("-").at(Stage::Judge);
    assert!(!request.rewrite(json!({ "path": "x" })));
    assert_eq!((path(&request), request.revision()), ("-", 0));
}

/// A provider that violates the contract: it returns the event with another stage, or another event, and does
/// not set the revision of its allow.
#[derive(Clone, Copy, Debug)]
struct Careless(Stage);

impl HooksProvider for Careless {
    fn prepare_pre_tool_use(&self, request: HookRequest<PreToolUse>) -> HookFuture<'_, Prepared<PreToolUse>> {
        let stage = request.stage();
        let mut request = request.at(self.0);
        if stage == Stage::Judge {
            request = request.at(Stage::Whole);
            request.rewrite(json!({ "path": "elsewhere" }));
        }
        HookFuture::now(Prepared { request, outcome: Decision::allow(), judged_at: None })
    }
}

#[test]
fn a_careless_provider_neither_stops_the_rewrites_of_others_nor_has_its_old_allow_counted() {
    for stage in [Stage::Whole, Stage::Prepare, Stage::Judge] {
        let rewrites = Hooks::builder().transform(Appends('b')).build();
        let careless = Composite::default().and(Careless(stage)).and(rewrites.clone());
        let decision = run(decide(&careless, asking("a")));
        assert_eq!(path(&decision.request), "ab", "{stage:?}");
        // The provider is asked again about the final event, and allows it.
        assert_eq!(decision.outcome.strength(), Strength::Allow);
    }
}

#[test]
fn an_allow_without_a_revision_is_dropped_where_its_provider_does_not_repeat_it() {
    struct Once;
    impl HooksProvider for Once {
        fn prepare_pre_tool_use(
            &self,
            request: HookRequest<PreToolUse>,
        ) -> HookFuture<'_, Prepared<PreToolUse>> {
            let outcome = if path(&request) == "a" { Decision::allow() } else { Decision::default() };
            HookFuture::now(Prepared { request, outcome, judged_at: None })
        }
    }
    let rewrites = Hooks::builder().transform(Appends('b')).build();
    let decision = run(decide(&Composite::default().and(Once).and(rewrites), asking("a")));
    assert_eq!(decision.outcome.strength(), Strength::NoOpinion);
}

#[test]
fn what_a_careless_provider_makes_of_a_final_event_is_not_what_the_next_one_judges() {
    let seen = service_fn(|request: HookRequest<PreToolUse>| async move {
        Ok::<_, HookError>(DeciderOutcome::new(verdict(Strength::Ask, "sees", path(&request))))
    });
    let sees = Hooks::builder().stack(&guard(), DecideLayer::new(seen).layer(Settle)).build();
    let careless = Composite::default().and(Careless(Stage::Judge)).and(sees);
    let approves = service_fn(|_: ApprovalRequest| async { Ok::<_, HookError>(Approval::Approved) });
    let govern = Govern::new(careless, ScriptedTools::default()).with_approver(approves);
    let call = ToolCall::new("edit", json!({ "path": "a" }));
    let governed =
        run(govern.oneshot(ToolRequest { context: Arc::new(HookContext::default()), call })).unwrap();
    let messages: Vec<_> = governed.decision.reasons().iter().map(|reason| &*reason.message).collect();
    assert_eq!(messages, ["a"]);
}

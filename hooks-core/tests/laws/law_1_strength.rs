//! Law 1, deny > ask > allow > no opinion. In other hook systems, an early allow or ask can hide a later
//! deny. These tests check the laws of merging, and that every combination of policies keeps them.

use std::fmt::Debug;
use std::sync::Arc;

use super::common::{Says, asking, boxed, guard, run, strength_and_reasons};
use hooks_core::event::{PostToolUse, PreCompact, PreToolUse, Stop, UserPromptSubmitted};
use hooks_core::{
    BoxHook, CompactNotes, Composite, ContextNote, ContextPatch, Decision, DecisionNotes, Directive,
    Evaluation, Event, Gate, HookContext, HookError, HookRequest, Hooks, HooksProvider, Judge, Judged,
    Judgement, Live, Notes, Outcome, Policy, PolicyLayer, Reason, Recovery, ResultNotes, Strength, Transform,
    TransformLayer, Verdict, decide,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::{Layer, ServiceExt};

fn strengths() -> impl Strategy<Value = Strength> {
    prop_oneof![Just(Strength::NoOpinion), Just(Strength::Allow), Just(Strength::Ask), Just(Strength::Deny)]
}

type Told = Vec<(Strength, u8)>;

fn told() -> impl Strategy<Value = Told> {
    vec((strengths(), any::<u8>()), 0..4)
}

fn verdict(told: &Told) -> Verdict {
    let mut merged = Verdict::NO_OPINION;
    for (strength, id) in told {
        merged.merge(super::common::verdict(*strength, "p", &id.to_string()));
    }
    merged
}

fn judgement<E: Event, N: Notes + Clone>((told, notes): &(Told, N)) -> Judgement<E, N> {
    let mut outcome = Judgement::from(verdict(told));
    outcome.merge(Judgement::noting(notes.clone()));
    outcome
}

fn notes() -> impl Strategy<Value = Vec<ContextNote>> {
    vec("[a-c]".prop_map(ContextNote::new), 0..3)
}

fn reasons() -> impl Strategy<Value = Vec<Reason>> {
    vec("[a-c]".prop_map(|text| Reason::new("p", "r", text)), 0..3)
}

fn context_patch() -> impl Strategy<Value = ContextPatch> {
    let texts = || option::of("[a-c]");
    let messages = || vec("[a-c]", 0..2);
    (notes(), texts(), texts(), messages(), messages(), texts(), reasons()).prop_map(
        |(
            additional_context,
            model,
            initial_prompt,
            directives,
            system_messages,
            original_prompt,
            failures,
        )| ContextPatch {
            additional_context,
            model,
            initial_prompt,
            directives: directives
                .into_iter()
                .map(|text| Directive { text, mode: "always".to_owned() })
                .collect(),
            system_messages,
            original_prompt,
            failures,
        },
    )
}

fn decision_notes() -> impl Strategy<Value = DecisionNotes> {
    (notes(), vec("[a-c]", 0..3)).prop_map(|(additional_context, system_messages)| DecisionNotes {
        additional_context,
        system_messages,
    })
}

fn result_notes() -> impl Strategy<Value = ResultNotes> {
    (notes(), any::<bool>(), option::of("[a-c]")).prop_map(|(additional_context, suppress_output, stop)| {
        ResultNotes { additional_context, suppress_output, stop }
    })
}

fn compact_notes() -> impl Strategy<Value = CompactNotes> {
    (context_patch(), option::of("[a-c]"), vec(("[a-c]", any::<u8>()), 0..3)).prop_map(
        |(context, summary, state)| CompactNotes {
            context,
            summary,
            exported_state: state.into_iter().map(|(name, value)| (name, json!(value))).collect(),
        },
    )
}

fn recovery() -> impl Strategy<Value = Recovery> {
    let texts = (option::of("[a-c]"), option::of("[a-c]"), vec("[a-c]", 0..3));
    (option::of(any::<bool>()), option::of(any::<u64>()), texts, reasons()).prop_map(
        |(retry, backoff_ms, (fallback_model, modified_prompt, notify), reasons)| Recovery {
            retry,
            fallback_model,
            modified_prompt,
            backoff_ms,
            notify,
            reasons,
        },
    )
}

/// Checks that the default is neutral on both sides, and that grouping makes no difference.
fn is_a_monoid<O: Outcome + PartialEq + Debug>(a: impl Fn() -> O, b: impl Fn() -> O, c: impl Fn() -> O) {
    let merged = |mut left: O, right: O| {
        left.merge(right);
        left
    };
    assert_eq!(merged(O::default(), a()), a(), "neutral on the left");
    assert_eq!(merged(a(), O::default()), a(), "neutral on the right");
    assert_eq!(merged(merged(a(), b()), c()), merged(a(), merged(b(), c())), "associative");
}

/// Checks that the stronger answer wins, and that reasons are appended in order.
fn absorbs<E: Event, N: Notes>(a: impl Fn() -> Judgement<E, N>, b: impl Fn() -> Judgement<E, N>) {
    let mut merged = a();
    merged.merge(b());
    assert_eq!(merged.strength(), a().strength().max(b().strength()));
    let appended: Vec<_> = a().reasons().iter().chain(b().reasons()).cloned().collect();
    assert_eq!(merged.reasons(), appended);
    if merged.strength() > Strength::Allow {
        let shown = merged.shown_reason().expect("an ask and a deny have a reason to show");
        let first = appended.iter().find(|reason| reason.strength == merged.strength());
        assert_eq!(Some(shown), first);
    }
}

macro_rules! merge_laws_of_judgements {
    ($($name:ident: $Type:ty, $notes:expr;)+) => { $(
        proptest! {
            #[test]
            fn $name(a in (told(), $notes), b in (told(), $notes), c in (told(), $notes)) {
                is_a_monoid::<$Type>(|| judgement(&a), || judgement(&b), || judgement(&c));
                absorbs::<_, _>(|| -> $Type { judgement(&a) }, || judgement(&b));
            }
        }
    )+ };
}

merge_laws_of_judgements! {
    decisions_merge_by_strength: Decision<PreToolUse>, decision_notes();
    gates_merge_by_strength: Gate<Stop>, Just(());
    prompt_outcomes_merge_by_strength: Judgement<UserPromptSubmitted, ContextPatch>, context_patch();
    result_patches_merge_by_strength: Judgement<PostToolUse, ResultNotes>, result_notes();
    compact_outcomes_merge_by_strength: Judgement<PreCompact, CompactNotes>, compact_notes();
}

proptest! {
    #[test]
    fn verdicts_merge_by_strength(a in told(), b in told(), c in told()) {
        let merged = |mut left: Verdict, right: Verdict| { left.merge(right); left };
        let (a, b, c) = (verdict(&a), verdict(&b), verdict(&c));
        prop_assert_eq!(merged(Verdict::NO_OPINION, a.clone()), a.clone());
        prop_assert_eq!(merged(a.clone(), Verdict::NO_OPINION), a.clone());
        let left = merged(merged(a.clone(), b.clone()), c.clone());
        prop_assert_eq!(&left, &merged(a.clone(), merged(b.clone(), c.clone())));
        prop_assert_eq!(left.strength(), a.strength().max(b.strength()).max(c.strength()));
        let appended: Vec<_> = [&a, &b, &c].into_iter().flat_map(|all| all.reasons().iter().cloned()).collect();
        prop_assert_eq!(left.reasons(), appended);
    }

    #[test]
    fn context_patches_are_a_monoid(a in context_patch(), b in context_patch(), c in context_patch()) {
        is_a_monoid(|| a.clone(), || b.clone(), || c.clone());
    }

    #[test]
    fn recoveries_are_a_monoid_and_a_no_absorbs(a in recovery(), b in recovery(), c in recovery()) {
        is_a_monoid(|| a.clone(), || b.clone(), || c.clone());
        let mut merged = a.clone();
        merged.merge(b.clone());
        if a.retry == Some(false) || b.retry == Some(false) {
            prop_assert_eq!(merged.retry, Some(false));
        }
        prop_assert!(merged.backoff_ms >= a.backoff_ms && merged.backoff_ms >= b.backoff_ms);
    }

    #[test]
    fn the_event_that_was_judged_last_is_the_effective_one(revisions in vec(0_u32..4, 1..4)) {
        let at = |revision: u32| {
            let mut request = asking("a");
            (0..revision).for_each(|step| { request.rewrite(json!({ "path": step.to_string() })); });
            let mut outcome = Decision::<PreToolUse>::default();
            outcome.settle(&request);
            outcome
        };
        let mut merged = Decision::default();
        revisions.iter().for_each(|revision| merged.merge(at(*revision)));
        let last = revisions.iter().rev().find(|revision| **revision > 0).copied();
        prop_assert_eq!(merged.effective().map(HookRequest::revision), last);
    }
}

/// A stack with one layer per policy.
fn stack(policies: &[Arc<Says>]) -> BoxHook<PreToolUse> {
    policies
        .iter()
        .rev()
        .fold(boxed(Judge::new(())), |inner, policy| boxed(PolicyLayer::new(Arc::clone(policy)).layer(inner)))
}

/// A slot of policies.
fn slot(policies: &[Arc<Says>]) -> Hooks {
    let mut builder = Hooks::builder();
    policies.iter().for_each(|policy| builder.add_policy::<PreToolUse>(Arc::clone(policy)));
    builder.build()
}

/// A slot with one stack per policy.
fn slot_of_stacks(policies: &[Arc<Says>]) -> Hooks {
    let add = |builder: hooks_core::HooksBuilder, policy: &Arc<Says>| {
        builder.stack::<PreToolUse, _>(&guard(), stack(&[Arc::clone(policy)]))
    };
    policies.iter().fold(Hooks::builder(), add).build()
}

fn composite(parts: Vec<Arc<dyn HooksProvider>>) -> Composite {
    Composite::new(parts)
}

fn asked_of(provider: &dyn HooksProvider, request: HookRequest<PreToolUse>) -> Decision<PreToolUse> {
    run(decide(provider, request)).outcome
}

/// The answers of the same policies, in every combination.
fn in_every_form(
    policies: &[Arc<Says>],
    evaluation: Evaluation,
) -> Vec<(&'static str, Decision<PreToolUse>)> {
    let request = || asking("a").evaluated(evaluation);
    let half = policies.len() / 2;
    let (front, back) = policies.split_at(half);
    let each =
        || policies.iter().map(|policy| Arc::new(slot(&[Arc::clone(policy)])) as Arc<dyn HooksProvider>);
    let nested = composite(vec![
        Arc::new(composite(vec![Arc::new(slot(front))])),
        Arc::new(composite(vec![Arc::new(Composite::default()), Arc::new(slot_of_stacks(back))])),
    ]);
    let leaf = BoxHook::<PreToolUse>::new(Judge::new(policies.to_vec()), &guard());
    let bound = slot(policies);
    let bound = bound.on(HookContext::default());
    let bound = if evaluation == Evaluation::Everyone { bound.asking_everyone() } else { bound };
    let live = Live::new(slot(front)).narrowed(slot_of_stacks(back));
    let whole = slot(&[]).into_builder().stack::<PreToolUse, _>(&guard(), stack(policies)).build();
    vec![
        ("stack", run(stack(policies).oneshot(request())).unwrap()),
        ("leaf", run(leaf.oneshot(request())).unwrap()),
        ("slice", Decision::from(policies.judge(&request()))),
        ("pair of slices", Decision::from((front, back).judge(&request()))),
        ("slot", asked_of(&slot(policies), request())),
        ("stack in a slot", asked_of(&whole, request())),
        ("stacks in a slot", asked_of(&slot_of_stacks(policies), request())),
        ("composite", asked_of(&composite(each().collect()), request())),
        ("nested composite", asked_of(&nested, request())),
        ("live", live.with(|provider| asked_of(provider, request()))),
        ("bound", run(bound.pre_tool_use(super::common::call("a"))).outcome),
    ]
}

fn named(strengths: &[Strength]) -> Vec<Arc<Says>> {
    strengths.iter().enumerate().map(|(place, strength)| Says::new(format!("p{place}"), *strength)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_form_gives_the_strongest_and_asking_everyone_only_adds_reasons(all in vec(strengths(), 0..6)) {
        let strongest = all.iter().copied().max().unwrap_or_default();
        let policies = named(&all);
        let everyone = in_every_form(&policies, Evaluation::Everyone);
        let (_, first) = &everyone[0];
        for (form, outcome) in &everyone {
            prop_assert_eq!(outcome.strength(), strongest, "{}", form);
            prop_assert_eq!(strength_and_reasons::<PreToolUse>(outcome), strength_and_reasons::<PreToolUse>(first), "{}", form);
            prop_assert!(outcome.effective().is_none(), "{}", form);
            let shown = outcome.shown_reason().map_or(Strength::NoOpinion, |reason| reason.strength);
            prop_assert_eq!(shown, strongest, "{}", form);
        }
        for (form, outcome) in in_every_form(&policies, Evaluation::UntilDenied) {
            prop_assert_eq!(outcome.strength(), strongest, "{}", form);
            let known = strength_and_reasons::<PreToolUse>(first).1;
            prop_assert!(strength_and_reasons::<PreToolUse>(&outcome).1.iter().all(|reason| known.contains(reason)), "{}", form);
        }
    }

    #[test]
    fn one_more_policy_never_weakens_a_denial(all in vec(strengths(), 0..5), place in 0_usize..6, more in strengths()) {
        let mut with_denial = all.clone();
        with_denial.insert(place.min(all.len()), Strength::Deny);
        with_denial.insert(place.min(all.len()), more);
        with_denial.push(more);
        for (form, outcome) in in_every_form(&named(&with_denial), Evaluation::UntilDenied) {
            prop_assert!(outcome.is_denied(), "{}", form);
        }
    }

    #[test]
    fn order_does_not_change_the_strength(all in vec(strengths(), 0..6), seed in any::<u64>()) {
        let mut shuffled = all.clone();
        for place in (1..shuffled.len()).rev() {
            shuffled.swap(place, (seed as usize).wrapping_mul(place + 7) % (place + 1));
        }
        let strength = |strengths: &[Strength]| in_every_form(&named(strengths), Evaluation::UntilDenied)
            .into_iter().map(|(_, outcome)| outcome.strength()).collect::<Vec<_>>();
        prop_assert_eq!(strength(&all), strength(&shuffled));
    }
}

/// Replaces any path by the same path.
struct Writes;

impl Transform<PreToolUse> for Writes {
    fn name(&self) -> &'static str {
        "writes"
    }

    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        Ok(Some(json!({ "path": "written" })))
    }
}

#[test]
fn every_form_names_the_same_effective_event() {
    let policies = named(&[Strength::Allow]);
    let rewriting = || TransformLayer::new(Arc::new(Writes)).layer(stack(&policies));
    let slot = slot(&policies).into_builder().transform(Writes).build();
    let in_slot = Hooks::builder().stack::<PreToolUse, _>(&guard(), rewriting()).build();
    let first = Hooks::builder().transform(Writes).build();
    let composite = Composite::default().and(first).and(slot_of_stacks(&policies));
    let outcomes = [
        run(rewriting().oneshot(asking("a"))).unwrap(),
        asked_of(&slot, asking("a")),
        asked_of(&in_slot, asking("a")),
        asked_of(&composite, asking("a")),
        Live::new(slot.clone()).with(|provider| asked_of(provider, asking("a"))),
        run(slot.on(HookContext::default()).pre_tool_use(super::common::call("a"))).outcome,
    ];
    for outcome in outcomes {
        assert_eq!(outcome.strength(), Strength::Allow);
        assert_eq!(outcome.effective().map(super::common::path), Some("written"));
    }
}

#[test]
fn an_early_allow_or_question_hides_no_later_denial() {
    for early in [Strength::Allow, Strength::Ask] {
        for (form, outcome) in in_every_form(&named(&[early, early, Strength::Deny]), Evaluation::UntilDenied)
        {
            assert!(outcome.is_denied(), "{early} first, in a {form}");
        }
    }
}

#[test]
fn tuples_of_every_length_judge_by_strength() {
    let (no, deny) = (|| Says::new("allows", Strength::Allow), || Says::new("denies", Strength::Deny));
    let request = asking("a");
    assert_eq!(().judge(&request), Verdict::NO_OPINION);
    assert!((no(), deny()).judge(&request).is_final());
    assert!((no(), no(), (no(), deny())).judge(&request).is_final());
    let twelve = (no(), no(), no(), no(), no(), no(), no(), no(), no(), no(), no(), deny());
    assert!(twelve.judge(&request).is_final());
    assert!([no(), deny()].judge(&request).is_final());
}

#[test]
fn until_denied_stops_and_everyone_does_not() {
    let policies = named(&[Strength::Deny, Strength::Deny]);
    let reasons = |evaluation| policies.judge(&asking("a").evaluated(evaluation)).reasons().len();
    assert_eq!(reasons(Evaluation::UntilDenied), 1);
    assert_eq!(reasons(Evaluation::Everyone), 2);
}

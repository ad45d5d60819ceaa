//! Hooks in the shadow: whatever is added there, an answer is the one that it would be without, and what they would have
//! answered is noted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::common::{Says, asking, guard, run};
use hooks_core::event::PreToolUse;
use hooks_core::{
    Decision, Ending, HookError, HookFuture, HookRequest, Hooks, HooksBuilder, Judged, Outcome, Policy,
    PolicyLayer, Reason, Reservation, Reserve, Settle, Shadow, ShadowLayer, Strength, Verdict, conclude,
    policy_fn,
};
use proptest::prelude::*;
use tower::{Layer, ServiceExt};

/// A hook of any kind.
#[derive(Clone, Debug)]
enum Part {
    Policy(Strength),
    Panics,
    Stack(Strength),
    Owes(bool),
    Reserve(bool),
    Fails,
}

#[derive(Clone)]
struct Limit(Result<bool, ()>);

impl Reserve<PreToolUse> for Limit {
    fn name(&self) -> &'static str {
        "limit"
    }

    fn reserve(
        &self,
        _request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let answer = match self.0 {
            Ok(true) => Ok(Reservation::NotNeeded),
            Ok(false) => Ok(Reservation::Refused(Reason::new("limit", "most", "used up"))),
            Err(()) => Err(HookError::unavailable("the store is away")),
        };
        HookFuture::now(answer)
    }
}

fn add(builder: HooksBuilder, part: &Part) -> HooksBuilder {
    let says = |strength| PolicyLayer::new(Says::new("said", strength)).layer(Settle);
    match part {
        Part::Policy(strength) => builder.policy::<PreToolUse>(Says::new("said", *strength)),
        Part::Panics => builder.policy(policy_fn("panics", |_: &HookRequest<PreToolUse>| -> Verdict {
            panic!("as it was told");
        })),
        Part::Stack(strength) => builder.stack::<PreToolUse, _>(&guard(), says(*strength)),
        Part::Owes(has_room) => builder.stack::<PreToolUse, _>(
            &guard(),
            hooks_core::ReserveLayer::new(Limit(Ok(*has_room))).layer(Settle),
        ),
        Part::Reserve(has_room) => builder.reserve(Limit(Ok(*has_room))),
        Part::Fails => builder.reserve(Limit(Err(()))),
    }
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let strength = || {
        prop_oneof![
            Just(Strength::NoOpinion),
            Just(Strength::Allow),
            Just(Strength::Ask),
            Just(Strength::Deny)
        ]
    };
    let part = prop_oneof![
        strength().prop_map(Part::Policy),
        Just(Part::Panics),
        strength().prop_map(Part::Stack),
        any::<bool>().prop_map(Part::Owes),
        any::<bool>().prop_map(Part::Reserve),
        Just(Part::Fails),
    ];
    proptest::collection::vec(part, 0..4)
}

fn built(parts: &[Part]) -> HooksBuilder {
    parts.iter().fold(Hooks::builder(), add)
}

fn decided(hooks: &Hooks) -> Decision<PreToolUse> {
    run(conclude(hooks, asking("a"), Ending::Open)).outcome
}

fn would(outcome: &Decision<PreToolUse>) -> Strength {
    outcome.reasons().iter().filter_map(|reason| reason.would).max().unwrap_or_default()
}

proptest! {
    #[test]
    fn what_is_in_the_shadow_changes_no_answer(enforced in parts(), tried in parts()) {
        let without = decided(&built(&enforced).build());
        let mut builder = built(&enforced);
        builder.add_in_shadow(Shadow::default(), built(&tried));
        let with = decided(&builder.build());
        prop_assert_eq!(with.strength(), without.strength());
        prop_assert_eq!(with.shown_reason(), without.shown_reason());
        prop_assert_eq!(with.text_for_agent(), without.text_for_agent());
    }

    #[test]
    fn what_it_would_have_answered_is_noted(tried in parts()) {
        let enforced = decided(&built(&tried).build());
        let mut builder = Hooks::builder();
        builder.add_in_shadow(Shadow::default(), built(&tried));
        let outcome = decided(&builder.build());
        prop_assert_eq!(outcome.strength(), Strength::NoOpinion);
        prop_assert_eq!(would(&outcome), enforced.strength());
    }

    #[test]
    fn a_layer_does_the_same(inner in proptest::collection::vec(0..4_u8, 1..4)) {
        let strengths = [Strength::NoOpinion, Strength::Allow, Strength::Ask, Strength::Deny];
        let policies: Vec<_> =
            inner.iter().map(|drawn| Says::new("said", strengths[usize::from(*drawn)])).collect();
        let stack = PolicyLayer::new(Arc::new(policies)).layer(Settle);
        let enforced = run(stack.clone().oneshot(asking("a"))).unwrap();
        let tried = run(ShadowLayer::default().layer(stack).oneshot(asking("a"))).unwrap();
        prop_assert_eq!((tried.strength(), would(&tried)), (Strength::NoOpinion, enforced.strength()));
        // Merged with an answer that counts, only that one is shown.
        let mut merged = Decision::<PreToolUse>::from(Verdict::ask(Reason::new("other", "r", "sure?")));
        merged.merge(tried);
        prop_assert_eq!(merged.text_for_agent(), Some("sure?".to_owned()));
    }
}

#[test]
fn a_policy_that_panics_denies_once_its_shadow_is_over() {
    let panics = policy_fn("panics", |_: &HookRequest<PreToolUse>| -> Verdict { panic!("as it was told") });
    let over = hooks_core::Shadowed::new(&panics, Shadow::until(hooks_core::time::Timestamp(0)));
    assert!(catch_unwind(AssertUnwindSafe(|| over.judge(&asking("a")))).is_err());
    let mut builder = Hooks::builder();
    builder.add_in_shadow(Shadow::until(hooks_core::time::Timestamp(0)), built(&[Part::Panics]));
    assert!(decided(&builder.build()).is_denied());
}

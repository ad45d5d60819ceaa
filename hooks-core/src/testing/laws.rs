//! The laws that every policy must keep.

use crate::event::Event;
use crate::outcome::Judged;
use crate::policy::Policy;
use crate::request::HookRequest;
use crate::verdict::{Strength, Verdict};

/// Checks the laws on one request. [`assert_policy_laws!`](crate::assert_policy_laws) checks them on many.
///
/// * Pure: the policy returns the same verdict if it is asked again, about the same request or about one with
///   fresh facts.
/// * It names itself: each reason has the name of the policy and a rule; an ask and a deny have a reason.
/// * In a set, it neither weakens others nor is weakened: together with a denial, the result is a denial;
///   together with an allow, its own strength stays if it is higher.
///
/// # Errors
/// Returns the law that is broken, with the verdict that breaks it.
pub fn check_policy_laws<E, P>(policy: &P, request: &HookRequest<E>) -> Result<(), String>
where
    E: Event<Outcome: Judged<E>>,
    P: Policy<E>,
{
    let verdict = policy.judge(request);
    if policy.judge(request) != verdict || policy.judge(&request.clone().refreshed()) != verdict {
        return Err(format!("law: pure. `{}` returned {verdict:?} and then another verdict", policy.name()));
    }
    let mut names = Vec::new();
    policy.each(&mut |single| names.push(single.name.to_owned()));
    for reason in verdict.reasons() {
        if !names.iter().any(|name| *name == reason.policy) || reason.rule.is_empty() {
            return Err(format!(
                "law: a reason names its policy and rule. `{}` gave {reason:?}",
                policy.name()
            ));
        }
    }
    let strength = verdict.strength();
    if strength > Strength::Allow && !verdict.reasons().iter().any(|reason| reason.strength == strength) {
        return Err(format!(
            "law: an ask and a deny have a reason. `{}` returned {verdict:?}",
            policy.name()
        ));
    }
    let deny = || Fixed(Strength::Deny);
    let allow = || Fixed(Strength::Allow);
    let beside = [
        ("deny, policy", (deny(), policy).judge(request).strength(), Strength::Deny),
        ("policy, deny", (policy, deny()).judge(request).strength(), Strength::Deny),
        ("allow, policy", (allow(), policy).judge(request).strength(), strength.max(Strength::Allow)),
        ("policy, allow", (policy, allow()).judge(request).strength(), strength.max(Strength::Allow)),
    ];
    for (order, found, wanted) in beside {
        if found != wanted {
            return Err(format!("law: strength absorbs. ({order}) gave {found}, not {wanted}"));
        }
    }
    Ok(())
}

struct Fixed(Strength);

impl<E: Event> Policy<E> for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn judge(&self, _request: &HookRequest<E>) -> Verdict {
        match self.0 {
            Strength::Deny => Verdict::deny(crate::Reason::new("fixed", "fixed", "fixed")),
            _ => Verdict::ALLOW,
        }
    }
}

/// Checks that a policy keeps the laws ([`check_policy_laws`](crate::testing::check_policy_laws)) on random
/// events.
///
/// Use `assert_policy_laws!(PreToolUse, policy)`, or `assert_policy_laws!(PreToolUse, policy, context)` to
/// set the context.
#[macro_export]
macro_rules! assert_policy_laws {
    ($Event:ty, $policy:expr) => {
        $crate::assert_policy_laws!($Event, $policy, $crate::HookContext::default())
    };
    ($Event:ty, $policy:expr, $context:expr) => {{
        let policy = $policy;
        let context = ::std::sync::Arc::new($context);
        $crate::testing::run_on_random_events::<$Event>(|event| {
            let request = $crate::HookRequest::new(::std::sync::Arc::clone(&context), event);
            $crate::testing::check_policy_laws(&policy, &request)
        });
    }};
}

/// Runs `check` on 256 random events of type `E`, the same ones in each run, and shrinks the first that
/// fails.
#[doc(hidden)]
#[track_caller]
#[expect(clippy::panic, reason = "an assertion for tests")]
pub fn run_on_random_events<E: super::Arbitrary>(check: impl Fn(E) -> Result<(), String>) {
    use proptest::test_runner::{Config, TestCaseError, TestRunner};
    let mut runner = TestRunner::new_with_rng(
        Config { failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    if let Err(error) = runner.run(&E::any(), |event| check(event).map_err(TestCaseError::fail)) {
        panic!("{error}");
    }
}

//! The choice of the model, of the next one, and the wait for it.

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use hooks_core::event::{Message, Role};
use hooks_resilience::fallback::ParkedCall;
use hooks_resilience::{
    Backoff, ErrorKind, FallbackConfig, HealthSettings, Model, ModelError, Needs, RetryConfig, RetryLayer,
    SameModel, Tier, Treatment,
};
use serde_json::json;
use tower::{Layer, ServiceExt};

use crate::rig::*;

fn close(rig: &Rig, model: &str, seconds: u64) {
    let model = rig.chains.catalog().get(model).unwrap();
    rig.health.cool_down_until(model, rig.deadline(secs(seconds)), ErrorKind::Overloaded);
}

fn rig_with(settings: FallbackConfig) -> Rig {
    Rig::with(three(), HealthSettings::default(), settings)
}

#[test]
fn the_first_of_the_chain_answers_while_it_is_well() {
    let rig = Rig::new(three());
    let replied = rig.send(rig.call()).unwrap();
    assert_eq!(&*replied.model.unwrap().name, "one");
    assert_eq!((replied.failed.len(), replied.failed.capacity()), (0, 0));
    assert_eq!(rig.client.requests()[0].model, "one");
}

#[test]
fn a_model_that_the_call_names_is_asked_first() {
    let rig = Rig::new(three());
    assert_eq!(&*rig.send(call("two")).unwrap().model.unwrap().name, "two");
    let error = rig.send(call("nobody")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoModel);
}

#[test]
fn while_nobody_is_ready_the_call_is_parked_until_the_earliest_is_never_before() {
    let rig = Rig::new(three());
    for (name, seconds) in [("one", 90), ("two", 60), ("three", 120)] {
        close(&rig, name, seconds);
    }
    let outcome = rig.send(rig.call());
    assert_eq!(rig.client.calls(), ["two"]);
    let at = rig.client.times()[0];
    assert!(at >= secs(60) && at <= secs(61), "{at:?}");
    assert_eq!((rig.fallback.parking().ever(), rig.fallback.parking().parked()), (1, 0));
    assert_eq!(kinds(&outcome), [ErrorKind::NotAdmitted]);
}

#[test]
fn parking_is_bounded_by_the_deadline() {
    let rig = Rig::new(alone());
    close(&rig, "one", 60);
    let error = rig.send(rig.call().until(rig.deadline(secs(30)))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(error.ready_at(), Some(rig.deadline(secs(60))));
    assert_eq!((rig.now(), rig.fallback.parking().ever()), (secs(0), 0));
}

#[test]
fn parking_is_bounded_in_time() {
    let rig =
        Rig::with(alone(), HealthSettings::default(), FallbackConfig::default().with_max_park(secs(20)));
    close(&rig, "one", 60);
    let error = rig.send(rig.call()).unwrap_err();
    assert_eq!((error.kind(), error.is_exhausted()), (ErrorKind::NotAdmitted, true));
    assert_eq!(rig.now(), secs(0));
}

#[test]
fn parking_is_bounded_in_number_and_seen() {
    let rig = Rig::with(alone(), HealthSettings::default(), FallbackConfig::default().with_max_parked(2));
    close(&rig, "one", 60);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&seen);
    let rig = rig.on_park(move |parked: ParkedCall<'_>| {
        listener.lock().unwrap().push((parked.since.0, parked.until.0));
    });
    let calls = (0..3).map(|_| rig.stack().oneshot(rig.call()));
    let outcomes = rig.time.block_on(join_all(calls)).unwrap();
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 2);
    let parking = rig.fallback.parking();
    assert_eq!((parking.ever(), parking.turned_away(), parking.parked()), (2, 1, 0));
    assert_eq!(*seen.lock().unwrap(), [(secs(0), secs(60)); 2]);
}

#[test]
fn nobody_sleeps_while_another_model_could_answer() {
    // The stated wait is short enough for a retry, if there were no other model.
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::RateLimited).told(secs(3))]);
    rig.client.plays("two", [Act::fail(ErrorKind::Overloaded)]);
    assert!(rig.send(rig.call()).is_ok());
    assert_eq!(rig.client.calls(), ["one", "two", "three"]);
    assert!(rig.now() < secs(1), "{:?}", rig.now());
}

#[test]
fn a_model_that_failed_is_asked_again_when_all_others_failed_too() {
    let rig = Rig::new(three());
    for name in ["one", "two", "three"] {
        rig.client.plays(name, [Act::fail(ErrorKind::Overloaded)]);
    }
    let replied = rig.send(rig.call()).unwrap();
    assert_eq!((rig.client.calls().len(), replied.failed.len()), (4, 3));
    let failed: Vec<&str> = replied.failed.iter().map(|failed| &*failed.model).collect();
    assert_eq!(failed, ["one", "two", "three"]);
}

#[test]
fn attempts_are_limited_for_the_whole_call() {
    let rig = rig_with(FallbackConfig::default().with_max_attempts(2));
    for name in ["one", "two", "three"] {
        rig.client.always(name, Act::fail(ErrorKind::Overloaded));
    }
    let error = rig.send(rig.call()).unwrap_err();
    assert_eq!((rig.client.calls().len(), error.is_exhausted()), (2, true));
    // The returned error, and the other one.
    assert_eq!((error.kind(), error.failed().len()), (ErrorKind::Overloaded, 1));
}

#[test]
fn the_error_that_tells_most_is_the_calls() {
    let rig = Rig::impatient(three());
    rig.client.always("one", Act::fail(ErrorKind::AttemptTimeout));
    rig.client.always("two", Act::fail(ErrorKind::Permission));
    rig.client.always("three", Act::fail(ErrorKind::AttemptTimeout));
    let error = rig.send(rig.call()).unwrap_err();
    assert_eq!((error.kind(), &**error.model().unwrap()), (ErrorKind::Permission, "two"));
    assert_eq!(error.failed().len(), 2);
}

#[test]
fn a_deadline_that_passes_names_what_came_before() {
    let rig = Rig::new(alone());
    rig.client.always("one", Act::fail(ErrorKind::RateLimited).told(secs(20)));
    let error = rig.send(rig.call().until(rig.deadline(secs(10)))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert!(error.message().contains("`one`: rate_limited"), "{error}");
    assert_eq!(error.failed().len(), 1);
    assert!(rig.now() < secs(1));
}

#[test]
fn a_call_whose_tools_ran_is_not_repeated() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::StreamBroken).with_effects()]);
    let error = rig.send(rig.call()).unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::StreamBroken, 1));
}

#[test]
fn each_call_prefers_the_first_again_once_that_is_well() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::Overloaded)]);
    rig.send(rig.call()).unwrap();
    rig.send(rig.call()).unwrap();
    assert_eq!(rig.client.calls(), ["one", "two", "one"]);
}

#[test]
fn calls_stay_with_the_model_that_took_over_where_that_is_set_and_no_longer() {
    let rig = rig_with(FallbackConfig::default().staying(secs(60)));
    rig.client.plays("one", [Act::fail(ErrorKind::Overloaded)]);
    rig.send(rig.call()).unwrap();
    rig.send(rig.call()).unwrap();
    rig.wait(secs(50));
    rig.send(rig.call()).unwrap();
    rig.wait(secs(11));
    rig.send(rig.call()).unwrap();
    assert_eq!(rig.client.calls(), ["one", "two", "two", "two", "one"]);
}

#[test]
fn one_that_calls_stay_with_and_that_fails_is_left() {
    let rig = rig_with(FallbackConfig::default().staying(secs(60)));
    rig.client.plays("one", [Act::fail(ErrorKind::Overloaded)]);
    rig.client.plays("two", [Act::answer(), Act::fail(ErrorKind::Overloaded)]);
    rig.send(rig.call()).unwrap();
    rig.send(rig.call()).unwrap();
    assert_eq!(rig.client.calls(), ["one", "two", "two", "one"]);
}

#[test]
fn the_conversation_is_adapted_to_the_model() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::Authentication)]);
    let mut request = call("one").to_request();
    let thought = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]);
    request.messages.push(Message { role: Role::Assistant, content: thought });
    rig.send(call("one").with_request(request)).unwrap();
    let sent = rig.client.requests();
    assert_eq!([&*sent[0].model, &*sent[1].model], ["one", "three"]);
    assert_eq!(sent[0].messages[1].content.as_array().unwrap().len(), 2);
    assert_eq!(sent[1].messages[1].content, json!([{"type": "text", "text": "yes"}]));
}

#[test]
fn effects_of_an_attempt_with_an_adapted_conversation_are_the_calls() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::Authentication)]);
    rig.client.plays("three", [Act::fail(ErrorKind::Overloaded).with_effects()]);
    let kept = call("one");
    assert_eq!(rig.send(kept.clone()).unwrap_err().kind(), ErrorKind::Overloaded);
    assert_eq!(rig.client.calls(), ["one", "three"]);
    assert!(kept.has_effects());
}

#[test]
fn a_chain_in_a_chain_and_a_loop_around_a_chain_are_refused() {
    let rig = Rig::new(three());
    let nested = rig.fallback.layer(rig.stack());
    let error = rig.time.block_on(nested.oneshot(rig.call())).unwrap().unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::NestedRetry, 0));
    let retry = RetryLayer::new(rig.health.clone(), RetryConfig::default()).unwrap();
    let error = rig.time.block_on(retry.layer(rig.stack()).oneshot(rig.call())).unwrap().unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::NestedRetry, 0));
}

#[test]
fn an_answered_call_can_be_sent_again() {
    let rig = Rig::new(three());
    let replied = rig.send(rig.call()).unwrap();
    let mut again = replied.call;
    again.model = None;
    assert!(rig.send(again).is_ok());
}

#[test]
fn a_fleet_that_waits_for_one_moment_does_not_come_at_once() {
    let rig = Rig::new(alone());
    close(&rig, "one", 30);
    let calls = (0..20).map(|_| rig.stack().oneshot(rig.call()));
    let outcomes = rig.time.block_on(join_all(calls)).unwrap();
    assert!(outcomes.iter().all(Result::is_ok));
    let mut times = rig.client.times();
    times.sort();
    times.dedup();
    assert!(times.len() > 10 && times[0] >= secs(30));
}

#[test]
fn the_same_model_pauses_longer_after_each_failure_over_all_turns() {
    let backoff = Backoff::new(secs(4), secs(64));
    let mut settings = HealthSettings::default();
    settings.breaker.failures_in_a_row = 99;
    settings.treatments = settings.treatments.with(ErrorKind::Server, {
        let mut treatment = Treatment::default_for(ErrorKind::Server);
        treatment.same_model = SameModel::Backoff(4);
        treatment
    });
    (settings.breaker.minimum_calls, settings.budget.burst, settings.budget.per_minute) =
        (u32::MAX, 999, 999);
    let rig = Rig::with(alone(), settings, FallbackConfig::default().with_backoff(backoff));
    // Without a retry loop below, each attempt is a turn of the chain.
    let stack = rig.fallback.layer(rig.attempts());
    // Each pause is random up to its bound: over many calls the longest pauses show the bounds.
    let mut most = [secs(0); 4];
    for call in 0..64 {
        rig.client.plays("one", [Act::fail(ErrorKind::Server); 4]);
        assert!(rig.time.block_on(stack.clone().oneshot(rig.call())).unwrap().is_ok());
        let times = &rig.client.times()[call * 5..];
        for (most, two) in most.iter_mut().zip(times.windows(2)) {
            *most = (*most).max(two[1] - two[0]);
        }
        assert_eq!(times.len(), 5);
    }
    let (mut bound, slack) = (secs(4), secs(2));
    for most in most {
        assert!(most > bound / 2 && most <= bound + slack, "{most:?} of {bound:?}");
        bound *= 2;
    }
}

#[test]
fn a_premium_chain_goes_down_and_never_up() {
    let tiers = [("best", Tier::Premium), ("usual", Tier::Standard), ("small", Tier::Fast)];
    let rig = Rig::impatient(tiers.map(|(name, tier)| Model::new(name, name, tier)));
    rig.client.always("usual", Act::fail(ErrorKind::AttemptTimeout));
    rig.client.always("small", Act::fail(ErrorKind::AttemptTimeout));
    let error: ModelError = rig.send(call("usual")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AttemptTimeout);
    assert_eq!(rig.client.calls(), ["usual", "small"]);
}

#[test]
fn two_hundred_callers_at_half_open_send_one_probe_and_go_on_when_that_is_back() {
    // Exactly as many places as there are waiting calls.
    let settings = FallbackConfig::default().with_max_parked(199).with_max_park(secs(25));
    let rig = Rig::with(alone(), HealthSettings::default(), settings);
    // A model with fewer failures in a row would be called beside its probe, as a last resort.
    rig.until_it_is_gone();
    rig.wait(secs(60));
    rig.client.plays("one", [Act::answer().taking(secs(3))]);
    let (before, began, parked) = (rig.client.calls().len(), rig.now(), rig.fallback.parking().ever());
    // The deadline comes before the probe would count as lost.
    let calls = (0..200).map(|_| rig.stack().oneshot(rig.call().until(rig.deadline(secs(20)))));
    let outcomes = rig.time.block_on(join_all(calls)).unwrap();
    assert!(outcomes.iter().all(Result::is_ok));
    let times = &rig.client.times()[before..];
    assert_eq!(times.iter().filter(|at| **at < began + secs(3)).count(), 1, "one probe");
    // The others follow after it, spread over time.
    assert!(rig.now() < began + secs(7), "{:?}", rig.now() - began);
    let most = (3..7)
        .map(|at| times.iter().filter(|it| **it >= began + secs(at) && **it < began + secs(at + 1)).count());
    assert!(most.max() < Some(120), "{times:?}");
    assert_eq!(rig.fallback.parking().ever() - parked, 199);
}

#[test]
fn two_hundred_callers_of_a_model_that_answers_some_ask_beside_the_probe_what_the_budget_pays_and_are_answered()
 {
    let rig = Rig::new(alone());
    // The last one is the last chance of the call.
    rig.client.plays("one", [Act::fail(ErrorKind::Server); 4]);
    rig.send(rig.call().until(rig.deadline(secs(5)))).unwrap_err();
    rig.wait(secs(60));
    rig.client.plays("one", [Act::answer().taking(secs(3)); 50]);
    let (before, began) = (rig.client.calls().len(), rig.now());
    let calls = (0..200).map(|_| rig.stack().oneshot(rig.call().until(rig.deadline(secs(20)))));
    let outcomes = rig.time.block_on(join_all(calls)).unwrap();
    // Calls that the budget does not pay for wait for the probe, not for the budget, which fills again only
    // after the deadline.
    assert!(outcomes.iter().all(Result::is_ok));
    let times = &rig.client.times()[before..];
    assert_eq!(times.len(), 200);
    let beside = times.iter().filter(|at| **at < began + secs(3)).count() - 1;
    let budget = HealthSettings::default().budget.burst as usize;
    assert!((1..=budget + 1).contains(&beside), "{beside} of a budget of {budget}");
}

#[test]
fn a_call_asks_a_model_that_is_gone_once_before_its_deadline_and_not_where_a_gate_is_shut() {
    // The breaker stays open for longer than the call has time.
    let mut health = HealthSettings::default();
    (health.breaker.open, health.breaker.open_at_most) = (secs(600), secs(600));
    for gate in [0, 150] {
        let rig = Rig::with(alone(), health.clone(), FallbackConfig::default());
        rig.until_it_is_gone();
        close(&rig, "one", gate);
        let (before, began) = (rig.client.calls().len(), rig.now());
        let outcome = rig.send(rig.call().until(rig.deadline(secs(100))));
        let calls = rig.client.times().split_off(before);
        if gate == 0 {
            assert!(outcome.is_ok(), "{outcome:?}");
            assert_eq!(calls.len(), 1);
            assert!(calls[0] >= began + secs(90) && calls[0] < began + secs(100), "{calls:?}");
        } else {
            assert_eq!(outcome.unwrap_err().kind(), ErrorKind::DeadlineExceeded);
            assert_eq!((calls.len(), rig.now()), (0, began), "nobody waits for nothing");
        }
    }
}

#[test]
fn what_is_too_long_for_every_model_goes_to_the_largest_window() {
    let mut models = three();
    for (model, window) in models.iter_mut().zip([1_000, 8_000, 4_000]) {
        model.context_tokens = Some(window);
    }
    let rig = Rig::new(models);
    let needs = Needs { input_tokens: 10_000, ..Needs::default() };
    rig.send(long("one").needing(needs)).unwrap();
    assert_eq!(rig.client.calls(), ["two"]);
    assert!(
        size(&rig.client.requests()[0].messages) < size(long("one").messages()),
        "compacted before it is sent"
    );
    // A failure that no window can solve stays.
    let blind = Needs { vision: true, ..needs };
    assert_eq!(rig.send(call("one").needing(blind)).unwrap_err().kind(), ErrorKind::NoModel);
}

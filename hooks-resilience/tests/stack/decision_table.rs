//! Every row of the decision table, tested through the whole stack of a configuration.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_resilience::alert::{Alert, AlertKind};
use hooks_resilience::{
    AlertConfig, AlertLayer, BreakerVote, ErrorKind, FallbackConfig, HealthSettings, Model, Needs, NextModel,
    Readiness, SameModel, Tier, Treatment, Treatments,
};
use tower::{Layer, ServiceExt};

use crate::rig::*;

/// The models that are called if `one` fails once with `act`, and the outcome.
fn calls(act: Act) -> (Vec<String>, Outcome) {
    let rig = Rig::new(three());
    rig.client.plays("one", [act]);
    let outcome = rig.send(rig.call());
    (rig.client.calls(), outcome)
}

/// The outcome of a stack with one model, which fails with `acts` and then answers.
fn alone_asked(acts: &[Act]) -> (Rig, Outcome) {
    asked_on(Rig::new(alone()), acts)
}

fn asked_on(rig: Rig, acts: &[Act]) -> (Rig, Outcome) {
    rig.client.plays("one", acts.iter().copied());
    let outcome = rig.send(rig.call());
    (rig, outcome)
}

/// Checks that the next model of the chain answers at once, and that the answer lists the failure.
fn goes_to_the_next(kind: ErrorKind) {
    let (calls, outcome) = calls(Act::fail(kind));
    assert_eq!(calls, ["one", "two"], "{kind}");
    let replied = outcome.unwrap();
    assert_eq!(&*replied.model.unwrap().name, "two");
    assert_eq!(replied.failed.len(), 1);
    assert_eq!((replied.failed[0].kind, &*replied.failed[0].model), (kind, "one"));
}

/// Checks that a single model is called `times` times in all.
fn alone_is_asked(kind: ErrorKind, times: usize) -> Rig {
    let (rig, outcome) = asked_on(Rig::impatient(alone()), &[Act::fail(kind); 9]);
    assert_eq!(rig.client.calls().len(), times, "{kind}");
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), error.failed().len()), (kind, times - 1));
    rig
}

/// Checks that the provider's other model is skipped.
fn goes_to_another_provider(kind: ErrorKind) {
    let (calls, outcome) = calls(Act::fail(kind));
    assert_eq!(calls, ["one", "three"], "{kind}");
    assert_eq!(kinds(&outcome).first(), Some(&kind));
}

fn ends_at_once(kind: ErrorKind) {
    let (calls, outcome) = calls(Act::fail(kind));
    assert_eq!(calls, ["one"], "{kind}");
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), error.failed().len(), error.is_exhausted()), (kind, 0, false));
}

#[test]
fn rate_limited_with_another_model_ready() {
    let (calls, outcome) = calls(Act::fail(ErrorKind::RateLimited).told(secs(5)));
    // The rate is the model's own quota, so the provider's other model is ready.
    assert_eq!(calls, ["one", "two"]);
    assert!(outcome.is_ok());
}

#[test]
fn rate_limited_alone_waits_as_long_as_told_and_never_less() {
    for told in [secs(1), secs(8)] {
        let (rig, outcome) = alone_asked(&[Act::fail(ErrorKind::RateLimited).told(told)]);
        assert_eq!(kinds(&outcome), [ErrorKind::RateLimited]);
        let waited = rig.client.times()[1] - rig.client.times()[0] - Duration::from_millis(100);
        assert!(waited >= told && waited <= told + secs(1), "told {told:?}, waited {waited:?}");
    }
}

/// Kinds that may come with a stated wait.
const TELL: [ErrorKind; 3] = [ErrorKind::RateLimited, ErrorKind::Overloaded, ErrorKind::Server];

#[test]
fn told_to_leave_it_alone_for_longer_a_call_is_parked_until_then() {
    for kind in TELL {
        let (rig, outcome) = alone_asked(&[Act::fail(kind).told(secs(60))]);
        assert!(outcome.is_ok(), "{kind}");
        assert!(rig.client.times()[1] >= secs(60) && rig.client.times()[1] <= secs(62), "{kind}");
        assert_eq!(rig.fallback.parking().ever(), 1, "{kind}");
    }
}

#[test]
fn told_to_leave_it_alone_for_a_week_nobody_waits() {
    for kind in TELL {
        let (rig, outcome) = alone_asked(&[Act::fail(kind).told(secs(7 * 86_400))]);
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{kind}");
        assert!(error.ready_at().is_some(), "{kind}");
        assert!(rig.now() < secs(1), "{kind}");
    }
}

#[test]
fn told_to_leave_it_alone_for_longer_than_a_call_is_parked_nobody_waits_either() {
    for kind in TELL {
        let (rig, outcome) = asked_on(Rig::impatient(alone()), &[Act::fail(kind).told(secs(500))]);
        let error = outcome.unwrap_err();
        assert_eq!((error.kind(), error.is_exhausted()), (kind, true));
        assert!(error.ready_at() >= Some(rig.deadline(secs(499))) && rig.now() < secs(1), "{kind}");
    }
}

#[test]
fn nobody_comes_before_the_time_that_was_told_however_often_it_is() {
    for kind in TELL {
        let (rig, _) = alone_asked(&[Act::fail(kind).told(secs(45)); 9]);
        let times = rig.client.times();
        assert!(times.len() > 3, "{kind}: {times:?}");
        assert!(times.windows(2).all(|two| two[1] - two[0] >= secs(45)), "{kind}: {times:?}");
    }
}

#[test]
fn rate_limited_without_a_time() {
    goes_to_the_next(ErrorKind::RateLimited);
    let (rig, outcome) = alone_asked(&[Act::fail(ErrorKind::RateLimited)]);
    assert!(outcome.is_ok());
    assert!(rig.client.times()[1] >= secs(1));
}

#[test]
fn overloaded() {
    goes_to_the_next(ErrorKind::Overloaded);
    alone_is_asked(ErrorKind::Overloaded, 3);
}

#[test]
fn server() {
    goes_to_the_next(ErrorKind::Server);
    alone_is_asked(ErrorKind::Server, 3);
}

#[test]
fn network() {
    goes_to_the_next(ErrorKind::Network);
    alone_is_asked(ErrorKind::Network, 3);
}

#[test]
fn connect_timeout() {
    goes_to_the_next(ErrorKind::ConnectTimeout);
    alone_is_asked(ErrorKind::ConnectTimeout, 3);
}

#[test]
fn first_byte_timeout() {
    goes_to_the_next(ErrorKind::FirstByteTimeout);
    alone_is_asked(ErrorKind::FirstByteTimeout, 1);
}

#[test]
fn idle_timeout() {
    goes_to_the_next(ErrorKind::IdleTimeout);
    alone_is_asked(ErrorKind::IdleTimeout, 1);
}

#[test]
fn attempt_timeout() {
    goes_to_the_next(ErrorKind::AttemptTimeout);
    alone_is_asked(ErrorKind::AttemptTimeout, 1);
}

#[test]
fn an_attempt_that_hangs_times_out_and_the_next_model_answers() {
    let mut models = three();
    models[0].attempt_timeout = Some(secs(30));
    let rig = Rig::new(models);
    rig.client.plays("one", [Act::answer().taking(secs(3_600))]);
    let outcome = rig.send(rig.call());
    assert_eq!(kinds(&outcome), [ErrorKind::AttemptTimeout]);
    assert!(rig.now() < secs(31));
}

#[test]
fn stream_broken() {
    goes_to_the_next(ErrorKind::StreamBroken);
    alone_is_asked(ErrorKind::StreamBroken, 3);
}

#[test]
fn context_overflow_goes_to_a_larger_window_only() {
    let mut models = three();
    models[1].context_tokens = Some(1_000);
    let rig = Rig::new(models);
    rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
    assert!(rig.send(rig.call()).is_ok());
    assert_eq!(rig.client.calls(), ["one", "three"]);
    alone_is_asked(ErrorKind::ContextOverflow, 1);
}

#[test]
fn context_overflow_is_compacted_once_and_asked_again_before_it_goes_elsewhere() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
    let outcome = rig.send(long("one"));
    assert_eq!(
        (rig.client.calls(), kinds(&outcome)),
        (vec!["one".into(); 2], vec![ErrorKind::ContextOverflow])
    );
    let sent = rig.client.requests();
    assert!(size(&sent[1].messages) < size(&sent[0].messages) && size(&sent[1].messages) > 0);
    // A conversation that is still too long goes to a larger window in its original form.
    let rig = Rig::new(three());
    rig.client.always("one", Act::fail(ErrorKind::ContextOverflow));
    assert!(rig.send(long("one")).is_ok());
    let sent = rig.client.requests();
    assert_eq!(rig.client.calls().last().unwrap(), "two");
    assert_eq!(size(&sent.last().unwrap().messages), size(&sent[0].messages));
}

#[test]
fn authentication() {
    goes_to_another_provider(ErrorKind::Authentication);
    alone_is_asked(ErrorKind::Authentication, 1);
}

#[test]
fn quota_exhausted() {
    goes_to_another_provider(ErrorKind::QuotaExhausted);
    alone_is_asked(ErrorKind::QuotaExhausted, 1);
}

#[test]
fn permission() {
    goes_to_the_next(ErrorKind::Permission);
    alone_is_asked(ErrorKind::Permission, 1);
}

#[test]
fn model_unavailable() {
    goes_to_the_next(ErrorKind::ModelUnavailable);
    alone_is_asked(ErrorKind::ModelUnavailable, 1);
}

#[test]
fn content_filter_is_not_carried_elsewhere_unasked() {
    ends_at_once(ErrorKind::ContentFilter);
}

#[test]
fn content_filter_is_carried_to_another_provider_once_where_the_host_allows_it() {
    let mut settings = HealthSettings::default();
    settings.treatments.cross_content_filter = true;
    let mut fourth = Model::new("four", "r", Tier::Standard);
    fourth.context_tokens = Some(4_000);
    let models = three().into_iter().chain([fourth]);
    let rig = Rig::with(models, settings, FallbackConfig::default());
    rig.client.plays("one", [Act::fail(ErrorKind::ContentFilter)]);
    rig.client.plays("three", [Act::fail(ErrorKind::ContentFilter)]);
    assert_eq!(rig.send(rig.call()).unwrap_err().kind(), ErrorKind::ContentFilter);
    assert_eq!(rig.client.calls(), ["one", "three"]);
}

#[test]
fn invalid_request() {
    ends_at_once(ErrorKind::InvalidRequest);
}

#[test]
fn output_truncated() {
    ends_at_once(ErrorKind::OutputTruncated);
}

#[test]
fn stopped_by_a_hook_that_forbids_one_model() {
    goes_to_the_next(ErrorKind::Stopped);
    alone_is_asked(ErrorKind::Stopped, 1);
}

#[test]
fn deadline_exceeded() {
    ends_at_once(ErrorKind::DeadlineExceeded);
}

#[test]
fn no_model() {
    ends_at_once(ErrorKind::NoModel);
    let rig = Rig::new(three());
    let call = rig.call().needing(Needs { vision: true, ..Needs::default() });
    let error = rig.send(call).unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::NoModel, 0));
}

#[test]
fn nested_retry() {
    ends_at_once(ErrorKind::NestedRetry);
}

#[test]
fn unknown() {
    goes_to_the_next(ErrorKind::Unknown);
    alone_is_asked(ErrorKind::Unknown, 2);
}

#[test]
fn closed_models_are_passed_over_and_said_to_be() {
    let rig = Rig::new(three());
    let one = rig.chains.catalog().get("one").unwrap();
    rig.health.cool_down_until(one, rig.deadline(secs(30)), ErrorKind::Overloaded);
    let outcome = rig.send(rig.call());
    assert_eq!(rig.client.calls(), ["two"]);
    assert_eq!(kinds(&outcome), [ErrorKind::NotAdmitted]);
    assert_eq!(outcome.unwrap().failed[0].message, "not asked: it is ready in 30s");
}

#[test]
fn a_host_may_change_a_row() {
    let mut treatment = Treatments::default().for_kind(ErrorKind::InvalidRequest);
    (treatment.next_model, treatment.same_model) = (NextModel::Any, SameModel::No);
    let mut settings = HealthSettings::default();
    settings.treatments = Treatments::default().with(ErrorKind::InvalidRequest, treatment);
    let rig = Rig::with(three(), settings, FallbackConfig::default());
    rig.client.plays("one", [Act::fail(ErrorKind::InvalidRequest)]);
    assert!(rig.send(rig.call()).is_ok());
    assert_eq!(rig.client.calls(), ["one", "two"]);
}

/// Fails with `act` on `one`, and answers on another model.
fn fails_on(rig: &Rig, act: Act) {
    rig.client.plays("one", [act]);
    drop(rig.send(rig.call()));
}

/// The readiness of `one`.
fn readiness(rig: &Rig) -> Readiness {
    let one = rig.chains.catalog().get("one").unwrap();
    rig.health.readiness(one, &Needs::default(), rig.deadline(secs(0)))
}

#[test]
fn the_gate_of_every_kind() {
    for &kind in ErrorKind::ALL {
        let rig = Rig::new(three());
        fails_on(&rig, Act::fail(kind).told(secs(40)));
        let Treatment { gate, breaker, .. } = Treatment::default_for(kind);
        match readiness(&rig) {
            Readiness::Ready => assert!(!gate && breaker != BreakerVote::Open, "{kind}"),
            Readiness::At(tick) if gate => assert!(tick.0 >= secs(40) && tick.0 <= secs(41), "{kind}"),
            other => assert_eq!(breaker, BreakerVote::Open, "{kind}: {other:?}"),
        }
    }
}

#[test]
fn the_vote_of_every_kind() {
    for &kind in ErrorKind::ALL {
        // Whether a breaker opens, of the model or of its provider.
        let opens = |acts: &[Option<ErrorKind>], slow_rate: f64| {
            let mut settings = HealthSettings::default();
            let breaker = &mut settings.breaker;
            (breaker.minimum_calls, breaker.failure_rate, breaker.failures_in_a_row) = (2, 1.0, 3);
            (breaker.slow_rate, breaker.slow_after) = (slow_rate, None);
            let rig = Rig::with(three(), settings, FallbackConfig::default());
            let opened = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&opened);
            rig.health.on_transition(move |_| seen.store(true, Ordering::Relaxed));
            for act in acts {
                fails_on(&rig, act.map_or(Act::answer(), Act::fail));
            }
            opened.load(Ordering::Relaxed)
        };
        // At the first failure; if one of two calls is slow; after three failures in a row.
        let first = opens(&[Some(kind)], 1.0);
        let slow = opens(&[None, Some(kind)], 0.5);
        let third = opens(&[None, Some(kind), Some(kind), Some(kind)], 1.0);
        let expected = match Treatment::default_for(kind).breaker {
            BreakerVote::Open => (true, true, true),
            BreakerVote::Slow => (false, true, true),
            BreakerVote::Failure => (false, false, true),
            _ => (false, false, false),
        };
        assert_eq!((first, slow, third), expected, "{kind}");
    }
}

#[test]
fn the_alert_of_every_kind() {
    for &kind in ErrorKind::ALL {
        let (rig, told) = (Rig::new(three()), Arc::new(Mutex::new(Vec::new())));
        let sink = Arc::clone(&told);
        let sink = move |alert: Alert| sink.lock().unwrap().push(alert.kind);
        let layer = AlertLayer::new(&rig.health, AlertConfig::default(), sink).unwrap();
        rig.client.plays("one", [Act::fail(kind)]);
        drop(rig.time.block_on(layer.layer(rig.stack()).oneshot(rig.call())).unwrap());
        let is_told = told.lock().unwrap().contains(&AlertKind::Mend(kind));
        assert_eq!(is_told, Treatment::default_for(kind).alert, "{kind}");
    }
}

#[test]
fn every_kind_has_its_row() {
    // A new kind needs a row here too: this number is that of the tests above.
    assert_eq!(ErrorKind::ALL.len(), 23);
}

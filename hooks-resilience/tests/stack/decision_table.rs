//! Every row of the decision table, driven through the whole stack.

use std::time::Duration;

use hooks_resilience::{
    ErrorKind, FallbackSettings, HealthSettings, Model, Needs, NextModel, SameModel, Tier, Treatments,
};

use crate::rig::*;

/// Which models are asked when `one` fails once like this, and what comes of it.
fn asked(act: Act) -> (Vec<String>, Outcome) {
    let rig = Rig::new(three());
    rig.client.plays("one", [act]);
    let outcome = rig.send(rig.call());
    (rig.client.asked(), outcome)
}

/// Which models are asked when there is one alone, which fails like this until it answers.
fn alone_asked(acts: &[Act]) -> (Rig, Outcome) {
    asked_on(Rig::new(alone()), acts)
}

fn asked_on(rig: Rig, acts: &[Act]) -> (Rig, Outcome) {
    rig.client.plays("one", acts.iter().copied());
    let outcome = rig.send(rig.call());
    (rig, outcome)
}

/// The next model of the chain answers at once, and the answer says what failed before.
fn goes_to_the_next(kind: ErrorKind) {
    let (asked, outcome) = asked(Act::fail(kind));
    assert_eq!(asked, ["one", "two"], "{kind}");
    let answered = outcome.unwrap();
    assert_eq!(&*answered.model.unwrap().name, "two");
    assert_eq!(answered.failed.len(), 1);
    assert_eq!((answered.failed[0].kind, &*answered.failed[0].model), (kind, "one"));
}

/// A model alone is asked `times` times in all.
fn alone_is_asked(kind: ErrorKind, times: usize) -> Rig {
    let (rig, outcome) = asked_on(Rig::impatient(alone()), &[Act::fail(kind); 9]);
    assert_eq!(rig.client.asked().len(), times, "{kind}");
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), error.failed().len()), (kind, times - 1));
    rig
}

/// The provider's other model is passed over.
fn goes_to_another_provider(kind: ErrorKind) {
    let (asked, outcome) = asked(Act::fail(kind));
    assert_eq!(asked, ["one", "three"], "{kind}");
    assert_eq!(kinds(&outcome).first(), Some(&kind));
}

fn ends_at_once(kind: ErrorKind) {
    let (asked, outcome) = asked(Act::fail(kind));
    assert_eq!(asked, ["one"], "{kind}");
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), error.failed().len(), error.is_exhausted()), (kind, 0, false));
}

#[test]
fn rate_limited_with_another_model_ready() {
    let (asked, outcome) = asked(Act::fail(ErrorKind::RateLimited).told(secs(5)));
    // The rate is the model's own quota: the provider's other model is ready.
    assert_eq!(asked, ["one", "two"]);
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

/// Kinds that come with a time the provider wants to be left alone for.
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
        assert!(error.ready_again().is_some(), "{kind}");
        assert!(rig.now() < secs(1), "{kind}");
    }
}

#[test]
fn told_to_leave_it_alone_for_longer_than_a_call_is_parked_nobody_waits_either() {
    for kind in TELL {
        let (rig, outcome) = alone_asked(&[Act::fail(kind).told(secs(500))]);
        let error = outcome.unwrap_err();
        assert_eq!((error.kind(), error.is_exhausted()), (kind, true));
        assert!(error.ready_again() >= Some(rig.deadline(secs(499))) && rig.now() < secs(1), "{kind}");
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
    assert_eq!(rig.client.asked(), ["one", "three"]);
    alone_is_asked(ErrorKind::ContextOverflow, 1);
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
    let rig = Rig::with(models, settings, FallbackSettings::default());
    rig.client.plays("one", [Act::fail(ErrorKind::ContentFilter)]);
    rig.client.plays("three", [Act::fail(ErrorKind::ContentFilter)]);
    assert_eq!(rig.send(rig.call()).unwrap_err().kind(), ErrorKind::ContentFilter);
    assert_eq!(rig.client.asked(), ["one", "three"]);
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
    assert_eq!((error.kind(), rig.client.asked().len()), (ErrorKind::NoModel, 0));
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
    rig.health.close_until(one, rig.deadline(secs(30)), ErrorKind::Overloaded);
    let outcome = rig.send(rig.call());
    assert_eq!(rig.client.asked(), ["two"]);
    assert_eq!(kinds(&outcome), [ErrorKind::Closed]);
    assert_eq!(outcome.unwrap().failed[0].message, "not asked: it is ready in 30s");
}

#[test]
fn a_host_may_change_a_row() {
    let mut treatment = Treatments::default().of(ErrorKind::InvalidRequest);
    (treatment.next_model, treatment.same_model) = (NextModel::Any, SameModel::No);
    let mut settings = HealthSettings::default();
    settings.treatments = Treatments::default().with(ErrorKind::InvalidRequest, treatment);
    let rig = Rig::with(three(), settings, FallbackSettings::default());
    rig.client.plays("one", [Act::fail(ErrorKind::InvalidRequest)]);
    assert!(rig.send(rig.call()).is_ok());
    assert_eq!(rig.client.asked(), ["one", "two"]);
}

#[test]
fn every_kind_has_its_row() {
    // A kind that is added needs a row here too: this list is that of the tests above.
    assert_eq!(ErrorKind::ALL.len(), 23);
}

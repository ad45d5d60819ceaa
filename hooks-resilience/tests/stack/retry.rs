//! Retries with the same model, without a chain above.

use hooks_resilience::{Call, ErrorKind, HealthSettings, RetryBudgetConfig, RetryConfig, RetryLayer};
use tower::{Layer, ServiceExt};

use crate::rig::*;

/// A retry loop directly around a client.
fn send(rig: &Rig, mut call: Call) -> Outcome {
    call.model = rig.chains.catalog().get("one").cloned();
    let retry = RetryLayer::new(rig.health.clone(), RetryConfig::default()).unwrap();
    rig.time.block_on(retry.layer(rig.attempts()).oneshot(call)).unwrap()
}

#[test]
fn it_serves_alone() {
    let rig = Rig::new(alone());
    rig.client.plays("one", [Act::fail(ErrorKind::Overloaded); 2]);
    let replied = send(&rig, rig.call()).unwrap();
    assert_eq!((rig.client.calls().len(), replied.failed.len()), (3, 2));
    assert_eq!(&*replied.failed[0].model, "one");
}

#[test]
fn it_does_not_sleep_beyond_the_deadline() {
    let rig = Rig::new(alone());
    rig.client.always("one", Act::fail(ErrorKind::RateLimited).told(secs(5)));
    let error = send(&rig, rig.call().until(rig.deadline(secs(4)))).unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::RateLimited, 1));
    assert!(error.ready_at().unwrap() >= rig.deadline(secs(5)));
}

#[test]
fn it_does_not_sleep_beyond_the_moment_another_model_could_answer() {
    let rig = Rig::new(alone());
    rig.client.always("one", Act::fail(ErrorKind::RateLimited).told(secs(5)));
    let mut call = rig.call();
    call.elsewhere = Some(rig.deadline(secs(2)));
    let error = send(&rig, call).unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::RateLimited, 1));
}

#[test]
fn it_stops_where_the_budget_is_used_up() {
    let mut settings = HealthSettings::default();
    (settings.budget.ratio, settings.budget.per_minute, settings.budget.burst) = (0.0, 0, 3);
    settings.breaker.failures_in_a_row = 99;
    let rig = Rig::with(alone(), settings, Default::default());
    rig.client.always("one", Act::fail(ErrorKind::Network));
    for calls in [3, 5, 6] {
        assert!(send(&rig, rig.call()).is_err());
        assert_eq!(rig.client.calls().len(), calls);
    }
    assert!(RetryBudgetConfig::default().burst >= 3, "an agent of four calls a minute is not starved");
}

#[test]
fn a_loop_in_a_loop_is_refused() {
    let rig = Rig::new(alone());
    let retry = RetryLayer::new(rig.health.clone(), RetryConfig::default()).unwrap();
    let nested = retry.layer(retry.layer(rig.attempts()));
    let error = rig.time.block_on(nested.oneshot(rig.call())).unwrap().unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::NestedRetry, 0));
}

#[test]
fn what_closed_in_between_is_told_by_the_failure_that_closed_it() {
    let mut settings = HealthSettings::default();
    settings.breaker.failures_in_a_row = 1;
    let rig = Rig::with(alone(), settings, Default::default());
    rig.client.always("one", Act::fail(ErrorKind::Network));
    let error = send(&rig, rig.call()).unwrap_err();
    assert_eq!((error.kind(), rig.client.calls().len()), (ErrorKind::Network, 1));
    assert!(error.ready_at().is_some());
}

#[test]
fn a_call_whose_tools_ran_is_not_repeated() {
    let rig = Rig::new(alone());
    rig.client.plays("one", [Act::fail(ErrorKind::Network).with_effects()]);
    assert_eq!(send(&rig, rig.call()).unwrap_err().kind(), ErrorKind::Network);
    assert_eq!(rig.client.calls().len(), 1);
}

#[test]
fn a_wall_clock_that_jumps_changes_nothing() {
    let rig = Rig::new(alone());
    rig.client.plays("one", [Act::fail(ErrorKind::RateLimited).told(secs(5))]);
    rig.time.set_calendar(hooks_core::time::Timestamp(u64::MAX / 2));
    assert!(send(&rig, rig.call()).is_ok());
    assert!(rig.now() >= secs(5) && rig.now() < secs(7));
}

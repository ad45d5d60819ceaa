//! A second attempt beside a slow one.

use std::time::Duration;

use hooks_resilience::{
    Call, ErrorKind, FailedAttempt, FallbackConfig, HealthSettings, HedgeConfig, HedgeDelay, HedgeLayer,
    HedgeTarget,
};
use tower::{Layer, ServiceExt};

use crate::rig::*;

fn hedge(rig: &Rig, settings: HedgeConfig) -> HedgeLayer {
    HedgeLayer::new(rig.chains.clone(), rig.health.clone(), settings).unwrap()
}

fn send(rig: &Rig, layer: &HedgeLayer, call: Call) -> Outcome {
    rig.time.block_on(layer.layer(rig.attempts()).oneshot(call)).unwrap()
}

/// A call that goes to `one`, as a chain above would send it.
fn first(rig: &Rig) -> Call {
    let mut call = call("one");
    call.model = rig.chains.catalog().get("one").cloned();
    call
}

#[test]
fn off_unless_asked_for() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let layer = hedge(&rig, HedgeConfig::default());
    assert!(send(&rig, &layer, first(&rig)).is_ok());
    assert_eq!((rig.client.calls().len(), layer.hedged()), (1, 0));
}

#[test]
fn a_slow_answer_is_overtaken_by_the_next_model() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let layer = hedge(&rig, HedgeConfig::after(secs(5)));
    let replied = send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!(&*replied.model.unwrap().name, "two");
    assert_eq!((rig.client.calls(), layer.hedged()), (vec!["one".to_owned(), "two".to_owned()], 1));
    assert_eq!(rig.now(), secs(5) + Duration::from_millis(100));
    assert_eq!(rig.client.requests()[1].model, "two");
}

#[test]
fn an_answer_in_time_is_not_hedged_and_the_first_may_still_win() {
    let rig = Rig::new(three());
    let layer = hedge(&rig, HedgeConfig::after(secs(5)));
    send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!(rig.client.calls().len(), 1);
    rig.client.plays("one", [Act::answer().taking(secs(6))]).plays("two", [Act::answer().taking(secs(6))]);
    let replied = send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!((&*replied.model.unwrap().name, layer.hedged()), ("one", 1));
}

#[test]
fn a_failure_of_the_second_leaves_the_first_and_the_other_way_round() {
    let rig = Rig::new(three());
    let layer = hedge(&rig, HedgeConfig::after(secs(5)).with_budget(100));
    rig.client.plays("one", [Act::answer().taking(secs(9))]).plays("two", [Act::fail(ErrorKind::Server)]);
    let replied = send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!(&*replied.model.unwrap().name, "one");
    let failed = |failed: &[FailedAttempt]| -> Vec<_> {
        failed.iter().map(|failed| (failed.model.to_string(), failed.kind)).collect()
    };
    assert_eq!(failed(&replied.failed), [("two".to_owned(), ErrorKind::Server)]);
    rig.client.plays("one", [Act::fail(ErrorKind::Server).taking(secs(6))]);
    rig.client.plays("two", [Act::answer().taking(secs(9))]);
    let outcome = send(&rig, &layer, first(&rig));
    assert_eq!(kinds(&outcome), [ErrorKind::Server]);
    rig.client.plays("one", [Act::fail(ErrorKind::Network).taking(secs(9))]);
    rig.client.plays("two", [Act::fail(ErrorKind::Server)]);
    let error = send(&rig, &layer, first(&rig)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert_eq!(failed(error.failed()), [("two".to_owned(), ErrorKind::Server)]);
    // In the opposite order: the second attempt fails last.
    rig.wait(secs(100));
    rig.client.plays("one", [Act::fail(ErrorKind::Network).taking(secs(6))]);
    rig.client.plays("two", [Act::fail(ErrorKind::Server).taking(secs(6))]);
    let error = send(&rig, &layer, first(&rig)).unwrap_err();
    assert_eq!((error.kind(), failed(error.failed()).len()), (ErrorKind::Network, 1));
}

#[test]
fn the_budget_bounds_the_share() {
    let rig = Rig::new(three());
    rig.client.always("one", Act::answer().taking(secs(20)));
    let layer = hedge(&rig, HedgeConfig::after(secs(5)).with_budget(10));
    for _ in 0..100 {
        send(&rig, &layer, first(&rig)).unwrap();
    }
    // One at the start, and one in ten.
    assert!((10..=11).contains(&layer.hedged()), "{}", layer.hedged());
}

#[test]
fn a_percentile_is_learned_before_it_counts() {
    let rig = Rig::new(three());
    let settings = HedgeConfig { delay: Some(HedgeDelay::Percentile(90)), ..HedgeConfig::default() };
    let layer = hedge(&rig, settings);
    for _ in 0..19 {
        send(&rig, &layer, first(&rig)).unwrap();
    }
    rig.client.plays("one", [Act::answer().taking(secs(9)); 2]);
    send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!(layer.hedged(), 0);
    send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!(layer.hedged(), 1);
}

#[test]
fn answers_that_were_overtaken_count_as_slow_as_they_were() {
    let rig = Rig::new(three());
    let layer = hedge(&rig, HedgeConfig::at_percentile(60).with_budget(100));
    for _ in 0..20 {
        send(&rig, &layer, first(&rig)).unwrap();
    }
    // From here on the model is slow: at first each answer is overtaken, and none once the slowness is known.
    rig.client.always("one", Act::answer().taking(secs(2)));
    rig.client.always("two", Act::answer().taking(secs(1)));
    for _ in 0..80 {
        send(&rig, &layer, first(&rig)).unwrap();
    }
    let learned = layer.hedged();
    for _ in 0..20 {
        send(&rig, &layer, first(&rig)).unwrap();
    }
    assert!(learned < 80, "{learned}");
    let began = rig.now();
    send(&rig, &layer, first(&rig)).unwrap();
    assert!(rig.now() - began > Duration::from_millis(1_100), "{:?}", rig.now() - began);
}

#[test]
fn calls_stay_with_the_model_that_answered_not_with_the_one_that_was_overtaken() {
    let rig = Rig::with(three(), HealthSettings::default(), FallbackConfig::default().staying(secs(60)));
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let layer = hedge(&rig, HedgeConfig::after(secs(5)));
    let stack = || rig.fallback.layer(layer.layer(rig.attempts()));
    for _ in 0..2 {
        rig.time.block_on(stack().oneshot(rig.call())).unwrap().unwrap();
    }
    assert_eq!(rig.client.calls(), ["one", "two", "two"]);
}

#[test]
fn a_call_whose_tools_ran_is_not_hedged() {
    let rig = Rig::new(three());
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let (layer, call) = (hedge(&rig, HedgeConfig::after(secs(5))), first(&rig));
    call.mark_effects();
    send(&rig, &layer, call).unwrap();
    assert_eq!(rig.client.calls().len(), 1);
}

#[test]
fn the_same_model_may_be_asked_twice() {
    let rig = Rig::new(alone());
    rig.client.plays("one", [Act::answer().taking(secs(60))]);
    let layer = hedge(&rig, HedgeConfig::after(secs(5)).asking(HedgeTarget::Same));
    send(&rig, &layer, first(&rig)).unwrap();
    assert_eq!(rig.client.calls(), ["one", "one"]);
}

#[test]
fn nonsense_is_refused_and_delays_are_read() {
    let rig = Rig::new(alone());
    for settings in [
        HedgeConfig::after(Duration::ZERO),
        HedgeConfig::at_percentile(0),
        HedgeConfig::at_percentile(100),
        HedgeConfig::after(secs(1)).with_budget(101),
    ] {
        assert!(HedgeLayer::new(rig.chains.clone(), rig.health.clone(), settings).is_err());
    }
    let read = |text| serde_json::from_str::<HedgeConfig>(text).unwrap().delay;
    assert_eq!(read(r#"{"delay": "p95"}"#), Some(HedgeDelay::Percentile(95)));
    assert_eq!(read(r#"{"delay": "3s", "target": "same"}"#), Some(HedgeDelay::After(secs(3))));
    assert!(serde_json::from_str::<HedgeConfig>(r#"{"delay": "soon"}"#).is_err());
}

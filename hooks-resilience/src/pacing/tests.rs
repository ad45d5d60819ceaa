use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Tick, Timestamp};
use tower_layer::Layer;

use super::{Pacing, PacingLayer};
use crate::attempt::{Attempt, AttemptConfig, AttemptLayer};
use crate::fixture::{Client, Does, ask, at, call, catalog, poll, secs, world};
use crate::{Catalog, Classified, ErrorKind, Health, HealthSettings, Limits, Model, Needs, Readiness, Tier};

type Stack = Pacing<Attempt<Client, Classified>>;

/// A catalog with 60 requests a minute, one at once.
fn limited() -> Catalog {
    catalog(|model| model.limits.requests_per_minute = Some(60))
}

fn stack(catalog: &Catalog, time: &VirtualTime, client: Client) -> (Stack, Health) {
    let settings = HealthSettings { burst: secs(1), ..HealthSettings::default() };
    let health = Health::new(catalog, settings, world(time)).unwrap();
    let attempt = AttemptLayer::new(world(time), AttemptConfig::default(), Classified).unwrap();
    (PacingLayer::new(health.clone()).layer(attempt.layer(client)), health)
}

#[test]
fn calls_go_at_their_pace_each_at_its_own_moment() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let (mut stack, _) = stack(&catalog, &time, Client::new(&time, []));
    let sent = std::sync::Mutex::new(Vec::new());
    let calls: Vec<_> = (0..5).map(|_| ask(&mut stack, call(&catalog))).collect();
    let each = calls.into_iter().map(async |future| {
        future.await.unwrap();
        sent.lock().unwrap().push(time.tick());
    });
    time.block_on(join_all(each)).unwrap();
    assert_eq!(*sent.lock().unwrap(), [0, 1, 2, 3, 4].map(at));
}

#[test]
fn tokens_have_a_pace_as_well() {
    let (time, catalog) =
        (VirtualTime::default(), catalog(|model| model.limits.tokens_per_minute = Some(60_000)));
    let (mut stack, _) = stack(&catalog, &time, Client::new(&time, []));
    let large =
        || call(&catalog).needing(Needs { input_tokens: 9_000, output_tokens: 1_000, ..Needs::default() });
    let both = [ask(&mut stack, large()), ask(&mut stack, large())];
    assert!(time.block_on(join_all(both)).unwrap().iter().all(Result::is_ok));
    assert_eq!(time.tick(), at(10));
}

#[test]
fn without_limits_nobody_waits_until_they_are_learned() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health) = stack(&catalog, &time, Client::new(&time, []));
    let many = |stack: &mut Stack| (0..3).map(|_| ask(stack, call(&catalog))).collect::<Vec<_>>();
    time.block_on(join_all(many(&mut stack))).unwrap();
    assert_eq!(time.tick(), at(0));
    let limits = Limits { requests_per_minute: Some(60), ..Limits::default() };
    health.learn_quota(&catalog.models()[0], limits);
    time.block_on(join_all(many(&mut stack))).unwrap();
    assert_eq!(time.tick(), at(2));
    // Learning the same limits again keeps the owed amounts.
    health.learn_quota(&catalog.models()[0], limits);
    assert_eq!(health.readiness(&catalog.models()[0], &Needs::default(), at(2)), Readiness::At(at(3)));
}

#[test]
fn what_is_learned_is_no_more_than_the_catalog_says_and_forgives_no_debt() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let (_, health) = stack(&catalog, &time, Client::new(&time, []));
    let (model, needs) = (&catalog.models()[0], Needs::default());
    let learn = |requests, tokens| {
        let limits = Limits { requests_per_minute: requests, tokens_per_minute: tokens, ..Limits::default() };
        health.learn_quota(model, limits);
    };
    assert_eq!(health.pace(model, &needs, at(0)), Ok(()));
    learn(Some(6_000), None);
    assert_eq!(health.pace(model, &needs, at(0)), Err(at(1)));
    learn(None, Some(1_000));
    assert_eq!(health.pace(model, &needs, at(0)), Err(at(1)));
    learn(Some(30), None);
    assert_eq!(health.pace(model, &needs, at(1)), Ok(()));
    assert_eq!(health.pace(model, &needs, at(1)), Err(at(3)));
}

#[test]
fn who_would_wait_too_long_is_told_when_there_is_room_and_takes_nothing() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let client = Client::new(&time, []);
    let (mut stack, health) = stack(&catalog, &time, client.clone());
    let first = [ask(&mut stack, call(&catalog)), ask(&mut stack, call(&catalog))];
    for latest in [at(1), Tick(Duration::from_millis(1_999))] {
        for change in [
            |call: &mut crate::Call, at| call.deadline = Some(at),
            |call: &mut crate::Call, at| call.elsewhere = Some(at),
        ] {
            let mut late = call(&catalog);
            change(&mut late, latest);
            let error = time.block_on(ask(&mut stack, late)).unwrap().unwrap_err();
            assert_eq!((error.kind(), error.ready_at()), (ErrorKind::NotAdmitted, Some(at(2))));
        }
    }
    assert_eq!(health.readiness(&catalog.models()[0], &Needs::default(), at(0)), Readiness::At(at(2)));
    time.block_on(join_all(first)).unwrap();
    assert_eq!(client.calls(), 2);
}

#[test]
fn who_goes_away_gives_the_slot_back() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let (mut stack, health) = stack(&catalog, &time, Client::new(&time, [Does::Hangs]));
    let ready = || health.readiness(&catalog.models()[0], &Needs::default(), at(0));
    let mut sent = ask(&mut stack, call(&catalog));
    assert!(poll(&mut sent).is_pending());
    let unpolled = ask(&mut stack, call(&catalog));
    let mut polled = ask(&mut stack, call(&catalog));
    assert!(poll(&mut polled).is_pending());
    assert_eq!(ready(), Readiness::At(at(3)));
    drop(unpolled);
    drop(polled);
    assert_eq!(ready(), Readiness::At(at(1)));
    // A slot of a call that was sent is not returned.
    drop(sent);
    assert_eq!(ready(), Readiness::At(at(1)));
}

#[test]
fn what_nobody_below_sent_costs_nothing() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let (mut stack, health) =
        stack(&catalog, &time, Client::new(&time, [Does::Fails(ErrorKind::NotAdmitted)]));
    time.block_on(ask(&mut stack, call(&catalog))).unwrap().unwrap_err();
    assert_eq!(health.readiness(&catalog.models()[0], &Needs::default(), at(0)), Readiness::Ready);
}

#[test]
fn a_calendar_that_is_set_changes_no_pace() {
    let (time, catalog) = (VirtualTime::at(Timestamp(1_000_000)), limited());
    let (mut stack, _) = stack(&catalog, &time, Client::new(&time, []));
    let calls: Vec<_> = (0..3).map(|_| ask(&mut stack, call(&catalog))).collect();
    time.set_calendar(Timestamp(0));
    time.block_on(join_all(calls)).unwrap();
    assert_eq!(time.tick(), at(2));
}

#[test]
fn models_of_one_quota_share_its_rate() {
    let of = |name| {
        let mut model = Model::new(name, "acme", Tier::Fast);
        (model.quota, model.limits.requests_per_minute) = (Some("organisation".into()), Some(60));
        model
    };
    let (time, catalog) = (VirtualTime::default(), Catalog::new([of("a"), of("b")]).unwrap());
    let (_, health) = stack(&catalog, &time, Client::new(&time, []));
    let [a, b] = [0, 1].map(|place| Arc::clone(&catalog.models()[place]));
    assert_eq!(health.pace(&a, &Needs::default(), at(0)), Ok(()));
    assert_eq!(health.pace(&b, &Needs::default(), at(0)), Err(at(1)));
}

#[test]
fn what_never_fits_is_never_ready() {
    let (time, catalog) =
        (VirtualTime::default(), catalog(|model| model.limits.tokens_per_minute = Some(1_000)));
    let (_, health) = stack(&catalog, &time, Client::new(&time, []));
    let needs = Needs { input_tokens: 1_001, ..Needs::default() };
    assert_eq!(health.readiness(&catalog.models()[0], &needs, at(0)), Readiness::Never);
}

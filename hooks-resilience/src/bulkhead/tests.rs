use std::sync::atomic::Ordering;

use futures_util::future::join_all;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Timer};
use tower_layer::Layer;

use super::{Bulkhead, BulkheadLayer};
use crate::attempt::{Attempt, AttemptConfig, AttemptLayer};
use crate::fixture::{Client, Does, ask, at, call, catalog, poll, secs, world};
use crate::{Catalog, Classified, ErrorKind, Model, Tier};

type Stack = Bulkhead<Attempt<Client, Classified>>;

fn stack(catalog: &Catalog, time: &VirtualTime, client: Client, places: usize) -> Stack {
    let attempt = AttemptLayer::new(world(time), AttemptConfig::default(), Classified).unwrap();
    BulkheadLayer::new(catalog, world(time), places).unwrap().layer(attempt.layer(client))
}

#[test]
fn so_many_go_at_a_time_and_the_rest_one_after_the_other() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let client = Client::new(&time, [Does::AnswersIn(secs(1)); 6]);
    let mut stack = stack(&catalog, &time, client.clone(), 2);
    let calls: Vec<_> = (0..6).map(|_| ask(&mut stack, call(&catalog))).collect();
    assert_eq!(client.calls(), 2);
    let answers = time.block_on(join_all(calls)).unwrap();
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(time.tick(), at(3));
}

#[test]
fn a_provider_shares_its_places_and_a_quota_may_have_its_own() {
    let limited = |name| {
        let mut model = Model::new(name, "acme", Tier::Fast);
        model.limits.concurrent = Some(1);
        model
    };
    let plain = |name, provider| Model::new(name, provider, Tier::Fast);
    let models = [plain("a", "acme"), plain("b", "acme"), plain("c", "other"), limited("d"), limited("e")];
    let (time, catalog) = (VirtualTime::default(), Catalog::new(models).unwrap());
    let client = Client::new(&time, [Does::Hangs; 5]);
    let mut stack = stack(&catalog, &time, client.clone(), 1);
    let mut calls = Vec::new();
    for (model, called) in catalog.models().iter().zip([1, 1, 2, 3, 4]) {
        let mut call = call(&catalog);
        call.model = Some(std::sync::Arc::clone(model));
        calls.push(ask(&mut stack, call));
        assert_eq!(client.calls(), called, "{}", model.name);
    }
}

#[test]
fn nobody_waits_beyond_the_deadline_or_until_another_could_answer() {
    for (deadline, elsewhere, kind, moment) in [
        (Some(5), None, ErrorKind::DeadlineExceeded, 5),
        (Some(5), Some(3), ErrorKind::NotAdmitted, 3),
        (Some(5), Some(9), ErrorKind::DeadlineExceeded, 5),
    ] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let mut stack = stack(&catalog, &time, Client::new(&time, [Does::Hangs]), 1);
        let mut first = ask(&mut stack, call(&catalog));
        assert!(poll(&mut first).is_pending());
        let mut second = call(&catalog);
        (second.deadline, second.elsewhere) = (deadline.map(at), elsewhere.map(at));
        let error = time.block_on(ask(&mut stack, second)).unwrap().unwrap_err();
        assert_eq!((error.kind(), time.tick()), (kind, at(moment)));
    }
}

#[test]
fn a_place_is_free_again_when_its_call_is_dropped_at_whatever_point() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let client = Client::new(&time, [Does::Hangs, Does::Hangs]);
    let mut stack = stack(&catalog, &time, client.clone(), 1);
    // Dropped while the client answers it.
    let mut first = ask(&mut stack, call(&catalog));
    assert!(poll(&mut first).is_pending());
    // Dropped while it waits; also a call that was given the place and not polled since.
    let mut waiting: Vec<_> = (0..3).map(|_| ask(&mut stack, call(&catalog))).collect();
    assert!(waiting.iter_mut().all(|future| poll(future).is_pending()));
    drop(waiting.remove(1));
    drop(first);
    drop(waiting.remove(0));
    assert!(poll(&mut waiting[0]).is_pending());
    assert_eq!(client.calls(), 2);
    drop(waiting);
    assert_eq!(client.busy.load(Ordering::Relaxed), 0);
    assert!(time.block_on(ask(&mut stack, call(&catalog))).unwrap().is_ok());
}

#[test]
fn an_attempt_has_its_whole_time_after_the_wait() {
    let (time, catalog) = (VirtualTime::default(), catalog(|model| model.attempt_timeout = Some(secs(10))));
    let client = Client::new(&time, [Does::AnswersIn(secs(9)); 2]);
    let mut stack = stack(&catalog, &time, client, 1);
    let both = [ask(&mut stack, call(&catalog)), ask(&mut stack, call(&catalog))];
    assert!(time.block_on(join_all(both)).unwrap().iter().all(Result::is_ok));
    time.block_on(time.sleep(secs(0)));
    assert_eq!(time.tick(), at(18));
}

#[test]
fn no_places_at_all_are_refused() {
    let time = VirtualTime::default();
    assert!(BulkheadLayer::new(&catalog(|_| {}), world(&time), 0).is_err());
    let none = catalog(|model| model.limits.concurrent = Some(0));
    assert!(BulkheadLayer::new(&none, world(&time), 1).is_err());
}

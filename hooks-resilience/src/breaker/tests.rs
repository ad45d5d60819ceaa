use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Tick, Timer, Timestamp};
use tower_layer::Layer;

use super::{Breaker, BreakerLayer, BreakerState};
use crate::attempt::{Attempt, AttemptConfig, AttemptLayer};
use crate::fixture::{Client, Does, ask, at, call, catalog, poll, secs, world};
use crate::{
    Catalog, Classified, ErrorKind, Health, HealthSettings, Model, ModelError, Needs, Readiness, Tier,
    Treatments,
};

type Stack = Breaker<Attempt<Client, Classified>>;

fn stack_of(
    settings: HealthSettings,
    catalog: &Catalog,
    time: &VirtualTime,
    client: &Client,
) -> (Stack, Health) {
    let health = Health::new(catalog, settings, world(time)).unwrap();
    let attempt = AttemptLayer::new(world(time), AttemptConfig::default(), Classified).unwrap();
    (BreakerLayer::new(health.clone()).layer(attempt.layer(client.clone())), health)
}

fn stack(
    catalog: &Catalog,
    time: &VirtualTime,
    script: impl IntoIterator<Item = Does>,
) -> (Stack, Health, Client) {
    let client = Client::new(time, script);
    let (stack, health) = stack_of(HealthSettings::default(), catalog, time, &client);
    (stack, health, client)
}

/// Makes `times` calls, one after the other.
fn ask_times(
    times: usize,
    stack: &mut Stack,
    catalog: &Catalog,
    time: &VirtualTime,
) -> Vec<Option<ErrorKind>> {
    let one =
        |_| time.block_on(ask(stack, call(catalog))).unwrap().err().map(|error: ModelError| error.kind());
    (0..times).map(one).collect()
}

/// The moment at which the first model is ready.
fn ready_at(health: &Health, catalog: &Catalog, time: &VirtualTime) -> Tick {
    let now = time.tick();
    match health.readiness(&catalog.models()[0], &Needs::default(), now) {
        Readiness::Ready => now,
        Readiness::At(tick) => tick,
        Readiness::Never => panic!("never ready"),
    }
}

fn wait_until(tick: Tick, time: &VirtualTime) {
    time.block_on(time.sleep(tick.since(time.tick()))).unwrap();
}

const SERVER: Does = Does::Fails(ErrorKind::Server);

#[test]
fn failures_in_a_row_open_it_however_few_calls_there_are() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, client) = stack(&catalog, &time, [SERVER; 3]);
    for _ in 0..3 {
        ask_times(1, &mut stack, &catalog, &time);
        wait_until(time.tick().after(secs(600)), &time);
    }
    wait_until(time.tick(), &time);
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Open);
    assert_eq!(client.calls(), 3);
}

#[test]
fn the_more_calls_there_are_the_longer_is_the_row_of_failures_that_opens_it() {
    for (replied, row) in [(12, 3), (27, 5), (37, 7), (54, 10), (200, 10)] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let script = std::iter::repeat_n(Does::Answers, replied).chain([SERVER; 10]);
        let (mut stack, health, _) = stack(&catalog, &time, script);
        let model = &catalog.models()[0];
        ask_times(replied + row - 1, &mut stack, &catalog, &time);
        assert_eq!(health.breaker(model), BreakerState::Closed, "{replied}");
        ask_times(1, &mut stack, &catalog, &time);
        assert_eq!(health.breaker(model), BreakerState::Open, "{replied}");
    }
}

#[test]
fn how_many_calls_there_are_is_remembered_until_it_was_well_for_long() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let script = [Does::Answers; 54].into_iter().chain([SERVER; 10]);
    let script = script.chain([Does::Answers]).chain([SERVER; 3]).chain([Does::Answers]).chain([SERVER; 3]);
    let (mut stack, health, _) = stack(&catalog, &time, script);
    let model = &catalog.models()[0];
    ask_times(64, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(model), BreakerState::Open);
    wait_until(ready_at(&health, &catalog, &time), &time);
    ask_times(4, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(model), BreakerState::Closed);
    // The model was well for long, without calls.
    wait_until(time.tick().after(secs(600)), &time);
    ask_times(4, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(model), BreakerState::Open);
}

#[test]
fn an_open_breaker_asks_nobody_and_says_when_it_would() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, client) = stack(&catalog, &time, [SERVER; 3]);
    ask_times(3, &mut stack, &catalog, &time);
    let error = time.block_on(ask(&mut stack, call(&catalog))).unwrap().unwrap_err();
    assert_eq!((error.kind(), client.calls()), (ErrorKind::NotAdmitted, 3));
    assert_eq!(error.ready_at(), Some(ready_at(&health, &catalog, &time)));
    assert!(error.ready_at().unwrap() >= at(10));
}

/// A model that answers some calls is probed again sooner than one that answers none, and fewer failures open
/// its breaker.
#[test]
fn what_fails_again_soon_after_a_probe_was_answered_opens_sooner_and_for_half_as_long() {
    for (well_for, failures, opens_for) in [(0, 2, 5), (29, 2, 5), (31, 3, 10)] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let script = [SERVER; 5].into_iter().chain([Does::Answers; 2]).chain([SERVER; 4]);
        let (mut stack, health, _) = stack(&catalog, &time, script);
        let open = || ready_at(&health, &catalog, &time).since(time.tick());
        let is_about =
            |seconds: u64| assert!((secs(seconds)..secs(seconds) * 5 / 4).contains(&open()), "{:?}", open());
        ask_times(3, &mut stack, &catalog, &time);
        for opened_for in [10, 20] {
            is_about(opened_for);
            wait_until(ready_at(&health, &catalog, &time), &time);
            ask_times(1, &mut stack, &catalog, &time);
        }
        wait_until(ready_at(&health, &catalog, &time), &time);
        assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
        wait_until(time.tick().after(secs(well_for)), &time);
        assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
        ask_times(failures - 1, &mut stack, &catalog, &time);
        assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed, "{well_for}");
        ask_times(1, &mut stack, &catalog, &time);
        is_about(opens_for);
        wait_until(ready_at(&health, &catalog, &time), &time);
        ask_times(1, &mut stack, &catalog, &time);
        is_about(opens_for * 2);
    }
}

/// Regression test: if half of the calls of a model failed, one good probe closed its breaker again and again.
/// Each time, several calls failed before it opened, although another model was well.
#[test]
fn after_a_relapse_several_good_probes_in_a_row_close_it() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let good = |times| std::iter::repeat_n(Does::Answers, times);
    let relapse = [SERVER; 3].into_iter().chain(good(1)).chain([SERVER; 2]);
    let probes = good(2).chain([SERVER]).chain(good(3));
    let later = good(1).chain([SERVER; 3]).chain(good(1));
    let (mut stack, health, _) = stack(&catalog, &time, relapse.chain(probes).chain(later));
    let model = &catalog.models()[0];
    let wait = |health: &Health| wait_until(ready_at(health, &catalog, &time), &time);
    ask_times(3, &mut stack, &catalog, &time);
    wait(&health);
    ask_times(1, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(model), BreakerState::Closed, "the first time, one good probe is enough");
    ask_times(2, &mut stack, &catalog, &time);
    wait(&health);
    // Good probes follow each other at once; a failure makes them count anew.
    assert_eq!(ask_times(2, &mut stack, &catalog, &time), [None; 2]);
    assert_eq!(
        (health.breaker(model), ready_at(&health, &catalog, &time)),
        (BreakerState::Open, time.tick())
    );
    ask_times(1, &mut stack, &catalog, &time);
    assert!(ready_at(&health, &catalog, &time) >= time.tick().after(secs(10)));
    wait(&health);
    assert_eq!(ask_times(2, &mut stack, &catalog, &time), [None; 2]);
    assert_eq!(health.breaker(model), BreakerState::Open);
    assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
    assert_eq!(health.breaker(model), BreakerState::Closed);
    // Once it was well for long, that is forgotten.
    wait_until(time.tick().after(secs(31)), &time);
    ask_times(4, &mut stack, &catalog, &time);
    wait(&health);
    ask_times(1, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(model), BreakerState::Closed);
}

#[test]
fn a_share_of_failures_opens_it_once_there_are_enough_calls() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let script = (0..10).map(|n| if n % 2 == 1 { SERVER } else { Does::Answers });
    let (mut stack, health, _) = stack(&catalog, &time, script);
    ask_times(9, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed);
    ask_times(1, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Open);
}

#[test]
fn failures_of_long_ago_do_not_count() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let script = (0..10).map(|n| if n % 2 == 1 { SERVER } else { Does::Answers });
    let (mut stack, health, _) = stack(&catalog, &time, script);
    ask_times(6, &mut stack, &catalog, &time);
    wait_until(at(61), &time);
    ask_times(4, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed);
}

#[test]
fn slow_answers_open_it_as_well() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let client = Client::new(&time, [Does::AnswersIn(secs(5)); 10]);
    let mut settings = HealthSettings::default();
    settings.breaker.slow_after = Some(secs(5));
    let (mut stack, health) = stack_of(settings, &catalog, &time, &client);
    assert_eq!(ask_times(10, &mut stack, &catalog, &time), [None; 10]);
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Open);
}

/// Regression test: the answer to a probe closed the breaker however long it took, and all calls went to a
/// model that let them wait.
#[test]
fn a_probe_that_is_answered_slowly_keeps_it_open_for_as_long_as_at_first() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let script = [SERVER; 4].into_iter().chain([Does::AnswersIn(secs(5)), Does::Answers]);
    let client = Client::new(&time, script);
    let mut settings = HealthSettings::default();
    settings.breaker.slow_after = Some(secs(5));
    let (mut stack, health) = stack_of(settings, &catalog, &time, &client);
    let model = &catalog.models()[0];
    // It opens, and a probe fails.
    ask_times(3, &mut stack, &catalog, &time);
    wait_until(ready_at(&health, &catalog, &time), &time);
    ask_times(1, &mut stack, &catalog, &time);
    wait_until(ready_at(&health, &catalog, &time), &time);
    assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
    assert_eq!(health.breaker(model), BreakerState::Open);
    let open = ready_at(&health, &catalog, &time).since(time.tick());
    assert!((secs(10)..secs(13)).contains(&open), "{open:?}");
    // The next probe is quick.
    wait_until(ready_at(&health, &catalog, &time), &time);
    assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
    assert_eq!(health.breaker(model), BreakerState::Closed);
}

#[test]
fn it_stays_open_longer_each_time_up_to_a_limit_and_forgets_that_once_it_was_well() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let mut settings = HealthSettings::default();
    settings.breaker.open_at_most = secs(120);
    let (mut stack, health) = stack_of(settings, &catalog, &time, &Client::new(&time, [SERVER; 9]));
    ask_times(3, &mut stack, &catalog, &time);
    for bound in [10, 20, 40, 80, 120, 120, 120] {
        let opened = time.tick();
        let open = ready_at(&health, &catalog, &time).since(opened);
        assert!(open >= secs(bound) && open < secs(bound) * 5 / 4, "{open:?} for {bound}");
        wait_until(opened.after(open), &time);
        ask_times(1, &mut stack, &catalog, &time);
    }
    // The last call was answered: the breaker is closed, and stays well for long.
    wait_until(time.tick().after(secs(121)), &time);
    ask_times(1, &mut stack, &catalog, &time);
    let opened = time.tick();
    health.admit(&catalog.models()[0], opened).unwrap().failed(
        &ModelError::new(ErrorKind::Authentication, "withdrawn"),
        opened,
        Duration::ZERO,
    );
    let hard = ready_at(&health, &catalog, &time).since(opened);
    assert!(hard >= secs(300) && hard < secs(375), "{hard:?}");
}

#[test]
fn of_two_hundred_callers_one_probes_and_the_others_hear_when() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, client) =
        stack(&catalog, &time, [SERVER, SERVER, SERVER, Does::AnswersIn(secs(2))]);
    ask_times(3, &mut stack, &catalog, &time);
    wait_until(ready_at(&health, &catalog, &time), &time);
    let calls: Vec<_> = (0..200).map(|_| ask(&mut stack, call(&catalog))).collect();
    let answers = time.block_on(join_all(calls)).unwrap();
    assert_eq!(client.calls(), 4);
    let (good, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((good.len(), refused.len()), (1, 199));
    assert!(refused.iter().all(|answer| answer.as_ref().unwrap_err().ready_at().is_some()));
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed);
    assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
}

#[test]
fn a_probe_that_is_dropped_is_given_back_at_whatever_point() {
    for polled in [false, true] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let (mut stack, health, client) = stack(&catalog, &time, [SERVER, SERVER, SERVER, Does::Hangs]);
        ask_times(3, &mut stack, &catalog, &time);
        wait_until(ready_at(&health, &catalog, &time), &time);
        let mut probe = ask(&mut stack, call(&catalog));
        assert!(!polled || poll(&mut probe).is_pending());
        assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Probing);
        drop(probe);
        assert_eq!(client.busy.load(Ordering::Relaxed), 0);
        assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
    }
}

#[test]
fn a_probe_that_never_comes_back_is_taken_for_lost() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, _) = stack(&catalog, &time, [SERVER; 3]);
    ask_times(3, &mut stack, &catalog, &time);
    wait_until(ready_at(&health, &catalog, &time), &time);
    let lost = health.admit(&catalog.models()[0], time.tick()).unwrap();
    assert_eq!(ready_at(&health, &catalog, &time), time.tick().after(secs(60)));
    wait_until(time.tick().after(secs(60)), &time);
    let second = health.admit(&catalog.models()[0], time.tick()).unwrap();
    // The late failure of the first probe does not count against the second.
    lost.failed(&ModelError::new(ErrorKind::Server, "late"), time.tick(), secs(60));
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Probing);
    second.succeeded(time.tick(), secs(1));
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed);
}

#[test]
fn an_opening_is_taken_back_where_most_of_those_made_with_the_failures_are_answered() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, client) =
        stack(&catalog, &time, [SERVER, SERVER, SERVER, Does::AnswersIn(secs(7))]);
    let model = &catalog.models()[0];
    let early: Vec<_> = (0..4).map(|_| health.admit(model, time.tick()).unwrap()).collect();
    ask_times(3, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(model), BreakerState::Open);
    for (number, permit) in early.into_iter().enumerate() {
        // Three of six failed, which is half: the fourth good answer makes it less.
        let expected = if number < 3 { BreakerState::Open } else { BreakerState::Closed };
        permit.succeeded(time.tick().after(secs(7)), secs(7));
        assert_eq!(health.breaker(model), expected, "{number}");
    }
    assert_eq!((ask_times(1, &mut stack, &catalog, &time), client.calls()), (vec![None], 4));
}

#[test]
fn what_was_made_before_anything_failed_neither_breaks_a_row_nor_takes_an_opening_back() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (_, health, _) = stack(&catalog, &time, []);
    let model = &catalog.models()[0];
    let early: Vec<_> = (0..9).map(|_| health.admit(model, at(0)).unwrap()).collect();
    let fail = |now| {
        let permit = health.admit(model, now).unwrap();
        permit.failed(&ModelError::new(ErrorKind::Server, "down"), now, Duration::ZERO);
    };
    let mut early = early.into_iter();
    for second in 1..=3 {
        fail(at(second));
        early.next().unwrap().succeeded(at(second), secs(second));
    }
    assert_eq!(health.breaker(model), BreakerState::Open);
    early.for_each(|permit| permit.succeeded(at(9), secs(9)));
    assert_eq!(health.breaker(model), BreakerState::Open);
}

#[test]
fn where_most_of_those_on_their_way_fail_too_it_stays_open() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, _) = stack(&catalog, &time, [SERVER; 3]);
    let model = &catalog.models()[0];
    let early: Vec<_> = (0..4).map(|_| health.admit(model, time.tick()).unwrap()).collect();
    ask_times(3, &mut stack, &catalog, &time);
    let ready = ready_at(&health, &catalog, &time);
    for (number, permit) in early.into_iter().enumerate() {
        match number % 2 {
            0 => permit.succeeded(time.tick(), secs(1)),
            _ => permit.failed(&ModelError::new(ErrorKind::Server, "late"), time.tick(), secs(1)),
        }
    }
    assert_eq!(ready_at(&health, &catalog, &time), ready);
}

#[test]
fn an_open_breaker_that_hears_a_good_answer_stays_open_no_longer_than_at_first() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, _) = stack(&catalog, &time, [SERVER; 5]);
    let model = &catalog.models()[0];
    let early = || health.admit(model, time.tick()).unwrap();
    let (fails, answers) = (early(), early());
    ask_times(3, &mut stack, &catalog, &time);
    wait_until(ready_at(&health, &catalog, &time), &time);
    ask_times(1, &mut stack, &catalog, &time);
    let open = || ready_at(&health, &catalog, &time).since(time.tick());
    let twice = open();
    assert!(twice >= secs(20), "{twice:?}");
    // A failure does not shorten the wait.
    fails.failed(&ModelError::new(ErrorKind::Server, "down"), time.tick(), secs(9));
    assert_eq!(open(), twice);
    answers.succeeded(time.tick(), secs(9));
    assert_eq!(health.breaker(model), BreakerState::Open);
    assert!(open() < secs(10) * 5 / 4, "{:?}", open());
    wait_until(ready_at(&health, &catalog, &time), &time);
    ask_times(1, &mut stack, &catalog, &time);
    assert!(open() >= secs(10) && open() < secs(10) * 5 / 4, "{:?}", open());
}

#[test]
fn a_providers_word_closes_the_gate_and_a_week_is_cut() {
    for (wait, open) in [(secs(90), 90), (secs(7 * 86_400), 180)] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let script = [Does::Tells(ErrorKind::RateLimited, wait)];
        let (mut stack, health, client) = stack(&catalog, &time, script);
        ask_times(1, &mut stack, &catalog, &time);
        let error = time.block_on(ask(&mut stack, call(&catalog))).unwrap().unwrap_err();
        assert_eq!((error.kind(), error.ready_at()), (ErrorKind::NotAdmitted, Some(at(open))));
        assert_eq!((ready_at(&health, &catalog, &time), client.calls()), (at(open), 1));
        wait_until(at(open), &time);
        assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
    }
}

#[test]
fn a_wait_of_nothing_or_of_for_ever_harms_nobody() {
    for wait in [Duration::ZERO, Duration::MAX] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let script = [Does::Tells(ErrorKind::Overloaded, wait)];
        let (mut stack, health, _) = stack(&catalog, &time, script);
        ask_times(1, &mut stack, &catalog, &time);
        assert!(ready_at(&health, &catalog, &time) <= at(3_600));
    }
}

#[test]
fn errors_that_say_nothing_about_health_open_nothing() {
    for kind in [ErrorKind::InvalidRequest, ErrorKind::ContextOverflow, ErrorKind::ContentFilter] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let (mut stack, health, _) = stack(&catalog, &time, [Does::Fails(kind); 30]);
        ask_times(30, &mut stack, &catalog, &time);
        assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed, "{kind}");
    }
}

#[test]
fn bad_credentials_close_all_models_of_their_provider_and_one_probe_mends_all() {
    let models = [("a", "acme"), ("b", "acme"), ("c", "other")];
    let models = models.map(|(name, provider)| Model::new(name, provider, Tier::Fast));
    let (time, catalog) = (VirtualTime::default(), Catalog::new(models).unwrap());
    let (mut stack, health, _) = stack(&catalog, &time, [Does::Fails(ErrorKind::Authentication)]);
    ask_times(1, &mut stack, &catalog, &time);
    let ready = |place: usize, now| {
        health.readiness(&catalog.models()[place], &Needs::default(), now) == Readiness::Ready
    };
    assert_eq!([0, 1, 2].map(|place| ready(place, time.tick())), [false, false, true]);
    wait_until(ready_at(&health, &catalog, &time), &time);
    assert!(time.tick() >= at(300));
    let permit = health.admit(&catalog.models()[1], time.tick()).unwrap();
    assert!(permit.is_probe());
    assert!(health.admit(&catalog.models()[0], time.tick()).is_err());
    permit.succeeded(time.tick(), secs(1));
    assert_eq!([0, 1, 2].map(|place| ready(place, time.tick())), [true; 3]);
}

#[test]
fn models_fail_each_for_itself() {
    let models = ["a", "b"].map(|name| Model::new(name, "acme", Tier::Fast));
    let (time, catalog) = (VirtualTime::default(), Catalog::new(models).unwrap());
    let (mut stack, health, _) = stack(&catalog, &time, [SERVER; 3]);
    ask_times(3, &mut stack, &catalog, &time);
    let state = |place: usize| health.breaker(&catalog.models()[place]);
    assert_eq!((state(0), state(1)), (BreakerState::Open, BreakerState::Closed));
}

#[test]
fn a_model_of_another_catalog_is_always_asked() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, _, _) = stack(&catalog, &time, [SERVER; 4]);
    let mut foreign = call(&catalog);
    foreign.model = Some(Arc::new(Model::new("z", "acme", Tier::Fast)));
    for _ in 0..4 {
        let error = time.block_on(ask(&mut stack, foreign.clone())).unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server);
    }
}

#[test]
fn a_calendar_that_is_set_changes_nothing() {
    for calendar in [0, 86_400_000_000] {
        let (time, catalog) = (VirtualTime::at(Timestamp(1_000_000)), catalog(|_| {}));
        let (mut stack, health, _) = stack(&catalog, &time, [SERVER; 3]);
        ask_times(3, &mut stack, &catalog, &time);
        let ready = ready_at(&health, &catalog, &time);
        time.set_calendar(Timestamp(calendar));
        assert_eq!(ready_at(&health, &catalog, &time), ready);
        wait_until(ready, &time);
        assert_eq!(ask_times(1, &mut stack, &catalog, &time), [None]);
    }
}

#[test]
fn each_change_is_announced_once() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (mut stack, health, _) = stack(&catalog, &time, [SERVER; 3]);
    let (opened, closed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (opens, closes) = (Arc::clone(&opened), Arc::clone(&closed));
    health.on_transition(move |change| {
        let count = if change.to == BreakerState::Open { &opens } else { &closes };
        count.fetch_add(1, Ordering::Relaxed);
        assert_eq!((change.model.as_deref(), &*change.provider), (Some("a"), "acme"));
    });
    ask_times(5, &mut stack, &catalog, &time);
    wait_until(ready_at(&health, &catalog, &time), &time);
    ask_times(5, &mut stack, &catalog, &time);
    assert_eq!((opened.load(Ordering::Relaxed), closed.load(Ordering::Relaxed)), (1, 1));
}

#[test]
fn a_host_may_treat_a_kind_otherwise() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let mut abstain = crate::Treatment::default_for(ErrorKind::Server);
    abstain.breaker = crate::BreakerVote::Abstain;
    let treatments = Treatments::default().with(ErrorKind::Server, abstain);
    let settings = HealthSettings { treatments, ..HealthSettings::default() };
    let (mut stack, health) = stack_of(settings, &catalog, &time, &Client::new(&time, [SERVER; 9]));
    ask_times(9, &mut stack, &catalog, &time);
    assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Closed);
}

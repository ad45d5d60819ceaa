use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hooks_core::HookFuture;
use hooks_core::state::{Key, Memory, Op, StateStore, StepResult, StoreError};
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Tick, Timer, Timestamp};
use tower_layer::Layer;

use super::{Health, HealthSettings, Readiness, SettingsError};
use crate::attempt::{Attempt, AttemptConfig, AttemptLayer};
use crate::breaker::{Breaker, BreakerLayer, BreakerState};
use crate::fixture::{Client, Does, ask, at, call, catalog, poll, secs, world};
use crate::pacing::{Pacing, PacingLayer};
use crate::{Catalog, Classified, ErrorKind, ModelError, Needs};

const MS: Duration = Duration::from_millis(1);
const SERVER: Does = Does::Fails(ErrorKind::Server);

/// A store with a network delay, which may be unavailable.
struct Remote {
    memory: Memory,
    time: VirtualTime,
    way: Duration,
    calls: AtomicUsize,
}

impl StateStore for Remote {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let (answer, time, way) = (self.memory.apply(op), self.time.clone(), self.way);
        HookFuture::later(async move {
            time.sleep(way).await;
            answer.await
        })
    }
}

/// A store that always fails.
struct Broken;

impl StateStore for Broken {
    fn apply(&self, _op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        HookFuture::now(Err(StoreError::Unavailable("gone".into())))
    }
}

fn memory(time: &VirtualTime) -> Arc<dyn StateStore> {
    Arc::new(Memory::new(Arc::new(time.clone())))
}

fn remote(time: &VirtualTime, way: Duration) -> Arc<Remote> {
    let memory = Memory::new(Arc::new(time.clone()));
    Arc::new(Remote { memory, time: time.clone(), way, calls: AtomicUsize::new(0) })
}

fn settings() -> HealthSettings {
    HealthSettings { burst: secs(1), instances: 2, ..HealthSettings::default() }
}

/// One instance of a fleet.
struct Instance {
    stack: Pacing<Breaker<Attempt<Client, Classified>>>,
    health: Health,
    catalog: Catalog,
    time: VirtualTime,
}

impl Instance {
    fn new(catalog: &Catalog, time: &VirtualTime, store: Arc<dyn StateStore>, client: &Client) -> Self {
        let health = Health::new(catalog, settings(), world(time)).unwrap().shared(store, "fleet");
        let attempt = AttemptLayer::new(world(time), AttemptConfig::default(), Classified).unwrap();
        let breaker = BreakerLayer::new(health.clone()).layer(attempt.layer(client.clone()));
        let stack = PacingLayer::new(health.clone()).layer(breaker);
        Self { stack, health, catalog: catalog.clone(), time: time.clone() }
    }

    fn ask(&mut self) -> Result<&'static str, ModelError> {
        let future = ask(&mut self.stack, call(&self.catalog));
        self.time.block_on(future).unwrap().map(|replied| replied.reply)
    }

    fn kind(&mut self) -> Option<ErrorKind> {
        self.ask().err().map(|error| error.kind())
    }

    fn readiness(&self) -> Readiness {
        self.health.readiness(&self.catalog.models()[0], &Needs::default(), self.time.tick())
    }

    fn state(&self) -> BreakerState {
        self.health.breaker(&self.catalog.models()[0])
    }
}

fn wait(duration: Duration, time: &VirtualTime) {
    time.block_on(time.sleep(duration)).unwrap();
}

#[test]
fn failures_of_all_instances_add_up() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (store, client) = (memory(&time), Client::new(&time, [SERVER; 3]));
    let mut fleet: Vec<_> =
        (0..4).map(|_| Instance::new(&catalog, &time, Arc::clone(&store), &client)).collect();
    for instance in fleet.iter_mut().take(3) {
        assert_eq!(instance.kind(), Some(ErrorKind::Server));
    }
    for instance in &mut fleet {
        assert!(matches!(instance.readiness(), Readiness::At(_)));
        assert_eq!(instance.kind(), Some(ErrorKind::NotAdmitted));
    }
    assert_eq!(client.calls(), 3);
}

#[test]
fn a_success_anywhere_breaks_a_row_of_failures() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = memory(&time);
    let client = Client::new(&time, [SERVER, SERVER, Does::Answers, SERVER, SERVER]);
    let mut fleet: Vec<_> =
        (0..2).map(|_| Instance::new(&catalog, &time, Arc::clone(&store), &client)).collect();
    for (instance, failed) in [(0, true), (1, true), (0, false), (0, true), (1, true)] {
        assert_eq!(fleet[instance].kind().is_some(), failed);
    }
    assert_eq!(fleet[0].state(), BreakerState::Closed);
}

#[test]
fn a_fleet_sends_one_probe() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = memory(&time);
    let client = Client::new(&time, [SERVER, SERVER, SERVER, Does::AnswersIn(secs(1))]);
    let mut fleet: Vec<_> =
        (0..200).map(|_| Instance::new(&catalog, &time, Arc::clone(&store), &client)).collect();
    for _ in 0..3 {
        fleet[0].kind();
    }
    wait(secs(15), &time);
    let calls: Vec<_> = fleet.iter_mut().map(|it| ask(&mut it.stack, call(&catalog))).collect();
    let answers = time.block_on(join_all(calls)).unwrap();
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(client.calls(), 4);
    // All instances learn that the model is well.
    assert!(fleet.iter().all(|instance| instance.readiness() == Readiness::Ready));
}

#[test]
fn a_probe_that_is_dropped_is_given_back_to_the_fleet() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = memory(&time);
    let client = Client::new(&time, [SERVER, SERVER, SERVER, Does::Hangs]);
    let [mut first, mut second] =
        [(); 2].map(|()| Instance::new(&catalog, &time, Arc::clone(&store), &client));
    for _ in 0..3 {
        first.kind();
    }
    wait(secs(15), &time);
    let mut probe = ask(&mut first.stack, call(&catalog));
    assert!(poll(&mut probe).is_pending());
    assert_eq!(second.kind(), Some(ErrorKind::NotAdmitted));
    drop(probe);
    assert_eq!(second.kind(), None);
}

#[test]
fn a_gate_is_shut_for_all() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = memory(&time);
    let client = Client::new(&time, [Does::Tells(ErrorKind::RateLimited, secs(90))]);
    let [mut first, second] = [(); 2].map(|()| Instance::new(&catalog, &time, Arc::clone(&store), &client));
    first.kind();
    assert_eq!(second.readiness(), Readiness::At(at(90)));
}

/// Waits between calls that are made as soon as there is room, while the provider states a second each time.
fn refused_in_a_row(fleet: &mut [Instance], times: usize) -> Vec<u64> {
    let pause = |turn: usize| {
        let instance = &mut fleet[turn % 2];
        assert_eq!(instance.kind(), Some(ErrorKind::RateLimited));
        let now = instance.time.tick();
        let Readiness::At(ready) = instance.readiness() else { panic!("it is not left alone") };
        wait(ready.since(now), &instance.time);
        ready.since(now).as_secs()
    };
    (0..times).map(pause).collect()
}

#[test]
fn a_quota_that_says_a_second_again_and_again_is_not_believed_for_ever_by_the_whole_fleet() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = memory(&time);
    let second = Does::Tells(ErrorKind::RateLimited, secs(1));
    let script = [second; 6].into_iter().chain([Does::Answers]).chain([second; 2]);
    let client = Client::new(&time, script);
    let mut fleet = [(); 2].map(|()| Instance::new(&catalog, &time, Arc::clone(&store), &client));
    assert_eq!(refused_in_a_row(&mut fleet, 6), [1, 1, 10, 20, 30, 30]);
    // One call succeeded: both instances trust the quota again.
    assert_eq!(fleet[1].kind(), None);
    assert_eq!(refused_in_a_row(&mut fleet, 2), [1, 1]);
}

#[test]
fn many_that_are_refused_at_one_time_are_one_refusal() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let health = Health::new(&catalog, settings(), world(&time)).unwrap();
    let model = &catalog.models()[0];
    let permits: Vec<_> = (0..9).map(|_| health.admit(model, at(0)).unwrap()).collect();
    let error = ModelError::new(ErrorKind::RateLimited, "slow down").with_retry_after(secs(1));
    permits.into_iter().for_each(|permit| permit.failed(&error, at(0), MS));
    assert_eq!(health.readiness(model, &Needs::default(), at(0)), Readiness::At(at(1)));
}

#[test]
fn what_a_refusal_teaches_about_a_burst_all_instances_know() {
    let time = VirtualTime::default();
    let store = memory(&time);
    let fleet = [(); 2].map(|()| of_tenant(&time, &store, ("one", None)));
    let catalog = limited();
    let model = &catalog.models()[0];
    let at_once = |health: &Health| {
        let now = time.tick();
        (0..5).filter(|_| health.pace(model, &Needs::default(), now).is_ok()).count()
    };
    wait(secs(600), &time);
    assert_eq!(at_once(&fleet[1]), 2, "a second's worth of 120 a minute");
    wait(secs(60), &time);
    fleet[0].cool_down_until(model, time.tick().after(secs(1)), ErrorKind::RateLimited);
    wait(secs(2), &time);
    assert_eq!(at_once(&fleet[1]), 1, "one request at a time");
    wait(secs(60), &time);
    assert_eq!(at_once(&fleet[1]), 2, "a minute later it is forgotten");
}

/// An instance of a fleet of a tenant.
fn of_tenant(time: &VirtualTime, store: &Arc<dyn StateStore>, name: (&str, Option<&str>)) -> Health {
    let (fleet, tenant) = name;
    let health = Health::new(&limited(), settings(), world(time)).unwrap();
    health.shared_for(Arc::clone(store), fleet, tenant)
}

#[test]
fn fleets_and_tenants_do_not_see_each_other() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let (store, model) = (memory(&time), &catalog.models()[0]);
    let names = [
        ("one", Some("acme")),
        ("two", Some("acme")),
        ("one", Some("rival")),
        ("one", None),
        ("acme", Some("one")),
        ("acme/one", None),
    ];
    let ready = |health: &Health| health.readiness(model, &Needs::default(), at(0));
    for own in names {
        let health = of_tenant(&time, &store, own);
        assert_eq!(ready(&health), Readiness::Ready, "{own:?}");
        // A used-up rate, a wrong key, and a gate.
        let sent = (0..5).filter(|_| health.pace(model, &Needs::default(), at(0)).is_ok()).count();
        // Half of the burst at the start, because of the caution.
        assert_eq!(sent, 1, "{own:?}");
        let wrong_key = ModelError::new(ErrorKind::Authentication, "no such key");
        health.admit(model, at(0)).unwrap().failed(&wrong_key, at(0), Duration::ZERO);
        health.cool_down_until(model, at(60), ErrorKind::RateLimited);
        assert_ne!(
            ready(&of_tenant(&time, &store, own)),
            Readiness::Ready,
            "its own instances see it: {own:?}"
        );
    }
}

#[test]
fn what_is_shared_once_stays_as_it_is_shared() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let (store, other) = (memory(&time), memory(&time));
    let health = of_tenant(&time, &store, ("one", None)).shared(Arc::clone(&other), "two");
    health.cool_down_until(&catalog.models()[0], at(60), ErrorKind::RateLimited);
    let ready = |health: Health| health.readiness(&catalog.models()[0], &Needs::default(), at(0));
    assert_eq!(ready(of_tenant(&time, &store, ("one", None))), Readiness::At(at(60)));
    assert_eq!(ready(of_tenant(&time, &other, ("two", None))), Readiness::Ready);
}

/// A catalog with 120 requests a minute, two of which may be sent at once.
fn limited() -> Catalog {
    catalog(|model| model.limits.requests_per_minute = Some(120))
}

/// The times at which the calls of all instances were answered.
fn moments(fleet: &mut [Instance], each: usize) -> Vec<Tick> {
    let (time, catalog) = (fleet[0].time.clone(), fleet[0].catalog.clone());
    let calls: Vec<_> = fleet
        .iter_mut()
        .flat_map(|it| (0..each).map(|_| ask(&mut it.stack, call(&catalog))).collect::<Vec<_>>())
        .collect();
    let moments = std::sync::Mutex::new(Vec::new());
    let all = calls.into_iter().map(async |future| {
        future.await.unwrap();
        moments.lock().unwrap().push(time.tick());
    });
    time.block_on(join_all(all)).unwrap();
    moments.into_inner().unwrap()
}

#[test]
fn a_fleet_keeps_one_pace_and_nobody_stampedes() {
    for way in [None, Some(MS)] {
        let (time, catalog) = (VirtualTime::default(), limited());
        let store = way.map_or_else(|| memory(&time), |way| remote(&time, way));
        let mut fleet: Vec<_> = (0..5)
            .map(|_| Instance::new(&catalog, &time, Arc::clone(&store), &Client::new(&time, [])))
            .collect();
        let mut moments = moments(&mut fleet, 4);
        moments.sort();
        // Twenty calls: two at once, and then two each second.
        for window in moments.windows(4) {
            assert!(window[3].since(window[0]) >= MS * 900, "{moments:?}");
        }
        assert!(*moments.last().unwrap() <= Tick(MS * 10_500), "{moments:?}");
    }
}

#[test]
fn who_would_wait_too_long_in_a_fleet_hears_when_there_is_room() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let store = memory(&time);
    let [mut first, mut second] =
        [(); 2].map(|()| Instance::new(&catalog, &time, Arc::clone(&store), &Client::new(&time, [])));
    moments(std::slice::from_mut(&mut first), 1);
    assert_eq!(second.readiness(), Readiness::At(Tick(MS * 500)));
    let late = call(&catalog).until(Tick(MS * 400));
    let error = time.block_on(ask(&mut second.stack, late)).unwrap().unwrap_err();
    assert_eq!((error.kind(), error.ready_at()), (ErrorKind::NotAdmitted, Some(Tick(MS * 500))));
}

#[test]
fn a_large_rate_of_tokens_is_kept_to_half_a_percent() {
    let (time, catalog) =
        (VirtualTime::default(), catalog(|model| model.limits.tokens_per_minute = Some(1_000_000)));
    let health = Health::new(&catalog, settings(), world(&time)).unwrap().shared(memory(&time), "fleet");
    let needs = Needs { input_tokens: 700, output_tokens: 300, ..Needs::default() };
    let mut sent = 0;
    while time.tick() < at(600) {
        if health.pace(&catalog.models()[0], &needs, time.tick()).is_ok() {
            sent += 1;
        } else {
            wait(MS * 5, &time);
        }
    }
    assert!((9_900..=10_040).contains(&sent), "{sent} thousand tokens in ten minutes");
}

#[test]
fn a_call_that_is_refused_for_its_request_costs_the_fleet_no_tokens() {
    let both = catalog(|model| {
        model.limits.requests_per_minute = Some(12);
        model.limits.tokens_per_minute = Some(60_000);
    });
    let needs = Needs { input_tokens: 3_000, output_tokens: 1_000, ..Needs::default() };
    let sent = |shared: bool| {
        let time = VirtualTime::default();
        let health = Health::new(&both, settings(), world(&time)).unwrap();
        let health = if shared { health.shared(memory(&time), "fleet") } else { health };
        let mut sent = 0;
        while time.tick() < at(600) {
            sent += usize::from(health.pace(&both.models()[0], &needs, time.tick()).is_ok());
            wait(MS * 500, &time);
        }
        sent
    };
    assert_eq!((sent(false), sent(true)), (120, 120));
}

#[test]
fn who_hears_that_a_request_has_no_room_hears_when_it_has() {
    let (time, catalog) = (
        VirtualTime::default(),
        catalog(|model| {
            model.limits.requests_per_minute = Some(12);
            model.limits.tokens_per_minute = Some(60_000);
        }),
    );
    let mut instance = Instance::new(&catalog, &time, memory(&time), &Client::new(&time, []));
    assert_eq!(instance.kind(), None);
    wait(secs(2), &time);
    for _ in 0..3 {
        let late = call(&catalog).until(at(4));
        let error = time.block_on(ask(&mut instance.stack, late)).unwrap().unwrap_err();
        assert_eq!((error.kind(), error.ready_at()), (ErrorKind::NotAdmitted, Some(at(5))));
    }
}

#[test]
fn a_store_that_answers_later_shares_as_well() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = remote(&time, MS);
    let client = Client::new(&time, [SERVER, SERVER, SERVER, Does::AnswersIn(secs(1))]);
    let mut fleet: Vec<_> =
        (0..20).map(|_| Instance::new(&catalog, &time, Arc::<Remote>::clone(&store), &client)).collect();
    for instance in fleet.iter_mut().take(3) {
        assert_eq!(instance.kind(), Some(ErrorKind::Server));
    }
    for instance in &mut fleet {
        wait(secs(1), &time);
        assert_eq!(instance.kind(), Some(ErrorKind::NotAdmitted), "{:?}", instance.state());
        if time.tick() > at(8) {
            break;
        }
    }
    wait(secs(20), &time);
    let calls: Vec<_> = fleet.iter_mut().map(|it| ask(&mut it.stack, call(&catalog))).collect();
    let answers = time.block_on(join_all(calls)).unwrap();
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(client.calls(), 4);
}

#[test]
fn a_store_that_answers_later_is_not_asked_on_every_way() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = remote(&time, MS);
    let client = Client::new(&time, [Does::AnswersIn(MS * 10); 100]);
    let mut instance = Instance::new(&catalog, &time, Arc::<Remote>::clone(&store), &client);
    for _ in 0..100 {
        instance.ask().unwrap();
    }
    // Calls for a second: the store is read at the beginning and at the end.
    assert!(store.calls.load(Ordering::Relaxed) <= 30, "{:?}", store.calls);
}

#[test]
fn a_slow_store_keeps_a_call_for_a_quarter_of_a_second_each_way_and_is_heard_in_the_end() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store = remote(&time, MS * 45);
    let client = Client::new(&time, [SERVER; 3]);
    let mut fleet = [(); 2].map(|()| Instance::new(&catalog, &time, Arc::<Remote>::clone(&store), &client));
    for _ in 0..3 {
        let began = time.tick();
        assert_eq!(fleet[0].kind(), Some(ErrorKind::Server));
        assert!(time.tick().since(began) <= MS * 500, "{:?}", time.tick().since(began));
    }
    assert_eq!(fleet[1].kind(), Some(ErrorKind::NotAdmitted));
}

#[test]
fn while_the_store_is_away_our_own_breaker_goes_on_and_nobody_waits_long() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (lost, client) = (remote(&time, secs(3_600)), Client::new(&time, [SERVER; 3]));
    let stores: [Arc<dyn StateStore>; 2] = [lost, Arc::new(Broken)];
    for store in stores {
        let client = client.clone();
        let began = time.tick();
        let mut instance = Instance::new(&catalog, &time, store, &client);
        let script = Client::new(&time, [SERVER; 3]);
        instance.stack = PacingLayer::new(instance.health.clone()).layer(
            BreakerLayer::new(instance.health.clone()).layer(
                AttemptLayer::new(world(&time), AttemptConfig::default(), Classified)
                    .unwrap()
                    .layer(script.clone()),
            ),
        );
        assert_eq!([(); 3].map(|()| instance.kind()), [Some(ErrorKind::Server); 3]);
        assert!(time.tick().since(began) <= MS * 50, "{:?}", time.tick().since(began));
        assert_eq!(instance.kind(), Some(ErrorKind::NotAdmitted));
        assert_eq!((instance.state(), script.calls()), (BreakerState::Open, 3));
        // The probe of the instance is sent without the fleet.
        wait(secs(15), &time);
        assert_eq!(instance.kind(), None);
    }
}

#[test]
fn while_the_store_is_away_an_instance_keeps_to_its_share() {
    let (time, catalog) = (VirtualTime::default(), limited());
    let client = Client::new(&time, []);
    let mut instance = Instance::new(&catalog, &time, Arc::new(Broken), &client);
    // The share of one of two instances: 60 a minute.
    let moments = moments(std::slice::from_mut(&mut instance), 5);
    assert_eq!(moments, [0, 1, 2, 3, 4].map(at));
}

#[test]
fn a_calendar_that_is_set_prolongs_nothing() {
    for calendar in [0, 86_400_000_000] {
        let (time, catalog) = (VirtualTime::at(Timestamp(1_000_000_000)), catalog(|_| {}));
        let (store, client) = (memory(&time), Client::new(&time, [SERVER; 3]));
        let [mut first, second] =
            [(); 2].map(|()| Instance::new(&catalog, &time, Arc::clone(&store), &client));
        for _ in 0..3 {
            first.kind();
        }
        let Readiness::At(ready) = first.readiness() else { panic!("ready") };
        assert!(matches!(second.readiness(), Readiness::At(_)));
        time.set_calendar(Timestamp(calendar));
        for instance in [&first, &second] {
            let Readiness::At(after) = instance.readiness() else { panic!("ready") };
            assert!(after.since(ready).max(ready.since(after)) <= MS * 2, "{after:?} for {ready:?}");
        }
        wait(secs(15), &time);
        assert_eq!(first.kind(), None);
    }
}

#[test]
fn what_cannot_be_read_says_nothing() {
    for text in ["", "nonsense", "[]", "{\"gate_for\":-1}", "{\"breaker\":{\"counted\":[[1]]}}"] {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let (store, client) = (memory(&time), Client::new(&time, [SERVER; 3]));
        let key = Key::new(None, &["fleet", "health", "model", "acme", "a"]);
        time.block_on(store.apply(Op::Put { key, value: text.into(), ttl: None })).unwrap().unwrap();
        let mut instance = Instance::new(&catalog, &time, store, &client);
        assert_eq!(
            [(); 4].map(|()| instance.kind().unwrap()).last(),
            Some(&ErrorKind::NotAdmitted),
            "{text}"
        );
    }
}

#[test]
fn what_is_written_cannot_close_a_model_for_longer_than_our_own_settings() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (store, most) = (memory(&time), u64::MAX);
    let text = format!(
        "{{\"at\":0,\"gate_for\":{most},\"breaker\":{{\"closed_for\":{most},\"openings\":4294967295}}}}"
    );
    let key = Key::new(None, &["fleet", "health", "model", "acme", "a"]);
    time.block_on(store.apply(Op::Put { key, value: text.into(), ttl: None })).unwrap().unwrap();
    let instance = Instance::new(&catalog, &time, store, &Client::new(&time, []));
    assert_eq!(instance.readiness(), Readiness::At(at(600)));
}

#[test]
fn a_retry_budget_earns_its_share_and_never_starves() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let health = crate::fixture::health(&catalog, &time);
    let model = &catalog.models()[0];
    let spend = |now| (0..100).filter(|_| health.another_attempt(model, now)).count();
    assert_eq!(spend(at(0)), 10);
    (0..50).for_each(|_| health.first_attempt(model));
    assert_eq!(spend(at(0)), 5);
    // Ten a minute in any case.
    assert_eq!(spend(at(30)), 5);
    assert_eq!(spend(at(3_600)), 10);
}

#[test]
fn nonsense_is_refused() {
    let refused = |change: fn(&mut HealthSettings)| {
        let mut settings = HealthSettings::default();
        change(&mut settings);
        Health::new(&catalog(|_| {}), settings, world(&VirtualTime::default())).unwrap_err()
    };
    assert_eq!(refused(|it| it.breaker.window = Duration::ZERO), SettingsError::Zero("breaker.window"));
    assert_eq!(refused(|it| it.breaker.minimum_calls = 0), SettingsError::Zero("breaker.minimum_calls"));
    assert_eq!(refused(|it| it.breaker.failure_rate = f64::NAN), SettingsError::Rate("breaker.failure_rate"));
    assert_eq!(refused(|it| it.breaker.slow_rate = 1.5), SettingsError::Rate("breaker.slow_rate"));
    assert_eq!(refused(|it| it.budget.ratio = f64::INFINITY), SettingsError::Share("budget.ratio"));
    assert_eq!(refused(|it| it.instances = 0), SettingsError::Zero("pacing.instances"));
    assert_eq!(
        refused(|it| it.breaker.open_at_most = secs(1)).to_string(),
        "`breaker.open_at_most` is less than `breaker.open`; raise the first or lower the second"
    );
}

#[test]
fn a_call_that_is_dropped_at_whatever_await_leaves_nothing_behind() {
    for polls in 0..60 {
        let (time, catalog) = (VirtualTime::default(), limited());
        let store = remote(&time, MS);
        let script = [SERVER, SERVER, SERVER, Does::AnswersIn(MS * 5)];
        let client = Client::new(&time, script);
        let mut instance = Instance::new(&catalog, &time, store, &client);
        for _ in 0..3 {
            instance.kind();
        }
        wait(secs(15), &time);
        // The polls: a slot of the fleet, the fleet's state, the publication of a probe, the model's answer,
        // the publication of the result.
        let mut dropped = ask(&mut instance.stack, call(&catalog));
        for _ in 0..polls {
            if poll(&mut dropped).is_ready() {
                break;
            }
            wait(MS, &time);
        }
        drop(dropped);
        assert_eq!(client.busy.load(Ordering::Relaxed), 0);
        assert_eq!(instance.kind(), None, "dropped after {polls} polls");
        assert_eq!(instance.state(), BreakerState::Closed);
    }
}

#[test]
fn the_usual_time_of_a_model_follows_its_answers() {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let (health, model) = (crate::fixture::health(&catalog, &time), &catalog.models()[0]);
    let answers = |seconds| health.admit(model, time.tick()).unwrap().succeeded(time.tick(), secs(seconds));
    assert_eq!(health.usual_time(model), None);
    answers(8);
    assert_eq!(health.usual_time(model), Some(secs(8)));
    answers(16);
    assert_eq!(health.usual_time(model), Some(secs(9)));
    (0..100).for_each(|_| answers(2));
    assert!(health.usual_time(model).unwrap() < Duration::from_millis(2_001));
}

//! Tests of concurrent callers with loom: shared state in all possible orders of access.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Memory, Op, StateStore, StepResult, StoreError};
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Tick, Timer};

use super::{Health, HealthSettings, Permit};
use crate::breaker::BreakerState;
use crate::fixture::{at, catalog, world};
use crate::sync::{self, Work, in_every_order};
use crate::{Catalog, ErrorKind, ModelError, Needs};

fn health(catalog: &Catalog, time: &VirtualTime) -> Health {
    Health::new(catalog, HealthSettings::default(), world(time)).unwrap()
}

fn fail(health: &Health, catalog: &Catalog, now: Tick) {
    if let Ok(permit) = health.admit(&catalog.models()[0], now) {
        permit.failed(&ModelError::new(ErrorKind::Server, "down"), now, Duration::ZERO);
    }
}

/// A breaker that opened at time zero, with its catalog.
fn opened() -> (Health, Catalog) {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let health = health(&catalog, &time);
    (0..3).for_each(|_| fail(&health, &catalog, at(0)));
    (health, catalog)
}

/// A time after the first open time.
const LATER: Tick = at(15);
/// A time after the caution at the start.
const SETTLED: Tick = at(600);

fn work(run: impl FnOnce() + Send + 'static) -> Work {
    Box::new(run)
}

/// `count` callers, and a check that one of them probes.
fn callers(count: usize) -> (Vec<Work>, impl FnOnce()) {
    let (health, catalog) = opened();
    let permits = Arc::new(Mutex::new(Vec::<Permit>::new()));
    let caller = || {
        let (health, catalog, permits) = (health.clone(), catalog.clone(), Arc::clone(&permits));
        work(move || {
            let admitted = health.admit(&catalog.models()[0], LATER);
            permits.lock().unwrap().extend(admitted);
        })
    };
    let threads = (0..count).map(|_| caller()).collect();
    (threads, move || {
        assert_eq!(permits.lock().unwrap().len(), 1);
        assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Probing);
    })
}

#[test]
fn of_callers_at_the_same_time_one_probes() {
    let orders = in_every_order(3, || callers(2));
    assert!(orders > 10, "{orders}");
    in_every_order(1, || callers(4));
}

#[test]
fn a_probe_that_is_dropped_while_others_ask_is_never_lost() {
    in_every_order(3, || {
        let (health, catalog) = opened();
        let caller = || {
            let (health, catalog) = (health.clone(), catalog.clone());
            work(move || drop(health.admit(&catalog.models()[0], LATER)))
        };
        let threads = vec![caller(), caller()];
        (threads, move || {
            // The probe was dropped at time zero, so the model may be called at once.
            assert!(health.admit(&catalog.models()[0], LATER).unwrap().is_probe());
        })
    });
}

#[test]
fn failures_at_the_same_time_all_count_and_it_opens_once() {
    in_every_order(2, || {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let health = health(&catalog, &time);
        let opened = Arc::new(AtomicUsize::new(0));
        let opens = Arc::clone(&opened);
        health.on_transition(move |_| {
            opens.fetch_add(1, Ordering::Relaxed);
        });
        let permits: Vec<_> = (0..3).map(|_| health.admit(&catalog.models()[0], at(0)).unwrap()).collect();
        let threads = permits
            .into_iter()
            .map(|permit| {
                work(move || permit.failed(&ModelError::new(ErrorKind::Server, ""), at(0), Duration::ZERO))
            })
            .collect();
        (threads, move || {
            assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Open);
            assert_eq!(opened.load(Ordering::Relaxed), 1);
        })
    });
}

/// `count` callers of a model whose rate admits `through` calls in five seconds.
fn paced(count: usize, through: u32) -> (Vec<Work>, impl FnOnce()) {
    let (time, catalog) =
        (VirtualTime::default(), catalog(|it| it.limits.requests_per_minute = Some(through * 12)));
    let health = health(&catalog, &time);
    let went = Arc::new(AtomicU32::new(0));
    let caller = || {
        let (health, catalog, went) = (health.clone(), catalog.clone(), Arc::clone(&went));
        work(move || {
            let paced = health.pace(&catalog.models()[0], &Needs::default(), SETTLED);
            went.fetch_add(paced.is_ok().into(), Ordering::Relaxed);
        })
    };
    let threads = (0..count).map(|_| caller()).collect();
    (threads, move || assert_eq!(went.load(Ordering::Relaxed), through))
}

#[test]
fn what_is_let_through_is_no_more_than_the_rate() {
    in_every_order(3, || paced(2, 1));
    in_every_order(2, || paced(3, 2));
}

#[test]
fn a_retry_that_is_saved_up_is_spent_once_and_none_that_is_earned_is_lost() {
    in_every_order(3, || {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let mut settings = HealthSettings::default();
        (settings.budget.ratio, settings.budget.per_minute, settings.budget.burst) = (1.0, 0, 2);
        let health = Health::new(&catalog, settings, world(&time)).unwrap();
        let model = Arc::clone(&catalog.models()[0]);
        assert!(health.another_attempt(&model, at(0)));
        // One attempt is left, and one is earned: of three callers two get one, now or later.
        let got = Arc::new(AtomicU32::new(0));
        let spend = || {
            let (health, model, got) = (health.clone(), Arc::clone(&model), Arc::clone(&got));
            work(move || {
                got.fetch_add(health.another_attempt(&model, at(0)).into(), Ordering::Relaxed);
            })
        };
        let earn = {
            let (health, model) = (health.clone(), Arc::clone(&model));
            work(move || health.first_attempt(&model))
        };
        let threads = vec![spend(), spend(), earn];
        (threads, move || {
            let left = (0..3).filter(|_| health.another_attempt(&model, at(0))).count();
            assert_eq!(got.load(Ordering::Relaxed) as usize + left, 2);
        })
    });
}

/// A store in this process whose callers race each other.
struct Contended(sync::Mutex<Memory>);

impl StateStore for Contended {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).apply(op)
    }
}

/// Two instances of one fleet.
fn fleet() -> (Vec<Health>, Catalog, VirtualTime) {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let store: Arc<dyn StateStore> =
        Arc::new(Contended(sync::Mutex::new(Memory::new(Arc::new(time.clone())))));
    let instance = |_| health(&catalog, &time).shared(Arc::clone(&store), "fleet");
    ((0..2).map(instance).collect(), catalog, time)
}

#[test]
fn of_a_fleet_at_the_same_time_every_failure_counts() {
    in_every_order(2, || {
        let (fleet, catalog, _) = fleet();
        fail(&fleet[0], &catalog, at(0));
        let threads = fleet.iter().cloned().map(|health| {
            let catalog = catalog.clone();
            work(move || fail(&health, &catalog, at(0)))
        });
        let threads = threads.collect();
        (threads, move || {
            for health in &fleet {
                health.readiness(&catalog.models()[0], &Needs::default(), at(0));
                assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Open);
            }
        })
    });
}

#[test]
fn of_a_fleet_at_the_same_time_one_probes() {
    in_every_order(2, || {
        let (fleet, catalog, time) = fleet();
        (0..3).for_each(|_| fail(&fleet[0], &catalog, at(0)));
        time.block_on(time.sleep(LATER.0)).unwrap();
        let probes = Arc::new(Mutex::new(Vec::new()));
        let threads = fleet.iter().cloned().map(|health| {
            let (catalog, probes) = (catalog.clone(), Arc::clone(&probes));
            work(move || {
                let admitted = health.admit(&catalog.models()[0], LATER);
                probes.lock().unwrap().extend(admitted);
            })
        });
        let threads = threads.collect();
        (threads, move || assert_eq!(probes.lock().unwrap().len(), 1))
    });
}

//! Callers at the same time: in every order in which they may come to what they share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Answer, Memory, Op, StateStore, StoreError};
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Tick};

use super::{Health, HealthSettings, Permit};
use crate::breaker::BreakerState;
use crate::fixture::{at, catalog, world};
use crate::interleave::{Work, in_every_order, in_many_orders, point};
use crate::{Catalog, ErrorKind, ModelError, Needs};

fn health(catalog: &Catalog, time: &VirtualTime) -> Health {
    Health::new(catalog, HealthSettings::default(), world(time)).unwrap()
}

fn fail(health: &Health, catalog: &Catalog, now: Tick) {
    if let Ok(permit) = health.admit(&catalog.models()[0], now) {
        permit.failed(&ModelError::new(ErrorKind::Server, "down"), now, Duration::ZERO);
    }
}

/// A breaker that was opened at the start, and what it keeps.
fn opened() -> (Health, Catalog) {
    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let health = health(&catalog, &time);
    (0..3).for_each(|_| fail(&health, &catalog, at(0)));
    (health, catalog)
}

/// When the first time it is open is over.
const LATER: Tick = at(15);

fn work(run: impl FnOnce() + Send + 'static) -> Work {
    Box::new(run)
}

#[test]
fn of_three_callers_one_probes() {
    let orders = in_every_order(|| {
        let (health, catalog) = opened();
        let permits = Arc::new(Mutex::new(Vec::<Permit>::new()));
        let caller = || {
            let (health, catalog, permits) = (health.clone(), catalog.clone(), Arc::clone(&permits));
            work(move || {
                let admitted = health.admit(&catalog.models()[0], LATER);
                permits.lock().unwrap().extend(admitted);
            })
        };
        let threads = vec![caller(), caller(), caller()];
        (threads, move || {
            assert_eq!(permits.lock().unwrap().len(), 1);
            assert_eq!(health.breaker(&catalog.models()[0]), BreakerState::Probing);
        })
    });
    assert!(orders > 100, "{orders}");
}

#[test]
fn a_probe_that_is_dropped_while_others_ask_is_never_lost() {
    in_every_order(|| {
        let (health, catalog) = opened();
        let caller = || {
            let (health, catalog) = (health.clone(), catalog.clone());
            work(move || drop(health.admit(&catalog.models()[0], LATER)))
        };
        let threads = vec![caller(), caller()];
        (threads, move || {
            // Dropped at the start of time, so it may be asked at once.
            assert!(health.admit(&catalog.models()[0], LATER).unwrap().is_probe());
        })
    });
}

#[test]
fn failures_at_the_same_time_all_count_and_it_opens_once() {
    in_every_order(|| {
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

#[test]
fn what_is_let_through_is_no_more_than_the_rate() {
    in_every_order(|| {
        let (time, catalog) =
            (VirtualTime::default(), catalog(|it| it.limits.requests_per_minute = Some(24)));
        let health = health(&catalog, &time);
        let went = Arc::new(AtomicUsize::new(0));
        let caller = || {
            let (health, catalog, went) = (health.clone(), catalog.clone(), Arc::clone(&went));
            work(move || {
                point();
                let paced = health.pace(&catalog.models()[0], &Needs::default(), at(0));
                went.fetch_add(paced.is_ok().into(), Ordering::Relaxed);
            })
        };
        let threads = (0..4).map(|_| caller()).collect();
        // 24 a minute are two in five seconds.
        (threads, move || assert_eq!(went.load(Ordering::Relaxed), 2))
    });
}

/// A store of this process that others may come to first.
struct Contended(Memory);

impl StateStore for Contended {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        point();
        self.0.apply(op)
    }
}

#[test]
fn of_a_fleet_at_the_same_time_every_failure_counts_and_one_probes() {
    in_many_orders(150, || {
        let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
        let store: Arc<dyn StateStore> = Arc::new(Contended(Memory::new(Arc::new(time.clone()))));
        let fleet: Vec<_> =
            (0..3).map(|_| health(&catalog, &time).shared(Arc::clone(&store), "fleet")).collect();
        let probes = Arc::new(Mutex::new(Vec::new()));
        let threads = fleet
            .iter()
            .map(|health| {
                let (health, catalog, probes) = (health.clone(), catalog.clone(), Arc::clone(&probes));
                work(move || {
                    fail(&health, &catalog, at(0));
                    // From here on as many as come at once.
                    let admitted = health.admit(&catalog.models()[0], LATER);
                    probes.lock().unwrap().extend(admitted.into_iter().filter(Permit::is_probe));
                })
            })
            .collect();
        (threads, move || {
            assert!(probes.lock().unwrap().len() <= 1);
            let model = &catalog.models()[0];
            for health in &fleet {
                health.readiness(model, &Needs::default(), time.tick());
                assert_ne!(health.breaker(model), BreakerState::Closed);
            }
        })
    });
}

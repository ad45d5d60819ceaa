//! Instances that share one store in memory, in virtual time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hooks_core::state::{Key, Window};
use hooks_core::testing::VirtualTime;
use hooks_core::time::SeededRandom;
use proptest::prelude::*;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

/// A store that counts its operations and answers later, as a server does. It can be unavailable, and it can
/// lose its answers to leases.
#[derive(Clone)]
struct Far(Arc<(Memory, AtomicU64, AtomicBool, AtomicBool)>);

impl Far {
    fn new(time: &VirtualTime) -> Self {
        let memory = Memory::new(Arc::new(time.clone()));
        Self(Arc::new((memory, AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false))))
    }

    fn loses_leases(&self, loses: bool) {
        self.0.3.store(loses, Ordering::Relaxed);
    }

    fn store_calls(&self) -> u64 {
        self.0.1.load(Ordering::Relaxed)
    }

    fn is_away(&self, is_away: bool) {
        self.0.2.store(is_away, Ordering::Relaxed);
    }
}

impl StateStore for Far {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let far = self.clone();
        HookFuture::later(async move {
            far.0.1.fetch_add(1, Ordering::Relaxed);
            if far.0.2.load(Ordering::Relaxed) {
                return Err(StoreError::Unavailable("away".to_owned()));
            }
            let is_lost = matches!(op, Op::Lease { .. }) && far.0.3.load(Ordering::Relaxed);
            let answer = far.0.0.apply(op).await;
            if is_lost { Err(StoreError::Unavailable("lost".to_owned())) } else { answer }
        })
    }
}

fn leased(store: &Far, time: &VirtualTime, seed: u64) -> Leased<Far> {
    let clock = Arc::new(time.clone());
    Leased::new(store.clone(), LeaseSettings::default(), clock, Arc::new(SeededRandom::new(seed)))
}

fn day() -> Key {
    Key::new(Some("acme"), &["day"])
}

fn budget(limit: u64) -> Arc<[Scope]> {
    [Scope::spent(day(), limit)].into()
}

fn reserve(id: u128, scopes: &Arc<[Scope]>, amount: u64) -> Op {
    Op::Reserve { id: OpId(id), scopes: Arc::clone(scopes), amount, ttl: MINUTE }
}

async fn used(store: &Far) -> (u64, u64) {
    let used = store.0.0.apply(Op::Used { key: day(), window: Window::Always }).await.unwrap();
    let StepResult::Used { used, held } = used else { panic!("{used:?}") };
    (used, held)
}

fn run<T>(work: impl AsyncFnOnce(&VirtualTime, Far) -> T) -> T {
    let time = VirtualTime::default();
    let store = Far::new(&time);
    time.block_on(work(&time, store)).unwrap()
}

#[test]
fn most_reservations_are_answered_here() {
    run(async |time, store| {
        let (leased, scopes) = (leased(&store, time, 1), budget(1_000_000));
        for id in 0..10_000 {
            assert_eq!(leased.apply(reserve(id, &scopes, 1)).await.unwrap(), StepResult::Done);
            assert_eq!(leased.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap(), StepResult::Done);
        }
        assert!(store.store_calls() < 100, "{}", store.store_calls());
        let lease = leased.apply(reserve(10_000, &scopes, 1));
        assert!(matches!(lease, HookFuture::Now(_)));
        leased.close().await.unwrap();
        assert_eq!(used(&store).await, (10_001, 0), "what is held is charged");
    });
}

#[test]
fn near_the_limit_every_reservation_is_the_stores() {
    run(async |time, store| {
        let (leased, scopes) = (leased(&store, time, 1), budget(1_000));
        let mut done = 0_u128;
        while leased.apply(reserve(done, &scopes, 1)).await.unwrap() == StepResult::Done {
            leased.apply(Op::Settle { id: OpId(done), actual: 1 }).await.unwrap();
            done += 1;
            let (used, held) = used(&store).await;
            assert!(used <= 1_000 && (used < 950 || held <= 1), "{used} with {held} held");
        }
        assert_eq!(done, 1_000);
    });
}

#[test]
fn the_same_message_does_nothing_more() {
    run(async |time, store| {
        let (leased, scopes) = (leased(&store, time, 1), budget(1_000_000));
        for id in [0, 1, 1, 0, 1] {
            assert_eq!(leased.apply(reserve(id, &scopes, 10)).await.unwrap(), StepResult::Done);
        }
        for (actual, answer) in
            [(4, StepResult::Done), (4, StepResult::Done), (9, StepResult::Ended { actual: 4 })]
        {
            assert_eq!(leased.apply(Op::Settle { id: OpId(1), actual }).await.unwrap(), answer);
        }
        assert_eq!(leased.apply(reserve(1, &scopes, 10)).await.unwrap(), StepResult::Ended { actual: 4 });
        leased.apply(Op::Release { id: OpId(0) }).await.unwrap();
        leased.close().await.unwrap();
        assert_eq!(used(&store).await, (4, 0));
    });
}

#[test]
fn a_reservation_grows_with_its_lease() {
    run(async |time, store| {
        let (leased, scopes) = (leased(&store, time, 1), budget(1_000));
        let extend = |to| Op::Extend { id: OpId(1), to, ttl: MINUTE };
        leased.apply(reserve(1, &scopes, 10)).await.unwrap();
        assert_eq!(leased.apply(extend(800)).await.unwrap(), StepResult::Done);
        let refused = leased.apply(extend(1_001)).await.unwrap();
        assert!(matches!(refused, StepResult::Refused { limit: 1_000, .. }), "{refused:?}");
        assert_eq!(leased.apply(Op::Settle { id: OpId(1), actual: 700 }).await.unwrap(), StepResult::Done);
        leased.close().await.unwrap();
        assert_eq!(used(&store).await, (700, 0));
        assert_eq!(leased.apply(extend(900)).await.unwrap(), StepResult::Unknown);
    });
}

#[test]
fn an_instance_that_is_lost_is_charged_for_its_lease() {
    run(async |time, store| {
        let (lost, scopes) = (leased(&store, time, 1), budget(1_000));
        for id in 0..20 {
            lost.apply(reserve(id, &scopes, 1)).await.unwrap();
            lost.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap();
        }
        drop(lost);
        time.sleep(MINUTE * 2).await;
        let (used, held) = used(&store).await;
        assert!(held == 0 && (20..70).contains(&used), "{used}, {held}");
    });
}

#[test]
fn what_lies_idle_goes_back_and_what_is_held_is_renewed() {
    run(async |time, store| {
        let (leased, scopes) = (leased(&store, time, 1), budget(1_000));
        for id in 0..40 {
            let ttl = MINUTE * 60;
            let op = Op::Reserve { id: OpId(id), scopes: Arc::clone(&scopes), amount: 1, ttl };
            leased.apply(op).await.unwrap();
            if id > 0 {
                leased.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap();
            }
        }
        let timer = Arc::new(time.clone());
        futures_util::future::select(
            std::pin::pin!(leased.keep(timer)),
            std::pin::pin!(time.sleep(MINUTE * 10)),
        )
        .await;
        let (charged, held) = used(&store).await;
        assert!(
            charged < 60 && held > 0,
            "{charged}, {held}: only the lease of the one that is open is left"
        );
        assert_eq!(leased.apply(Op::Settle { id: OpId(0), actual: 1 }).await.unwrap(), StepResult::Done);
        leased.tend().await;
        assert_eq!(used(&store).await, (40, 0));
    });
}

#[test]
fn what_was_leased_is_spent_while_the_store_is_away_and_then_nothing() {
    run(async |time, store| {
        let (leased, scopes) = (leased(&store, time, 1), budget(1_000));
        for id in 0..100 {
            assert_eq!(leased.apply(reserve(id, &scopes, 1)).await.unwrap(), StepResult::Done);
        }
        let (before, _) = used(&store).await;
        store.is_away(true);
        let mut more = 0;
        while leased.apply(reserve(100 + more, &scopes, 1)).await.is_ok() {
            more += 1;
        }
        assert_eq!(100 + more, u128::from(before));
        store.is_away(false);
        assert_eq!(leased.apply(reserve(5_000, &scopes, 1)).await.unwrap(), StepResult::Done);
    });
}

#[test]
fn a_lease_whose_grant_was_lost_before_a_window_ended_pays_for_nothing_after_it() {
    run(async |time, store| {
        let leased = leased(&store, time, 1);
        let window = Window::Every(MINUTE);
        let scopes: Arc<[Scope]> = [Scope::spent(day(), 1_000).per(window)].into();
        time.sleep(MINUTE - Duration::from_secs(5)).await;
        store.loses_leases(true);
        leased.apply(reserve(1, &scopes, 10)).await.unwrap_err();
        store.loses_leases(false);
        time.sleep(Duration::from_secs(10)).await;
        assert_eq!(leased.apply(reserve(2, &scopes, 10)).await.unwrap(), StepResult::Done);
        let now = store.apply(Op::Used { key: day(), window }).await.unwrap();
        assert!(matches!(now, StepResult::Used { used: 10.., .. }), "{now:?}");
    });
}

#[test]
fn a_new_window_is_not_paid_from_the_old_ones_lease() {
    run(async |time, store| {
        let leased = leased(&store, time, 1);
        let window = Window::Every(MINUTE);
        let scopes: Arc<[Scope]> = [Scope::spent(day(), 1_000).per(window)].into();
        let used = async || store.apply(Op::Used { key: day(), window }).await.unwrap();
        time.sleep(MINUTE - Duration::from_secs(1)).await;
        for id in 0..50 {
            leased.apply(reserve(id, &scopes, 1)).await.unwrap();
        }
        time.sleep(Duration::from_secs(1)).await;
        assert_eq!(used().await, StepResult::Used { used: 0, held: 0 });
        leased.apply(reserve(50, &scopes, 1)).await.unwrap();
        assert!(matches!(used().await, StepResult::Used { used: 1.., .. }));
    });
}

#[test]
fn the_last_clone_gives_all_back() {
    struct Later(Mutex<Vec<HookFuture<'static, ()>>>);
    impl Background for Later {
        fn run(&self, work: HookFuture<'static, ()>) {
            self.0.lock().unwrap().push(work);
        }
    }
    run(async |time, store| {
        let background = Arc::new(Later(Mutex::default()));
        let (leased, scopes) = (leased(&store, time, 1).returning_on(background.clone()), budget(1_000));
        for id in 0..40 {
            leased.apply(reserve(id, &scopes, 1)).await.unwrap();
            leased.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap();
        }
        assert!(used(&store).await.0 > 40);
        drop(leased);
        let work = std::mem::take(&mut *background.0.lock().unwrap());
        join_all(work).await;
        assert_eq!(used(&store).await, (40, 0));
    });
}

/// Has no more than four leases at a time.
fn with_few_leases(store: &Far, time: &VirtualTime) -> Leased<Far> {
    let settings = LeaseSettings::default().with_leases(4);
    Leased::new(store.clone(), settings, Arc::new(time.clone()), Arc::new(SeededRandom::new(1)))
}

/// A budget of a session's own.
fn of_session(session: u128) -> Arc<[Scope]> {
    [Scope::spent(Key::new(Some("acme"), &["session", &session.to_string()]), 1_000_000)].into()
}

#[test]
fn sessions_that_come_and_go_leave_no_leases() {
    run(async |time, store| {
        let leased = with_few_leases(&store, time);
        for session in 0..1_000 {
            let scopes = of_session(session);
            for id in [2 * session, 2 * session + 1] {
                assert_eq!(leased.apply(reserve(id, &scopes, 7)).await.unwrap(), StepResult::Done);
                // Some reservations are never settled.
                if session % 100 != 0 {
                    assert_eq!(
                        leased.apply(Op::Settle { id: OpId(id), actual: 5 }).await.unwrap(),
                        StepResult::Done
                    );
                }
            }
            time.sleep(MINUTE * 60).await;
            leased.tend().await;
            let (sizes, names) = leased.0.book().sizes();
            // Reservations that are not settled are kept for a day, and their counters are not used again.
            assert!(
                sizes.iter().all(|size| *size <= 4) && names <= 6 + 2 * (session / 100),
                "{session}: {sizes:?}, {names} names"
            );
            let used = store.0.0.apply(Op::Used { key: scopes[0].key.clone(), window: Window::Always }).await;
            let open = u64::from(session % 100 == 0);
            assert!(
                matches!(used, Ok(StepResult::Used { used, .. }) if used >= 10 && (used == 10 || open == 1)),
                "{used:?}"
            );
        }
    });
}

#[test]
fn beyond_so_many_leases_each_reservation_is_the_stores() {
    run(async |time, store| {
        let leased = with_few_leases(&store, time);
        for session in 0..20 {
            assert_eq!(
                leased.apply(reserve(session, &of_session(session), 1)).await.unwrap(),
                StepResult::Done
            );
        }
        let store_calls = store.store_calls();
        for id in 0..10 {
            assert_eq!(leased.apply(reserve(100 + id, &of_session(19), 1)).await.unwrap(), StepResult::Done);
            assert_eq!(
                leased.apply(Op::Settle { id: OpId(100 + id), actual: 1 }).await.unwrap(),
                StepResult::Done
            );
        }
        assert_eq!(store.store_calls() - store_calls, 20);
        // More open reservations than are known here.
        let scopes = of_session(0);
        for id in 0..50 {
            assert_eq!(leased.apply(reserve(1_000 + id, &scopes, 1)).await.unwrap(), StepResult::Done);
        }
        for id in 0..50 {
            let settle = Op::Settle { id: OpId(1_000 + id), actual: 1 };
            assert_eq!(leased.apply(settle).await.unwrap(), StepResult::Done);
        }
        leased.close().await.unwrap();
        for (session, wanted) in [(0, 51), (1, 1), (19, 11)] {
            let key = of_session(session)[0].key.clone();
            let StepResult::Used { used, held } =
                store.apply(Op::Used { key, window: Window::Always }).await.unwrap()
            else {
                panic!()
            };
            assert_eq!(used, wanted, "{session}, of which {held} are held");
        }
    });
}

#[test]
fn places_are_the_stores() {
    run(async |time, store| {
        let leased = leased(&store, time, 1);
        let scopes: Arc<[Scope]> = [Scope::places(day(), 2)].into();
        for _ in 0..3 {
            leased.apply(reserve(1, &scopes, 1)).await.unwrap();
            assert_eq!(used(&store).await, (1, 1));
        }
        leased.apply(Op::Release { id: OpId(1) }).await.unwrap();
        assert_eq!(used(&store).await, (0, 0));
    });
}

/// A step of an instance.
#[derive(Clone, Debug)]
enum Step {
    Reserve(u64),
    Extend(usize, u64),
    Settle(usize, u64),
    Sleep(u64),
    Tend,
    Away(bool),
    /// The instance is lost, and another takes its place.
    Lose,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        12 => (1..20_u64).prop_map(Step::Reserve),
        2 => (0..8_usize, 1..60_u64).prop_map(|(which, to)| Step::Extend(which, to)),
        6 => (0..8_usize, 0..20_u64).prop_map(|(which, actual)| Step::Settle(which, actual)),
        2 => (0..30_u64).prop_map(Step::Sleep),
        1 => (60..200_u64).prop_map(Step::Sleep),
        2 => Just(Step::Tend),
        1 => any::<bool>().prop_map(Step::Away),
        1 => Just(Step::Lose),
    ];
    proptest::collection::vec((0..3_usize, step), 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn never_more_than_the_limit(steps in steps(), limit in 50..600_u64) {
        run(async |time, store| {
            let (scopes, mut next) = (budget(limit), 0_u128);
            let mut instances: Vec<_> = (0..3).map(|seed| (leased(&store, time, seed), Vec::new())).collect();
            // The real costs of the calls, by the reservation that was granted: never more than the
            // reservation.
            let mut granted = std::collections::HashMap::new();
            for (which, step) in steps {
                let (instance, open) = &mut instances[which];
                match step {
                    Step::Reserve(amount) => {
                        next += 1;
                        if let Ok(StepResult::Done) = instance.apply(reserve(next, &scopes, amount)).await {
                            granted.insert(next, amount);
                            open.push(next);
                        }
                    }
                    Step::Extend(at, to) if at < open.len() => {
                        let extend = Op::Extend { id: OpId(open[at]), to, ttl: MINUTE };
                        if let Ok(StepResult::Done) = instance.apply(extend).await {
                            let amount = granted.get_mut(&open[at]).unwrap();
                            *amount = to.max(*amount);
                        }
                    }
                    Step::Settle(at, actual) if at < open.len() => {
                        let id = open.remove(at);
                        let actual = actual.min(granted[&id]);
                        if let Ok(StepResult::Done) = instance.apply(Op::Settle { id: OpId(id), actual }).await {
                            granted.insert(id, actual);
                        }
                    }
                    Step::Sleep(seconds) => time.sleep(Duration::from_secs(seconds)).await,
                    Step::Tend => instance.tend().await,
                    Step::Away(is_away) => store.is_away(is_away),
                    Step::Lose => {
                        next += 1_000;
                        instances[which] = (leased(&store, time, next as u64), Vec::new());
                    }
                    _ => {}
                }
                let real: u64 = granted.values().sum();
                assert!(real <= limit, "{real} of {limit}");
                let (charged, _) = used(&store).await;
                assert!(real <= charged, "{real}, of which only {charged} is charged");
            }
        });
    }
}

//! A store that becomes unavailable and comes back, in virtual time.

use std::sync::atomic::{AtomicBool, Ordering};

use hooks_core::state::{Memory, Scope, Window};
use hooks_core::testing::VirtualTime;
use hooks_core::time::SeededRandom;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// A store that can be unavailable; it may do an operation and lose the answer.
#[derive(Clone)]
struct Far {
    store: Arc<Memory>,
    is_away: Arc<AtomicBool>,
    loses_answers: Arc<AtomicBool>,
}

impl StateStore for Far {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let gone = || StoreError::Unavailable("gone".to_owned());
        if self.is_away.load(Ordering::Relaxed) {
            return HookFuture::now(Err(gone()));
        }
        let answer = self.store.apply(op);
        if self.loses_answers.load(Ordering::Relaxed) { HookFuture::now(Err(gone())) } else { answer }
    }
}

impl Far {
    fn goes(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }
}

fn far(time: &VirtualTime) -> Far {
    let store = Arc::new(Memory::new(Arc::new(time.clone())));
    Far { store, is_away: Arc::default(), loses_answers: Arc::default() }
}

fn away(store: &Far, time: &VirtualTime, seed: u64) -> Away<Far> {
    away_with(store, time, seed, AwaySettings::default())
}

fn away_with(store: &Far, time: &VirtualTime, seed: u64, settings: AwaySettings) -> Away<Far> {
    Away::new(store.clone(), settings, Arc::new(time.clone()), &SeededRandom::new(seed))
}

fn run(work: impl AsyncFnOnce(&VirtualTime, Far)) {
    let time = VirtualTime::default();
    time.block_on(work(&time, far(&time))).unwrap();
}

fn key(name: &str) -> Key {
    Key::new(Some("acme"), &[name])
}

fn reserve(id: u128) -> Op {
    let scopes = [Scope::spent(key("day"), 10)].into();
    Op::Reserve { id: OpId(id), scopes, amount: 4, ttl: SECOND * 3_600 }
}

async fn used(store: &Far) -> StepResult {
    store.store.apply(Op::Used { key: key("day"), window: Window::Always }).await.unwrap()
}

#[test]
fn money_is_closed_and_its_ends_are_told_later() {
    run(async |time, store| {
        let away = away(&store, time, 1);
        assert_eq!(away.apply(reserve(1)).await.unwrap(), StepResult::Done);
        store.goes(true);
        away.apply(reserve(2)).await.unwrap_err();
        away.apply(Op::Extend { id: OpId(1), to: 9, ttl: SECOND }).await.unwrap_err();
        assert_eq!(away.apply(Op::Settle { id: OpId(1), actual: 3 }).await.unwrap(), StepResult::Done);
        away.tell().await.unwrap_err();
        store.goes(false);
        assert_eq!(used(&store).await, StepResult::Used { used: 4, held: 4 });
        away.tell().await.unwrap();
        assert!(away.has_told_all());
        assert_eq!(used(&store).await, StepResult::Used { used: 3, held: 0 });
    });
}

#[test]
fn a_reservation_whose_answer_was_lost_is_given_back() {
    run(async |time, store| {
        let away = away(&store, time, 1);
        store.loses_answers.store(true, Ordering::Relaxed);
        away.apply(reserve(1)).await.unwrap_err();
        away.apply(reserve(2)).await.unwrap_err();
        store.loses_answers.store(false, Ordering::Relaxed);
        assert_eq!(away.apply(reserve(2)).await.unwrap(), StepResult::Done, "asked for again");
        away.tell().await.unwrap();
        assert_eq!(used(&store).await, StepResult::Used { used: 4, held: 4 });
        assert_eq!(away.apply(reserve(1)).await.unwrap(), StepResult::Ended { actual: 0 });
    });
}

#[test]
fn sets_are_told_as_they_were_for_a_while() {
    run(async |time, store| {
        let away = away(&store, time, 1);
        let members = || Op::Members { set: key("locked") };
        let insert = |id| Op::Insert {
            id: OpId(id),
            set: key("locked"),
            name: "backend".into(),
            note: "by the reviewer".into(),
            ttl: None,
        };
        away.apply(insert(1)).await.unwrap();
        let StepResult::Members { members: before, .. } = away.apply(members()).await.unwrap() else {
            panic!()
        };
        assert_eq!(before.len(), 1);
        store.goes(true);
        time.sleep(SECOND * 30).await;
        let StepResult::Members { members: then, now } = away.apply(members()).await.unwrap() else {
            panic!()
        };
        assert_eq!((then, now.0), (before, 30_000));
        away.apply(insert(2)).await.unwrap_err();
        away.apply(Op::Members { set: key("else") }).await.unwrap_err();
        time.sleep(SECOND).await;
        away.apply(members()).await.unwrap_err();
    });
}

#[test]
fn rates_fall_to_a_share() {
    run(async |time, store| {
        let pace = || Op::Pace { key: key("rate"), cost: 1, interval: SECOND, burst: 6 };
        let instances = [away(&store, time, 1), away(&store, time, 2), away(&store, time, 3)];
        store.goes(true);
        instances[0].apply(pace()).await.unwrap_err();
        store.goes(false);
        for instance in instances.iter().chain(&instances) {
            instance.beat().await.unwrap();
        }
        store.goes(true);
        let mut let_through = 0;
        for instance in &instances {
            while instance.apply(pace()).await.unwrap() == StepResult::Done {
                let_through += 1;
            }
            assert_eq!(instance.apply(pace()).await.unwrap(), StepResult::Wait(SECOND * 3));
        }
        assert_eq!(let_through, 6, "as much as of the whole");
        let closed = away_with(&store, time, 4, AwaySettings::default().with_rates(Rates::Closed));
        closed.apply(pace()).await.unwrap_err();
    });
}

#[test]
fn an_instance_that_is_gone_has_no_share() {
    run(async |time, store| {
        let (stays, goes) = (away(&store, time, 1), away(&store, time, 2));
        goes.beat().await.unwrap();
        assert_eq!(stays.beat().await.unwrap(), 2);
        time.sleep(SECOND * 89).await;
        assert_eq!(stays.beat().await.unwrap(), 2);
        time.sleep(SECOND).await;
        assert_eq!(stays.beat().await.unwrap(), 1);
        assert_eq!(goes.beat().await.unwrap(), 2, "and comes back");
    });
}

#[test]
fn values_are_our_own_and_the_stores_again() {
    run(async |time, store| {
        let away = away(&store, time, 1);
        let set = |id, revision, value: &str| Op::CompareAndSet {
            id: OpId(id),
            key: key("breaker"),
            revision,
            value: value.into(),
            ttl: None,
        };
        let get = || Op::Get { key: key("breaker") };
        assert_eq!(away.apply(set(1, 0, "closed")).await.unwrap(), StepResult::Written(1));
        store.goes(true);
        assert_eq!(away.apply(get()).await.unwrap(), StepResult::Value(None));
        assert_eq!(away.apply(set(2, 1, "old")).await.unwrap(), StepResult::Conflict(0));
        let StepResult::Written(own) = away.apply(set(3, 0, "open")).await.unwrap() else { panic!() };
        assert_eq!(away.apply(get()).await.unwrap(), StepResult::Value(Some(("open".into(), own))));
        let StepResult::Written(newer) = away.apply(set(4, own, "half")).await.unwrap() else { panic!() };
        store.goes(false);
        assert_eq!(away.apply(set(5, newer, "half")).await.unwrap(), StepResult::Conflict(1));
        assert_eq!(away.apply(get()).await.unwrap(), StepResult::Value(Some(("closed".into(), 1))));
        let closed = away_with(&store, time, 4, AwaySettings::default().with_values(Values::Closed));
        store.goes(true);
        closed.apply(get()).await.unwrap_err();
    });
}

#[test]
fn it_keeps_itself_known_and_tells_what_was_missed() {
    run(async |time, store| {
        let away = away(&store, time, 1);
        away.apply(reserve(1)).await.unwrap();
        store.goes(true);
        away.apply(Op::Release { id: OpId(1) }).await.unwrap();
        futures_util::future::select(
            std::pin::pin!(away.keep(Arc::new(time.clone()))),
            std::pin::pin!(async {
                time.sleep(SECOND * 10).await;
                store.goes(false);
                time.sleep(SECOND * 100).await;
            }),
        )
        .await;
        assert_eq!(used(&store).await, StepResult::Used { used: 0, held: 0 });
        let members = Op::Members { set: Key::new(None, &["hooks", "instances"]) };
        let StepResult::Members { members, now } = store.store.apply(members).await.unwrap() else {
            panic!()
        };
        assert!(members.iter().any(|member| !member.is_over(now)));
    });
}

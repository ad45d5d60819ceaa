//! Compares the state machine with a simple model on random histories with lost, repeated and late messages.
//! They never charge twice, never exceed the limit, and never give back expired amounts.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Memory, Op, OpId, Scope, State, StateStore, StepResult, Window};
use hooks_core::testing::FakeClock;
use hooks_core::time::Timestamp;
use proptest::collection::vec;
use proptest::prelude::*;

const KEYS: usize = 3;

/// The limit of each counter.
const LIMITS: [u64; KEYS] = [0, 5, 12];

fn key(place: usize) -> Key {
    Key::new(Some("acme"), &["counter", &place.to_string()])
}

fn scopes(places: &[usize]) -> Arc<[Scope]> {
    places.iter().map(|place| Scope::spent(key(*place), LIMITS[*place])).collect()
}

/// One message of a history; `times` is the number of arrivals.
#[derive(Clone, Debug)]
struct Message {
    op: Op,
    times: usize,
    /// Milliseconds after the message before.
    later: u64,
}

fn operations() -> impl Strategy<Value = Op> {
    let id = || (0_u128..6).prop_map(OpId);
    let places = vec(0..KEYS, 1..3).prop_map(|mut places| {
        places.sort_unstable();
        places.dedup();
        places
    });
    prop_oneof![
        4 => (id(), places, 0_u64..5, 1_u64..90).prop_map(|(id, places, amount, ttl)| Op::Reserve {
            id,
            scopes: scopes(&places),
            amount,
            ttl: Duration::from_secs(ttl),
        }),
        1 => (id(), 0_u64..8, 1_u64..90).prop_map(|(id, to, ttl)| Op::Extend { id, to, ttl: Duration::from_secs(ttl) }),
        2 => (id(), 0_u64..9).prop_map(|(id, actual)| Op::Settle { id, actual }),
        2 => id().prop_map(|id| Op::Release { id }),
    ]
}

fn histories() -> impl Strategy<Value = Vec<Message>> {
    let message = (operations(), 1_usize..4, 0_u64..120_000).prop_map(|(op, times, later)| Message {
        op,
        times,
        later,
    });
    vec(message, 0..40)
}

/// The simplest model of the charges: a list of reservations.
#[derive(Default)]
struct Model {
    held: HashMap<OpId, Held>,
}

struct Held {
    keys: Vec<Key>,
    amount: u64,
    expires: Timestamp,
    ended: bool,
}

impl Model {
    fn used(&self, key: &Key) -> u64 {
        self.held.values().filter(|held| held.keys.contains(key)).map(|held| held.amount).sum()
    }

    fn held(&self, key: &Key, now: Timestamp) -> u64 {
        let open = self.held.values().filter(|held| !held.ended && held.expires > now);
        open.filter(|held| held.keys.contains(key)).map(|held| held.amount).sum()
    }

    /// Applies `answer`, the first answer to `op`, to the model.
    fn believe(&mut self, op: &Op, answer: &StepResult, now: Timestamp) {
        match (op, answer) {
            (Op::Reserve { id, scopes, amount, ttl }, StepResult::Done) => {
                let keys = scopes.iter().map(|scope| scope.key.clone()).collect();
                let held = Held { keys, amount: *amount, expires: now.after(*ttl), ended: false };
                self.held.entry(*id).or_insert(held);
            }
            (Op::Extend { id, to, ttl }, StepResult::Done) => {
                let held = self.held.get_mut(id).expect("what is extended is held");
                (held.amount, held.expires) = (held.amount.max(*to), now.after(*ttl));
            }
            (Op::Settle { id, actual }, StepResult::Done) => self.end(*id, *actual),
            (Op::Release { id }, StepResult::Done) => self.end(*id, 0),
            _ => {}
        }
    }

    /// Returns the answer to `op` if the model knows it: no operation that asks for a new amount.
    fn answer(&self, op: &Op, now: Timestamp) -> Option<StepResult> {
        let (Op::Reserve { id, .. } | Op::Extend { id, .. } | Op::Settle { id, .. } | Op::Release { id }) =
            op
        else {
            return None;
        };
        let held = self.held.get(id)?;
        match op {
            Op::Reserve { .. } if held.ended || held.expires <= now => {
                Some(StepResult::Ended { actual: held.amount })
            }
            Op::Extend { .. } if held.ended => Some(StepResult::Unknown),
            Op::Settle { actual, .. } if held.ended && held.amount != *actual => {
                Some(StepResult::Ended { actual: held.amount })
            }
            Op::Release { .. } if held.ended && held.amount > 0 => {
                Some(StepResult::Ended { actual: held.amount })
            }
            Op::Extend { to, .. } if held.amount < *to => None,
            _ => Some(StepResult::Done),
        }
    }

    fn end(&mut self, id: OpId, actual: u64) {
        let held = self.held.get_mut(&id).expect("what is ended is held");
        if !std::mem::replace(&mut held.ended, true) {
            held.amount = actual;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_history_with_duplicates_charges_what_the_model_says(history in histories()) {
        // All times are within one day, in which no id is forgotten; expired amounts stay charged.
        let (mut state, mut model, mut now) = (State::default(), Model::default(), Timestamp(0));
        for Message { op, times, later } in history {
            now = now.after(Duration::from_millis(later));
            let before = state.clone();
            let first = state.step(&op, now);
            if let Some(known) = model.answer(&op, now) {
                prop_assert_eq!(&first, &known, "{:?} was done before", op);
            }
            model.believe(&op, &first, now);
            for _ in 1..times {
                prop_assert_eq!(&state.step(&op, now), &first, "{:?} sent again", op);
            }
            if let StepResult::Refused { scope, used, limit } = first {
                let Op::Reserve { scopes, .. } = &op else {
                    let extends = matches!(op, Op::Extend { .. });
                    prop_assert!(extends);
                    continue;
                };
                prop_assert_eq!(limit, scopes[scope].limit);
                prop_assert_eq!(used, model.used(&scopes[scope].key));
            }
            for (place, limit) in LIMITS.into_iter().enumerate() {
                let used = state.step(&Op::Used { key: key(place), window: Window::Always }, now);

                let was = before.clone().step(&Op::Used { key: key(place), window: Window::Always }, now);
                let (StepResult::Used { used, held }, StepResult::Used { used: was, .. }) = (used, was) else {
                    panic!("it says what is used")
                };
                prop_assert_eq!(used, model.used(&key(place)), "after {:?}", op);
                prop_assert_eq!(held, model.held(&key(place), now), "after {:?}", op);
                // A settlement reports the amount really used, which may exceed the limit; no other operation
                // can.
                let settles = matches!(op, Op::Settle { .. });
                prop_assert!(used <= limit.max(was) || settles, "{}: {} after {}", place, used, was);
            }
        }
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_back(times in vec(0_u64..10_000, 1..30)) {
        let mut state = State::default();
        let pace = Op::Pace { key: key(1), cost: 1, interval: Duration::from_secs(1), burst: 2 };
        let granted = times.iter().filter(|now| state.step(&pace, Timestamp(**now)) == StepResult::Done).count();
        let latest = times.iter().copied().max().unwrap_or_default();
        prop_assert!(granted as u64 <= 2 + latest / 1_000);
    }

    #[test]
    fn a_rate_never_gives_more_than_its_burst_and_its_pace(
        waits in vec(0_u64..3_000, 1..40), burst in 0_u32..4, interval in 1_u64..2_000,
    ) {
        let (mut state, mut now, mut granted) = (State::default(), 0, 0);
        for wait in waits {
            now += wait;
            let pace = Op::Pace { key: key(1), cost: 1, interval: Duration::from_millis(interval), burst };
            match state.step(&pace, Timestamp(now)) {
                StepResult::Done => granted += 1,
                StepResult::Wait(wait) => prop_assert!(!wait.is_zero()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert!(granted <= u64::from(burst) + now / interval, "{granted}");
    }
}

fn memory() -> (Memory, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    (Memory::new(clock.clone()), clock)
}

fn used(store: &Memory) -> u64 {
    let answer = ask(store, Op::Used { key: key(1), window: Window::Always });
    let StepResult::Used { used, .. } = answer else { panic!("{answer:?}") };
    used
}

fn ask(store: &Memory, op: Op) -> StepResult {
    tokio_test::block_on(store.apply(op)).unwrap()
}

#[test]
fn what_a_lost_holder_held_stays_charged_and_its_late_message_is_understood() {
    let (store, clock) = memory();
    let reserve = Op::Reserve { id: OpId(1), scopes: scopes(&[1]), amount: 5, ttl: Duration::from_secs(1) };
    assert_eq!(ask(&store, reserve), StepResult::Done);
    clock.advance(Duration::from_secs(3_600));
    assert_eq!(used(&store), 5);
    assert_eq!(ask(&store, Op::Settle { id: OpId(1), actual: 2 }), StepResult::Done);
    let later = ask(&store, Op::Settle { id: OpId(1), actual: 4 });
    assert_eq!(
        later,
        StepResult::Ended { actual: 2 },
        "the first end counts, and whoever comes later is told"
    );
    assert_eq!(used(&store), 2);
    clock.advance(Duration::from_secs(3_600 * 48));
    assert_eq!(ask(&store, Op::Release { id: OpId(1) }), StepResult::Unknown);
    assert_eq!(used(&store), 2);
}

#[test]
fn threads_never_take_more_than_there_is() {
    let store = Arc::new(memory().0);
    let taken: usize = std::thread::scope(|scope| {
        let takers: Vec<_> = (0_u128..4)
            .map(|taker| {
                let store = Arc::clone(&store);
                scope.spawn(move || {
                    let reserve = |id| Op::Reserve {
                        id: OpId(taker * 1_000 + id),
                        scopes: scopes(&[2]),
                        amount: 1,
                        ttl: Duration::from_secs(60),
                    };
                    (0_u128..50).filter(|id| ask(&store, reserve(*id)) == StepResult::Done).count()
                })
            })
            .collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).sum()
    });
    assert_eq!(taken, 12);
}

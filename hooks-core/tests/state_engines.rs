//! Checks the test that every engine must pass: `Memory` passes, and engines with one fault each do not.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Key, Memory, Op, OpId, Scope, ScopeKind, State, StateStore, StepResult, StoreError};
use hooks_core::testing::{HandClock, agree, on_random_histories};
use hooks_core::time::{Clock, Timestamp};

/// Number of histories.
const CASES: u32 = 1_000;

#[test]
fn memory_answers_like_the_specification() {
    on_random_histories(CASES, |history| {
        let clock = Arc::new(HandClock::default());
        // The clock starts at the time of the first message.
        clock.set(history.first().map_or(Timestamp(0), |message| message.at));
        let engine = Memory::new(clock.clone());
        tokio_test::block_on(agree(&engine, &clock, &history))
    });
}

/// An engine with a fault: the specification behind a wrapper that changes operations or answers.
struct Mutant<F>(Mutex<(State, F)>, Arc<HandClock>);

impl<F: FnMut(&mut State, Op, Timestamp) -> StepResult + Send> StateStore for Mutant<F> {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let mut inner = self.0.lock().unwrap();
        let (state, fault) = &mut *inner;
        HookFuture::now(Ok(fault(state, op, self.1.now())))
    }
}

#[track_caller]
fn assert_is_caught<F: FnMut(&mut State, Op, Timestamp) -> StepResult + Send>(make: impl Fn() -> F) {
    let run = AssertUnwindSafe(|| {
        on_random_histories(CASES, |history| {
            let clock = Arc::new(HandClock::default());
            let engine = Mutant(Mutex::new((State::default(), make())), clock.clone());
            tokio_test::block_on(agree(&engine, &clock, &history))
        });
    });
    assert!(catch_unwind(run).is_err(), "{CASES} histories did not tell it from the specification");
}

/// An id that no client uses.
fn other(id: OpId, number: u128) -> OpId {
    OpId(id.0 ^ ((number + 1) << 100))
}

#[test]
fn no_fault_passes() {
    let run = || |state: &mut State, op: Op, now: Timestamp| state.step(&op, now);
    on_random_histories(CASES, |history| {
        let clock = Arc::new(HandClock::default());
        let engine = Mutant(Mutex::new((State::default(), run())), clock.clone());
        tokio_test::block_on(agree(&engine, &clock, &history))
    });
}

#[test]
fn a_refund_on_expiry_is_caught() {
    assert_is_caught(|| {
        let mut open: BTreeMap<OpId, Timestamp> = BTreeMap::new();
        move |state, op, now| {
            let lost: Vec<OpId> =
                open.iter().filter(|(_, until)| **until <= now).map(|(id, _)| *id).collect();
            for id in lost {
                open.remove(&id);
                state.step(&Op::Settle { id, actual: 0 }, now);
            }
            let answer = state.step(&op, now);
            if let (Op::Reserve { id, ttl, .. } | Op::Extend { id, ttl, .. }, StepResult::Done) =
                (&op, &answer)
            {
                open.insert(*id, now.after(*ttl));
            }
            answer
        }
    });
}

#[test]
fn a_reservation_that_charges_again_when_sent_again_is_caught() {
    assert_is_caught(|| {
        let mut sent: HashMap<OpId, u128> = HashMap::new();
        move |state, mut op, now| {
            match &mut op {
                Op::Reserve { id, .. } => {
                    let times = sent.entry(*id).or_default();
                    *times += 1;
                    *id = other(*id, *times);
                }
                Op::Settle { id, .. } | Op::Release { id } | Op::Extend { id, .. } => {
                    *id = other(*id, sent.get(id).copied().unwrap_or_default());
                }
                _ => {}
            }
            state.step(&op, now)
        }
    });
}

#[test]
fn a_settlement_that_charges_again_when_sent_again_is_caught() {
    assert_is_caught(|| {
        let mut scopes_of: HashMap<OpId, Arc<[Scope]>> = HashMap::new();
        let (mut settled, mut times) = (HashSet::new(), 0);
        move |state, op, now| {
            if let Op::Reserve { id, scopes, .. } = &op {
                scopes_of.insert(*id, Arc::clone(scopes));
            }
            let answer = state.step(&op, now);
            if let (Op::Settle { id, actual }, StepResult::Done) = (&op, &answer)
                && !settled.insert(*id)
                && let Some(scopes) = scopes_of.get(id)
            {
                times += 1;
                let (id, scopes) = (other(*id, times), Arc::clone(scopes));
                state.step(&Op::Reserve { id, scopes, amount: 0, ttl: Duration::from_secs(1) }, now);
                state.step(&Op::Settle { id, actual: *actual }, now);
            }
            answer
        }
    });
}

#[test]
fn a_second_end_that_is_not_told_what_the_first_charged_is_caught() {
    assert_is_caught(|| {
        |state: &mut State, op, now| {
            let is_end = matches!(op, Op::Settle { .. } | Op::Release { .. });
            match state.step(&op, now) {
                StepResult::Ended { .. } if is_end => StepResult::Done,
                answer => answer,
            }
        }
    });
}

#[test]
fn scopes_that_are_not_taken_all_or_none_are_caught() {
    assert_is_caught(|| {
        |state: &mut State, op, now| {
            let Op::Reserve { id, scopes, amount, ttl } = &op else { return state.step(&op, now) };
            let answer = state.step(&op, now);
            if let StepResult::Refused { scope, .. } = answer {
                let before: Arc<[Scope]> = scopes.iter().take(scope).cloned().collect();
                state.step(&Op::Reserve { id: *id, scopes: before, amount: *amount, ttl: *ttl }, now);
            }
            answer
        }
    });
}

#[test]
fn accounting_after_the_fact_is_caught() {
    // Check, call, count: the order that published budget libraries use.
    assert_is_caught(|| {
        let mut checked: HashSet<OpId> = HashSet::new();
        move |state, mut op, now| {
            let fits = !matches!(op, Op::Reserve { .. }) || state.clone().step(&op, now) == StepResult::Done;
            match &mut op {
                Op::Reserve { id, amount, .. } if fits || checked.contains(id) => {
                    checked.insert(*id);
                    *amount = 0;
                }
                _ => {}
            }
            state.step(&op, now)
        }
    });
}

#[test]
fn a_limit_of_zero_that_means_none_is_caught() {
    assert_is_caught(|| {
        |state: &mut State, mut op, now| {
            if let Op::Reserve { scopes, .. } = &mut op {
                let unlimited = scopes.iter().cloned().map(|mut scope| {
                    scope.limit = if scope.limit == 0 { u64::MAX } else { scope.limit };
                    scope
                });
                *scopes = unlimited.collect();
            }
            state.step(&op, now)
        }
    });
}

#[test]
fn places_of_the_lost_that_stay_taken_are_caught() {
    assert_is_caught(|| {
        |state: &mut State, mut op, now| {
            if let Op::Reserve { scopes, .. } = &mut op {
                let spent = scopes.iter().cloned().map(|scope| Scope { kind: ScopeKind::Spent, ..scope });
                *scopes = spent.collect();
            }
            state.step(&op, now)
        }
    });
}

#[test]
fn a_lease_that_is_granted_again_is_caught() {
    assert_is_caught(|| {
        let mut times = 0;
        move |state: &mut State, mut op, now| {
            if let Op::Lease { id, .. } = &mut op {
                times += 1;
                *id = other(*id, times);
            }
            state.step(&op, now)
        }
    });
}

#[test]
fn a_write_that_does_not_look_what_it_overwrites_is_caught() {
    assert_is_caught(|| {
        |state: &mut State, op, now| match op {
            Op::CompareAndSet { key, value, ttl, .. } => state.step(&Op::Put { key, value, ttl }, now),
            op => state.step(&op, now),
        }
    });
}

#[test]
fn tenants_that_share_a_counter_are_caught() {
    let shared = |key: &Key| {
        Key::new(
            None,
            &key.parts().skip(1).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>(),
        )
    };
    assert_is_caught(|| {
        move |state: &mut State, mut op, now| {
            match &mut op {
                Op::Reserve { scopes, .. } => {
                    let of_all =
                        scopes.iter().map(|scope| Scope { key: shared(&scope.key), ..scope.clone() });
                    *scopes = of_all.collect();
                }
                Op::Used { key, .. } => *key = shared(key),
                _ => {}
            }
            state.step(&op, now)
        }
    });
}

#[test]
fn a_clock_that_is_believed_when_it_goes_back_is_caught() {
    assert_is_caught(|| {
        let mut latest = Timestamp(0);
        move |state: &mut State, op, now| {
            let answer = state.step(&op, now);
            let is_back = now < latest;
            latest = latest.max(now);
            match answer {
                StepResult::Now(_) if is_back => StepResult::Now(now),
                StepResult::Members { members, .. } if is_back => StepResult::Members { members, now },
                answer => answer,
            }
        }
    });
}

#[test]
fn an_id_that_is_forgotten_too_early_is_caught() {
    assert_is_caught(|| {
        let mut ended: HashMap<OpId, Timestamp> = HashMap::new();
        move |state: &mut State, op, now| {
            let answer = state.step(&op, now);
            match (&op, &answer) {
                (Op::Settle { id, .. } | Op::Release { id }, StepResult::Done) => {
                    let since = *ended.entry(*id).or_insert(now);
                    let is_forgotten = now.since(since) >= Duration::from_secs(3_600);
                    if is_forgotten { StepResult::Unknown } else { answer }
                }
                _ => answer,
            }
        }
    });
}

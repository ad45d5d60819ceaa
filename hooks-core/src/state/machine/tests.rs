//! Examples of steps; `tests/state.rs` compares steps with a model.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Key, Op, OpId, Scope, State, StepResult, Window};
use crate::time::Timestamp;

fn scopes(limits: &[(&str, u64)]) -> Arc<[Scope]> {
    limits.iter().map(|(name, limit)| Scope::spent(Key::new(None, &[name]), *limit)).collect()
}

fn reserve(id: u128, scopes: &Arc<[Scope]>, amount: u64) -> Op {
    Op::Reserve { id: OpId(id), scopes: Arc::clone(scopes), amount, ttl: Duration::from_secs(60) }
}

fn used(state: &mut State, name: &str) -> u64 {
    let answer = state.step(&Op::Used { key: Key::new(None, &[name]), window: Window::Always }, Timestamp(0));
    let StepResult::Used { used, .. } = answer else { panic!("{answer:?}") };
    used
}

#[test]
fn all_scopes_or_none() {
    let (mut state, scopes) = (State::default(), scopes(&[("day", 10), ("session", 3)]));
    assert_eq!(state.step(&reserve(1, &scopes, 3), Timestamp(0)), StepResult::Done);
    let refused = StepResult::Refused { scope: 1, used: 3, limit: 3 };
    assert_eq!(state.step(&reserve(2, &scopes, 1), Timestamp(0)), refused);
    assert_eq!(used(&mut state, "day"), 3);
}

#[test]
fn operations_are_idempotent() {
    let (mut state, scopes) = (State::default(), scopes(&[("day", 10)]));
    for _ in 0..3 {
        assert_eq!(state.step(&reserve(1, &scopes, 4), Timestamp(0)), StepResult::Done);
    }
    assert_eq!(used(&mut state, "day"), 4);
    for _ in 0..2 {
        assert_eq!(state.step(&Op::Settle { id: OpId(1), actual: 3 }, Timestamp(0)), StepResult::Done);
    }
    for later in [Op::Settle { id: OpId(1), actual: 9 }, Op::Release { id: OpId(1) }] {
        assert_eq!(state.step(&later, Timestamp(0)), StepResult::Ended { actual: 3 }, "the first end counts");
    }
    assert_eq!(state.step(&reserve(1, &scopes, 4), Timestamp(0)), StepResult::Ended { actual: 3 });
    assert_eq!(used(&mut state, "day"), 3);
}

#[test]
fn an_expired_hold_is_charged_and_a_late_settle_corrects_it() {
    let (mut state, scopes) = (State::default(), scopes(&[("day", 10)]));
    state.step(&reserve(1, &scopes, 10), Timestamp(0));
    let late = Timestamp(3_600_000);
    assert!(matches!(state.step(&reserve(2, &scopes, 1), late), StepResult::Refused { used: 10, .. }));
    assert_eq!(state.step(&Op::Settle { id: OpId(1), actual: 2 }, late), StepResult::Done);
    assert_eq!(used(&mut state, "day"), 2);
}

#[test]
fn a_limit_of_zero_is_none_at_all() {
    let (mut state, scopes) = (State::default(), scopes(&[("ask", 0)]));
    assert!(matches!(state.step(&reserve(1, &scopes, 1), Timestamp(0)), StepResult::Refused { .. }));
}

#[test]
fn a_rate_gives_its_burst_and_then_its_pace() {
    let mut state = State::default();
    let pace =
        Op::Pace { key: Key::new(None, &["rate"]), cost: 1, interval: Duration::from_secs(1), burst: 2 };
    assert_eq!(state.step(&pace, Timestamp(1_000)), StepResult::Done);
    assert_eq!(state.step(&pace, Timestamp(1_000)), StepResult::Done);
    assert_eq!(state.step(&pace, Timestamp(1_000)), StepResult::Wait(Duration::from_secs(1)));
    assert_eq!(state.step(&pace, Timestamp(2_000)), StepResult::Done);
}

#[test]
fn a_rate_at_the_ends_of_its_range_is_still_a_rate() {
    for interval in [Duration::from_micros(1), Duration::MAX] {
        let mut state = State::default();
        let pace = Op::Pace { key: Key::new(None, &["rate"]), cost: 1, interval, burst: 1 };
        assert_eq!(state.step(&pace, Timestamp(1_000)), StepResult::Done);
        assert!(matches!(state.step(&pace, Timestamp(1_000)), StepResult::Wait(_)), "{interval:?}");
    }
}

#[test]
fn an_extension_that_is_sent_again_asks_for_nothing_more() {
    let (mut state, scopes) = (State::default(), scopes(&[("day", 10)]));
    let extend = Op::Extend { id: OpId(1), to: 6, ttl: Duration::from_secs(60) };
    state.step(&reserve(1, &scopes, 5), Timestamp(0));
    state.step(&reserve(2, &scopes, 4), Timestamp(0));
    assert_eq!(state.step(&extend, Timestamp(0)), StepResult::Done);
    state.step(&Op::Settle { id: OpId(2), actual: 40 }, Timestamp(0));
    assert_eq!(state.step(&extend, Timestamp(0)), StepResult::Done);
}

#[test]
fn compare_and_set_refuses_what_is_old() {
    let (mut state, key) = (State::default(), Key::new(Some("acme"), &["flag"]));
    let set = |id: u64, revision| Op::CompareAndSet {
        id: OpId(u128::from(id)),
        key: key.clone(),
        revision,
        value: "on".into(),
        ttl: None,
    };
    assert_eq!(state.step(&set(1, 0), Timestamp(0)), StepResult::Written(1));
    assert_eq!(state.step(&set(1, 0), Timestamp(0)), StepResult::Written(1), "sent again");
    assert_eq!(state.step(&set(2, 0), Timestamp(0)), StepResult::Conflict(1));
    assert_eq!(state.step(&set(2, 1), Timestamp(0)), StepResult::Written(2));
}

#[test]
fn a_place_comes_back_from_a_lost_holder_and_to_one_that_was_only_silent() {
    let mut state = State::default();
    let places: Arc<[Scope]> = [Scope::places(Key::new(None, &["children"]), 1)].into();
    let minute = Duration::from_secs(60);
    assert_eq!(state.step(&reserve(1, &places, 1), Timestamp(0)), StepResult::Done);
    assert!(matches!(state.step(&reserve(2, &places, 1), Timestamp(59_999)), StepResult::Refused { .. }));
    assert_eq!(state.step(&reserve(2, &places, 1), Timestamp(60_000)), StepResult::Done);
    assert_eq!(state.step(&reserve(1, &places, 1), Timestamp(60_000)), StepResult::Ended { actual: 1 });
    let back = Op::Extend { id: OpId(1), to: 0, ttl: minute };
    assert!(matches!(state.step(&back, Timestamp(60_000)), StepResult::Refused { used: 1, .. }));
    assert_eq!(state.step(&Op::Settle { id: OpId(2), actual: 1 }, Timestamp(60_000)), StepResult::Done);
    assert_eq!(used(&mut state, "children"), 0);
    assert_eq!(state.step(&back, Timestamp(60_000)), StepResult::Done);
    assert_eq!(used(&mut state, "children"), 1);
}

#[test]
fn what_is_spent_and_what_is_a_place_can_be_reserved_at_once() {
    let mut state = State::default();
    let key = |name| Key::new(None, &[name]);
    let both: Arc<[Scope]> = [Scope::places(key("at once"), 2), Scope::spent(key("in all"), 3)].into();
    for id in 0..3 {
        assert_eq!(state.step(&reserve(id, &both, 1), Timestamp(0)), StepResult::Done);
        assert_eq!(state.step(&Op::Settle { id: OpId(id), actual: 1 }, Timestamp(0)), StepResult::Done);
    }
    assert!(matches!(state.step(&reserve(3, &both, 1), Timestamp(0)), StepResult::Refused { scope: 1, .. }));
    assert_eq!((used(&mut state, "at once"), used(&mut state, "in all")), (0, 3));
}

#[test]
fn a_lease_is_large_far_from_the_limit_and_exact_near_it() {
    let (mut state, scopes) = (State::default(), scopes(&[("day", 1_000)]));
    let lease = |id, least| Op::Lease {
        id: OpId(id),
        scopes: Arc::clone(&scopes),
        least,
        most: 400,
        share: 500,
        ttl: Duration::from_secs(60),
    };
    for _ in 0..2 {
        assert_eq!(state.step(&lease(1, 10), Timestamp(0)), StepResult::Granted(400));
    }
    assert_eq!(state.step(&lease(2, 10), Timestamp(0)), StepResult::Granted(300));
    assert_eq!(state.step(&lease(3, 300), Timestamp(0)), StepResult::Granted(300));
    assert!(matches!(state.step(&lease(4, 1), Timestamp(0)), StepResult::Refused { used: 1_000, .. }));
    assert_eq!(state.step(&Op::Settle { id: OpId(1), actual: 100 }, Timestamp(0)), StepResult::Done);
    assert_eq!(used(&mut state, "day"), 700);
}

#[test]
fn a_window_begins_anew_and_what_began_before_is_settled_there() {
    let day = 24 * 60 * 60 * 1_000;
    let mut state = State::default();
    let key = Key::new(None, &["spend"]);
    let scopes: Arc<[Scope]> = [Scope::spent(key.clone(), 10).per(Window::DAY)].into();
    let used = |state: &mut State, now| {
        state.step(&Op::Used { key: key.clone(), window: Window::DAY }, Timestamp(now))
    };
    assert_eq!(state.step(&reserve(1, &scopes, 10), Timestamp(day - 1)), StepResult::Done);
    assert_eq!(state.step(&reserve(2, &scopes, 10), Timestamp(day)), StepResult::Done);
    assert_eq!(state.step(&Op::Settle { id: OpId(1), actual: 40 }, Timestamp(day)), StepResult::Done);
    assert_eq!(used(&mut state, day), StepResult::Used { used: 10, held: 10 });
    assert_eq!(used(&mut state, 2 * day), StepResult::Used { used: 0, held: 0 });
}

#[test]
fn an_idle_counter_is_forgotten_and_one_that_is_held_is_not() {
    let mut state = State::default();
    let idle = Window::Idle(Duration::from_secs(60));
    let key = Key::new(None, &["session"]);
    let scopes: Arc<[Scope]> = [Scope::spent(key.clone(), 10).per(idle)].into();
    let used =
        |state: &mut State, now| state.step(&Op::Used { key: key.clone(), window: idle }, Timestamp(now));
    let ttl = Duration::from_secs(600);
    state.step(&Op::Reserve { id: OpId(1), scopes, amount: 7, ttl }, Timestamp(0));
    assert_eq!(used(&mut state, 500_000), StepResult::Used { used: 7, held: 7 });
    state.step(&Op::Settle { id: OpId(1), actual: 5 }, Timestamp(500_000));
    assert_eq!(used(&mut state, 559_999), StepResult::Used { used: 5, held: 0 });
    assert_eq!(used(&mut state, 560_000), StepResult::Used { used: 0, held: 0 });
}

#[test]
fn a_correction_counts_once() {
    let (mut state, key) = (State::default(), Key::new(None, &["day"]));
    let correct = |id, spent| Op::Correct { id: OpId(id), key: key.clone(), window: Window::Always, spent };
    state.step(&correct(1, 9), Timestamp(0));
    state.step(&correct(2, 3), Timestamp(0));
    state.step(&correct(1, 9), Timestamp(0));
    assert_eq!(used(&mut state, "day"), 3);
}

#[test]
fn a_member_stays_until_its_time_is_up_and_a_removed_one_does_not_come_back() {
    let (mut state, set) = (State::default(), Key::new(None, &["locked"]));
    let insert = |id, ttl| Op::Insert {
        id: OpId(id),
        set: set.clone(),
        name: "backend".into(),
        note: "by the reviewer".into(),
        ttl,
    };
    let minute = Some(Duration::from_secs(60));
    assert_eq!(state.step(&insert(1, minute), Timestamp(0)), StepResult::Done);
    assert!(
        matches!(state.step(&insert(2, None), Timestamp(1)), StepResult::Present(member) if member.id == OpId(1))
    );
    assert_eq!(state.step(&insert(2, None), Timestamp(60_000)), StepResult::Done);
    let remove = Op::Remove { id: OpId(2), set: set.clone() };
    assert_eq!(state.step(&remove, Timestamp(60_000)), StepResult::Done);
    assert_eq!(state.step(&insert(2, None), Timestamp(60_000)), StepResult::Ended { actual: 0 });
    let StepResult::Members { members, .. } = state.step(&Op::Members { set }, Timestamp(60_000)) else {
        panic!()
    };
    assert!(members.is_empty());
}

#[test]
fn changes_are_told_from_a_revision_on() {
    let mut state = State::default();
    let below = |name| Key::new(Some("acme"), &[name]);
    let changes = |state: &mut State, after| {
        let answer = state.step(&Op::Changes { below: Key::new(Some("acme"), &[]), after }, Timestamp(0));
        let StepResult::Changes { keys, revision } = answer else { panic!("{answer:?}") };
        (keys, revision)
    };
    state.step(&Op::Put { key: below("a"), value: "1".into(), ttl: None }, Timestamp(0));
    state.step(&Op::Put { key: Key::new(Some("acme2"), &["a"]), value: "1".into(), ttl: None }, Timestamp(0));
    let (keys, revision) = changes(&mut state, 0);
    assert_eq!(keys, [below("a")]);
    assert_eq!(changes(&mut state, revision).0, []);
    state.step(&Op::Remove { id: OpId(1), set: below("b") }, Timestamp(0));
    assert_eq!(changes(&mut state, revision).0, [], "nothing was there");
    let (id, name, note) = (OpId(2), "x".into(), "".into());
    state.step(&Op::Insert { id, set: below("b"), name, note, ttl: None }, Timestamp(0));
    assert_eq!(changes(&mut state, revision).0, [below("b")]);
}

#[test]
fn what_is_over_is_remembered_up_to_a_count_and_what_is_open_always() {
    let (mut state, scopes) = (State::remembering(2), scopes(&[("day", 10)]));
    for id in 0..4 {
        assert_eq!(state.step(&reserve(id, &scopes, 1), Timestamp(0)), StepResult::Done);
    }
    for id in 1..4 {
        assert_eq!(state.step(&Op::Settle { id: OpId(id), actual: 1 }, Timestamp(0)), StepResult::Done);
    }
    let mut release = |id| state.step(&Op::Release { id: OpId(id) }, Timestamp(0));
    assert_eq!(
        [release(1), release(3), release(0)],
        [StepResult::Unknown, StepResult::Ended { actual: 1 }, StepResult::Done]
    );
}

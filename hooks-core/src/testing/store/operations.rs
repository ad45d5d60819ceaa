//! Random operations on so few keys and ids that they collide.

use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::state::{Key, MAX_AMOUNT, Op, OpId, Scope, ScopeKind, Window};

const WINDOWS: [Window; 7] = [
    Window::Always,
    Window::HOUR,
    Window::DAY,
    Window::Month,
    Window::SESSION,
    Window::Idle(Duration::from_secs(90)),
    Window::Every(Duration::from_millis(700)),
];
/// The third tenant has the name of the second in its own name, and characters that have to be escaped.
const TENANTS: [Option<&str>; 3] = [None, Some("acme"), Some("acme/%2")];
const NAMES: [&str; 4] = ["backend", "", "a b\u{301}'\"\n", "frontend"];

/// Any operation.
pub(super) fn any_operation() -> BoxedStrategy<Op> {
    prop_oneof![12 => on_counters(), 3 => pace(), 4 => on_values(), 5 => on_sets(), 2 => on_all()].boxed()
}

/// All questions that can be asked at the end.
pub(super) fn questions() -> Vec<Op> {
    let mut questions = vec![Op::Now];
    for tenant in TENANTS {
        let below = Key::new(tenant, &[]);
        questions.extend([Op::Counters { below: below.clone() }, Op::Changes { below, after: 0 }]);
        for name in 0..3 {
            let key = |kind| named(tenant, kind, name);
            questions.extend(WINDOWS.map(|window| Op::Used { key: key("counter"), window }));
            questions.extend([Op::Get { key: key("thing") }, Op::Members { set: key("thing") }]);
        }
    }
    questions
}

fn on_counters() -> BoxedStrategy<Op> {
    prop_oneof![
        6 => (id(), scopes(), amount(), ttl())
            .prop_map(|(id, scopes, amount, ttl)| Op::Reserve { id, scopes, amount, ttl }),
        2 => (id(), scopes(), amount(), amount(), 0..2_000_u32, ttl())
            .prop_map(|(id, scopes, least, most, share, ttl)| Op::Lease { id, scopes, least, most, share, ttl }),
        3 => (id(), amount(), ttl()).prop_map(|(id, to, ttl)| Op::Extend { id, to, ttl }),
        3 => (id(), amount()).prop_map(|(id, actual)| Op::Settle { id, actual }),
        2 => id().prop_map(|id| Op::Release { id }),
        2 => (key("counter"), window()).prop_map(|(key, window)| Op::Used { key, window }),
        1 => (id(), key("counter"), window(), amount())
            .prop_map(|(id, key, window, spent)| Op::Correct { id, key, window, spent }),
        1 => below().prop_map(|below| Op::Counters { below }),
    ]
    .boxed()
}

fn pace() -> BoxedStrategy<Op> {
    let interval = prop_oneof![
        8 => (0..5_000_u64).prop_map(Duration::from_millis),
        1 => (0..5_000_u64).prop_map(Duration::from_nanos),
        1 => Just(Duration::MAX),
    ];
    let count = || prop_oneof![8 => 0..4_u32, 1 => Just(u32::MAX)];
    (key("rate"), count(), interval, count())
        .prop_map(|(key, cost, interval, burst)| Op::Pace { key, cost, interval, burst })
        .boxed()
}

fn on_values() -> BoxedStrategy<Op> {
    prop_oneof![
        (key("thing"), text(), option::of(ttl())).prop_map(|(key, value, ttl)| Op::Put { key, value, ttl }),
        (id(), key("thing"), prop_oneof![8 => 0..6_u64, 1 => any::<u64>()], text(), option::of(ttl()))
            .prop_map(|(id, key, revision, value, ttl)| Op::CompareAndSet { id, key, revision, value, ttl }),
        key("thing").prop_map(|key| Op::Get { key }),
    ]
    .boxed()
}

fn on_sets() -> BoxedStrategy<Op> {
    prop_oneof![
        4 => (id(), key("thing"), text(), text(), option::of(ttl()))
            .prop_map(|(id, set, name, note, ttl)| Op::Insert { id, set, name, note, ttl }),
        2 => (id(), key("thing"), option::of(text()), option::of(ttl()))
            .prop_map(|(id, set, note, ttl)| Op::Update { id, set, note, ttl }),
        2 => (id(), key("thing")).prop_map(|(id, set)| Op::Remove { id, set }),
        2 => key("thing").prop_map(|set| Op::Members { set }),
    ]
    .boxed()
}

fn on_all() -> BoxedStrategy<Op> {
    prop_oneof![
        2 => (below(), prop_oneof![8 => 0..8_u64, 1 => any::<u64>()])
            .prop_map(|(below, after)| Op::Changes { below, after }),
        1 => Just(Op::Now),
    ]
    .boxed()
}

fn id() -> BoxedStrategy<OpId> {
    prop_oneof![12 => (0..8_u128).prop_map(OpId), 1 => Just(OpId(u128::MAX)), 1 => Just(OpId(1 << 64))]
        .boxed()
}

fn named(tenant: Option<&str>, kind: &str, name: usize) -> Key {
    Key::new(tenant, &[kind, NAMES.get(name).copied().unwrap_or_default()])
}

fn key(kind: &'static str) -> BoxedStrategy<Key> {
    (select(&TENANTS[..]), 0..3_usize).prop_map(move |(tenant, name)| named(tenant, kind, name)).boxed()
}

fn below() -> BoxedStrategy<Key> {
    let folder = select(&TENANTS[..]).prop_map(|tenant| Key::new(tenant, &[]));
    prop_oneof![3 => folder, 1 => key("counter"), 1 => key("thing")].boxed()
}

fn window() -> BoxedStrategy<Window> {
    prop_oneof![
        8 => select(&WINDOWS[..]),
        1 => select(&[Window::Every(Duration::ZERO), Window::Every(Duration::MAX), Window::Idle(Duration::MAX)][..]),
    ]
    .boxed()
}

/// Scopes of one operation, of one tenant or of several, possibly with duplicates.
fn scopes() -> BoxedStrategy<Arc<[Scope]>> {
    let kind = select(&[ScopeKind::Spent, ScopeKind::Spent, ScopeKind::Places][..]);
    let limit =
        prop_oneof![1 => Just(0), 8 => 1..30_u64, 1 => select(&[MAX_AMOUNT, MAX_AMOUNT + 1, u64::MAX][..])];
    let scope = (key("counter"), window(), kind, limit).prop_map(|(key, window, kind, limit)| Scope {
        key,
        limit,
        window,
        kind,
    });
    vec(scope, 0..4).prop_map(Arc::from).boxed()
}

fn amount() -> BoxedStrategy<u64> {
    let absurd = select(&[MAX_AMOUNT - 1, MAX_AMOUNT, MAX_AMOUNT + 1, u64::MAX][..]);
    prop_oneof![2 => Just(0), 16 => 1..12_u64, 1 => absurd].boxed()
}

const ABSURD_TTLS: [Duration; 4] =
    [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(1), Duration::MAX];

fn ttl() -> BoxedStrategy<Duration> {
    prop_oneof![
        16 => (1..300_u64).prop_map(Duration::from_secs),
        2 => (1..200_000_u64).prop_map(Duration::from_secs),
        1 => select(&ABSURD_TTLS[..]),
    ]
    .boxed()
}

fn text() -> BoxedStrategy<Arc<str>> {
    select(&NAMES[..]).prop_map(Arc::from).boxed()
}

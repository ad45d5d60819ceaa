//! Histories: the messages that arrive at a store, with their times.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, prop_oneof};
use proptest::sample::select;

use super::operations::any_operation;
use crate::state::{LATEST, Op};
use crate::time::Timestamp;

/// A message at its arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Time of arrival, by the store's clock.
    pub at: Timestamp,
    /// The operation.
    pub op: Op,
}

/// Any history. It has several tenants and repeated ids, messages that arrive twice because their answer was
/// lost, and late messages. There are pauses across the ends of windows and beyond the time that ids are
/// remembered, and a clock that is set back.
pub fn any_history() -> BoxedStrategy<Vec<Message>> {
    let first = prop_oneof![
        6 => (select(&BORDERS[..]), 0..3_000_u64).prop_map(|(border, before)| border - before),
        1 => select(&[0, 1, LATEST.0 - 100_000, LATEST.0, u64::MAX][..]),
    ];
    let sent = Sent::any();
    (first, vec(sent, 0..32)).prop_map(|(first, sent)| arrivals(first, sent)).boxed()
}

/// Ends of windows (of a day, of a year, of a February), and a time at which no window ends.
const BORDERS: [u64; 4] = [1_770_076_800_000, 1_798_761_600_000, 1_709_251_200_000, 1_785_000_123_456];

/// An operation before its arrival.
#[derive(Clone, Debug)]
struct Sent {
    op: Op,
    /// Milliseconds after the operation before.
    pause: u64,
    /// Delays, in milliseconds, after which it arrives again.
    again: Vec<u64>,
    /// Milliseconds by which the store's clock is set back at the first arrival.
    set_back: u64,
}

impl Sent {
    fn any() -> impl Strategy<Value = Self> {
        let set_back = prop_oneof![20 => Just(0), 1 => 1..7_200_000_u64];
        (any_operation(), pause(), vec(pause(), 0..3), set_back)
            .prop_map(|(op, pause, again, set_back)| Self { op, pause, again, set_back })
    }
}

/// Milliseconds to the next message.
fn pause() -> BoxedStrategy<u64> {
    let seconds = |range: std::ops::Range<u64>| range.prop_map(|seconds| seconds * 1_000);
    prop_oneof![
        8 => Just(0),
        8 => 1..2_000_u64,
        8 => seconds(1..120),
        3 => seconds(600..7_200),
        2 => seconds(40_000..100_000),
        1 => seconds(2_000_000..6_000_000),
    ]
    .boxed()
}

/// Returns the messages in order of arrival.
fn arrivals(first: u64, sent: Vec<Sent>) -> Vec<Message> {
    let mut now = first;
    let mut arriving = Vec::new();
    for Sent { op, pause, again, set_back } in sent {
        now = now.saturating_add(pause);
        arriving.push((now, set_back, op.clone()));
        let mut late = now;
        for pause in again {
            late = late.saturating_add(pause);
            arriving.push((late, 0, op.clone()));
        }
    }
    arriving.sort_by_key(|(at, ..)| *at);
    arriving
        .into_iter()
        .map(|(at, set_back, op)| Message { at: Timestamp(at.saturating_sub(set_back)), op })
        .collect()
}

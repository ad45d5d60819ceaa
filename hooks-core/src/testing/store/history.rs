//! Histories: what arrives at a store, and when.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, prop_oneof};
use proptest::sample::select;

use super::operations::any_operation;
use crate::state::{LATEST, Op};
use crate::time::Timestamp;

/// A message as it arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// When, by the store's clock.
    pub at: Timestamp,
    /// What it asks for.
    pub op: Op,
}

/// Any history: several tenants, the same ids again and again, messages that come twice (their answer was lost) and
/// late, pauses across the borders of windows and beyond what is remembered, and a clock that goes back.
pub fn any_history() -> BoxedStrategy<Vec<Message>> {
    let first = prop_oneof![
        6 => (select(&BORDERS[..]), 0..3_000_u64).prop_map(|(border, before)| border - before),
        1 => select(&[0, 1, LATEST.0 - 100_000, LATEST.0, u64::MAX][..]),
    ];
    let sent = Sent::any();
    (first, vec(sent, 0..32)).prop_map(|(first, sent)| arrivals(first, sent)).boxed()
}

/// Ends of windows: of a day, of a year, of a February; and a moment in which nothing ends.
const BORDERS: [u64; 4] = [1_770_076_800_000, 1_798_761_600_000, 1_709_251_200_000, 1_785_000_123_456];

/// An operation on its way.
#[derive(Clone, Debug)]
struct Sent {
    op: Op,
    /// How long after the one before, in milliseconds.
    pause: u64,
    /// How much later it arrives again.
    again: Vec<u64>,
    /// How far the store's clock is set back when it arrives first.
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

/// The messages in order of arrival.
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

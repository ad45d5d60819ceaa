//! Rates, by the generic cell rate algorithm.

use std::collections::HashMap;
use std::time::Duration;

use super::super::key::Key;
use super::super::operation::StepResult;
use super::due::{Due, Queue};
use crate::time::Timestamp;

/// Time when each rate is full again (the theoretical arrival time), in microseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates(HashMap<Key, u64>);

/// The latest time, in microseconds; it is in the year 2112. Sums of two such times are exact in doubles.
pub const MAX_MICROS: u64 = 1 << 52;

/// Converts a call on a rate to microseconds: the time that it adds, and the time that the rate may be ahead
/// of now.
pub fn pace_in_micros(cost: u32, interval: Duration, burst: u32) -> (u64, u64) {
    let micros = |nanos: u128| u64::try_from(nanos).unwrap_or(u64::MAX).min(MAX_MICROS);
    let (cost, burst) = (u128::from(cost), u128::from(burst));
    // Rounded up and down, so that rounding never makes a rate faster.
    let added = interval.as_nanos().saturating_mul(cost).div_ceil(1_000);
    (micros(added), micros(interval.as_nanos().saturating_mul(burst) / 1_000))
}

impl Rates {
    pub(super) fn pace(
        &mut self,
        key: &Key,
        cost: u32,
        interval: Duration,
        burst: u32,
        now: Timestamp,
        queue: &mut Queue,
    ) -> StepResult {
        let (added, ahead) = pace_in_micros(cost, interval, burst);
        let micros = now.0.saturating_mul(1_000).min(MAX_MICROS);
        let full = self.0.get(key).copied().unwrap_or_default().max(micros);
        let after = full.saturating_add(added);
        let wait = after.saturating_sub(ahead).saturating_sub(micros);
        if wait > 0 {
            return StepResult::Wait(Duration::from_micros(wait));
        }
        let after = after.min(MAX_MICROS);
        match self.0.get_mut(key) {
            Some(full) => *full = after,
            None => {
                queue.add(due(after), Due::Rate(key.clone()));
                self.0.insert(key.clone(), after);
            }
        }
        StepResult::Done
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    /// Drops a rate that is full again. Returns the time when it will be full, if it is still needed.
    pub(super) fn forget(&mut self, key: &Key, now: Timestamp) -> Option<Timestamp> {
        let until = due(*self.0.get(key)?);
        if until <= now {
            self.0.remove(key);
            return None;
        }
        Some(until)
    }
}

fn due(micros: u64) -> Timestamp {
    Timestamp(micros.div_ceil(1_000))
}

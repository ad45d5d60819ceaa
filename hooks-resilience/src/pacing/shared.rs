//! A rate that a fleet shares, kept by its store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::state::{Key, Op, StepResult};
use hooks_core::time::Tick;
use tokio::sync::Mutex;

use super::Caution;
use crate::duration::nanos;

/// One rate, in the form that the store's own rates can hold.
///
/// Stores count whole units at whole milliseconds. A rate of a million tokens a minute would lose its
/// precision, so several tokens are one unit there. A remainder of less than a unit is carried over to the
/// next call.
#[derive(Debug)]
pub(crate) struct SharedRate {
    key: Key,
    /// Amount that is one unit of the store.
    unit: u64,
    /// Time in which one unit is paid back.
    interval: Duration,
    /// Number of units that may be taken at once.
    burst: u32,
    /// Amount of less than a unit that was taken and is not paid yet.
    carried: AtomicU64,
    /// Held while a slot is booked.
    turn: Mutex<()>,
}

/// A rate that a fleet shares, with caution applied after refusals.
#[derive(Debug)]
pub(crate) struct CautiousRate<'r> {
    rate: &'r SharedRate,
    /// Time in which one unit is paid back.
    interval: Duration,
    /// Number of units that may be taken at once.
    burst: u32,
}

/// Most units per minute; the rounding error is then less than half a per cent.
const UNITS_A_MINUTE: u64 = 300;
/// Most attempts to book while other instances are faster. After them there is no room soon, and the call
/// fails.
const TRIES: usize = 64;

impl SharedRate {
    pub(crate) fn new(key: Key, limit: u64, burst: Duration) -> Self {
        let limit = limit.max(1);
        let unit = limit.div_ceil(UNITS_A_MINUTE);
        let interval = u128::from(unit).saturating_mul(60_000).div_ceil(u128::from(limit));
        let interval = Duration::from_millis(u64::try_from(interval).unwrap_or(u64::MAX));
        let burst = burst.as_millis().checked_div(interval.as_millis()).unwrap_or(1);
        let burst = u32::try_from(burst).unwrap_or(u32::MAX).max(1);
        Self { key, unit, interval, burst, carried: AtomicU64::new(0), turn: Mutex::new(()) }
    }

    /// The rate with `caution` applied.
    pub(crate) fn with(&self, caution: Caution) -> CautiousRate<'_> {
        let interval = nanos(self.interval);
        let burst = interval.saturating_mul(self.burst.into());
        let (interval, burst) = caution.applied_to(interval, burst);
        // Whole milliseconds, rounded up, as the store counts them.
        let interval = Duration::from_millis(interval.div_ceil(1_000_000));
        let burst = u128::from(burst).checked_div(interval.as_nanos()).unwrap_or(1);
        let burst = u32::try_from(burst).unwrap_or(u32::MAX).max(1);
        CautiousRate { rate: self, interval, burst }
    }

    fn cost(&self, amount: u64) -> u32 {
        let owed = self.carried.load(Ordering::Relaxed).saturating_add(amount);
        u32::try_from(owed / self.unit).unwrap_or(u32::MAX)
    }
}

impl CautiousRate<'_> {
    /// Asks whether there is room for `amount` now, and takes nothing.
    pub(crate) fn look(&self, amount: u64) -> Option<Op> {
        let cost = self.rate.cost(amount);
        let left = self.burst.max(cost) - cost;
        let (key, interval) = (self.rate.key.clone(), self.interval);
        (cost > 0).then_some(Op::Pace { key, cost: 0, interval, burst: left })
    }

    /// Whether [`book`](Self::book) would find a slot if no other instance were faster. Takes nothing.
    pub(crate) async fn has_room<A>(
        &self,
        amount: u64,
        now: Tick,
        latest: Option<Tick>,
        ask: impl Fn(Op) -> A,
    ) -> Option<Result<(), Tick>>
    where
        A: Future<Output = Option<StepResult>>,
    {
        let Some(look) = self.look(amount) else { return Some(Ok(())) };
        match ask(look).await? {
            StepResult::Done => Some(Ok(())),
            StepResult::Wait(wait) => {
                let at = self.place_ahead(now, self.units(wait));
                let is_late = latest.is_some_and(|latest| at > latest);
                Some(if is_late { Err(now.after(wait)) } else { Ok(()) })
            }
            _ => None,
        }
    }

    /// Books a slot for `amount` at or after `now`, by `latest`; `None` if the store does not answer.
    ///
    /// A store only returns how long to wait. So a slot in the future is taken by a request that allows so
    /// much more debt. The next caller then gets a longer wait, and each call has its own time. If another
    /// instance is faster, the slot after its slot is requested, and never one further ahead: two might find
    /// room at the same one.
    pub(crate) async fn book<A>(
        &self,
        amount: u64,
        now: Tick,
        latest: Option<Tick>,
        ask: impl Fn(Op) -> A,
    ) -> Option<Result<Tick, Tick>>
    where
        A: Future<Output = Option<StepResult>>,
    {
        // One booking per instance at a time, so only other instances can be faster.
        let _turn = self.rate.turn.lock().await;
        let cost = self.rate.cost(amount);
        let (mut ahead, mut at) = (0u32, now);
        for _ in 0..TRIES {
            let burst = self.burst.max(cost).saturating_add(ahead);
            let (key, interval) = (self.rate.key.clone(), self.interval);
            match if cost == 0 {
                StepResult::Done
            } else {
                ask(Op::Pace { key, cost, interval, burst }).await?
            } {
                StepResult::Done => {
                    let rest =
                        self.rate.carried.load(Ordering::Relaxed).saturating_add(amount) % self.rate.unit;
                    self.rate.carried.store(rest, Ordering::Relaxed);
                    return Some(Ok(at));
                }
                StepResult::Wait(wait) => {
                    let earliest = at.after(wait);
                    ahead = ahead.saturating_add(self.units(wait));
                    at = self.place_ahead(now, ahead);
                    if latest.is_some_and(|latest| at > latest) {
                        return Some(Err(earliest));
                    }
                }
                _ => return None,
            }
        }
        Some(Err(at))
    }

    /// The slot that is `units` units ahead.
    fn place_ahead(&self, now: Tick, units: u32) -> Tick {
        now.after(self.interval.saturating_mul(units))
    }

    /// The number of units that are paid back in `time`, rounded up.
    fn units(&self, time: Duration) -> u32 {
        u32::try_from(time.as_nanos().div_ceil(self.interval.as_nanos().max(1))).unwrap_or(u32::MAX)
    }
}

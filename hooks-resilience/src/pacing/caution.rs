//! What refusals teach about a quota: how much of it may come at once, and then how much of it there is.
//!
//! A provider states a rate, never how much of it may come at once. So little is assumed at first. Each refusal halves the
//! burst, down to one request an interval; further ones slow the rate down (additive increase, multiplicative decrease, as TCP
//! shares a line of unknown width). What was learned is one moment, which each refusal moves a step further into the future
//! and which time comes closer to: so instances merge what they learned by taking the later one.

use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;

/// How cautious refusals can make the users of a quota, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ladder {
    /// The time in which one refusal is forgotten.
    step: Duration,
    /// So many refusals halve the burst down to one request; those beyond slow the rate down.
    halvings: u32,
}

/// What is made of a rate after refusals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caution {
    halvings: u32,
    slowings: u32,
}

/// The least time in which a refusal is forgotten. Shorter, a burst that is too large would be tried again and again.
const STEP: Duration = Duration::from_secs(60);
/// A slow quota is not tried with more before so many requests of it.
const REQUESTS_A_STEP: u32 = 10;
/// What is older than this says nothing about a quota any more.
pub(crate) const LONGEST: Duration = Duration::from_secs(10 * 60);
/// The halvings of a quota of which no rate of requests is known.
const TOKENS_ALONE: u32 = 4;
/// The refusals that are assumed at first: an eighth of the burst.
const AT_FIRST: u32 = 3;
/// The most that refusals slow a rate down: to three quarters five times, that is to a quarter. A rate that is slower than that
/// is not what its provider states; its refusals say when to come back.
const SLOWINGS: u32 = 5;

impl Ladder {
    /// Of a quota of so many requests a minute, where that is known, with a burst of `burst` at most.
    pub(crate) fn new(requests_per_minute: Option<u64>, burst: Duration) -> Self {
        let Some(per_minute) = requests_per_minute.filter(|limit| *limit > 0) else {
            return Self { step: STEP, halvings: TOKENS_ALONE };
        };
        let interval = Duration::from_secs(60)
            .checked_div(u32::try_from(per_minute).unwrap_or(u32::MAX))
            .unwrap_or_default();
        let requests = nanos(burst).checked_div(nanos(interval)).unwrap_or_default();
        let halvings = u64::BITS - requests.saturating_sub(1).leading_zeros();
        Self { step: STEP.max(interval.saturating_mul(REQUESTS_A_STEP)).min(LONGEST), halvings }
    }

    /// Until when caution lasts that begins at `now`.
    pub(crate) fn at_first(self, now: Tick) -> Tick {
        now.after(self.step.saturating_mul(AT_FIRST.min(self.halvings)))
    }

    /// Until when caution lasts after one more refusal at `now`, where it lasted until `until`. `is_first` where the quota let
    /// requests in before: only then the rate may be at fault. A quota that lets nobody in is shut, however slowly it is
    /// asked.
    pub(crate) fn refused(self, until: Tick, now: Tick, is_first: bool) -> Tick {
        let most = if is_first { self.halvings + SLOWINGS } else { self.halvings };
        let longer = until.max(now).after(self.step);
        longer.min(now.after(self.step.saturating_mul(most).min(LONGEST))).max(until)
    }

    /// How cautious to be at `now`, where that lasts until `until`.
    pub(crate) fn caution(self, until: Tick, now: Tick) -> Caution {
        let steps = until.since(now).as_nanos().div_ceil(self.step.as_nanos().max(1));
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let slowings = steps.saturating_sub(self.halvings).min(SLOWINGS);
        Caution { halvings: steps.min(self.halvings), slowings }
    }
}

impl Caution {
    /// The interval and the burst of a rate, in nanoseconds, with this caution.
    pub(crate) fn applied_to(self, interval: u64, burst: u64) -> (u64, u64) {
        let slower = |interval: u64| interval.saturating_add(interval / 3);
        let slowed = (0..self.slowings).fold(interval, |interval, _| slower(interval));
        let burst = burst.checked_shr(self.halvings).unwrap_or_default();
        (slowed, burst.max(slowed))
    }
}

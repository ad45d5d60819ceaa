//! The breaker itself: a pure state, changed by what is told, at times that are given.

use std::time::Duration;

use hooks_core::time::Tick;

use super::BreakerSettings;
use super::window::{Counts, Window};

/// One breaker. No clock, no lock, no chance of its own: whoever holds it brings all three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub(super) state: State,
    pub(super) window: Window,
    /// Failures since the last success.
    pub(super) in_a_row: u32,
    /// How often the time for which it opens was doubled since it was last closed.
    pub(super) openings: u32,
    /// When the first of those that fail in a row was made: what was made earlier says nothing about them.
    pub(super) failing_since: Tick,
    /// Why it is open: what came of the calls it was judged by, and of those that were on their way with them.
    pub(super) grounds: Counts,
    /// How many calls a window had, the most of the times it opened since it was last well.
    pub(super) usual: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Lets calls through, since then.
    Closed { since: Tick },
    /// Lets none through before then.
    Open { until: Tick, hard: bool },
    /// One call is on its way to find out; by then it counts as lost.
    Probing { probe: u64, lost: Tick, hard: bool },
}

/// What a breaker does with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakerState {
    /// Lets them through.
    Closed,
    /// Lets none through.
    Open,
    /// Let one through to find out.
    Probing,
}

/// What a call that is let through is to the breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// One of many.
    Usual,
    /// The one that finds out.
    Probe(u64),
    /// One that was let through an open breaker, because no other model was ready either.
    LastResort,
}

/// What a call showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Showed {
    /// Nothing, or it was dropped.
    Nothing,
    Success {
        slow: bool,
    },
    Failure {
        slow: bool,
    },
    /// It is of no use until somebody does something.
    Hopeless,
}

/// A row of failures has to have one for so many calls of a window.
const CALLS_FOR_A_FAILURE: u32 = 6;

/// A model that fails so many times as often in a row as opens its breaker is gone, and not even asked as a last resort.
const ROWS_OF_A_LAST_RESORT: u32 = 3;

impl Core {
    pub(crate) fn new(settings: &BreakerSettings) -> Self {
        Self {
            state: State::Closed { since: Tick::default() },
            window: Window::new(settings.window),
            in_a_row: 0,
            openings: 0,
            failing_since: Tick::default(),
            grounds: Counts::default(),
            usual: 0,
        }
    }

    pub(crate) const fn state(&self) -> BreakerState {
        match self.state {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::Probing { .. } => BreakerState::Probing,
        }
    }

    /// Whether it may close at any moment: a probe is on its way, or calls are that were made with what failed or as a last
    /// resort.
    pub(crate) const fn may_close(&self) -> bool {
        matches!(self.state, State::Open { hard: false, .. } | State::Probing { .. })
    }

    /// From when on it lets a call through; None where it does at `now`.
    pub(crate) fn opens_at(&self, now: Tick) -> Option<Tick> {
        let at = match self.state {
            State::Closed { .. } => return None,
            State::Open { until, .. } => until,
            State::Probing { lost, .. } => lost,
        };
        (at > now).then_some(at)
    }

    /// Lets a call through, or says from when on; as a probe it is called `probe`.
    pub(crate) fn admit(&mut self, probe: u64, now: Tick, settings: &BreakerSettings) -> Result<Pass, Tick> {
        if let Some(at) = self.opens_at(now) {
            return Err(at);
        }
        let hard = match self.state {
            State::Closed { .. } => return Ok(Pass::Usual),
            State::Open { hard, .. } | State::Probing { hard, .. } => hard,
        };
        self.state = State::Probing { probe, lost: now.after(settings.probe), hard };
        Ok(Pass::Probe(probe))
    }

    /// Whether it lets a call through that has no other model to turn to: not where it takes somebody to mend the model.
    pub(crate) const fn lets_last_resort(&self) -> bool {
        matches!(self.state, State::Open { hard: false, .. } | State::Probing { hard: false, .. })
    }

    /// Whether its model answers some calls: it failed fewer times in a row than a model that is gone would have.
    pub(crate) fn answers_some(&self, settings: &BreakerSettings) -> bool {
        self.in_a_row < ROWS_OF_A_LAST_RESORT * row_that_opens(self.usual, settings)
    }

    /// Whether a call that was let through still is, after others had their say.
    pub(crate) fn still_lets(&self, pass: Pass) -> bool {
        match self.state {
            State::Closed { .. } => true,
            State::Open { .. } => pass == Pass::LastResort,
            State::Probing { probe, .. } => pass == Pass::Probe(probe) || pass == Pass::LastResort,
        }
    }

    /// A call that was let through, and made at `began`, came to an end. `jitter` is a number below 2^16.
    pub(crate) fn tell(
        &mut self,
        pass: Pass,
        showed: Showed,
        [began, now]: [Tick; 2],
        settings: &BreakerSettings,
        jitter: u16,
    ) {
        match (self.state, pass) {
            (State::Closed { .. }, _) => self.count(showed, [began, now], settings, jitter),
            (State::Probing { probe, hard, .. }, Pass::Probe(mine)) if probe == mine => match showed {
                Showed::Nothing => self.state = State::Open { until: now, hard },
                Showed::Success { .. } => self.close(now),
                Showed::Failure { .. } => self.open(now, settings, jitter),
                Showed::Hopeless => self.open_hard(now, settings, jitter),
            },
            // A probe that was taken for lost and is well after all is as good as any.
            (_, Pass::Probe(_)) if matches!(showed, Showed::Success { .. }) => self.close(now),
            (State::Open { hard: false, .. } | State::Probing { hard: false, .. }, _)
                if showed == Showed::Hopeless =>
            {
                self.open_hard(now, settings, jitter);
            }
            (State::Open { hard: false, .. } | State::Probing { hard: false, .. }, Pass::LastResort) => {
                match showed {
                    Showed::Success { .. } => self.ended_well(began),
                    Showed::Failure { .. } => self.failed_again(began),
                    Showed::Nothing | Showed::Hopeless => {}
                }
                self.weigh(showed, now, settings);
            }
            (State::Open { hard: false, .. }, _) if began >= self.failing_since => {
                self.weigh(showed, now, settings);
            }
            // What was on its way before anything failed says nothing new.
            (State::Open { .. } | State::Probing { .. }, _) => {}
        }
    }

    fn count(&mut self, showed: Showed, [began, now]: [Tick; 2], settings: &BreakerSettings, jitter: u16) {
        if showed == Showed::Hopeless {
            return self.open_hard(now, settings, jitter);
        }
        let Some(counts) = counts(showed) else { return };
        if counts.failed == 0 && counts.slow == 0 {
            return self.went_well(1, [began, now], settings);
        }
        self.window.add(now, counts);
        match counts.failed {
            0 => self.ended_well(began),
            _ => self.failed_again(began),
        }
        let counted = self.window.sum(now);
        // Just after it closed the window is empty: how many calls there are was counted before it opened.
        let usual = counted.calls.max(self.usual);
        let again = self.was_not_well();
        let row = row_that_opens(usual, settings);
        let row = if again { row.div_ceil(2) } else { row };
        if self.in_a_row >= row {
            self.grounds = Counts { calls: self.in_a_row, failed: self.in_a_row, slow: 0 };
        } else if counted.calls >= settings.minimum_calls && is_too_much(counted, settings) {
            self.grounds = counted;
        } else {
            return;
        }
        self.usual = usual;
        match again {
            true => self.open_for(settings.open / 2, now, jitter),
            false => self.open(now, settings, jitter),
        }
    }

    /// Whether it was not well for long since it opened: failures are the same trouble as before, of a model that answers
    /// some calls and not others. Fewer of them tell then that it is one of its bad moments, and less is lost by asking it
    /// again sooner: where all models are like that for hours, who asks each of them twice a minute hardly finds a good moment
    /// before the deadline.
    const fn was_not_well(&self) -> bool {
        self.usual > 0
    }

    /// What was on its way when it opened comes back. Failures are quicker than answers: of ten calls that are made at
    /// one time and of which six will be answered, the four that fail are heard of first, in a row. So who was made with
    /// them is heard as well, and where that makes the failures few it was opened for nothing. Where it does not, a good
    /// answer still tells that the model is not gone: nobody has to wait longer for it than the first time.
    fn weigh(&mut self, showed: Showed, now: Tick, settings: &BreakerSettings) {
        let Some(counts) = counts(showed) else { return };
        self.grounds.add(counts);
        if (counts.failed, counts.slow) == (0, 0) {
            self.wait_as_at_first(now, settings);
        }
        if !is_too_much(self.grounds, settings) {
            let grounds = self.grounds;
            self.close(now);
            self.window.add(now, grounds);
        }
    }

    /// So many calls, the last of them made at `began`, were answered, and in good time.
    pub(crate) fn went_well(&mut self, calls: u32, [began, now]: [Tick; 2], settings: &BreakerSettings) {
        let State::Closed { since } = self.state else { return };
        self.window.add(now, Counts { calls, failed: 0, slow: 0 });
        self.ended_well(began);
        // It was well for as long as it is ever left alone: what was before is forgotten.
        if now.since(since) >= settings.open_at_most {
            self.usual = 0;
        }
    }

    /// A quota refused once more, at `now`, although its word was kept.
    pub(crate) fn refused(&mut self, now: Tick) {
        self.failed_again(now);
    }

    /// A call that was made at `began` failed.
    fn failed_again(&mut self, began: Tick) {
        if self.in_a_row == 0 {
            self.failing_since = began;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
    }

    /// A call that was made at `began` was answered: what fails since does not fail in a row.
    fn ended_well(&mut self, began: Tick) {
        if began >= self.failing_since {
            self.in_a_row = 0;
        }
    }

    /// Whether something failed since the last good answer.
    pub(crate) const fn is_failing(&self) -> bool {
        self.in_a_row > 0
    }

    /// Whether a quota refused so often although its word was kept that its word is not enough any more.
    pub(crate) const fn is_disbelieved(&self, settings: &BreakerSettings) -> bool {
        self.in_a_row >= settings.failures_in_a_row
    }

    /// How long a quota is left alone whatever it says, were it to refuse once more: nothing at first, then as long as a
    /// breaker that opens and opens again.
    pub(crate) fn disbelief(&self, settings: &BreakerSettings) -> Duration {
        let refused = self.in_a_row.saturating_add(1);
        let Some(times) = refused.checked_sub(settings.failures_in_a_row) else { return Duration::ZERO };
        let doubled = settings.open.saturating_mul(1u32.checked_shl(times).unwrap_or(u32::MAX));
        doubled.min(settings.open_at_most)
    }

    fn close(&mut self, now: Tick) {
        self.state = State::Closed { since: now };
        self.openings = 0;
        self.in_a_row = 0;
        self.window.clear();
    }

    fn open(&mut self, now: Tick, settings: &BreakerSettings, jitter: u16) {
        let doubled = settings.open.saturating_mul(1u32.checked_shl(self.openings).unwrap_or(u32::MAX));
        self.openings = self.openings.saturating_add(1);
        self.open_for(doubled.min(settings.open_at_most), now, jitter);
    }

    fn open_for(&mut self, wait: Duration, now: Tick, jitter: u16) {
        self.state = State::Open { until: now.after(longer(wait, jitter)), hard: false };
    }

    /// It is asked again as soon as the first time it opened, and opens the next time for no longer.
    fn wait_as_at_first(&mut self, now: Tick, settings: &BreakerSettings) {
        let State::Open { until, hard: false } = self.state else { return };
        let until = until.min(now.after(longer(settings.open, u16::MAX)));
        self.state = State::Open { until, hard: false };
        self.openings = 0;
    }

    fn open_hard(&mut self, now: Tick, settings: &BreakerSettings, jitter: u16) {
        self.state = State::Open { until: now.after(longer(settings.open_hard, jitter)), hard: true };
    }
}

/// How many failures in a row open it, where a window has so many calls: of a hundred calls of which a third fails,
/// three in a row are heard of again and again, but of ten calls ten are all there are. So it is a share of them, and no
/// more than what is enough for rates to mean something.
fn row_that_opens(calls: u32, settings: &BreakerSettings) -> u32 {
    let longest = settings.failures_in_a_row.max(settings.minimum_calls);
    (calls / CALLS_FOR_A_FAILURE).clamp(settings.failures_in_a_row, longest)
}

/// Whether too many of these failed, or were slow.
fn is_too_much(counts: Counts, settings: &BreakerSettings) -> bool {
    let calls = f64::from(counts.calls);
    f64::from(counts.failed) >= calls * settings.failure_rate
        || f64::from(counts.slow) >= calls * settings.slow_rate
}

/// What a call adds to the counts; None where it showed nothing that is counted.
fn counts(showed: Showed) -> Option<Counts> {
    let (failed, slow) = match showed {
        Showed::Nothing | Showed::Hopeless => return None,
        Showed::Success { slow } => (false, slow),
        Showed::Failure { slow } => (true, slow),
    };
    Some(Counts { calls: 1, failed: failed.into(), slow: slow.into() })
}

/// Up to a quarter longer, so that those who opened together do not probe together.
fn longer(wait: Duration, jitter: u16) -> Duration {
    wait.saturating_add((wait / 4).saturating_mul(jitter.into()) / (u32::from(u16::MAX) + 1))
}

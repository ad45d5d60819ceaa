//! State machine of the breaker: pure, changed only by the given results and times.

use std::time::Duration;

use hooks_core::time::Tick;

use super::BreakerConfig;
use super::answered::AnsweredShare;
use super::window::{Counts, Window};

/// One breaker. The owner provides the clock, the lock and the randomness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub(super) state: State,
    pub(super) window: Window,
    /// Failures since the last success.
    pub(super) in_a_row: u32,
    /// Number of times that the open time was doubled since the breaker was last closed.
    pub(super) openings: u32,
    /// When the first call of the current row of failures was made; earlier calls do not end the row.
    pub(super) failing_since: Tick,
    /// Counts that opened the breaker, plus the results of calls that were in flight when it opened.
    pub(super) grounds: Counts,
    /// Largest number of calls in a window at any opening since the model was last well.
    pub(super) usual: u32,
    /// Whether the breaker opened again before its model was well for long.
    pub(super) relapsed: bool,
    /// Number of good probes that are needed before the one that closes the breaker.
    pub(super) probes_owed: u32,
    /// Share of the recent calls that were answered.
    pub(super) answered: AnsweredShare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Lets calls through, since the given time.
    Closed { since: Tick },
    /// Lets no call through before `until`.
    Open { until: Tick, hard: bool },
    /// One probe is in flight; at `lost` it counts as lost.
    Probing { probe: u64, lost: Tick, hard: bool },
}

/// State of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakerState {
    /// Lets calls through.
    Closed,
    /// Lets no calls through.
    Open,
    /// Waits for the result of one probe.
    Probing,
}

/// The way in which a call was admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// As one of many, by a closed breaker.
    Usual,
    /// As the probe with this id.
    Probe(u64),
    /// Through an open breaker, because no other model was ready either.
    LastResort,
}

/// Result of a call, as the breaker counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Showed {
    /// No result: the error does not count, or the call was dropped.
    Nothing,
    Success {
        slow: bool,
    },
    Failure {
        slow: bool,
    },
    /// The model cannot be used until an operator repairs the cause.
    Hopeless,
}

/// Number of calls in a window for each failure that a row needs to open the breaker.
const CALLS_FOR_A_FAILURE: u32 = 6;

/// A model counts as down if it has this many times the failures in a row that open its breaker. It then gets
/// no calls as a last resort either. With three failures in a row that open it: a model that answers one call of
/// six fails nine times in a row in one of five cases, and 24 times in one of eighty.
const ROWS_OF_A_LAST_RESORT: u32 = 8;

/// Number of good probes in a row that close a breaker which opened again before its model was well for long.
pub(super) const PROBES_AFTER_A_RELAPSE: u32 = 3;

impl Core {
    pub(crate) fn new(settings: &BreakerConfig) -> Self {
        Self {
            state: State::Closed { since: Tick::default() },
            window: Window::new(settings.window),
            in_a_row: 0,
            openings: 0,
            failing_since: Tick::default(),
            grounds: Counts::default(),
            usual: 0,
            relapsed: false,
            probes_owed: 0,
            answered: AnsweredShare::default(),
        }
    }

    /// Share of the recent calls that were answered.
    pub(crate) const fn answered(&self) -> AnsweredShare {
        self.answered
    }

    pub(crate) const fn state(&self) -> BreakerState {
        match self.state {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::Probing { .. } => BreakerState::Probing,
        }
    }

    /// Whether the breaker may close at any moment: a probe is in flight, or calls made along with the
    /// failures or as a last resort are.
    pub(crate) const fn may_close(&self) -> bool {
        matches!(self.state, State::Open { hard: false, .. } | State::Probing { .. })
    }

    /// The time from which the breaker lets a call through; `None` if it does at `now`.
    pub(crate) fn opens_at(&self, now: Tick) -> Option<Tick> {
        let at = match self.state {
            State::Closed { .. } => return None,
            State::Open { until, .. } => until,
            State::Probing { lost, .. } => lost,
        };
        (at > now).then_some(at)
    }

    /// Lets a call through, or returns the time from which it would. A probe gets the id `probe`.
    pub(crate) fn admit(&mut self, probe: u64, now: Tick, settings: &BreakerConfig) -> Result<Pass, Tick> {
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

    /// Whether a call that has no other model may pass. No, if an operator has to repair the model.
    pub(crate) const fn lets_last_resort(&self) -> bool {
        matches!(self.state, State::Open { hard: false, .. } | State::Probing { hard: false, .. })
    }

    /// Whether the model answers some calls: fewer failures in a row than a model that is down would have.
    pub(crate) fn answers_some(&self, settings: &BreakerConfig) -> bool {
        self.in_a_row < ROWS_OF_A_LAST_RESORT * row_that_opens(self.usual, settings)
    }

    /// Whether an admitted call may still be sent after other results were counted.
    pub(crate) fn still_lets(&self, pass: Pass) -> bool {
        match self.state {
            State::Closed { .. } => true,
            State::Open { .. } => pass == Pass::LastResort,
            State::Probing { probe, .. } => pass == Pass::Probe(probe) || pass == Pass::LastResort,
        }
    }

    /// Counts the result of an admitted call that was made at `began`. `jitter` is a number below 2^16.
    pub(crate) fn tell(
        &mut self,
        pass: Pass,
        showed: Showed,
        [began, now]: [Tick; 2],
        settings: &BreakerConfig,
        jitter: u16,
    ) {
        match showed {
            Showed::Success { .. } => self.answered.add(1, true),
            Showed::Failure { .. } => self.answered.add(1, false),
            Showed::Nothing | Showed::Hopeless => {}
        }
        match (self.state, pass) {
            (State::Closed { .. }, _) => self.count(showed, [began, now], settings, jitter),
            (State::Probing { probe, hard, .. }, Pass::Probe(mine)) if probe == mine => match showed {
                Showed::Nothing => self.state = State::Open { until: now, hard },
                Showed::Success { slow: false } => self.answered_probe(now, hard),
                Showed::Success { slow: true } => self.stay_open(now, settings, jitter),
                Showed::Failure { .. } => {
                    self.owe_probes();
                    self.open(now, settings, jitter);
                }
                Showed::Hopeless => self.open_hard(now, settings, jitter),
            },
            // A probe that was counted as lost and succeeds after all still closes the breaker.
            (_, Pass::Probe(_)) if showed == (Showed::Success { slow: false }) => self.close(now),
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
            // Calls made before the first failure carry no new information.
            (State::Open { .. } | State::Probing { .. }, _) => {}
        }
    }

    fn count(&mut self, showed: Showed, [began, now]: [Tick; 2], settings: &BreakerConfig, jitter: u16) {
        if showed == Showed::Hopeless {
            return self.open_hard(now, settings, jitter);
        }
        let Some(counts) = counts(showed) else { return };
        if counts.failed == 0 && counts.slow == 0 {
            return self.were_well(1, [began, now], settings);
        }
        self.window.add(now, counts);
        match counts.failed {
            0 => self.ended_well(began),
            _ => self.failed_again(began),
        }
        let counted = self.window.sum(now);
        // Just after closing the window is empty, so the number of calls from before the opening is used.
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
        self.relapsed |= again;
        self.owe_probes();
        match again {
            true => self.open_for(settings.open / 2, now, jitter),
            false => self.open(now, settings, jitter),
        }
    }

    /// Whether the breaker opened and the model has not been well for long since. Failures then continue the
    /// earlier trouble of a model that answers some calls and not others. Fewer failures then suffice to
    /// detect a bad moment, and asking the model again sooner costs less. If all models are like that for
    /// hours, two probes of each model a minute hardly find a good moment before the deadline.
    const fn was_not_well(&self) -> bool {
        self.usual > 0
    }

    /// Counts the result of a call that was in flight when the breaker opened. Failures return faster than
    /// answers: of ten simultaneous calls with four failures, the four results that come first are failures,
    /// in a row. So the results of calls made along with the failures still count, and if they make the
    /// failures few, the opening is taken back. If they do not, a good answer still shows that the model is
    /// up: the wait is then no longer than that of a first opening.
    fn weigh(&mut self, showed: Showed, now: Tick, settings: &BreakerConfig) {
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

    /// Counts `calls` calls that were answered in time, the last of them made at `began`.
    pub(crate) fn went_well(&mut self, calls: u32, times: [Tick; 2], settings: &BreakerConfig) {
        self.answered.add(calls, true);
        self.were_well(calls, times, settings);
    }

    fn were_well(&mut self, calls: u32, [began, now]: [Tick; 2], settings: &BreakerConfig) {
        let State::Closed { since } = self.state else { return };
        self.window.add(now, Counts { calls, failed: 0, slow: 0 });
        self.ended_well(began);
        // The model was well for as long as the longest open time: earlier trouble is forgotten.
        if now.since(since) >= settings.open_at_most {
            self.usual = 0;
            self.relapsed = false;
        }
    }

    /// Counts a further refusal of a quota at `now`, although its wait was respected.
    pub(crate) fn refused(&mut self, now: Tick) {
        self.failed_again(now);
    }

    /// Counts a failed call that was made at `began`.
    fn failed_again(&mut self, began: Tick) {
        if self.in_a_row == 0 {
            self.failing_since = began;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
    }

    /// Counts an answered call that was made at `began`; it ends the row of failures unless the row began
    /// later.
    fn ended_well(&mut self, began: Tick) {
        if began >= self.failing_since {
            self.in_a_row = 0;
        }
    }

    /// Whether a call failed since the last good answer.
    pub(crate) const fn is_failing(&self) -> bool {
        self.in_a_row > 0
    }

    /// Whether a quota refused so often, although its wait was respected, that its stated wait is no longer
    /// trusted.
    pub(crate) const fn is_disbelieved(&self, settings: &BreakerConfig) -> bool {
        self.in_a_row >= settings.failures_in_a_row
    }

    /// The shortest wait for a quota after one more refusal, whatever wait it states: zero at first, then as
    /// long as a breaker that opens repeatedly.
    pub(crate) fn disbelief(&self, settings: &BreakerConfig) -> Duration {
        let refused = self.in_a_row.saturating_add(1);
        let Some(times) = refused.checked_sub(settings.failures_in_a_row) else { return Duration::ZERO };
        let doubled = settings.open.saturating_mul(1u32.checked_shl(times).unwrap_or(u32::MAX));
        doubled.min(settings.open_at_most)
    }

    /// Counts a good probe: it closes the breaker, or makes room for the next probe at once.
    fn answered_probe(&mut self, now: Tick, hard: bool) {
        if self.probes_owed == 0 {
            return self.close(now);
        }
        self.probes_owed -= 1;
        (self.in_a_row, self.openings) = (0, 0);
        self.state = State::Open { until: now, hard };
    }

    /// Begins to count good probes anew, after a failure. One good probe shows little if the breaker opens
    /// again and again: if half of its calls fail, each closing sends it several calls in vain, although
    /// another model may be well. If none is, calls come to it as a last resort.
    fn owe_probes(&mut self) {
        if self.relapsed {
            self.probes_owed = PROBES_AFTER_A_RELAPSE.saturating_sub(1);
        }
    }

    fn close(&mut self, now: Tick) {
        self.state = State::Closed { since: now };
        self.openings = 0;
        self.in_a_row = 0;
        self.probes_owed = 0;
        self.window.clear();
    }

    fn open(&mut self, now: Tick, settings: &BreakerConfig, jitter: u16) {
        let doubled = settings.open.saturating_mul(1u32.checked_shl(self.openings).unwrap_or(u32::MAX));
        self.openings = self.openings.saturating_add(1);
        self.open_for(doubled.min(settings.open_at_most), now, jitter);
    }

    fn open_for(&mut self, wait: Duration, now: Tick, jitter: u16) {
        self.state = State::Open { until: now.after(longer(wait, jitter)), hard: false };
    }

    /// Keeps the breaker open for as long as at first, because its probe was answered slowly: closed, it would
    /// send all calls to a model that lets them wait. The model is up, so it gets calls as a last resort, and
    /// a quick answer to one of them closes the breaker.
    fn stay_open(&mut self, now: Tick, settings: &BreakerConfig, jitter: u16) {
        self.in_a_row = 0;
        self.openings = 0;
        self.grounds = Counts { calls: 1, failed: 0, slow: 1 };
        self.open_for(settings.open, now, jitter);
    }

    /// Shortens the wait to that of a first opening, and resets the doubling for the next one.
    fn wait_as_at_first(&mut self, now: Tick, settings: &BreakerConfig) {
        let State::Open { until, hard: false } = self.state else { return };
        let until = until.min(now.after(longer(settings.open, u16::MAX)));
        self.state = State::Open { until, hard: false };
        self.openings = 0;
    }

    fn open_hard(&mut self, now: Tick, settings: &BreakerConfig, jitter: u16) {
        self.state = State::Open { until: now.after(longer(settings.open_hard, jitter)), hard: true };
    }
}

/// Number of failures in a row that open the breaker if a window has `calls` calls. If a third of a hundred
/// calls fails, three failures in a row happen by chance again and again; of ten calls, three are a sign. So
/// the number is a share of the calls, limited to what makes the rates meaningful.
fn row_that_opens(calls: u32, settings: &BreakerConfig) -> u32 {
    let longest = settings.failures_in_a_row.max(settings.minimum_calls);
    (calls / CALLS_FOR_A_FAILURE).clamp(settings.failures_in_a_row, longest)
}

/// Whether too many of these calls failed or were slow.
fn is_too_much(counts: Counts, settings: &BreakerConfig) -> bool {
    let calls = f64::from(counts.calls);
    f64::from(counts.failed) >= calls * settings.failure_rate
        || f64::from(counts.slow) >= calls * settings.slow_rate
}

/// Counts that a call adds; `None` if it showed nothing that is counted.
fn counts(showed: Showed) -> Option<Counts> {
    let (failed, slow) = match showed {
        Showed::Nothing | Showed::Hopeless => return None,
        Showed::Success { slow } => (false, slow),
        Showed::Failure { slow } => (true, slow),
    };
    Some(Counts { calls: 1, failed: failed.into(), slow: slow.into() })
}

/// Adds up to a quarter, so that breakers which opened together do not probe together.
fn longer(wait: Duration, jitter: u16) -> Duration {
    wait.saturating_add((wait / 4).saturating_mul(jitter.into()) / (u32::from(u16::MAX) + 1))
}

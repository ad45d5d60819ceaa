//! The serialized form of a breaker, which instances exchange. Their clocks differ from ours, so all times
//! are relative: "so long ago" and "in so long".

use std::time::Duration;

use hooks_core::time::Tick;
use serde::{Deserialize, Serialize};

use super::BreakerConfig;
use super::answered::AnsweredShare;
use super::core::{Core, PROBES_AFTER_A_RELAPSE, State};
use super::window::{Counts, Window};

/// The state of a breaker at one moment. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Wire {
    /// Share of the recent calls that failed, in parts of 2^16; zero if an older instance wrote the state.
    failing_share: u16,
    /// For how long the breaker lets no call through, if it is open or probing.
    closed_for: Option<u64>,
    /// The id of the probe in flight.
    probe: Option<u64>,
    hard: bool,
    /// For how long the breaker has let calls through.
    well_for: u64,
    in_a_row: u32,
    openings: u32,
    /// Age of the first call of the current row of failures.
    failing_for: u64,
    /// Counts that opened the breaker: calls, failed, slow.
    grounds: (u32, u32, u32),
    /// Number of calls in a window when the breaker opened; zero if an older instance wrote the state.
    usual: u32,
    /// Whether the breaker opened again before its model was well for long, and the good probes that it still
    /// needs before the one that closes it.
    relapsed: bool,
    probes_owed: u32,
    /// The window: age, calls, failed, slow.
    counted: Vec<(u64, u32, u32, u32)>,
}

impl Wire {
    /// Serializes `core` as it is at `now`.
    pub(crate) fn from_core(core: &Core, now: Tick) -> Self {
        let (closed_for, probe, hard, well_for) = match core.state {
            State::Closed { since } => (None, None, false, millis(now.since(since))),
            State::Open { until, hard } => (Some(millis_up(until.since(now))), None, hard, 0),
            State::Probing { probe, lost, hard } => (Some(millis_up(lost.since(now))), Some(probe), hard, 0),
        };
        let counted = core.window.counted(now);
        let counted = counted.map(|(at, of)| (millis(now.since(at)), of.calls, of.failed, of.slow)).collect();
        let Counts { calls, failed, slow } = core.grounds;
        Self {
            failing_share: AnsweredShare::ALL - core.answered.parts(),
            closed_for,
            probe,
            hard,
            well_for,
            in_a_row: core.in_a_row,
            openings: core.openings,
            failing_for: millis(now.since(core.failing_since)),
            grounds: (calls, failed, slow),
            usual: core.usual,
            relapsed: core.relapsed,
            probes_owed: core.probes_owed,
            counted,
        }
    }

    /// Restores the breaker that was written `ago` before `now`. A state from another instance keeps the
    /// breaker open at most twice as long as our own settings would.
    pub(crate) fn core(&self, ago: Duration, now: Tick, settings: &BreakerConfig) -> Core {
        let longest = settings.open_at_most.max(settings.open_hard).max(settings.probe).saturating_mul(2);
        let state = match (self.closed_for, self.probe) {
            (None, _) => {
                State::Closed { since: before(now, ago.saturating_add(Duration::from_millis(self.well_for))) }
            }
            (Some(left), probe) => {
                let until = now.after(Duration::from_millis(left).saturating_sub(ago).min(longest));
                match probe {
                    None => State::Open { until, hard: self.hard },
                    Some(probe) => State::Probing { probe, lost: until, hard: self.hard },
                }
            }
        };
        let mut window = Window::new(settings.window);
        // In the order of time, so that older counts do not reset a bucket.
        let mut counted = self.counted.clone();
        counted.sort_unstable_by_key(|&(age, ..)| std::cmp::Reverse(age));
        for (age, calls, failed, slow) in counted {
            let age = ago.saturating_add(Duration::from_millis(age));
            if age < settings.window {
                window.add(before(now, age), Counts { calls, failed, slow });
            }
        }
        let failing_since = before(now, ago.saturating_add(Duration::from_millis(self.failing_for)));
        let (calls, failed, slow) = self.grounds;
        let grounds = Counts { calls, failed, slow };
        let (in_a_row, openings, usual) = (self.in_a_row, self.openings, self.usual);
        let (relapsed, probes_owed) = (self.relapsed, self.probes_owed.min(PROBES_AFTER_A_RELAPSE));
        let answered = AnsweredShare::new(AnsweredShare::ALL - self.failing_share);
        Core {
            state,
            window,
            in_a_row,
            openings,
            failing_since,
            grounds,
            usual,
            relapsed,
            probes_owed,
            answered,
        }
    }
}

/// The time `ago` before `now`, or the start of a clock that started later.
fn before(now: Tick, ago: Duration) -> Tick {
    Tick(now.0.saturating_sub(ago))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Rounds up, so that no caller returns before the announced time.
fn millis_up(duration: Duration) -> u64 {
    millis(duration.saturating_add(Duration::from_nanos(999_999)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::breaker::{Pass, Showed};

    /// A breaker after this history of events, each with the milliseconds before it.
    fn after(history: &[(u64, u8)], settings: &BreakerConfig) -> (Core, Tick) {
        let (mut core, mut now) = (Core::new(settings), Tick(Duration::from_secs(1_000)));
        for &(later, event) in history {
            now = now.after(Duration::from_millis(later));
            match core.admit(later, now, settings) {
                Err(_) => {}
                Ok(pass @ Pass::Usual) if event < 2 => {
                    core.tell(pass, Showed::Hopeless, [now; 2], settings, 0);
                }
                Ok(pass) => {
                    let (slow, failed) = (event % 2 == 0, event % 3 > 0);
                    let showed = if failed { Showed::Failure { slow } } else { Showed::Success { slow } };
                    // Some probes never return.
                    if event < 200 || pass == Pass::Usual {
                        core.tell(pass, showed, [now; 2], settings, event.into());
                    }
                }
            }
        }
        (core, now)
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_is_read(
            history in prop::collection::vec((0u64..20_000, any::<u8>()), 0..60),
            ago in 0u64..30_000,
        ) {
            let settings = BreakerConfig::default();
            let (core, now) = after(&history, &settings);
            let text = serde_json::to_string(&Wire::from_core(&core, now)).unwrap();
            let (ago, wire) = (Duration::from_millis(ago), serde_json::from_str::<Wire>(&text).unwrap());
            let later = now.after(ago);
            let read = wire.core(ago, later, &settings);
            prop_assert_eq!(read.state(), core.state());
            prop_assert_eq!(read.answered(), core.answered());
            let (read, core) = (read.opens_at(later), core.opens_at(later));
            // Never earlier, and at most one rounding step later.
            prop_assert!(read >= core, "{read:?} {core:?}");
            let (read, core) = (read.unwrap_or(later), core.unwrap_or(later));
            prop_assert!(read.since(core) <= Duration::from_millis(1));
        }

        #[test]
        fn nothing_that_is_written_is_too_much(text in "\\{(\"(closed_for|well_for|in_a_row|openings)\":[0-9]{1,19},?){0,4}\\}") {
            let settings = BreakerConfig::default();
            let wire = serde_json::from_str::<Wire>(&text).unwrap_or_default();
            let mut core = wire.core(Duration::ZERO, Tick::default(), &settings);
            let _admitted = core.admit(1, Tick(Duration::from_secs(601)), &settings).unwrap();
        }
    }
}

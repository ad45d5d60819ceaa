//! A breaker as it is written down for others. Their clocks are not ours: all times are told as "so long ago" and
//! "in so long".

use std::time::Duration;

use hooks_core::time::Tick;
use serde::{Deserialize, Serialize};

use super::BreakerSettings;
use super::core::{Core, State};
use super::window::{Counts, Window};

/// The state of a breaker, seen from one moment. Times are milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Wire {
    /// For so long it lets nothing through, where it is open or probing.
    closed_for: Option<u64>,
    /// The probe that is on its way.
    probe: Option<u64>,
    hard: bool,
    /// For so long it has let calls through.
    well_for: u64,
    in_a_row: u32,
    openings: u32,
    /// How long ago, how many calls, how many of them failed, how many were slow.
    counted: Vec<(u64, u32, u32, u32)>,
}

impl Wire {
    /// `core`, as it is at `now`.
    pub(crate) fn of(core: &Core, now: Tick) -> Self {
        let (closed_for, probe, hard, well_for) = match core.state {
            State::Closed { since } => (None, None, false, millis(now.since(since))),
            State::Open { until, hard } => (Some(millis_up(until.since(now))), None, hard, 0),
            State::Probing { probe, lost, hard } => (Some(millis_up(lost.since(now))), Some(probe), hard, 0),
        };
        let counted = core.window.counted(now);
        let counted = counted.map(|(at, of)| (millis(now.since(at)), of.calls, of.failed, of.slow)).collect();
        Self { closed_for, probe, hard, well_for, in_a_row: core.in_a_row, openings: core.openings, counted }
    }

    /// The breaker it is, where it was written `ago` before `now`. Nobody's word keeps it open longer than our own
    /// settings would.
    pub(crate) fn core(&self, ago: Duration, now: Tick, settings: &BreakerSettings) -> Core {
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
        // In the order of time, so that a bucket is not started anew by what is older.
        let mut counted = self.counted.clone();
        counted.sort_unstable_by_key(|&(age, ..)| std::cmp::Reverse(age));
        for (age, calls, failed, slow) in counted {
            let age = ago.saturating_add(Duration::from_millis(age));
            if age < settings.window {
                window.add(before(now, age), Counts { calls, failed, slow });
            }
        }
        Core { state, window, in_a_row: self.in_a_row, openings: self.openings }
    }
}

/// So long before `now`; a clock that started since counts from there.
fn before(now: Tick, ago: Duration) -> Tick {
    Tick(now.0.saturating_sub(ago))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Rounded up: nobody may come back earlier than was said.
fn millis_up(duration: Duration) -> u64 {
    millis(duration.saturating_add(Duration::from_nanos(999_999)))
}

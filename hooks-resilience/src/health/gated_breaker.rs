//! Breaker and gate of one model, provider or quota, for concurrent callers.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};

use hooks_core::time::Tick;

use super::fleet::Link;
use super::gate::Gate;
use crate::breaker::{AnsweredShare, BreakerConfig, BreakerState, Core, Pass, Showed};
use crate::sync::{AtomicBool, Mutex, MutexGuard};

/// A breaker and a gate.
pub(super) struct GatedBreaker {
    local: Mutex<Local>,
    /// Whether the breaker is not closed; if it is closed, no caller has to take the lock.
    troubled: AtomicBool,
    /// Whether something failed since the last good answer.
    failing: AtomicBool,
    gate: Gate,
    /// Until when a quota is used with caution; like the time of a gate, it only moves forward.
    caution: Gate,
    /// Name of the model; `None` if the place is that of a provider or quota.
    pub(super) model: Option<Arc<str>>,
    pub(super) provider: Arc<str>,
    /// The entry in the fleet's store, if there is a fleet.
    pub(super) link: OnceLock<Link>,
}

struct Local {
    core: Core,
    /// Events that were not published to the fleet yet.
    untold: VecDeque<Event>,
    /// Number of events that were removed from the front of `untold` so far.
    told: u64,
}

/// An event. Replayed on another instance's state, it has the same effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) at: Tick,
    pub(super) what: What,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// `calls` calls, the last of them made at `began`, were answered in time.
    WentWell { calls: u32, began: Tick },
    /// A call asked for admission; as a probe it has this id.
    AdmissionRequested(u64),
    /// An admitted call that was made at `began` ended.
    Ended { pass: Pass, showed: Showed, began: Tick, jitter: u16 },
    /// The gate was shut.
    Shut { until: Tick },
    /// A quota refused again although its stated wait was respected: its gate was shut, and it is used with
    /// caution.
    Refused { until: Tick, cautious_until: Tick },
}

/// The fleet's state of a place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heard {
    pub(super) core: Core,
    pub(super) gate: Tick,
    pub(super) cautious_until: Tick,
}

/// Previous and new state of a breaker, if it changed.
pub(super) type Change = Option<(BreakerState, BreakerState)>;

/// Most events that are kept for publication. Older ones are dropped: after so long without a store they are
/// no longer useful.
const UNTOLD: usize = 256;

impl GatedBreaker {
    pub(super) fn new(model: Option<&Arc<str>>, provider: &Arc<str>, settings: &BreakerConfig) -> Self {
        let local = Local { core: Core::new(settings), untold: VecDeque::new(), told: 0 };
        Self {
            local: Mutex::new(local),
            troubled: AtomicBool::new(false),
            failing: AtomicBool::new(false),
            gate: Gate::default(),
            caution: Gate::default(),
            model: model.cloned(),
            provider: Arc::clone(provider),
            link: OnceLock::new(),
        }
    }

    pub(super) fn state(&self) -> BreakerState {
        self.local().core.state()
    }

    pub(super) fn gate(&self) -> Tick {
        self.gate.opens()
    }

    /// Time until which a quota is used with caution.
    pub(super) fn cautious_until(&self) -> Tick {
        self.caution.opens()
    }

    pub(super) fn be_cautious_until(&self, until: Tick) {
        self.caution.shut_until(until);
    }

    /// Whether the gate is open at `now`, in nanoseconds.
    pub(super) fn is_open(&self, now: u64) -> bool {
        self.gate.is_open(now)
    }

    pub(super) fn is_troubled(&self) -> bool {
        self.troubled.load(Ordering::Acquire)
    }

    /// Whether the breaker may close at any moment.
    pub(super) fn may_close(&self) -> bool {
        self.is_troubled() && self.local().core.may_close()
    }

    /// Whether a quota's stated wait is no longer trusted.
    pub(super) fn is_disbelieved(&self, settings: &BreakerConfig) -> bool {
        self.is_failing() && self.local().core.is_disbelieved(settings)
    }

    /// When the breaker lets a call through; `None` if it does at `now`.
    pub(super) fn opens_at(&self, now: Tick) -> Option<Tick> {
        if self.is_troubled() { self.local().core.opens_at(now) } else { None }
    }

    /// Whether the breaker is open, and admits a call that has no other model.
    pub(super) fn lets_last_resort(&self) -> bool {
        self.is_troubled() && self.local().core.lets_last_resort()
    }

    /// Share of the recent calls that were answered.
    pub(super) fn answered(&self) -> AnsweredShare {
        self.local().core.answered()
    }

    /// Whether a model answers some calls although its breaker is open.
    pub(super) fn answers_some(&self, settings: &BreakerConfig) -> bool {
        self.local().core.answers_some(settings)
    }

    /// Admits a call, or returns the time from which it would. `None` means that the result is not needed,
    /// since the breaker is closed. Only changes are kept for the fleet.
    pub(super) fn admit(
        &self,
        probe: impl FnOnce() -> u64,
        now: Tick,
        last_resort: bool,
        settings: &BreakerConfig,
    ) -> Result<Option<Pass>, Tick> {
        if !self.is_troubled() {
            return Ok(None);
        }
        let (mut local, probe) = (self.local(), probe());
        let pass = match local.core.admit(probe, now, settings) {
            Err(_) if last_resort && local.core.lets_last_resort() => Pass::LastResort,
            admitted => admitted?,
        };
        if matches!(pass, Pass::Probe(_)) && self.link.get().is_some() {
            local.keep(Event { at: now, what: What::AdmissionRequested(probe) }, false);
        }
        Ok(Some(pass))
    }

    /// Whether an admitted call may still be sent after the fleet's state was read.
    pub(super) fn still_lets(&self, pass: Pass, now: Tick) -> Result<(), Tick> {
        let local = self.local();
        if local.core.still_lets(pass) { Ok(()) } else { Err(local.core.opens_at(now).unwrap_or(now)) }
    }

    /// Applies an event.
    pub(super) fn happened(&self, event: Event, settings: &BreakerConfig) -> Change {
        match event.what {
            What::Shut { until } => self.gate.shut_until(until),
            What::Refused { until, cautious_until } => {
                self.gate.shut_until(until);
                self.be_cautious_until(cautious_until);
            }
            _ => {}
        }
        let mut local = self.local();
        let before = local.core.state();
        play(&mut local.core, &event, settings);
        if let Some(link) = self.link.get() {
            // Events that are being published must not be merged with new ones.
            local.keep(event, !link.is_busy());
        }
        self.changed(&local, before)
    }

    /// Records that a quota is used up and asked for a pause until `until`. If it refuses repeatedly although
    /// its wait was respected, its stated wait is no longer trusted. Simultaneous refusals count as one.
    pub(super) fn refused(&self, until: Tick, cautious_until: Tick, now: Tick, settings: &BreakerConfig) {
        let is_new = self.gate.opens() <= now;
        let what = match is_new {
            true => {
                let until = until.max(now.after(self.local().core.disbelief(settings)));
                What::Refused { until, cautious_until }
            }
            false => What::Shut { until },
        };
        let _unchanged = self.happened(Event { at: now, what }, settings);
    }

    /// Whether something failed since the last good answer.
    pub(super) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Acquire)
    }

    /// Unpublished events, the number of those published before, and the breaker with all of them.
    pub(super) fn untold(&self) -> (Vec<Event>, u64, Core) {
        let local = self.local();
        (local.untold.iter().copied().collect(), local.told, local.core.clone())
    }

    /// Number of published events.
    pub(super) fn told(&self) -> u64 {
        self.local().told
    }

    /// Whether an event has to be published at once; answers in time can wait.
    pub(super) fn has_untold_failure(&self) -> bool {
        self.local().untold.iter().any(|event| !matches!(event.what, What::WentWell { .. }))
    }

    /// Adopts the fleet's state, which includes all events up to number `told`. Later local events are
    /// replayed on it.
    pub(super) fn adopt(&self, heard: Heard, told: u64, settings: &BreakerConfig) -> Change {
        let Heard { mut core, gate, cautious_until } = heard;
        self.gate.shut_until(gate);
        self.be_cautious_until(cautious_until);
        let mut local = self.local();
        let before = local.core.state();
        while local.told < told && local.untold.pop_front().is_some() {
            local.told += 1;
        }
        for event in &local.untold {
            play(&mut core, event, settings);
        }
        local.core = core;
        self.changed(&local, before)
    }

    fn changed(&self, local: &Local, before: BreakerState) -> Change {
        let after = local.core.state();
        self.troubled.store(after != BreakerState::Closed, Ordering::Release);
        self.failing.store(local.core.is_failing(), Ordering::Release);
        (before != after).then_some((before, after))
    }

    fn local(&self) -> MutexGuard<'_, Local> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Local {
    fn keep(&mut self, event: Event, together: bool) {
        if let (true, What::WentWell { calls: more, began: last }) = (together, event.what)
            && let Some(Event { what: What::WentWell { calls, began }, .. }) = self.untold.back_mut()
        {
            (*calls, *began) = (calls.saturating_add(more), last.max(*began));
            return;
        }
        if self.untold.len() >= UNTOLD {
            self.untold.pop_front();
            self.told += 1;
        }
        self.untold.push_back(event);
    }
}

/// Applies `event` to a breaker.
pub(super) fn play(core: &mut Core, event: &Event, settings: &BreakerConfig) {
    match event.what {
        What::WentWell { calls, began } => core.went_well(calls, [began, event.at], settings),
        What::AdmissionRequested(probe) => {
            // If a probe of another instance is in flight, this one is not sent.
            let _refused = core.admit(probe, event.at, settings).is_err();
        }
        What::Ended { pass, showed, began, jitter } => {
            core.tell(pass, showed, [began, event.at], settings, jitter);
        }
        What::Shut { .. } => {}
        What::Refused { .. } => core.refused(event.at),
    }
}

//! State that a fleet shares: one value for each model, provider and quota, with its breaker and its gate.
//!
//! The value is the whole breaker, written by compare-and-set. So the fleet's breaker is the same pure state
//! machine as a single one's, its probe is one for all, and no store has to know what a breaker is. Local
//! events are replayed on the state that other instances wrote. Only failures and probes are published at
//! once; answers in time are published with the next of these, or after a second.
//!
//! Waits are short. A store in this process answers at once and is read for every call. Any other store is
//! read at most once a second; an operation takes at most 50 ms, and all of them together 250 ms. Events that
//! were not published by then follow with the next write. A place in a shared rate takes as many operations
//! as other instances are faster, each of at most 50 ms. While the store is unavailable, local breakers
//! continue with what they know.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Key, Op, StateStore, StepResult};
use hooks_core::time::{Tick, Timestamp};
use serde::{Deserialize, Serialize};

use super::gated_breaker::{GatedBreaker, Heard, play};
use super::{Health, HealthSettings};
use crate::breaker::{Core, Wire};
use crate::duration::nanos;
use crate::pacing::caution;
use crate::sync::{AtomicBool, AtomicU64};
use crate::world::World;

/// The longest wait for one operation of a store. A store in the same data centre takes a tenth of a
/// millisecond to a few; one across a continent takes less than this.
const PATIENCE: Duration = Duration::from_millis(50);
/// The longest that a caller waits for all operations on a fleet: five operations of the longest duration.
const LONGEST_VISIT: Duration = Duration::from_millis(250);
/// Age at which a read value is stale, and the time for which a store that did not answer is left alone. A
/// second is a tenth of the time that a breaker opens for at first.
const STALE: Duration = Duration::from_secs(1);
/// Most attempts of a write that conflicts with other instances; after them, the next write carries the
/// events.
const TRIES: usize = 8;

/// The store of a fleet.
pub(super) struct Fleet {
    store: Arc<dyn StateStore>,
    name: Arc<str>,
    /// Whether the store answers later; then not every call reads it.
    answers_later: AtomicBool,
    /// When a store that did not answer is tried again, in nanoseconds.
    away_until: AtomicU64,
}

/// The name under which a fleet shares the state of one tenant's credentials.
pub(super) struct Namespace {
    tenant: Option<Arc<str>>,
    fleet: Arc<str>,
}

/// The reads and writes of one caller in a fleet's store, limited in time as a whole.
pub(super) struct Visit<'a> {
    fleet: &'a Fleet,
    world: &'a World,
    until: Tick,
}

/// A place's entry in the store.
pub(super) struct Link {
    key: Key,
    /// The revision that was read last; 0 before the first read.
    revision: AtomicU64,
    /// When it was last read, in nanoseconds; `NEVER` before the first read.
    heard: AtomicU64,
    /// Whether a task is reading or writing the entry.
    busy: AtomicBool,
}

/// The time of a read that never happened.
const NEVER: u64 = u64::MAX;

/// The stored value.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    /// When it was written, by the store's time.
    at: u64,
    breaker: Wire,
    /// For how many milliseconds the gate is shut.
    gate_for: u64,
    /// For how many milliseconds a quota is used with caution; zero if an older instance wrote the value.
    #[serde(default)]
    cautious_for: u64,
}

impl Fleet {
    pub(super) fn new(store: Arc<dyn StateStore>, name: &str) -> Self {
        Self {
            store,
            name: name.into(),
            answers_later: AtomicBool::new(false),
            away_until: AtomicU64::new(0),
        }
    }

    pub(super) fn store(&self) -> &Arc<dyn StateStore> {
        &self.store
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Performs `op` if the store answers at once; otherwise returns `None`.
    pub(super) fn ask_now(&self, op: Op) -> Option<StepResult> {
        if self.answers_later() {
            return None;
        }
        match self.store.apply(op) {
            HookFuture::Now(answer) => answer?.ok(),
            HookFuture::Later(_) => {
                self.answers_later.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Performs `op` within the time limit of a store; `None` if it does not answer.
    pub(super) async fn ask(&self, op: Op, world: &World) -> Option<StepResult> {
        self.ask_by(None, op, world).await
    }

    /// Performs `op` by `until` and within the time limit of a store. A store that used up its own time limit
    /// is left alone for a while.
    async fn ask_by(&self, until: Option<Tick>, op: Op, world: &World) -> Option<StepResult> {
        let now = world.tick();
        let own = now.after(PATIENCE);
        let until = until.map_or(own, |until| until.min(own));
        if self.is_away(now) || until <= now {
            return None;
        }
        let answer = world.within(Some(until), self.store.apply(op)).await;
        let is_away = answer.as_ref().map_or(until == own, Result::is_err);
        if is_away {
            self.away_until.store(nanos(world.tick().after(STALE).0), Ordering::Relaxed);
        }
        answer.and_then(Result::ok)
    }

    /// Begins the reads and writes of one caller.
    pub(super) fn visit<'a>(&'a self, world: &'a World) -> Visit<'a> {
        Visit { fleet: self, world, until: world.tick().after(LONGEST_VISIT) }
    }

    /// Polls `work` once and returns the unfinished rest, which shows what kind of store it is: one that
    /// answers at once leaves none.
    pub(super) fn begin(&self, work: HookFuture<'static, ()>) -> Option<HookFuture<'static, ()>> {
        let rest = begun(work).err();
        if rest.is_some() {
            self.answers_later.store(true, Ordering::Relaxed);
        }
        rest
    }

    /// Whether `ask_now` may succeed: the store is available, as far as known, and answers at once.
    pub(super) fn answers_now(&self, now: Tick) -> bool {
        !self.answers_later() && !self.is_away(now)
    }

    fn is_away(&self, now: Tick) -> bool {
        nanos(now.0) < self.away_until.load(Ordering::Relaxed)
    }

    pub(super) fn answers_later(&self) -> bool {
        self.answers_later.load(Ordering::Relaxed)
    }
}

impl Namespace {
    pub(super) fn new(tenant: Option<&str>, fleet: &str) -> Self {
        Self { tenant: tenant.map(Into::into), fleet: fleet.into() }
    }

    /// The key of the value for `name` of `provider`.
    pub(super) fn key(&self, kind: &str, what: &str, provider: &str, name: &str) -> Key {
        Key::new(self.tenant.as_deref(), &[&self.fleet, kind, what, provider, name])
    }
}

impl Visit<'_> {
    async fn ask(&self, op: Op) -> Option<StepResult> {
        self.fleet.ask_by(Some(self.until), op, self.world).await
    }
}

impl Link {
    pub(super) fn new(namespace: &Namespace, what: &str, provider: &str, name: &str) -> Self {
        let key = namespace.key("health", what, provider, name);
        let (revision, heard, busy) = (AtomicU64::new(0), AtomicU64::new(NEVER), AtomicBool::new(false));
        Self { key, revision, heard, busy }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    fn is_stale(&self, now: Tick) -> bool {
        let heard = self.heard.load(Ordering::Relaxed);
        heard == NEVER || now.since(Tick(Duration::from_nanos(heard))) >= STALE
    }
}

/// Reads the fleet's state of `place` from a store that answers at once.
pub(super) fn look(health: &Health, fleet: &Fleet, place: &GatedBreaker, link: &Link, now: Tick) {
    let Some(StepResult::Value(Some((text, revision)))) = fleet.ask_now(Op::Get { key: link.key.clone() })
    else {
        return;
    };
    if link.revision.load(Ordering::Acquire) == revision {
        return;
    }
    if let Some(StepResult::Now(time)) = fleet.ask_now(Op::Now)
        && let Some(heard) = read(&text, time, now, health.settings())
    {
        link.revision.store(revision, Ordering::Release);
        health.announce(place.adopt(heard, place.told(), &health.settings().breaker), place, now);
    }
}

/// Whether the entry was never read.
pub(super) fn is_unheard(link: &Link) -> bool {
    link.heard.load(Ordering::Relaxed) == NEVER
}

/// Whether the state of `place` is stale, and no task is reading it.
pub(super) fn is_stale(place: &GatedBreaker, link: &Link, now: Tick) -> bool {
    (link.is_stale(now) || place.has_untold_failure()) && !link.is_busy()
}

/// Publishes the events of `place` and reads the fleet's state. Only one task does so at a time; events that
/// occur meanwhile are included, or follow the next time.
pub(super) async fn synchronise(health: &Health, visit: &Visit<'_>, place: &GatedBreaker, link: &Link) {
    if link.busy.swap(true, Ordering::Acquire) {
        return;
    }
    let _busy = Busy(&link.busy);
    let (world, settings) = (health.world(), health.settings());
    for _ in 0..TRIES {
        let Some(StepResult::Value(stored)) = visit.ask(Op::Get { key: link.key.clone() }).await else {
            return;
        };
        let Some(StepResult::Now(time)) = visit.ask(Op::Now).await else { return };
        let now = world.tick();
        link.heard.store(nanos(now.0), Ordering::Relaxed);
        let (untold, told, ours) = place.untold();
        let (text, revision) = match stored {
            Some((text, revision)) => (Some(text), revision),
            None => (None, 0),
        };
        let known = link.revision.load(Ordering::Acquire) == revision;
        let mut unread = false;
        let ours = Heard { core: ours, gate: place.gate(), cautious_until: place.cautious_until() };
        let mut state = match &text {
            // No other instance wrote since: the local state is complete, and its times are not rounded.
            Some(_) if known => ours,
            Some(text) => match read(text, time, now, settings) {
                Some(heard) => heard,
                None if untold.is_empty() => return,
                // The unreadable value is overwritten with the local state.
                None => {
                    unread = true;
                    ours
                }
            },
            None => Heard { core: Core::new(&settings.breaker), ..ours },
        };
        if untold.is_empty() {
            if !known {
                link.revision.store(revision, Ordering::Release);
                health.announce(place.adopt(state, told, &settings.breaker), place, now);
            }
            return;
        }
        let heard = state.clone();
        if text.is_none() || !(known || unread) {
            for event in &untold {
                play(&mut state.core, event, &settings.breaker);
            }
        }
        state.gate = state.gate.max(place.gate());
        state.cautious_until = state.cautious_until.max(place.cautious_until());
        let told_all = told.saturating_add(untold.len() as u64);
        if !(known || unread) && text.is_some() && heard == state {
            // The local events change nothing, for example because another instance already sends a probe.
            link.revision.store(revision, Ordering::Release);
            health.announce(place.adopt(state, told_all, &settings.breaker), place, now);
            return;
        }
        let Some(value) = write(&state, time, now) else { return };
        let id = health.write_id();
        let set = Op::CompareAndSet { id, key: link.key.clone(), revision, value, ttl: Some(kept(settings)) };
        match visit.ask(set).await {
            Some(StepResult::Written(revision)) => {
                link.revision.store(revision, Ordering::Release);
                health.announce(place.adopt(state, told_all, &settings.breaker), place, now);
                if !place.has_untold_failure() {
                    return;
                }
            }
            Some(StepResult::Conflict(_)) => {}
            _ => return,
        }
    }
}

/// Parses `text`, which was read at `time` of the store, `now` here. A value that cannot be parsed changes
/// nothing: a breaker that is open here stays open.
fn read(text: &str, time: Timestamp, now: Tick, settings: &HealthSettings) -> Option<Heard> {
    let written: Written = serde_json::from_str(text).ok()?;
    let ago = time.since(Timestamp(written.at));
    let gate = Duration::from_millis(written.gate_for).min(settings.longest_gate).saturating_sub(ago);
    let longest = caution::LONGEST.saturating_add(settings.longest_gate);
    let caution = Duration::from_millis(written.cautious_for).min(longest).saturating_sub(ago);
    let until = |left: Duration| if left.is_zero() { Tick::default() } else { now.after(left) };
    let core = written.breaker.core(ago, now, &settings.breaker);
    Some(Heard { core, gate: until(gate), cautious_until: until(caution) })
}

fn write(heard: &Heard, time: Timestamp, now: Tick) -> Option<Arc<str>> {
    // Rounds up, so that no caller returns before the announced time.
    let left = |until: Tick| {
        let millis = until.since(now).as_nanos().div_ceil(1_000_000);
        u64::try_from(millis).unwrap_or(u64::MAX)
    };
    let written = Written {
        at: time.0,
        breaker: Wire::from_core(&heard.core, now),
        gate_for: left(heard.gate),
        cautious_for: left(heard.cautious_until),
    };
    serde_json::to_string(&written).ok().map(Into::into)
}

/// Time for which an entry is useful, and kept.
fn kept(settings: &HealthSettings) -> Duration {
    let breaker = &settings.breaker;
    settings
        .longest_gate
        .max(breaker.open_hard)
        .max(breaker.open_at_most)
        .saturating_add(breaker.window)
        .saturating_mul(2)
}

/// Polls `work` once: returns its answer, or the rest that has to be waited for.
pub(super) fn begun<T>(mut work: HookFuture<'static, T>) -> Result<T, HookFuture<'static, T>> {
    match Pin::new(&mut work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Ok(answer),
        Poll::Pending => Err(work),
    }
}

/// The answer of `work`, if it is available at once.
pub(super) fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

/// Clears the busy flag when dropped, whatever the result.
struct Busy<'a>(&'a AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

//! A clock, a timer and an environment that tests control.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::FakeFileSystem;
use crate::context::HookContext;
use crate::environment::Environment;
use crate::event::EventKind;
use crate::failure::FailureSink;
use crate::future::HookFuture;
use crate::time::{Clock, SeededRandom, Tick, Timer, Timestamp};
use crate::verdict::Reason;

/// A clock that advances only by [`FakeClock::advance`].
///
/// ```
/// use std::time::Duration;
/// use hooks_core::testing::FakeClock;
/// use hooks_core::time::{Clock, Timestamp};
///
/// let clock = FakeClock::at(Timestamp(1_000));
/// clock.advance(Duration::from_millis(500));
/// assert_eq!(clock.now(), Timestamp(1_500));
/// let tick = clock.tick();
/// clock.set(Timestamp(0)); // the calendar goes back, ticks never do
/// assert_eq!(clock.tick(), tick);
/// ```
#[derive(Debug, Default)]
pub struct FakeClock {
    calendar: AtomicU64,
    /// Nanoseconds since the start.
    ticks: AtomicU64,
}

impl FakeClock {
    /// A clock that starts at `now`.
    pub const fn at(now: Timestamp) -> Self {
        Self { calendar: AtomicU64::new(now.0), ticks: AtomicU64::new(0) }
    }

    /// Advances the calendar and the ticks.
    pub fn advance(&self, by: Duration) {
        self.calendar.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.ticks.fetch_add(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Sets the calendar, possibly backwards; ticks do not change.
    pub fn set(&self, now: Timestamp) {
        self.calendar.store(now.0, Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.calendar.load(Ordering::Relaxed))
    }

    fn tick(&self) -> Tick {
        Tick(Duration::from_nanos(self.ticks.load(Ordering::Relaxed)))
    }
}

/// A timer whose time advances only by [`FakeTimer::advance`].
#[derive(Clone, Debug, Default)]
pub struct FakeTimer(Arc<Mutex<Sleepers>>);

#[derive(Debug, Default)]
struct Sleepers {
    now: Duration,
    wakers: Vec<Waker>,
}

impl FakeTimer {
    /// Advances the time and wakes all sleepers; each checks whether its time has come.
    pub fn advance(&self, by: Duration) {
        let mut sleepers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.now += by;
        let wakers = std::mem::take(&mut sleepers.wakers);
        drop(sleepers);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Timer for FakeTimer {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        let sleepers = Arc::clone(&self.0);
        let until = sleepers.lock().unwrap_or_else(PoisonError::into_inner).now + duration;
        HookFuture::later(std::future::poll_fn(move |cx| {
            let mut sleepers = sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            if sleepers.now >= until {
                return Poll::Ready(());
            }
            sleepers.wakers.push(cx.waker().clone());
            Poll::Pending
        }))
    }
}

/// Records every failure of a hook.
#[derive(Debug, Default)]
pub struct FailureLog(Mutex<Vec<(EventKind, Reason)>>);

impl FailureLog {
    /// Returns the recorded failures, in order.
    pub fn entries(&self) -> Vec<(EventKind, Reason)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FailureSink for FailureLog {
    fn record(&self, _context: &HookContext, event: EventKind, reason: &Reason) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((event, reason.clone()));
    }
}

/// An environment with `files`, a stopped clock, seeded randomness and a log of failures.
pub fn world(files: FakeFileSystem) -> (Environment, Arc<FakeClock>, Arc<FailureLog>) {
    let (clock, failures) = (Arc::new(FakeClock::default()), Arc::new(FailureLog::default()));
    let environment = Environment {
        clock: clock.clone(),
        random: Arc::new(SeededRandom::new(1)),
        files: Arc::new(files),
        failures: failures.clone(),
        ..Environment::detached()
    };
    (environment, clock, failures)
}

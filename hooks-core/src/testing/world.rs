//! A clock, a timer and an environment that tests hold in their hands.

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

/// A clock that goes when it is told to.
#[derive(Debug, Default)]
pub struct FakeClock {
    calendar: AtomicU64,
    /// Nanoseconds since the start.
    ticks: AtomicU64,
}

impl FakeClock {
    /// Starts at `now`.
    pub const fn at(now: Timestamp) -> Self {
        Self { calendar: AtomicU64::new(now.0), ticks: AtomicU64::new(0) }
    }

    /// Goes forward.
    pub fn advance(&self, by: Duration) {
        self.calendar.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.ticks.fetch_add(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The calendar jumps, also backwards; ticks do not.
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

/// A timer whose time passes when it is told to.
#[derive(Clone, Debug, Default)]
pub struct FakeTimer(Arc<Mutex<Sleepers>>);

#[derive(Debug, Default)]
struct Sleepers {
    now: Duration,
    wakers: Vec<Waker>,
}

impl FakeTimer {
    /// Lets time pass and wakes everyone, so that each looks whether its time has come.
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

/// Keeps every failure that was recorded.
#[derive(Debug, Default)]
pub struct FailureLog(Mutex<Vec<(EventKind, Reason)>>);

impl FailureLog {
    /// What was recorded, in order.
    pub fn entries(&self) -> Vec<(EventKind, Reason)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FailureSink for FailureLog {
    fn record(&self, _context: &HookContext, event: EventKind, reason: &Reason) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((event, reason.clone()));
    }
}

/// A world with `files`, a stopped clock, seeded randomness and a log of failures.
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

//! Virtual time, which passes only while all futures wait: hours take milliseconds, and every run is the
//! same.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::future::HookFuture;
use crate::time::{Clock, Tick, Timer, Timestamp};

/// A clock and a timer in one. [`VirtualTime::block_on`] runs a future. Whenever it has to wait, time jumps
/// to the end of the next sleep. Clones share the time.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::time::{Clock, Timer};
///
/// let time = VirtualTime::default();
/// time.block_on(time.sleep(Duration::from_secs(3600)));
/// assert_eq!(time.tick().0, Duration::from_secs(3600));
/// ```
#[derive(Clone, Debug, Default)]
pub struct VirtualTime(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    now: Duration,
    /// Calendar time at the start.
    epoch: Timestamp,
    sleepers: BinaryHeap<Reverse<Sleeper>>,
    /// Number of the next sleeper. Sleepers with the same end wake in the order in which they began.
    next: u64,
}

#[derive(Debug)]
struct Sleeper {
    until: Duration,
    turn: u64,
    waker: Waker,
}

impl VirtualTime {
    /// Virtual time whose calendar starts at `epoch`.
    pub fn at(epoch: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(Inner { epoch, ..Inner::default() })))
    }

    /// Runs `future` to its end. Returns `None` if the future waits for anything but a sleep, since it would
    /// never be woken.
    pub fn block_on<F: Future>(&self, future: F) -> Option<F::Output> {
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&flag));
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            while flag.0.swap(false, Memory::Relaxed) {
                if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                    return Some(output);
                }
            }
            if !self.leap() {
                return None;
            }
        }
    }

    /// Sets the calendar, as an operator might. Ticks and sleepers are not affected.
    pub fn set_calendar(&self, now: Timestamp) {
        let mut inner = self.lock();
        let passed = u64::try_from(inner.now.as_millis()).unwrap_or(u64::MAX);
        inner.epoch = Timestamp(now.0.wrapping_sub(passed));
    }

    /// Advances to the end of the next sleep and wakes all its sleepers. Returns false without sleepers.
    fn leap(&self) -> bool {
        let mut inner = self.lock();
        let Some(Reverse(first)) = inner.sleepers.pop() else { return false };
        inner.now = inner.now.max(first.until);
        let mut woken = vec![first.waker];
        while inner.sleepers.peek().is_some_and(|Reverse(sleeper)| sleeper.until <= inner.now) {
            woken.extend(inner.sleepers.pop().map(|Reverse(sleeper)| sleeper.waker));
        }
        drop(inner);
        woken.into_iter().for_each(Waker::wake);
        true
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualTime {
    fn now(&self) -> Timestamp {
        let inner = self.lock();
        Timestamp(inner.epoch.0.wrapping_add(u64::try_from(inner.now.as_millis()).unwrap_or(u64::MAX)))
    }

    fn tick(&self) -> Tick {
        Tick(self.lock().now)
    }
}

impl Timer for VirtualTime {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        let time = self.clone();
        let until = self.lock().now.saturating_add(duration);
        let mut asleep: Option<Waker> = None;
        HookFuture::later(std::future::poll_fn(move |context| {
            let mut inner = time.lock();
            if inner.now >= until {
                return Poll::Ready(());
            }
            if asleep.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                return Poll::Pending;
            }
            asleep = Some(context.waker().clone());
            let turn = inner.next;
            inner.next += 1;
            inner.sleepers.push(Reverse(Sleeper { until, turn, waker: context.waker().clone() }));
            Poll::Pending
        }))
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Sleeper {}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.until, self.turn).cmp(&(other.until, other.turn))
    }
}

/// Records that it was woken.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Memory::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn sleepers_wake_in_order_of_time() {
        let time = VirtualTime::default();
        let order = Mutex::new(Vec::new());
        let nap = async |name, length: u32| {
            time.sleep(SECOND * length).await;
            order.lock().unwrap().push((name, time.tick().0.as_secs()));
        };
        time.block_on(join(nap("late", 3), join(nap("early", 1), nap("late too", 3)))).unwrap();
        assert_eq!(*order.lock().unwrap(), [("early", 1), ("late", 3), ("late too", 3)]);
    }

    #[test]
    fn the_calendar_jumps_and_ticks_do_not() {
        let time = VirtualTime::at(Timestamp(5_000));
        time.block_on(time.sleep(SECOND)).unwrap();
        assert_eq!((time.now(), time.tick()), (Timestamp(6_000), Tick(SECOND)));
        time.set_calendar(Timestamp(1_000));
        time.block_on(time.sleep(SECOND)).unwrap();
        assert_eq!((time.now(), time.tick()), (Timestamp(2_000), Tick(SECOND * 2)));
    }

    #[test]
    fn who_waits_for_nobody_is_told() {
        assert_eq!(VirtualTime::default().block_on(std::future::pending::<()>()), None);
    }
}

//! What the layers know of the world: time, waiting, chance.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use hooks_core::time::{Clock, Random, Tick, Timer};
use hooks_core::{Environment, HookFuture};

/// Clock, timer and randomness of a stack. Cheap to clone; all layers of one stack have to share one.
#[derive(Clone)]
pub struct World {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Waits.
    pub timer: Arc<dyn Timer>,
    /// For jitter.
    pub random: Arc<dyn Random>,
}

impl World {
    /// The clock and the randomness of `environment`, waiting by `timer`.
    pub fn new(environment: &Environment, timer: impl Timer + 'static) -> Self {
        Self {
            clock: Arc::clone(&environment.clock),
            timer: Arc::new(timer),
            random: Arc::clone(&environment.random),
        }
    }

    /// Now, on the clock that never jumps.
    pub fn tick(&self) -> Tick {
        self.clock.tick()
    }

    /// A future that is ready at `tick`.
    pub fn sleep_until(&self, tick: Tick) -> HookFuture<'static, ()> {
        self.timer.sleep(tick.since(self.tick()))
    }

    /// What `future` answers by `until`; without that it may take its time. The timer is set only where it waits.
    pub(crate) async fn within<T>(&self, until: Option<Tick>, future: impl Future<Output = T>) -> Option<T> {
        let (mut future, mut timer) = (pin!(future), None);
        poll_fn(|cx| match (future.as_mut().poll(cx), until) {
            (Poll::Ready(answer), _) => Poll::Ready(Some(answer)),
            (Poll::Pending, None) => Poll::Pending,
            (Poll::Pending, Some(until)) => {
                let timer = timer.get_or_insert_with(|| self.sleep_until(until));
                Pin::new(timer).poll(cx).map(|()| None)
            }
        })
        .await
    }

    /// A number below `bound`, all equally likely (up to one part in 2^32 for bounds below that).
    pub fn below(&self, bound: u64) -> u64 {
        // The high half of the product: no division, no bias worth naming.
        let product = u128::from(self.random.next_u64()) * u128::from(bound);
        u64::try_from(product >> 64).unwrap_or_default()
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").finish_non_exhaustive()
    }
}

//! Time, timers and randomness of the layers.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use hooks_core::time::{Clock, Random, Tick, Timer};
use hooks_core::{Environment, HookFuture};

/// Clock, timer and randomness of a stack. Cheap to clone; all layers of one stack have to share one.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::Tick;
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
///
/// // In a test, the time is virtual: an hour passes at once, because nothing else has to be waited for.
/// world.sleep_until(Tick(Duration::from_secs(3_600))).await;
/// assert_eq!(world.tick(), Tick(Duration::from_secs(3_600)));
/// assert!(world.below(10) < 10);
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone)]
pub struct World {
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Timer for waits.
    pub timer: Arc<dyn Timer>,
    /// Source of randomness for jitter.
    pub random: Arc<dyn Random>,
}

impl World {
    /// Takes the clock and the randomness of `environment`, and waits with `timer`.
    pub fn new(environment: &Environment, timer: impl Timer + 'static) -> Self {
        Self {
            clock: Arc::clone(&environment.clock),
            timer: Arc::new(timer),
            random: Arc::clone(&environment.random),
        }
    }

    /// The current time of the monotonic clock.
    pub fn tick(&self) -> Tick {
        self.clock.tick()
    }

    /// A future that is ready at `tick`.
    pub fn sleep_until(&self, tick: Tick) -> HookFuture<'static, ()> {
        self.timer.sleep(tick.since(self.tick()))
    }

    /// The answer of `future`, if it comes by `until`; without `until` it may take any time. The timer is set
    /// only if the future has to be waited for.
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

    /// A random number below `bound`, uniform (up to one part in 2^32 for bounds below that).
    pub fn below(&self, bound: u64) -> u64 {
        // The high half of the product: no division, and only a negligible bias.
        let product = u128::from(self.random.next_u64()) * u128::from(bound);
        u64::try_from(product >> 64).unwrap_or_default()
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").finish_non_exhaustive()
    }
}

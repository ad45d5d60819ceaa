//! Streams of the values and sets that are written.
//!
//! A watch polls its store with [`Op::Changes`] at a fixed pause, and at once when it is woken. A key that
//! was written more than once between two polls is reported once; no written key is missed.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use futures_util::StreamExt as _;
//! use hooks_core::state::{Key, Memory, Op, StateStore};
//! use hooks_core::testing::VirtualTime;
//! use hooks_store::watch;
//!
//! let time = VirtualTime::default();
//! let store = Arc::new(Memory::new(Arc::new(time.clone())));
//! let lockouts = Key::new(Some("acme"), &["lockout"]);
//! let mut changes = Box::pin(watch(store.clone(), lockouts, Arc::new(time.clone()), Duration::from_secs(1)));
//!
//! let key = Key::new(Some("acme"), &["lockout", "review"]);
//! time.block_on(async {
//!     store.apply(Op::Put { key: key.clone(), value: "closed".into(), ttl: None }).await?;
//!     assert_eq!(changes.next().await.transpose()?, Some(vec![key]));
//!     Ok::<_, hooks_core::state::StoreError>(())
//! });
//! ```

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select;
use futures_util::stream::{Stream, unfold};
use hooks_core::HookFuture;
use hooks_core::state::{Key, Op, StateStore, StepResult, StoreError};
use hooks_core::time::Timer;

/// Wakes a watch early. A superfluous wake costs one poll; a missed one delays the report until the next
/// poll.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use futures_util::StreamExt as _;
/// use hooks_core::HookFuture;
/// use hooks_core::state::{Key, Memory};
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::time::{Clock, Timer};
/// use hooks_store::{Wakes, watch_woken};
/// # use hooks_core::state::{Op, StateStore};
///
/// /// Wakes after a second, as a notification from another process would.
/// struct Soon(VirtualTime);
///
/// impl Wakes for Soon {
///     fn woken(&mut self) -> HookFuture<'_, ()> {
///         self.0.sleep(Duration::from_secs(1))
///     }
/// }
///
/// let time = VirtualTime::default();
/// let store = Arc::new(Memory::new(Arc::new(time.clone())));
/// let (key, hour) = (Key::new(None, &["lockout"]), Duration::from_secs(3_600));
/// let changes = watch_woken(store.clone(), key.clone(), Arc::new(time.clone()), hour, Soon(time.clone()));
/// let mut changes = Box::pin(changes);
/// let write = async {
///     time.sleep(Duration::from_millis(500)).await;
///     store.apply(Op::Put { key: key.clone(), value: "closed".into(), ttl: None }).await
/// };
/// let both = futures_util::future::join(changes.next(), write);
/// let (seen, written) = time.block_on(both).expect("only the timer is waited for");
/// written?;
/// assert_eq!(seen.transpose()?, Some(vec![key]));
/// assert_eq!(time.tick().0, Duration::from_secs(1), "not after the hour");
/// # Ok::<(), hooks_core::state::StoreError>(())
/// ```
pub trait Wakes: Send {
    /// Becomes ready when the watch should poll.
    fn woken(&mut self) -> HookFuture<'_, ()>;
}

/// Never wakes: the watch polls after each pause.
///
/// ```
/// use futures_util::FutureExt as _;
/// use hooks_store::{Asleep, Wakes};
///
/// assert!(Asleep.woken().now_or_never().is_none());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Asleep;

impl Wakes for Asleep {
    fn woken(&mut self) -> HookFuture<'_, ()> {
        HookFuture::later(std::future::pending())
    }
}

/// Reports the keys written at or below `below`, polling every `pause`. The first report has the keys that
/// exist already. If the store does not answer, each poll reports an error; the watch continues.
pub fn watch<S: StateStore>(
    store: S,
    below: Key,
    timer: Arc<dyn Timer>,
    pause: Duration,
) -> impl Stream<Item = Result<Vec<Key>, StoreError>> + Send {
    watch_woken(store, below, timer, pause, Asleep)
}

/// Does the same as [`watch`], and polls at once whenever `wakes` is ready.
pub fn watch_woken<S: StateStore, W: Wakes>(
    store: S,
    below: Key,
    timer: Arc<dyn Timer>,
    pause: Duration,
    wakes: W,
) -> impl Stream<Item = Result<Vec<Key>, StoreError>> + Send {
    let watch = Watch { store, below, timer, pause, wakes, after: 0, has_looked: false };
    unfold(watch, |mut watch| async {
        let told = watch.next().await;
        Some((told, watch))
    })
}

struct Watch<S, W> {
    store: S,
    below: Key,
    timer: Arc<dyn Timer>,
    pause: Duration,
    wakes: W,
    /// Latest revision that was reported.
    after: u64,
    has_looked: bool,
}

impl<S: StateStore, W: Wakes> Watch<S, W> {
    /// Polls until there is something to report.
    async fn next(&mut self) -> Result<Vec<Key>, StoreError> {
        loop {
            if self.has_looked {
                select(pin!(self.wakes.woken()), self.timer.sleep(self.pause)).await;
            }
            self.has_looked = true;
            let keys = self.look().await?;
            if !keys.is_empty() {
                return Ok(keys);
            }
        }
    }

    async fn look(&mut self) -> Result<Vec<Key>, StoreError> {
        let changes = Op::Changes { below: self.below.clone(), after: self.after };
        match self.store.apply(changes).await? {
            // The store began anew: everything in it was written since.
            StepResult::Changes { revision, .. } if revision < self.after => {
                self.after = 0;
                self.has_looked = false;
                Ok(Vec::new())
            }
            StepResult::Changes { keys, revision } => {
                self.after = revision;
                Ok(keys)
            }
            _ => Err(StoreError::Unsupported),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::StreamExt as _;
    use hooks_core::state::Memory;
    use hooks_core::testing::VirtualTime;
    use hooks_core::time::{Clock as _, Tick};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A store that can be removed or swapped.
    #[derive(Clone)]
    struct Swapped(Arc<Mutex<Option<Arc<Memory>>>>);

    impl Swapped {
        fn new(time: &VirtualTime) -> Self {
            let swapped = Self(Arc::default());
            swapped.swap(Some(time));
            swapped
        }

        fn swap(&self, time: Option<&VirtualTime>) {
            *self.0.lock().unwrap() = time.map(|time| Arc::new(Memory::new(Arc::new(time.clone()))));
        }
    }

    impl StateStore for Swapped {
        fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
            match &*self.0.lock().unwrap() {
                Some(store) => store.apply(op),
                None => HookFuture::now(Err(StoreError::Unavailable("gone".to_owned()))),
            }
        }
    }

    fn key(name: &str) -> Key {
        Key::new(None, &["watched", name])
    }

    async fn put(store: &Swapped, name: &str) {
        store.apply(Op::Put { key: key(name), value: "1".into(), ttl: None }).await.unwrap();
    }

    fn watched(
        store: &Swapped,
        time: &VirtualTime,
    ) -> std::pin::Pin<Box<dyn Stream<Item = Result<Vec<Key>, StoreError>> + Send>> {
        Box::pin(watch(store.clone(), Key::new(None, &["watched"]), Arc::new(time.clone()), SECOND))
    }

    #[test]
    fn it_tells_what_is_there_and_then_what_is_new() {
        let time = VirtualTime::default();
        let store = Swapped::new(&time);
        let mut changes = watched(&store, &time);
        let told = async {
            put(&store, "a").await;
            assert_eq!(changes.next().await.unwrap().unwrap(), [key("a")]);
            assert_eq!(time.tick(), Tick::default());
            put(&store, "b").await;
            store
                .apply(Op::Put { key: Key::new(None, &["else"]), value: "1".into(), ttl: None })
                .await
                .unwrap();
            assert_eq!(changes.next().await.unwrap().unwrap(), [key("b")]);
            assert_eq!(time.tick(), Tick(SECOND));
        };
        time.block_on(told).unwrap();
    }

    #[test]
    fn a_store_that_is_gone_is_told_and_one_that_began_anew_is_told_whole() {
        let time = VirtualTime::default();
        let store = Swapped::new(&time);
        let mut changes = watched(&store, &time);
        let told = async {
            put(&store, "a").await;
            put(&store, "b").await;
            assert_eq!(changes.next().await.unwrap().unwrap().len(), 2);
            store.swap(None);
            assert!(changes.next().await.unwrap().is_err());
            assert!(changes.next().await.unwrap().is_err());
            store.swap(Some(&time));
            put(&store, "c").await;
            assert_eq!(changes.next().await.unwrap().unwrap(), [key("c")]);
        };
        time.block_on(told).unwrap();
    }

    #[test]
    fn it_looks_when_it_is_woken() {
        struct Now;
        impl Wakes for Now {
            fn woken(&mut self) -> HookFuture<'_, ()> {
                HookFuture::now(())
            }
        }
        let time = VirtualTime::default();
        let store = Swapped::new(&time);
        let below = Key::new(None, &["watched"]);
        let mut changes =
            Box::pin(watch_woken(store.clone(), below, Arc::new(time.clone()), SECOND * 3600, Now));
        let told = async {
            put(&store, "a").await;
            changes.next().await.unwrap().unwrap();
            put(&store, "b").await;
            changes.next().await.unwrap().unwrap();
            assert_eq!(time.tick(), Tick::default());
        };
        time.block_on(told).unwrap();
    }
}

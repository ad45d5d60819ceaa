//! Answers while the store is unavailable: explicit for each kind of state, and never an unlimited allow.
//!
//! | kind | while the store does not answer |
//! | --- | --- |
//! | spent amounts, places | leased amounts can be used up ([`Leased`](crate::Leased)); the rest is an error, which is a denial |
//! | rates | this instance's share of the rate |
//! | sets (lockouts, children) | the last known members, for 30 s; changes are errors |
//! | values (breakers) | this instance's own |
//!
//! The end of a reservation is kept and sent when the store is back. Until then all of it is charged, and for
//! ever if this process is lost. A reservation whose answer never came is given back then, unless it was
//! requested again.
//!
//! [`Away::keep`] sends the store the operations it missed, reports that this instance is running, and reads
//! the number of instances; a host runs it in the background.

mod ends;
mod own;
mod settings;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Key, Op, OpId, StateStore, StepResult, StoreError};
use hooks_core::time::{Clock, Random, Timer};

use self::ends::Ends;
use self::own::Own;
pub use self::settings::{AwaySettings, Rates, Values};

/// A store that may be unavailable. Cheap to clone; clones share their state.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::FutureExt as _;
/// use hooks_core::state::{StepResult, Key, Op, StateStore, StoreError};
/// use hooks_core::time::{SeededRandom, StoppedClock};
/// use hooks_store::{Away, AwaySettings, LazyStore, Values};
///
/// let gone = || LazyStore::new(|| Err(StoreError::Unavailable("no route to host".to_owned())));
/// let away = |settings| Away::new(gone(), settings, Arc::new(StoppedClock::default()), &SeededRandom::new(1));
/// let read = |store: Away<LazyStore>| {
///     let get = Op::Get { key: Key::new(None, &["breaker"]) };
///     store.apply(get).now_or_never().expect("it answers at once")
/// };
/// // Values are this instance's own, and empty at first, or unknown.
/// assert_eq!(read(away(AwaySettings::default())), Ok(StepResult::Value(None)));
/// assert!(read(away(AwaySettings::default().with_values(Values::Closed))).is_err());
/// ```
pub struct Away<S>(Arc<Inner<S>>);

struct Inner<S> {
    store: S,
    settings: AwaySettings,
    /// Id of this instance.
    id: OpId,
    own: Mutex<Own>,
    ends: Mutex<Ends>,
}

impl<S: StateStore + 'static> Away<S> {
    /// Answers for `store` while it is unavailable.
    pub fn new(store: S, settings: AwaySettings, clock: Arc<dyn Clock>, random: &dyn Random) -> Self {
        let own = Mutex::new(Own::new(clock));
        let id = OpId(random.next_u128());
        Self(Arc::new(Inner { store, settings, id, own, ends: Mutex::default() }))
    }

    /// Returns the store.
    pub fn get_ref(&self) -> &S {
        &self.0.store
    }

    /// Sends the store the operations it missed, and heartbeats, as long as a clone of this store exists.
    pub fn keep(&self, timer: Arc<dyn Timer>) -> impl Future<Output = ()> + Send + use<S> {
        // More often than the heartbeat, so that ends are reported soon.
        let pause = (self.0.settings.heartbeat / BEATS).max(Duration::from_millis(1));
        let inner = Arc::downgrade(&self.0);
        async move {
            let mut beats = 0;
            loop {
                let Some(inner) = inner.upgrade() else { return };
                if beats == 0 {
                    // An error is ignored: without a heartbeat, this instance's share gets smaller, not
                    // larger.
                    drop(inner.beat().await);
                }
                beats = (beats + 1) % BEATS;
                drop(inner.tell().await);
                drop(inner);
                timer.sleep(pause).await;
            }
        }
    }

    /// Sends the store the operations it missed.
    ///
    /// # Errors
    /// Returns an error if the store is still unavailable.
    pub async fn tell(&self) -> Result<(), StoreError> {
        self.0.tell().await
    }

    /// Whether all ends were reported to the store.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use futures_util::FutureExt as _;
    /// use hooks_core::state::{Op, OpId, StateStore, StoreError};
    /// use hooks_core::time::{SeededRandom, StoppedClock};
    /// use hooks_store::{Away, AwaySettings, LazyStore};
    ///
    /// let gone = LazyStore::new(|| Err(StoreError::Unavailable("no route to host".to_owned())));
    /// let clock = Arc::new(StoppedClock::default());
    /// let away = Away::new(gone, AwaySettings::default(), clock, &SeededRandom::new(1));
    /// assert!(away.has_told_all());
    ///
    /// // A call ends while the store is unavailable. Its end is kept for the store.
    /// let settle = away.apply(Op::Settle { id: OpId(7), actual: 40 });
    /// assert!(settle.now_or_never().is_some_and(|answer| answer.is_ok()));
    /// assert!(!away.has_told_all());
    /// ```
    pub fn has_told_all(&self) -> bool {
        self.0.ends().is_empty()
    }

    /// Reports that this instance is running, and returns the number of running instances.
    ///
    /// # Errors
    /// Returns an error if the store is unavailable.
    pub async fn beat(&self) -> Result<u32, StoreError> {
        self.0.beat().await
    }
}

impl<S: StateStore + 'static> StateStore for Away<S> {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        if let Op::Reserve { id, .. } | Op::Lease { id, .. } = &op {
            self.0.ends().forget(*id);
        }
        match self.0.store.apply(op.clone()) {
            // An answer that is ready at once is passed on without a wait.
            HookFuture::Now(answer) => HookFuture::Now(answer.map(|answer| self.0.settled(op, answer))),
            later @ HookFuture::Later(_) => {
                let inner = Arc::clone(&self.0);
                HookFuture::later(async move { inner.settled(op, later.await) })
            }
        }
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        let inner = Arc::clone(&self.0);
        HookFuture::later(async move {
            inner.tell().await?;
            inner.store.close().await
        })
    }
}

impl<S: StateStore> Inner<S> {
    /// Returns the answer of the store or, if the store is unavailable, the answer of this instance.
    fn settled(&self, op: Op, answer: Result<StepResult, StoreError>) -> Result<StepResult, StoreError> {
        match answer {
            Ok(answer) => {
                self.learn(&op, &answer);
                Ok(answer)
            }
            Err(StoreError::Unavailable(why)) => self.without(op).ok_or(StoreError::Unavailable(why)),
            Err(error) => Err(error),
        }
    }

    fn learn(&self, op: &Op, answer: &StepResult) {
        match (op, answer) {
            (Op::Members { set }, StepResult::Members { members, now }) => {
                self.own().see(set.clone(), members, *now, self.settings.sets);
            }
            (Op::Insert { set, .. } | Op::Update { set, .. } | Op::Remove { set, .. }, _) => {
                self.own().unsee(set);
            }
            (Op::Pace { .. } | Op::Put { .. } | Op::CompareAndSet { .. } | Op::Get { .. }, _) => {
                self.own().is_back();
            }
            _ => {}
        }
    }

    /// Returns the answer of this instance; `None` if it cannot answer without the store.
    fn without(&self, op: Op) -> Option<StepResult> {
        match op {
            Op::Settle { id, .. } | Op::Release { id } => {
                self.ends().keep(id, op, self.settings.kept).then_some(StepResult::Done)
            }
            // It may have been granted, but the answer was lost.
            Op::Reserve { id, .. } | Op::Lease { id, .. } => {
                self.ends().keep(id, Op::Release { id }, self.settings.kept);
                None
            }
            Op::Pace { key, cost, interval, burst } => match self.settings.rates {
                Rates::Share(_) => self.own().pace(key, cost, interval, burst),
                Rates::Closed => None,
            },
            Op::Members { set } => self.own().seen(&set, self.settings.sets),
            Op::Put { .. } | Op::CompareAndSet { .. } | Op::Get { .. } => match self.settings.values {
                Values::Local => self.own().value(op),
                Values::Closed => None,
            },
            _ => None,
        }
    }

    async fn tell(&self) -> Result<(), StoreError> {
        loop {
            let first = self.ends().first();
            let Some((id, op)) = first else { return Ok(()) };
            self.store.apply(op).await?;
            self.ends().forget(id);
        }
    }

    async fn beat(&self) -> Result<u32, StoreError> {
        let set = Key::new(None, &["hooks", "instances"]);
        let ttl = Some(self.settings.heartbeat.saturating_mul(3));
        let update = Op::Update { id: self.id, set: set.clone(), note: None, ttl };
        if self.store.apply(update).await? != StepResult::Done {
            let name = format!("{:032x}", self.id.0).into();
            let insert = Op::Insert { id: self.id, set: set.clone(), name, note: "".into(), ttl };
            self.store.apply(insert).await?;
        }
        let StepResult::Members { members, now } = self.store.apply(Op::Members { set }).await? else {
            return Err(StoreError::Unsupported);
        };
        let count = members.iter().filter(|member| !member.is_over(now)).count();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let least = if let Rates::Share(least) = self.settings.rates { least } else { 1 };
        self.own().instances = count.max(least).max(1);
        Ok(count)
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Clone for Away<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> fmt::Debug for Away<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Away").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// Number of times in a heartbeat that missed operations are sent.
const BEATS: u32 = 30;

#[cfg(test)]
mod tests;

//! Leases: the store of a budget is remote, and most reservations are answered locally.
//!
//! An instance leases a part of the remaining amount, and makes reservations out of the lease without asking
//! the store. The lease is a reservation like any other. When it ends, the unused part is given back; if an
//! instance is lost, all of its lease is charged. So the limit is never exceeded, and the idle amount is
//! bounded. A lease is at most a twentieth of the remaining amount, and at most what this instance spends in
//! a minute. In the last tenth of a limit, every reservation is made in the store.
//!
//! Only spent amounts are leased. Places, and everything else, stay in the store. In the store's charges, a
//! whole lease counts as held.
//!
//! [`Leased::keep`] renews leases and gives back idle ones; a host runs it in the background. Without it, a
//! lease that is not used is charged when it expires, until its end is reported, and once there are
//! [`LeaseSettings::leases`] of them, every reservation is made in the store. [`Leased::close`] gives back
//! all leases. So does the drop of the last clone if there is a [`Background`].

mod book;
mod settings;
mod spending;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use hooks_core::state::{Memory, Op, OpId, Scope, ScopeKind, StateStore, StepResult, StoreError};
use hooks_core::time::{Clock, Random, Tick, Timer, Timestamp};
use hooks_core::{Background, HookFuture};

use self::book::{Book, Pending};
pub use self::settings::LeaseSettings;

/// A store whose budgets are leased. Cheap to clone; clones share the leases.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use hooks_core::state::{StepResult, Key, Memory, Op, OpId, Scope, StateStore, Window};
/// use hooks_core::time::SeededRandom;
/// use hooks_core::testing::FakeClock;
/// use hooks_store::{LeaseSettings, Leased};
///
/// # futures_util::FutureExt::now_or_never(async {
/// let clock = Arc::new(FakeClock::default());
/// let shared = Arc::new(Memory::new(clock.clone()));
/// let leased = Leased::new(shared.clone(), LeaseSettings::default(), clock, Arc::new(SeededRandom::new(1)));
/// let key = Key::new(None, &["tokens"]);
/// let scopes = Arc::from([Scope::spent(key.clone(), 10_000)]);
/// let id = OpId(7);
/// leased.apply(Op::Reserve { id, scopes, amount: 10, ttl: Duration::from_secs(60) }).await?;
/// leased.apply(Op::Settle { id, actual: 4 }).await?;
/// // After all leases are given back, the shared store has exactly what was used.
/// leased.close().await?;
/// let used = shared.apply(Op::Used { key, window: Window::Always }).await?;
/// assert_eq!(used, StepResult::Used { used: 4, held: 0 });
/// # Ok::<(), hooks_core::state::StoreError>(())
/// # }).expect("memory answers at once").expect("it has room");
/// ```
pub struct Leased<S: StateStore>(Arc<Inner<S>>);

struct Inner<S: StateStore> {
    store: S,
    settings: LeaseSettings,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    background: Option<Arc<dyn Background>>,
    book: Mutex<Book>,
}

/// A requested reservation.
struct ReservationRequest {
    id: OpId,
    scopes: Arc<[Scope]>,
    amount: u64,
    ttl: Duration,
}

/// Most attempts to get a lease that is large enough. A lease may be too small if it was granted to an
/// earlier request whose answer was lost.
const TRIES: usize = 3;
/// Time for which nothing is leased after the limit was near.
const NEAR: Duration = Duration::from_secs(1);

impl<S: StateStore> Leased<S> {
    /// Leases from `store`. `clock` measures the time of leases, `random` makes their ids.
    pub fn new(store: S, settings: LeaseSettings, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        let book = Mutex::new(Book::new(Memory::new(Arc::clone(&clock)), settings.leases));
        Self(Arc::new(Inner { store, settings, clock, random, background: None, book }))
    }

    /// Gives back all leases on `background` when the last clone is dropped. Call it before the store is
    /// cloned; later it has no effect.
    #[must_use]
    pub fn returning_on(mut self, background: Arc<dyn Background>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.background = Some(background);
        }
        self
    }

    /// Returns the store.
    pub fn get_ref(&self) -> &S {
        &self.0.store
    }

    /// Maintains the leases as long as a clone of this store exists: renews leases with open reservations,
    /// and gives back idle ones.
    pub fn keep(&self, timer: Arc<dyn Timer>) -> impl Future<Output = ()> + Send + use<S>
    where
        S: 'static,
    {
        let LeaseSettings { idle, ttl, .. } = self.0.settings;
        let (leases, pause) = (Arc::downgrade(&self.0), idle.min(ttl / 4).max(Duration::from_millis(1)));
        async move {
            loop {
                timer.sleep(pause).await;
                let Some(leases) = leases.upgrade() else { return };
                leases.tend().await;
            }
        }
    }

    /// Maintains the leases once.
    pub async fn tend(&self) {
        self.0.tend().await;
    }

    /// Gives back all leases. Amounts that are still held are charged, and later reservations are made in the
    /// store.
    ///
    /// # Errors
    /// Returns an error if the store did not accept the end of a lease: that lease is charged in full when it
    /// expires.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use hooks_core::state::{StepResult, Key, Memory, Op, OpId, Scope, StateStore, Window};
    /// use hooks_core::time::{SeededRandom, StoppedClock};
    /// use hooks_store::{LeaseSettings, Leased};
    ///
    /// # futures_util::FutureExt::now_or_never(async {
    /// let clock = Arc::new(StoppedClock::default());
    /// let shared = Arc::new(Memory::new(clock.clone()));
    /// let leased = Leased::new(shared.clone(), LeaseSettings::default(), clock, Arc::new(SeededRandom::new(1)));
    /// let key = Key::new(None, &["tokens"]);
    /// let scopes: Arc<[Scope]> = Arc::from([Scope::spent(key.clone(), 10_000)]);
    /// for id in 1..=3 {
    ///     let scopes = Arc::clone(&scopes);
    ///     leased.apply(Op::Reserve { id: OpId(id), scopes, amount: 10, ttl: Duration::from_secs(60) }).await?;
    /// }
    /// leased.apply(Op::Settle { id: OpId(1), actual: 4 }).await?;
    /// leased.apply(Op::Release { id: OpId(2) }).await?;
    ///
    /// // The third reservation has no end, so all of it is charged.
    /// leased.close().await?;
    /// let used = shared.apply(Op::Used { key, window: Window::Always }).await?;
    /// assert!(matches!(used, StepResult::Used { used: 14, .. }), "{used:?}");
    /// # Ok::<(), hooks_core::state::StoreError>(())
    /// # }).expect("memory answers at once").expect("it has room");
    /// ```
    pub async fn close(&self) -> Result<(), StoreError> {
        let all = {
            let mut book = self.0.book();
            book.is_closed = true;
            let all = book.all();
            book.exhaust();
            all
        };
        for (id, actual) in all {
            self.0.store.apply(Op::Settle { id, actual }).await?;
            self.0.book().returned(id);
        }
        Ok(())
    }
}

impl<S: StateStore + 'static> StateStore for Leased<S> {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        match op {
            Op::Reserve { id, scopes, amount, ttl } if is_leased(&scopes) => {
                let request = ReservationRequest { id, scopes, amount, ttl };
                match self.0.take(&request) {
                    Some(answer) => HookFuture::now(Ok(answer)),
                    None => HookFuture::later(Arc::clone(&self.0).reserve(request)),
                }
            }
            Op::Extend { .. } | Op::Settle { .. } | Op::Release { .. } => {
                let answer = self.0.book().change(&op);
                match (answer, op) {
                    (StepResult::Unknown, op) => self.0.store.apply(op),
                    (StepResult::Refused { .. }, Op::Extend { id, to, ttl }) => {
                        HookFuture::later(Arc::clone(&self.0).extend(id, to, ttl))
                    }
                    (answer, _) => HookFuture::now(Ok(answer)),
                }
            }
            op => self.0.store.apply(op),
        }
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        let leases = self.clone();
        HookFuture::later(async move {
            Self::close(&leases).await?;
            leases.0.store.close().await
        })
    }
}

impl<S: StateStore> Inner<S> {
    fn take(&self, request: &ReservationRequest) -> Option<StepResult> {
        let now = self.clock.tick();
        let ReservationRequest { id, scopes, amount, ttl } = request;
        self.book().take(*id, scopes, *amount, *ttl, (now, self.settings.horizon))
    }

    /// Reserves if the current lease does not suffice.
    async fn reserve(self: Arc<Self>, request: ReservationRequest) -> Result<StepResult, StoreError> {
        let now = self.clock.tick();
        let gate = {
            let mut book = self.book();
            if let Some(answer) = book.known(request.id, request.ttl) {
                return Ok(answer);
            }
            let may_lease = !book.is_closed && book.has_room(&request.scopes);
            if !may_lease || now < book.pool(&request.scopes, now).exact_until {
                None
            } else {
                Some(Arc::clone(&book.pool(&request.scopes, now).gate))
            }
        };
        let Some(gate) = gate else { return self.pass(request).await };
        let _turn = gate.lock().await;
        // The task that held the gate may have leased enough for both.
        if let Some(answer) = self.take(&request) {
            return Ok(answer);
        }
        for _ in 0..TRIES {
            self.give_back(&request.scopes).await?;
            let sent = self.clock.tick();
            let Some(ends) = self.look(&request.scopes, sent).await? else { break };
            let (Pending { id, ends }, most) = self.plan(&request, ends, sent);
            let LeaseSettings { share, ttl, .. } = self.settings;
            let scopes = Arc::clone(&request.scopes);
            let lease = Op::Lease { id, scopes, least: request.amount, most, share, ttl };
            match self.store.apply(lease).await? {
                StepResult::Granted(granted) => {
                    self.book().enter(&request.scopes, id, granted, sent.after(ttl), ends, sent);
                    if let Some(answer) = self.take(&request) {
                        return Ok(answer);
                    }
                }
                // The answer to this lease was lost, and the lease has ended meanwhile.
                StepResult::Ended { .. } => self.book().pool(&request.scopes, sent).pending = None,
                answer => {
                    self.book().pool(&request.scopes, sent).pending = None;
                    return Ok(answer);
                }
            }
        }
        self.pass(request).await
    }

    /// Makes the reservation in the store.
    async fn pass(&self, request: ReservationRequest) -> Result<StepResult, StoreError> {
        let ReservationRequest { id, scopes, amount, ttl } = request;
        self.book().passes(id, ttl, self.clock.tick());
        let reserve = Op::Reserve { id, scopes: Arc::clone(&scopes), amount, ttl };
        let answer = self.store.apply(reserve).await?;
        if answer == StepResult::Done {
            self.book().spent(&scopes, amount, self.clock.tick(), self.settings.horizon);
        }
        Ok(answer)
    }

    /// Returns the end of the first window of `scopes`; `None` if a limit is near.
    async fn look(&self, scopes: &Arc<[Scope]>, sent: Tick) -> Result<Option<Tick>, StoreError> {
        let used = scopes.iter().map(|scope| Op::Used { key: scope.key.clone(), window: scope.window });
        let answers = join_all(used.chain([Op::Now]).map(|op| self.store.apply(op))).await;
        let mut answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let Some(StepResult::Now(now)) = answers.pop() else { return Err(StoreError::Unsupported) };
        let is_near = scopes.iter().zip(&answers).any(|(scope, answer)| match answer {
            StepResult::Used { used, .. } => self.settings.is_near(*used, scope.limit),
            _ => true,
        });
        if is_near {
            self.book().pool(scopes, sent).exact_until = self.clock.tick().after(NEAR);
            return Ok(None);
        }
        Ok(Some(ends(scopes, now, sent)))
    }

    /// Returns the next lease and its size. Its windows end at `ends`, unless it was requested before.
    fn plan(&self, request: &ReservationRequest, ends: Tick, now: Tick) -> (Pending, u64) {
        let mut book = self.book();
        let pool = book.pool(&request.scopes, now);
        let fresh = || Pending { id: OpId(self.random.next_u128()), ends };
        let pending = *pool.pending.get_or_insert_with(fresh);
        // The present request counts as spending too.
        let spent = pool.spending.lately(now, self.settings.horizon);
        (pending, spent.max(request.amount).min(self.settings.most).max(request.amount))
    }

    /// Stops using the lease of `scopes`, and gives back all leases without open reservations.
    async fn give_back(&self, scopes: &Arc<[Scope]>) -> Result<(), StoreError> {
        let finished = {
            let mut book = self.book();
            let now = self.clock.tick();
            book.pool(scopes, now).lease = None;
            book.finished()
        };
        for (id, actual) in finished {
            self.store.apply(Op::Settle { id, actual }).await?;
            self.book().returned(id);
        }
        Ok(())
    }

    /// Extends a reservation for which its lease does not suffice.
    async fn extend(self: Arc<Self>, id: OpId, to: u64, ttl: Duration) -> Result<StepResult, StoreError> {
        let gate = self.book().gate(id);
        let Some(gate) = gate else { return Ok(StepResult::Unknown) };
        let _turn = gate.lock().await;
        for _ in 0..TRIES {
            let needed = self.book().needed(id, to);
            let Some((lease, granted)) = needed else { return Ok(StepResult::Unknown) };
            let sent = self.clock.tick();
            match self.store.apply(Op::Extend { id: lease, to: granted, ttl: self.settings.ttl }).await? {
                StepResult::Done => {
                    let mut book = self.book();
                    book.grow(lease, granted, sent.after(self.settings.ttl));
                    // Other reservations may have used it meanwhile.
                    match book.change(&Op::Extend { id, to, ttl }) {
                        StepResult::Refused { .. } => {}
                        answer => return Ok(answer),
                    }
                }
                answer => return Ok(answer),
            }
        }
        Err(StoreError::Unavailable("others took what was leased meanwhile; ask again".to_owned()))
    }

    async fn tend(&self) {
        let now = self.clock.tick();
        let (unheard, leases, finished) = {
            let mut book = self.book();
            let unheard = book.rest(now, self.settings.idle);
            (unheard, book.needed_longer(), book.finished())
        };
        for (id, actual) in finished {
            // If the store is unavailable, the next round tries again.
            if self.store.apply(Op::Settle { id, actual }).await.is_ok() {
                self.book().returned(id);
            }
        }
        for lease in unheard {
            let Some(_turn) = lease.gate.try_lock() else { continue };
            if self.store.apply(Op::Release { id: lease.id }).await.is_ok() {
                self.book().pool(&lease.scopes, now).pending = None;
            }
        }
        let half = self.settings.ttl / 2;
        for (id, expires) in leases {
            let sent = self.clock.tick();
            if expires.since(sent) > half {
                continue;
            }
            let renewal = Op::Extend { id, to: 0, ttl: self.settings.ttl };
            if let Ok(StepResult::Done) = self.store.apply(renewal).await {
                self.book().renewed(id, sent.after(self.settings.ttl));
            }
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: StateStore> Drop for Inner<S> {
    fn drop(&mut self) {
        let Some(background) = self.background.take() else { return };
        let all = self.book().all();
        let returns: Vec<_> =
            all.into_iter().map(|(id, actual)| self.store.apply(Op::Settle { id, actual })).collect();
        // A lease that the store does not accept back is charged when it expires.
        background.run(HookFuture::later(async { drop(join_all(returns).await) }));
    }
}

impl<S: StateStore> Clone for Leased<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: StateStore> fmt::Debug for Leased<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leased").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// Whether reservations of these scopes are leased: all of them must be spent amounts.
fn is_leased(scopes: &[Scope]) -> bool {
    !scopes.is_empty() && scopes.iter().all(|scope| scope.kind == ScopeKind::Spent)
}

/// Returns the end of the first window of `scopes`, in local ticks. The store's time was read after `sent`,
/// so the result is early rather than late.
fn ends(scopes: &[Scope], now: Timestamp, sent: Tick) -> Tick {
    let ends = scopes.iter().filter_map(|scope| scope.window.end(scope.window.number(now)));
    ends.min().map_or(Tick(Duration::MAX), |end| sent.after(end.since(now)))
}

#[cfg(test)]
mod tests;

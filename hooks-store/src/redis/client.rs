//! Sends requests to the server: applies timeouts, retries once, reconnects, and restores what the server has
//! lost.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Shared, join_all, select};
use hooks_core::state::{LATEST, Op, OpId, StepResult, StoreError};
use hooks_core::time::{Clock, Random, Timer, Timestamp};
use tokio::runtime::Handle;

use super::breaker::Breaker;
use super::epoch::{Epoch, EpochChange, EpochSink};
use super::journal::{Journal, Known};
use super::link::{Greeting, Hashes, Link, Trouble};
use super::reply::Reply;
use super::settings::RedisSettings;
use crate::identity::{StoreId, Witness};

/// The client of one store.
pub(super) struct Client {
    server: redis::Client,
    pub(super) settings: RedisSettings,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) timer: Arc<dyn Timer>,
    random: Arc<dyn Random>,
    pub(super) runtime: Handle,
    /// Clock for the store's time, set by tests.
    given: OnceLock<Arc<dyn Clock>>,
    witness: OnceLock<Arc<dyn Witness>>,
    told: Mutex<Vec<Arc<dyn EpochSink>>>,
    hashes: Hashes,
    breaker: Breaker,
    journal: Journal,
    state: Mutex<State>,
    links: AtomicU64,
}

/// The number that means no connection.
const NONE: u64 = u64::MAX;

/// Number of items that are restored to a server at once.
const AT_ONCE: usize = 256;

/// State of the connection.
#[derive(Default)]
enum Connection {
    #[default]
    None,
    /// A task is connecting; all callers wait for it.
    Opening(Opening),
    Open(Arc<Link>),
}

type Opening = Shared<BoxFuture<'static, Result<Arc<Link>, Trouble>>>;

#[derive(Default)]
struct State {
    connection: Connection,
    /// Epoch that was seen last.
    epoch: Option<Epoch>,
}

impl Client {
    pub(super) fn new(
        server: redis::Client,
        settings: RedisSettings,
        (clock, timer, random): (Arc<dyn Clock>, Arc<dyn Timer>, Arc<dyn Random>),
        runtime: Handle,
    ) -> Self {
        Self {
            server,
            clock,
            timer,
            random,
            runtime,
            given: OnceLock::new(),
            witness: OnceLock::new(),
            told: Mutex::default(),
            hashes: Hashes::default(),
            breaker: Breaker::new(settings.failures, settings.rest),
            journal: Journal::new(settings.remembered),
            settings,
            state: Mutex::default(),
            links: AtomicU64::new(0),
        }
    }

    /// Adds a sink that is notified of a new epoch.
    pub(super) fn tell(&self, sink: Arc<dyn EpochSink>) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(sink);
    }

    /// Sets the clock for the store's time. Only the first call has an effect.
    pub(super) fn take_time_from(&self, given: Arc<dyn Clock>) {
        self.given.get_or_init(|| given);
    }

    /// Sets the witness. Only the first call has an effect.
    pub(super) fn witness(&self, witness: Arc<dyn Witness>) {
        self.witness.get_or_init(|| witness);
    }

    pub(super) fn server(&self) -> &redis::Client {
        &self.server
    }

    /// Does `op` within the runtime of this client, whichever thread polls: a reservation may be given back
    /// by a thread outside the runtime, or while the runtime shuts down. In that case tokio panics, which is
    /// returned as an error of the store.
    pub(super) async fn answer(self: Arc<Self>, op: Op) -> Result<StepResult, StoreError> {
        let runtime = self.runtime.clone();
        let mut work = pin!(AssertUnwindSafe(self.apply(op)).catch_unwind());
        let answered = poll_fn(|context| {
            let _entered = runtime.enter();
            work.as_mut().poll(context)
        });
        answered.await.unwrap_or_else(|_| {
            Err(StoreError::Unavailable("its client panicked; was its tokio runtime shut down?".to_owned()))
        })
    }

    /// Does `op`; if the answer is lost, sends it once more. Both requests have the same id, so it is done
    /// once.
    pub(super) async fn apply(self: Arc<Self>, op: Op) -> Result<StepResult, StoreError> {
        if !self.breaker.lets_pass(self.clock.tick()) {
            let rest = self.settings.rest;
            return Err(StoreError::Unavailable(format!("it did not answer and is left alone for {rest:?}")));
        }
        let answered = match self.attempt(&op).await {
            Err(Trouble::Cut(_)) => self.attempt(&op).await,
            answered => answered,
        };
        match answered {
            Ok((answer, store)) => {
                self.breaker.succeeded();
                self.journal.enter(&op, &answer, store, self.clock.tick());
                Ok(answer)
            }
            Err(trouble @ (Trouble::Unsupported | Trouble::Settling(_) | Trouble::Lost(_))) => {
                self.breaker.succeeded();
                Err(trouble.into())
            }
            Err(trouble) => {
                self.breaker.failed(self.clock.tick());
                Err(trouble.into())
            }
        }
    }

    /// Returns the first epoch since the store was empty.
    pub(super) fn origin(&self) -> Option<Arc<str>> {
        self.state().epoch.as_ref().map(|epoch| Arc::clone(&epoch.origin))
    }

    /// Connects, unless connected.
    pub(super) async fn connect(self: &Arc<Self>) -> Result<(), StoreError> {
        Ok(self.link().await.map(drop)?)
    }

    /// Sends a request once, with a timeout. If the answer does not come in time, the connection is dropped:
    /// its other end may have disappeared silently.
    async fn attempt(self: &Arc<Self>, op: &Op) -> Result<(StepResult, Option<Timestamp>), Trouble> {
        self.first_link().await?;
        let (link, timeout) = (AtomicU64::new(NONE), self.settings.timeout);
        let answered = self.within(timeout, self.converse(op, &link)).await;
        answered.unwrap_or_else(|| {
            self.give_up(link.load(Ordering::Relaxed));
            Err(Trouble::Cut(format!("no answer within {timeout:?}")))
        })
    }

    /// Waits for the first connection, which may take longer than an answer.
    async fn first_link(self: &Arc<Self>) -> Result<(), Trouble> {
        if self.state().epoch.is_some() {
            return Ok(());
        }
        let connecting = self.settings.connecting;
        match self.within(connecting, self.link()).await {
            Some(linked) => linked.map(drop),
            // An immediate retry would fail as well.
            None => Err(Trouble::Refused(format!("no connection within {connecting:?}"))),
        }
    }

    /// Runs `work` for at most `patience`.
    async fn within<T>(&self, patience: Duration, work: impl Future<Output = T>) -> Option<T> {
        match select(pin!(work), self.timer.sleep(patience)).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }

    /// Sends requests until there is an answer. Reservations of lost holders are expired first, and a store
    /// that lost data is restored. `on` receives the number of the connection that was used last.
    async fn converse(
        self: &Arc<Self>,
        op: &Op,
        on: &AtomicU64,
    ) -> Result<(StepResult, Option<Timestamp>), Trouble> {
        loop {
            let link = self.link().await?;
            on.store(link.number, Ordering::Relaxed);
            let reply = match link.ask(&self.hashes, op, self.given()).await {
                Ok(Reply::Due) => link.expire(&self.hashes, self.given()).await,
                Ok(Reply::Step(answer, store)) => return Ok((answer, store)),
                reply => reply,
            };
            match reply {
                // The new connection determines what happened.
                Ok(Reply::Epoch) => self.give_up(link.number),
                Ok(Reply::Settling(left)) => return Err(Trouble::Settling(left)),
                Ok(Reply::Due | Reply::Step(..)) => {}
                Err(trouble) => {
                    if matches!(trouble, Trouble::Cut(_)) {
                        self.give_up(link.number);
                    }
                    return Err(trouble);
                }
            }
        }
    }

    /// Returns the connection. The first caller starts connecting; the others wait for the same attempt.
    async fn link(self: &Arc<Self>) -> Result<Arc<Link>, Trouble> {
        let opening = {
            let mut state = self.state();
            match &state.connection {
                Connection::Open(link) => return Ok(Arc::clone(link)),
                Connection::Opening(opening) => opening.clone(),
                Connection::None => {
                    let opening = self.start_opening();
                    state.connection = Connection::Opening(opening.clone());
                    opening
                }
            }
        };
        opening.await
    }

    /// Connects in the background: if the caller stops waiting, the next one finds the attempt further on.
    fn start_opening(self: &Arc<Self>) -> Opening {
        let client = Arc::clone(self);
        let task = self.runtime.spawn(async move {
            let opened = client.open().await;
            client.state().connection = match &opened {
                Ok(link) => Connection::Open(Arc::clone(link)),
                Err(_) => Connection::None,
            };
            opened
        });
        task.map(|ended| ended.unwrap_or_else(|error| Err(Trouble::Cut(error.to_string())))).boxed().shared()
    }

    async fn open(self: &Arc<Self>) -> Result<Arc<Link>, Trouble> {
        let witnessed = self.witnessed()?;
        let link = self.patiently(self.greet(witnessed.as_ref())).await??;
        self.remember(&link, witnessed.as_ref())?;
        let before = self.state().epoch.clone();
        let kind = before.and_then(|before| link.epoch.since(&before));
        let restored = if kind.is_some() { self.restore(&link).await? } else { 0 };
        self.state().epoch = Some(link.epoch.clone());
        if let Some(kind) = kind {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
            told.iter().for_each(|sink| sink.changed(EpochChange { kind, restored }));
        }
        Ok(Arc::new(link))
    }

    /// Returns the identity that the witness remembers.
    fn witnessed(&self) -> Result<Option<StoreId>, Trouble> {
        Ok(self.witness.get().map_or(Ok(None), |witness| witness.known())?)
    }

    /// Has the witness remember the store of `link`, before anything is granted.
    fn remember(&self, link: &Link, witnessed: Option<&StoreId>) -> Result<(), Trouble> {
        let origin = &link.epoch.origin;
        match self.witness.get().filter(|_| witnessed.is_none_or(|known| known.as_str() != &**origin)) {
            Some(witness) => Ok(witness.remember(&StoreId::new(Arc::clone(origin)))?),
            None => Ok(()),
        }
    }

    /// Accepts the current store, even if the witness remembers another one.
    pub(super) async fn accept_loss(self: &Arc<Self>) -> Result<Option<String>, StoreError> {
        let why = match self.link().await {
            Err(Trouble::Lost(why)) => why,
            linked => return Ok(linked.map(|_| None)?),
        };
        let known = self.witnessed()?;
        let link = self.patiently(self.greet(None)).await??;
        if let Some(known) = &known {
            self.patiently(link.stand_in_for(&self.hashes, known)).await??;
        }
        self.remember(&link, known.as_ref())?;
        Ok(Some(why))
    }

    async fn greet(&self, witnessed: Option<&StoreId>) -> Result<Link, Trouble> {
        let number = self.links.fetch_add(1, Ordering::Relaxed);
        let mut link = Link::open(&self.server, &self.settings.prefix, number).await?;
        let fresh = format!("{:032x}", self.random.next_u128());
        let known = self.state().epoch.clone();
        let origin = known.as_ref().map_or("", |epoch| &*epoch.origin);
        let (revision, settle) = (self.journal.revision(), self.settings.settle);
        let place = format!("{} {}", self.server.get_connection_info().addr(), self.settings.prefix);
        let greeting = Greeting { fresh: &fresh, revision, origin, settle, witnessed, place: &place };
        link.greet(&self.hashes, &greeting).await?;
        Ok(link)
    }

    /// Restores everything known to the server, many items at once. Returns their number.
    async fn restore(&self, link: &Link) -> Result<usize, Trouble> {
        let known = self.journal.known(self.clock.tick());
        for some in known.chunks(AT_ONCE) {
            let told = join_all(some.iter().map(|(id, known)| self.restore_one(link, *id, known)));
            self.patiently(told).await?.into_iter().collect::<Result<(), _>>()?;
        }
        Ok(known.len())
    }

    async fn restore_one(&self, link: &Link, id: OpId, known: &Known) -> Result<(), Trouble> {
        loop {
            let reply = match known {
                Known::Hold(hold) => link.restore(&self.hashes, id, hold, self.given()).await?,
                Known::Entry(op) => link.ask(&self.hashes, op, self.given()).await?,
            };
            match reply {
                // These operations never reserve more, so any answer is fine.
                Reply::Step(..) | Reply::Settling(_) => return Ok(()),
                Reply::Due => drop(link.expire(&self.hashes, self.given()).await?),
                Reply::Epoch => return Err(Trouble::Cut("the store changed again".to_owned())),
            }
        }
    }

    /// Runs `work` for at most the time that a connection may take.
    async fn patiently<T>(&self, work: impl Future<Output = T>) -> Result<T, Trouble> {
        let patience = self.settings.patience;
        let done = self.within(patience, work).await;
        done.ok_or_else(|| Trouble::Cut(format!("no connection within {patience:?}")))
    }

    /// Drops the connection with this number.
    fn give_up(&self, number: u64) {
        let mut state = self.state();
        if matches!(&state.connection, Connection::Open(link) if link.number == number) {
            state.connection = Connection::None;
        }
    }

    fn given(&self) -> Option<Timestamp> {
        self.given.get().map(|clock| clock.now().min(LATEST))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

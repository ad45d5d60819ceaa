//! Who asks the server: waits so long and no longer, asks once more, connects again, and tells a server that has
//! forgotten something what it knows.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Shared, select};
use hooks_core::state::{Answer, Op, StoreError};
use hooks_core::time::{Clock, Random, Timer, Timestamp};
use tokio::runtime::Handle;

use super::breaker::Breaker;
use super::epoch::{Epoch, EpochChange, EpochSink};
use super::journal::{Journal, Known};
use super::link::{Hashes, Link, Trouble};
use super::reply::Reply;
use super::request;
use super::settings::RedisSettings;

/// The client of one store.
pub(super) struct Client {
    server: redis::Client,
    pub(super) settings: RedisSettings,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) timer: Arc<dyn Timer>,
    random: Arc<dyn Random>,
    pub(super) runtime: Handle,
    /// The store's time, where a test gives it.
    given: OnceLock<Arc<dyn Clock>>,
    told: Mutex<Vec<Arc<dyn EpochSink>>>,
    hashes: Hashes,
    breaker: Breaker,
    journal: Journal,
    state: Mutex<State>,
    links: AtomicU64,
}

/// What there is of a connection.
#[derive(Default)]
enum Connection {
    #[default]
    None,
    /// Somebody connects; all wait for it.
    Opening(Opening),
    Open(Arc<Link>),
}

type Opening = Shared<BoxFuture<'static, Result<Arc<Link>, Arc<str>>>>;

#[derive(Default)]
struct State {
    connection: Connection,
    /// The epoch that was known last.
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
            told: Mutex::default(),
            hashes: Hashes::default(),
            breaker: Breaker::new(settings.failures, settings.rest),
            journal: Journal::new(settings.remembered),
            settings,
            state: Mutex::default(),
            links: AtomicU64::new(0),
        }
    }

    /// Also `sink` hears of a new epoch.
    pub(super) fn tell(&self, sink: Arc<dyn EpochSink>) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(sink);
    }

    /// The first clock that is given counts.
    pub(super) fn take_time_from(&self, given: Arc<dyn Clock>) {
        self.given.get_or_init(|| given);
    }

    pub(super) fn server(&self) -> &redis::Client {
        &self.server
    }

    /// Does `op`: once, and once more where the answer was lost. It is the same id, so it is done once.
    pub(super) async fn apply(self: Arc<Self>, op: Op) -> Result<Answer, StoreError> {
        if !self.breaker.lets_pass(self.clock.tick()) {
            let rest = self.settings.rest;
            return Err(StoreError::Unavailable(format!("it did not answer and is left alone for {rest:?}")));
        }
        let first = self.within(self.settings.timeout, self.converse(&op)).await;
        let answered = match first {
            Err(Trouble::Cut(_)) => self.within(self.settings.timeout, self.converse(&op)).await,
            answered => answered,
        };
        match answered {
            Ok((answer, store)) => {
                self.breaker.succeeded();
                self.journal.enter(&op, &answer, store, self.clock.tick());
                Ok(answer)
            }
            Err(Trouble::Unsupported) => Err(StoreError::Unsupported),
            Err(trouble) => {
                self.breaker.failed(self.clock.tick());
                Err(trouble.into())
            }
        }
    }

    /// Connects, if nobody did yet.
    pub(super) async fn connect(self: &Arc<Self>) -> Result<(), StoreError> {
        let patience = self.settings.patience;
        Ok(self.within(patience, self.link()).await.map(drop)?)
    }

    /// Waits so long. A connection on which something did not come in time is given up: its other end may be gone
    /// without a word.
    async fn within<T>(
        &self,
        patience: Duration,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        match select(pin!(work), self.timer.sleep(patience)).await {
            Either::Left((done, _)) => done,
            Either::Right(((), _)) => {
                self.give_up(None);
                Err(Trouble::Cut(format!("no answer within {patience:?}")))
            }
        }
    }

    /// Asks until there is an answer: first who is lost is taken for lost, and a store that is not the one that was
    /// known is told what it should know.
    async fn converse(self: &Arc<Self>, op: &Op) -> Result<(Answer, Option<Timestamp>), Trouble> {
        loop {
            let link = self.link().await?;
            let reply = match link.ask(&self.hashes, op, self.given()).await {
                Ok(Reply::Due) => link.expire(&self.hashes, self.given()).await,
                Ok(Reply::Answer(answer, store)) => return Ok((answer, store)),
                reply => reply,
            };
            match reply {
                // Connecting again finds out what happened.
                Ok(Reply::Epoch) => self.give_up(Some(link.number)),
                Ok(Reply::Due | Reply::Answer(..)) => {}
                Err(trouble) => {
                    if matches!(trouble, Trouble::Cut(_)) {
                        self.give_up(Some(link.number));
                    }
                    return Err(trouble);
                }
            }
        }
    }

    /// The connection; made by whoever comes first, and by nobody else meanwhile.
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
        opening.await.map_err(|why| Trouble::Cut(why.to_string()))
    }

    /// Connects in the background: whoever waits may stop waiting, and the next finds it further on.
    fn start_opening(self: &Arc<Self>) -> Opening {
        let client = Arc::clone(self);
        let task = self.runtime.spawn(async move {
            let patience = client.settings.patience;
            let opened = match select(pin!(client.open()), client.timer.sleep(patience)).await {
                Either::Left((opened, _)) => {
                    opened.map_err(|trouble| StoreError::from(trouble).to_string().into())
                }
                Either::Right(((), _)) => Err(format!("no connection within {patience:?}").into()),
            };
            client.state().connection = match &opened {
                Ok(link) => Connection::Open(Arc::clone(link)),
                Err(_) => Connection::None,
            };
            opened
        });
        task.map(|ended| ended.unwrap_or_else(|error| Err(error.to_string().into()))).boxed().shared()
    }

    async fn open(self: &Arc<Self>) -> Result<Arc<Link>, Trouble> {
        let number = self.links.fetch_add(1, Ordering::Relaxed);
        let mut link = Link::open(&self.server, &self.settings.prefix, number).await?;
        let fresh = format!("{:032x}", self.random.next_u128());
        link.greet(&self.hashes, &fresh, self.journal.revision()).await?;
        let before = self.state().epoch.clone();
        let kind = before.and_then(|before| link.epoch.since(&before));
        if let Some(kind) = kind {
            let restored = self.restore(&link).await?;
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
            told.iter().for_each(|sink| sink.changed(EpochChange { kind, restored }));
        }
        self.state().epoch = Some(link.epoch.clone());
        Ok(Arc::new(link))
    }

    /// Tells the server all that is known. How much that was.
    async fn restore(&self, link: &Link) -> Result<usize, Trouble> {
        let known = self.journal.known(self.clock.tick());
        for (id, known) in &known {
            loop {
                let reply = match known {
                    Known::Hold(hold) => {
                        link.restore(&self.hashes, &request::id_text(*id), hold, self.given()).await?
                    }
                    Known::Entry(op) => link.ask(&self.hashes, op, self.given()).await?,
                };
                match reply {
                    Reply::Answer(..) => break,
                    Reply::Due => drop(link.expire(&self.hashes, self.given()).await?),
                    Reply::Epoch => return Err(Trouble::Cut("the store changed again".to_owned())),
                }
            }
        }
        Ok(known.len())
    }

    /// Gives up the connection with that number, or whichever there is.
    fn give_up(&self, number: Option<u64>) {
        let mut state = self.state();
        if let Connection::Open(link) = &state.connection
            && number.is_none_or(|number| number == link.number)
        {
            state.connection = Connection::None;
        }
    }

    fn given(&self) -> Option<Timestamp> {
        self.given.get().map(|clock| clock.now().min(hooks_core::state::LATEST))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

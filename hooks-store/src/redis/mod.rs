//! A fleet: state in a Redis or Valkey server, shared by all that name it.
//!
//! Each operation is one script and so one atomic step of the server, which answers like
//! [`State::step`](hooks_core::state::State::step). Amounts and times are doubles there, exact to 2^53; the time is the
//! server's and never goes back. An answer is waited for 50 ms, twice at most, with the same id; a server that does not
//! answer is left alone for a second.
//!
//! **What a server can forget.** A restart loses what was not written to disk, a failover what was not replicated, a
//! flush everything. The store has an epoch: it changes with the server process and when the store was empty, and no
//! operation is done for a client that does not know the present one. A client that learns of a new one first tells
//! the server all its open reservations and what ended in the last minute, whatever the limits say, and then its
//! [`EpochSink`] hears of it. Where a [`Witness`] remembers the store across processes, a store that is empty or another one
//! is refused until an operator accepts the loss ([`Redis::accept_loss`]).
//!
//! Redis 6.2 or Valkey, one server that takes writes; not Redis Cluster. A server that drops keys when its memory is full
//! is refused.

mod breaker;
mod client;
mod epoch;
mod journal;
mod link;
mod reply;
mod request;
mod scripts;
mod settings;
mod wakes;
mod window;

use std::fmt;
use std::sync::Arc;

use hooks_core::HookFuture;
use hooks_core::state::{Answer, Op, StateStore, StoreError};
use hooks_core::time::{Clock, Random, Timer};
use tokio::runtime::Handle;

use self::client::Client;
use self::epoch::Recorder;
pub use self::epoch::{EpochChange, EpochKind, EpochSink};
pub use self::settings::RedisSettings;
pub use self::wakes::RedisWakes;
use crate::identity::Witness;

/// The engine for a fleet. Cheap to clone; clones share one connection.
#[derive(Clone)]
pub struct Redis(Arc<Client>);

impl Redis {
    /// A store in the server that `settings` name. It is connected to when it is asked the first time, or by
    /// [`connect`](Self::connect). `clock` measures how long the server is left alone, `timer` how long it is waited
    /// for; `random` names epochs.
    ///
    /// # Errors
    /// When the URL cannot be read, or where no tokio runtime is entered, on which the connection lives.
    pub fn new(
        settings: RedisSettings,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
        random: Arc<dyn Random>,
    ) -> Result<Self, StoreError> {
        let unavailable = |why: String| StoreError::Unavailable(why);
        let server = redis::Client::open(settings.url.as_str())
            .map_err(|error| unavailable(format!("the URL of the server cannot be read: {error}")))?;
        let runtime = Handle::try_current()
            .map_err(|_| unavailable("no tokio runtime is entered; enter one".to_owned()))?;
        Ok(Self(Arc::new(Client::new(server, settings, (clock, timer, random), runtime))))
    }

    /// Tells `sink` as well when the server may have forgotten something.
    pub fn tell(&self, sink: Arc<dyn EpochSink>) {
        self.0.tell(sink);
    }

    /// Writes down in the store itself that it was emptied, where `hooks state` shows it.
    pub fn record_losses(&self) {
        self.tell(Arc::new(Recorder { client: Arc::downgrade(&self.0) }));
    }

    /// Refuses a store that is not the one that `witness` remembers, and has it remember the first one. The first witness
    /// counts.
    pub fn witnessed_by(&self, witness: Arc<dyn Witness>) {
        self.0.witness(witness);
    }

    /// Goes on with the store that the server has now, which is not the one that the witness remembers, and says so in the
    /// store: who remembers the same one goes on as well. What was refused before; `None` where nothing was.
    ///
    /// # Errors
    /// When the server does not answer, or the witness fails.
    pub async fn accept_loss(&self) -> Result<Option<String>, StoreError> {
        self.0.accept_loss().await
    }

    /// Takes the store's time from `clock` instead of the server: for tests.
    #[must_use]
    pub fn at(self, clock: Arc<dyn Clock>) -> Self {
        self.0.take_time_from(clock);
        self
    }

    /// Connects, if nobody did yet, so that the first operation need not wait for it.
    ///
    /// # Errors
    /// When there is no connection in time, or the server cannot be trusted with a budget.
    pub async fn connect(&self) -> Result<(), StoreError> {
        self.0.connect().await
    }

    /// Hears when something is written, for a watch.
    pub fn wakes(&self) -> RedisWakes {
        RedisWakes::new(&self.0)
    }
}

impl StateStore for Redis {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        HookFuture::later(Arc::clone(&self.0).answer(op))
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may hold a password.
        f.debug_struct("Redis").field("prefix", &self.0.settings.prefix).finish_non_exhaustive()
    }
}

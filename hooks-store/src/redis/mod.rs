//! State in a Redis or Valkey server, shared by many machines.
//!
//! Each operation is one script, and so one atomic step of the server, which answers like
//! [`State::step`](hooks_core::state::State::step). Amounts and times are doubles there, exact up to 2^53.
//! The time is that of the server and never goes back. A client waits 50 ms for an answer, and retries once
//! with the same id. A server that does not answer gets no requests for a second.
//!
//! **Data that a server can lose.** A restart loses writes that were not on disk, a failover those that were
//! not replicated, a flush everything. So the store has an epoch. The epoch changes with the server process
//! and when the store was empty; no operation is done for a client that does not know the current one. A
//! client that learns of a new epoch first sends the server all its open reservations and those that ended in
//! the last minute, even beyond the limits. Then it notifies its [`EpochSink`]. If a [`Witness`] remembers
//! the store across processes, a store that is empty or another one is refused until an operator accepts the
//! loss ([`Redis::accept_loss`]).
//!
//! Requires Redis 6.2 or Valkey, and one server that accepts writes; Redis Cluster is not supported. A server
//! that drops keys when its memory is full is refused.

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
use hooks_core::state::{Op, StateStore, StepResult, StoreError};
use hooks_core::time::{Clock, Random, Timer};
use tokio::runtime::Handle;

use self::client::Client;
use self::epoch::Recorder;
pub use self::epoch::{EpochChange, EpochKind, EpochSink};
pub use self::settings::RedisSettings;
pub use self::wakes::RedisWakes;
use crate::identity::Witness;

/// The engine for a Redis or Valkey server. Cheap to clone; clones share one connection.
#[derive(Clone)]
pub struct Redis(Arc<Client>);

impl Redis {
    /// A store on the server that `settings` name. It connects with the first operation, or with
    /// [`connect`](Self::connect). `clock` measures the pause after failures, `timer` the timeouts; `random`
    /// makes the names of epochs.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid, or if no tokio runtime is entered, which the connection needs.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::testing::VirtualTime;
    /// use hooks_core::time::SeededRandom;
    /// use hooks_store::Redis;
    /// use hooks_store::redis::RedisSettings;
    ///
    /// let time = VirtualTime::default();
    /// let open = |url: &str| {
    ///     let random = Arc::new(SeededRandom::new(1));
    ///     Redis::new(RedisSettings::new(url), Arc::new(time.clone()), Arc::new(time.clone()), random)
    /// };
    /// let error = open("redis://127.0.0.1:6379/").err().ok_or("this thread is in no runtime")?;
    /// assert_eq!(error.to_string(), "the state store cannot be reached: no tokio runtime is entered; enter one");
    /// assert!(open("the cache").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Adds a sink that is notified when the server may have lost data.
    pub fn tell(&self, sink: Arc<dyn EpochSink>) {
        self.0.tell(sink);
    }

    /// Records in the store itself that it was emptied; `hooks state` shows the record.
    pub fn record_losses(&self) {
        self.tell(Arc::new(Recorder { client: Arc::downgrade(&self.0) }));
    }

    /// Refuses a store other than the one that `witness` remembers, and has it remember the first store. Only
    /// the first witness has an effect.
    pub fn witnessed_by(&self, witness: Arc<dyn Witness>) {
        self.0.witness(witness);
    }

    /// Accepts the store that the server has now, although the witness remembers another one. This is
    /// recorded in the store, so that other processes whose witness remembers the same store accept it too.
    /// Returns the reason why it was refused; `None` if it was not refused.
    ///
    /// # Errors
    /// Returns an error if the server does not answer, or if the witness fails.
    pub async fn accept_loss(&self) -> Result<Option<String>, StoreError> {
        self.0.accept_loss().await
    }

    /// Uses `clock` for the store's time instead of the server: for tests.
    #[must_use]
    pub fn at(self, clock: Arc<dyn Clock>) -> Self {
        self.0.take_time_from(clock);
        self
    }

    /// Connects, unless connected, so that the first operation need not wait for it.
    ///
    /// # Errors
    /// Returns an error if there is no connection in time, or if the server cannot be used for budgets.
    pub async fn connect(&self) -> Result<(), StoreError> {
        self.0.connect().await
    }

    /// Returns the wakes of a watch: notifications of writes.
    pub fn wakes(&self) -> RedisWakes {
        RedisWakes::new(&self.0)
    }
}

impl StateStore for Redis {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        HookFuture::later(Arc::clone(&self.0).answer(op))
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may contain a password.
        f.debug_struct("Redis").field("prefix", &self.0.settings.prefix).finish_non_exhaustive()
    }
}

//! One connection to one server process, and the requests over it.

use std::sync::OnceLock;
use std::time::Duration;

use hooks_core::state::{Op, OpId, StoreError};
use hooks_core::time::Timestamp;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value};

use super::epoch::Epoch;
use super::journal::{Hold, Phase};
use super::reply::Reply;
use super::request;
use super::scripts::Script;
use super::window;
use crate::identity::{StoreId, lost};

/// A connection, shared by all callers: requests are pipelined, and answers come in the same order.
#[derive(Clone, Debug)]
pub(super) struct Link {
    connection: MultiplexedConnection,
    /// Number that distinguishes this connection from earlier ones.
    pub(super) number: u64,
    prefix: String,
    pub(super) epoch: Epoch,
}

/// A client's knowledge of its store, sent in the first request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Greeting<'a> {
    /// Name for a new epoch, if one begins.
    pub(super) fresh: &'a str,
    /// Latest revision that was seen. An empty store continues from it.
    pub(super) revision: u64,
    /// Origin of the known store; empty if no store is known.
    pub(super) origin: &'a str,
    /// Time in which nothing is granted if the known store was another one.
    pub(super) settle: Duration,
    /// Identity that the witness remembers.
    pub(super) witnessed: Option<&'a StoreId>,
    /// Place of the store, for messages to the operator.
    pub(super) place: &'a str,
}

/// Reason for a missing answer.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// The connection is broken; a new one may work.
    Cut(String),
    /// The server refuses; an immediate retry would be refused too.
    Refused(String),
    /// The store is not the one that the witness remembers, with a message.
    Lost(String),
    /// The server was emptied and grants nothing for this time.
    Settling(Duration),
    /// No script exists for an operation of this kind.
    Unsupported,
}

/// Version of the data that the scripts write.
const VERSION: u32 = 1;

/// Hashes by which the server knows the scripts. Each is set after its script was loaded.
#[derive(Debug, Default)]
pub(super) struct Hashes([OnceLock<String>; Script::ALL.len()]);

impl Link {
    /// Connects to the server. The epoch is not known yet.
    pub(super) async fn open(client: &Client, prefix: &str, number: u64) -> Result<Self, Trouble> {
        // The client applies the timeouts.
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let unknown = Epoch { name: "".into(), origin: "".into() };
        Ok(Self { connection, number, prefix: prefix.to_owned(), epoch: unknown })
    }

    /// Checks whether this server can be used for budgets, and learns which store it has.
    pub(super) async fn greet(&mut self, hashes: &Hashes, greeting: &Greeting<'_>) -> Result<(), Trouble> {
        let server = self.inspect().await?;
        let hello = |command: &mut Cmd| {
            let Greeting { fresh, revision, origin, settle, witnessed, .. } = *greeting;
            command
                .arg(&server)
                .arg(fresh)
                .arg(revision)
                .arg(origin)
                .arg(request::millis(settle))
                .arg(VERSION)
                .arg(witnessed.map_or("", StoreId::as_str));
        };
        let Value::Array(values) = self.run_bare(hashes, Script::Hello, hello).await? else {
            return Err(unexpected());
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).as_ref().into();
        match values.as_slice() {
            [Value::BulkString(word), Value::BulkString(version)] if word == b"version" => {
                Err(Trouble::Refused(format!(
                    "the server keeps state of version {} below `{}`, this program knows {VERSION}; run the same \
                     version of it everywhere, or give this one a prefix of its own",
                    String::from_utf8_lossy(version),
                    self.prefix,
                )))
            }
            [Value::BulkString(word), Value::BulkString(other)] if word == b"gone" || word == b"other" => {
                let gone = match &**other {
                    [] => "the server was emptied".to_owned(),
                    other => format!("another one, `{}`, is there now", String::from_utf8_lossy(other)),
                };
                let told = |known| lost(greeting.place, known, &gone);
                Err(Trouble::Lost(greeting.witnessed.map_or_else(|| gone.clone(), told)))
            }
            [Value::BulkString(name), Value::BulkString(origin)] => {
                self.epoch = Epoch { name: text(name), origin: text(origin) };
                Ok(())
            }
            _ => Err(unexpected()),
        }
    }

    /// Records that this store replaces the lost store `known`.
    pub(super) async fn stand_in_for(&self, hashes: &Hashes, known: &StoreId) -> Result<(), Trouble> {
        self.run_bare(hashes, Script::Accept, |command| _ = command.arg(known.as_str())).await.map(drop)
    }

    /// Returns the id of the server process. Returns an error if the server does not accept writes, or may
    /// drop keys.
    async fn inspect(&self) -> Result<String, Trouble> {
        let mut info = Cmd::new();
        info.arg("INFO").arg("everything");
        let report = match self.send(&info).await? {
            Value::BulkString(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Value::VerbatimString { text, .. } | Value::SimpleString(text) => text,
            _ => return Err(unexpected()),
        };
        let line = |name: &str| report.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        if line("role") != Some("master") {
            return Err(Trouble::Refused(
                "the server is a replica; name the server that takes writes".into(),
            ));
        }
        if line("cluster_enabled") == Some("1") {
            return Err(Trouble::Refused(
                "the server is part of a Redis Cluster, whose scripts cannot span its \
                                         slots; name a server of its own"
                    .into(),
            ));
        }
        if line("maxmemory") != Some("0") && line("maxmemory_policy") != Some("noeviction") {
            return Err(Trouble::Refused(
                "the server drops keys when its memory is full, and with them budgets; \
                                         set its `maxmemory-policy` to `noeviction`"
                    .into(),
            ));
        }
        line("run_id").map(str::to_owned).ok_or_else(unexpected)
    }

    /// Does `op`. `given` is the time, if a test sets it.
    pub(super) async fn ask(
        &self,
        hashes: &Hashes,
        op: &Op,
        given: Option<Timestamp>,
    ) -> Result<Reply, Trouble> {
        let script = request::script_of(op).ok_or(Trouble::Unsupported)?;
        self.run(hashes, script, given, |command| request::write(command, op)).await
    }

    /// Expires the reservations whose holders are lost.
    pub(super) async fn expire(&self, hashes: &Hashes, given: Option<Timestamp>) -> Result<Reply, Trouble> {
        self.run(hashes, Script::Expire, given, |_| {}).await
    }

    /// Restores a reservation, if the server has lost it.
    pub(super) async fn restore(
        &self,
        hashes: &Hashes,
        id: OpId,
        hold: &Hold,
        given: Option<Timestamp>,
    ) -> Result<Reply, Trouble> {
        let arguments = |command: &mut Cmd| {
            let (phase, expires) = match hold.phase {
                Phase::Open(expires) => ("o", expires.0),
                Phase::Ended => ("e", 0),
            };
            command.arg(request::id_text(id)).arg(phase).arg(hold.amount).arg(expires);
            for (scope, since) in
                hold.taken.iter().flat_map(|(scopes, since)| scopes.iter().zip(std::iter::repeat(since)))
            {
                command.arg(request::kind_text(scope.kind)).arg(scope.limit);
                command
                    .arg(window::to_text(scope.window))
                    .arg(scope.window.number(*since))
                    .arg(scope.key.as_str());
            }
        };
        self.run(hashes, Script::Restore, given, arguments).await
    }

    async fn run(
        &self,
        hashes: &Hashes,
        script: Script,
        given: Option<Timestamp>,
        arguments: impl Fn(&mut Cmd),
    ) -> Result<Reply, Trouble> {
        let with_time = |command: &mut Cmd| {
            command.arg(&*self.epoch.name);
            match given {
                Some(given) => command.arg(given.0),
                None => command.arg(""),
            };
            arguments(command);
        };
        Reply::read(self.run_bare(hashes, script, with_time).await?).ok_or_else(unexpected)
    }

    async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        match self.connection.clone().send_packed_command(command).await? {
            Value::ServerError(error) => Err(error.into()),
            value => Ok(value),
        }
    }

    /// Runs a script by its hash. If the server does not have the script, it is loaded once.
    async fn run_bare(
        &self,
        hashes: &Hashes,
        script: Script,
        arguments: impl Fn(&mut Cmd),
    ) -> Result<Value, Trouble> {
        if let Some(hash) = hashes.get(script) {
            let mut command = Cmd::with_capacity(16, 512);
            command.arg("EVALSHA").arg(hash).arg(1).arg(&self.prefix);
            arguments(&mut command);
            match self.send(&command).await {
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {}
                answered => return Ok(answered?),
            }
        }
        let mut load = Cmd::new();
        load.arg("SCRIPT").arg("LOAD").arg(script.text());
        let Value::BulkString(hash) = self.send(&load).await? else {
            return Err(unexpected());
        };
        let hash = hashes.learn(script, &String::from_utf8_lossy(&hash));
        let mut command = Cmd::with_capacity(16, 512);
        command.arg("EVALSHA").arg(hash).arg(1).arg(&self.prefix);
        arguments(&mut command);
        Ok(self.send(&command).await?)
    }
}

impl Hashes {
    fn get(&self, script: Script) -> Option<&str> {
        self.0.get(script as usize)?.get().map(String::as_str)
    }

    /// Stores the hash of a script. The hash of a text is always the same.
    fn learn(&self, script: Script, hash: &str) -> String {
        match self.0.get(script as usize) {
            Some(place) => place.get_or_init(|| hash.to_owned()).clone(),
            None => hash.to_owned(),
        }
    }
}

impl From<RedisError> for Trouble {
    fn from(error: RedisError) -> Self {
        let is_of_the_server = error.code().is_some();
        // The server became a replica or loads its data: another connection may lead to another server.
        let is_elsewhere = matches!(error.code(), Some("READONLY" | "LOADING" | "MASTERDOWN"));
        if is_of_the_server && !is_elsewhere {
            Self::Refused(error.to_string())
        } else {
            Self::Cut(error.to_string())
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Closed(why) => Self::Lost(why),
            StoreError::Unavailable(why) => Self::Refused(why),
            other => Self::Refused(other.to_string()),
        }
    }
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Cut(why) | Trouble::Refused(why) => Self::Unavailable(why),
            Trouble::Lost(why) => Self::Closed(why),
            Trouble::Settling(left) => Self::Closed(format!(
                "it was emptied, and earlier charges are lost. Nothing is granted for another {left:?}, while each process reports its reservations; look at the charges, and correct them with `hooks state`"
            )),
            Trouble::Unsupported => Self::Unsupported,
        }
    }
}

fn unexpected() -> Trouble {
    Trouble::Refused(
        "the server sent an answer that no script of this version gives; check whether two versions of this program share one prefix"
            .into(),
    )
}

//! Stores records in a table of Postgres.
//!
//! The primary key is the log and the record's position in it, so that a record sent twice is stored once,
//! and several logs may share a table. A batch is one statement, and is taken once it is committed. It then
//! survives a power loss, because the connection sets `synchronous_commit`, unless the server runs with
//! `fsync` off.
//!
//! There is no TLS here: connect to a server, or to a proxy, on this machine or in its network.

use std::fmt;

use hooks_core::{HookFuture, Strength};
use tokio::sync::Mutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls};

use super::config::is_table;
use super::{Sink, SinkConfigError, SinkError};
use crate::read::Committed;

/// Stores records in a table; see the [module](self). Needs a tokio runtime. The debug output contains no
/// password.
pub struct PostgresSink {
    config: Config,
    table: String,
    client: Mutex<Option<Client>>,
}

/// Columns of a batch.
#[derive(Default)]
struct Columns {
    log: Vec<String>,
    chain: Vec<String>,
    seq: Vec<i64>,
    at: Vec<String>,
    event: Vec<String>,
    tenant: Vec<Option<String>>,
    session: Vec<String>,
    agent: Vec<String>,
    tool: Vec<Option<String>>,
    outcome: Vec<Option<&'static str>>,
    record: Vec<String>,
    payload: Vec<Option<String>>,
}

impl PostgresSink {
    /// Creates a sink that stores records in `table` of the database of `config`. The table is created if it
    /// does not exist.
    ///
    /// # Errors
    /// Returns an error if `table` is a name that would have to be quoted.
    ///
    /// ```
    /// use hooks_audit::sink::postgres::PostgresSink;
    /// use tokio_postgres::Config;
    ///
    /// let table = |name: &str| PostgresSink::new(Config::new(), name).err().map(|error| error.to_string());
    /// assert_eq!(table("audit.records"), None);
    /// let error = table("records; drop").unwrap_or_default();
    /// assert!(error.starts_with("`records; drop` is not a name of a table; use letters, digits and `_`"));
    /// ```
    pub fn new(config: Config, table: impl Into<String>) -> Result<Self, SinkConfigError> {
        let table = table.into();
        if !is_table(&table) {
            return Err(SinkConfigError::Table(table));
        }
        Ok(Self { config, table, client: Mutex::new(None) })
    }

    async fn connect(&self) -> Result<Client, SinkError> {
        let (client, connection) = self.config.connect(NoTls).await.map_err(|error| failure(&error))?;
        // The task ends with the client; an error of the connection appears in the next statement.
        drop(tokio::spawn(connection));
        let table = &self.table;
        let setup = format!(
            "SET synchronous_commit TO on;
             CREATE TABLE IF NOT EXISTS {table} (
                 log text NOT NULL, chain text NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL, event text NOT NULL,
                 tenant text, session text NOT NULL, agent text NOT NULL, tool text, outcome text,
                 record jsonb NOT NULL, payload jsonb, PRIMARY KEY (log, chain, seq))"
        );
        // Any error of the set-up needs an operator to fix it.
        client.batch_execute(&setup).await.map_err(|error| SinkError::again(words(&error)))?;
        Ok(client)
    }

    async fn insert(&self, client: &Client, columns: &Columns) -> Result<(), SinkError> {
        let table = &self.table;
        let insert = format!(
            "INSERT INTO {table} (log, chain, seq, at, event, tenant, session, agent, tool, outcome, record, payload)
             SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]::timestamptz[], $5::text[],
                 $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]::jsonb[],
                 $12::text[]::jsonb[])
             ON CONFLICT (log, chain, seq) DO NOTHING"
        );
        let Columns { log, chain, seq, at, event, tenant, session, agent, tool, outcome, record, payload } =
            columns;
        client
            .execute(
                &insert,
                &[log, chain, seq, at, event, tenant, session, agent, tool, outcome, record, payload],
            )
            .await
            .map(drop)
            .map_err(|error| failure(&error))
    }
}

impl Sink for PostgresSink {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        HookFuture::later(async move {
            let columns = Columns::from_records(records)?;
            // Taken out, so that a connection with an error or a cancelled statement is not used again.
            let mut place = self.client.lock().await;
            let client = match place.take().filter(|client| !client.is_closed()) {
                Some(client) => client,
                None => self.connect().await?,
            };
            let answer = self.insert(&client, &columns).await;
            if !matches!(answer, Err(SinkError::Again { .. })) {
                *place = Some(client);
            }
            answer
        })
    }
}

impl Columns {
    fn from_records(records: &[Committed]) -> Result<Self, SinkError> {
        let mut columns = Self::default();
        for committed in records {
            let record = &committed.record;
            let refused = |error: serde_json::Error| SinkError::refused(error.to_string());
            let payload = committed.payload().map(serde_json::to_string).transpose().map_err(refused)?;
            columns.log.push(plain(&committed.log));
            columns.chain.push(plain(&committed.chain));
            columns.seq.push(i64::try_from(record.seq).unwrap_or(i64::MAX));
            columns.at.push(record.at.to_string());
            columns.event.push(plain(&record.event));
            columns.tenant.push(record.tenant.as_deref().map(plain));
            columns.session.push(plain(&record.session));
            columns.agent.push(plain(&record.agent));
            columns.tool.push(record.tool.as_deref().map(plain));
            columns.outcome.push(record.outcome.map(Strength::name));
            columns.record.push(without_nul(&serde_json::to_string(record).map_err(refused)?));
            columns.payload.push(payload.as_deref().map(without_nul));
        }
        Ok(columns)
    }
}

impl fmt::Debug for PostgresSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSink").field("table", &self.table).finish_non_exhaustive()
    }
}

/// Maps an error to a result: data errors refuse the batch, every other error concerns the server or the
/// connection.
fn failure(error: &tokio_postgres::Error) -> SinkError {
    // Class 22 is data that does not fit its type, class 23 a constraint; program limits are statements that
    // are too large.
    let is_of_data = |code: &SqlState| {
        code.code().starts_with("22")
            || code.code().starts_with("23")
            || *code == SqlState::PROGRAM_LIMIT_EXCEEDED
    };
    match error.code().is_some_and(is_of_data) {
        true => SinkError::refused(words(error)),
        false => SinkError::again(words(error)),
    }
}

fn words(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(told) => format!("{} ({})", told.message(), told.code().code()),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

/// Replaces NUL, which Postgres accepts in no text.
fn plain(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Replaces NUL in the texts of JSON, because `jsonb` refuses it.
fn without_nul(json: &str) -> String {
    const NUL: &str = "\\u0000";
    let (mut clean, mut rest) = (String::with_capacity(json.len()), json);
    while let Some((before, escaped)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        clean.push_str(before);
        let (escape, behind) = match escaped.strip_prefix(NUL) {
            Some(behind) => ("\\ufffd", behind),
            None => escaped.split_at_checked(2).unwrap_or((escaped, "")),
        };
        clean.push_str(escape);
        rest = behind;
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_is_replaced_where_it_is_one() {
        let json = |text: &str| without_nul(&serde_json::to_string(text).unwrap());
        let read = |text: &str| serde_json::from_str::<String>(&json(text)).unwrap();
        for text in ["", "a", "\\", "\\u0000", "\"\\\\", "ü\n"] {
            assert_eq!(read(text), text);
        }
        assert_eq!(read("a\0\\\0"), "a\u{fffd}\\\u{fffd}");
    }

    #[test]
    fn a_table_is_a_plain_name() {
        for name in ["audit", "a.b_1", "_x"] {
            assert!(PostgresSink::new(Config::new(), name).is_ok(), "{name}");
        }
        for name in ["", "a b", "a;b", "a.b.c", "1a", "\"a\"", "a."] {
            assert!(PostgresSink::new(Config::new(), name).is_err(), "{name}");
        }
    }
}

//! Publishes records to a stream of NATS JetStream.
//!
//! Every record is published with `Nats-Msg-Id`, and counts as taken once the stream has acknowledged it.
//! Within the stream's window for duplicates (default: two minutes), a record that is sent twice is stored
//! once. After that window, consumers have to drop duplicates by that header. The stream has to exist:
//! nothing is created.
//!
//! **The durability of an acknowledged record is a setting of the server.** By default NATS syncs to disk
//! every two minutes, and a power loss can remove acknowledged records; `sync_interval: always` (from 2.10
//! on) syncs before it acknowledges. In any case the log on this machine is authoritative.
//!
//! This module has its own client, because publishing with an answer needs five verbs of a text protocol. The
//! official client adds TLS, URLs and about fifty packages. There is no TLS here: connect to a server or a
//! leaf node on this machine or in its network.
//!
//! A record is sent, and counts once the stream has stored it. The server of this example speaks just enough of the
//! protocol for that:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::sink::nats::NatsSink;
//! use hooks_audit::sink::{NatsConfig, Sink};
//! use hooks_audit::{Committed, Kept, Record};
//! use hooks_core::time::{SeededRandom, Timestamp};
//! use serde_json::{from_value, json};
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//! use tokio::net::TcpListener;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! let config: NatsConfig = from_value(json!({"server": listener.local_addr()?.to_string(), "subject": "hooks.audit"}))?;
//! let server = tokio::spawn(async move {
//!     let mut stream = BufReader::new(listener.accept().await?.0);
//!     stream.write_all(b"INFO {\"headers\": true}\r\n").await?;
//!     let mut heard = Vec::new();
//!     loop {
//!         let mut line = String::new();
//!         stream.read_line(&mut line).await?;
//!         if line.starts_with("PING") {
//!             stream.write_all(b"PONG\r\n").await?;
//!         }
//!         heard.push(line.trim_end().to_owned());
//!         // `HPUB SUBJECT ANSWER_TO ..`: the stream answers that it has stored the message.
//!         if let Some(answer_to) = line.strip_prefix("HPUB").and_then(|rest| rest.split_whitespace().nth(1)) {
//!             let stored = r#"{"stream":"AUDIT","seq":1}"#;
//!             stream.write_all(format!("MSG {answer_to} 1 {}\r\n{stored}\r\n", stored.len()).as_bytes()).await?;
//!             return std::io::Result::Ok(heard);
//!         }
//!     }
//! });
//!
//! // Customised with a token, as the server wants one; `None` is the default.
//! let token = Some("example".to_owned());
//! let sink = NatsSink::new(config, token, Arc::new(SeededRandom::default()))?;
//! let record = Record::new("post_tool_use", Timestamp(1));
//! sink.deliver(&[Committed { chain: "w0".into(), log: "4f1c".into(), record, payload: Kept::Nothing }]).await?;
//! let heard = server.await??;
//! assert!(heard[0].starts_with("CONNECT") && heard[0].contains(r#""auth_token":"example""#));
//! assert!(heard.last().is_some_and(|line| line.starts_with("HPUB hooks.audit ")));
//! # Ok(())
//! # }
//! ```

mod connection;
mod protocol;

use std::fmt;
use std::sync::Arc;

use hooks_core::HookFuture;
use hooks_core::time::Random;
use serde::Deserialize;
use tokio::sync::Mutex;

use self::connection::Connection;
use self::protocol::Message;
use super::config::{NatsConfig, is_subject};
use super::wire::Sent;
use super::{Sink, SinkConfigError, SinkError};
use crate::read::Committed;

/// Publishes records; see the [module](self). Needs a tokio runtime.
pub struct NatsSink {
    config: NatsConfig,
    token: Option<String>,
    random: Arc<dyn Random>,
    connection: Mutex<Option<Connection>>,
}

/// Answer of a stream. Any other subscriber of the subject may answer too, with any content.
#[derive(Deserialize)]
struct Acknowledged {
    #[serde(default)]
    error: Option<Refusal>,
    /// Name of the stream that stored the message.
    #[serde(default)]
    stream: String,
    /// Number of the message in the stream, from 1.
    #[serde(default)]
    seq: u64,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    err_code: u64,
    #[serde(default)]
    description: String,
}

/// Error code of a stream that takes no message of this size.
const TOO_LARGE: u64 = 10_054;

impl NatsSink {
    /// Creates a sink for the stream of `config`, with a token if the server requires one.
    ///
    /// # Errors
    /// Returns an error if the subject is not valid for publishing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::sink::NatsConfig;
    /// use hooks_audit::sink::nats::NatsSink;
    /// use hooks_core::time::SeededRandom;
    /// use serde_json::{from_value, json};
    ///
    /// let open = |subject: &str| -> Result<_, Box<dyn std::error::Error>> {
    ///     let config: NatsConfig = from_value(json!({"server": "localhost:4222", "subject": subject}))?;
    ///     Ok(NatsSink::new(config, None, Arc::new(SeededRandom::default()))?)
    /// };
    /// assert!(open("hooks.audit").is_ok());
    /// let error = open("hooks.*").err().map(|error| error.to_string()).unwrap_or_default();
    /// assert!(error.ends_with("write a subject without wildcards, such as `hooks.audit`"));
    /// ```
    pub fn new(
        config: NatsConfig,
        token: Option<String>,
        random: Arc<dyn Random>,
    ) -> Result<Self, SinkConfigError> {
        if !is_subject(&config.subject) {
            let way_out = "write a subject without wildcards, such as `hooks.audit`";
            let name = "nats".to_owned();
            return Err(SinkConfigError::Address { name, address: config.subject, way_out });
        }
        Ok(Self { config, token, random, connection: Mutex::new(None) })
    }

    async fn publish(&self, connection: &mut Connection, records: &[Committed]) -> Result<(), SinkError> {
        let mut messages = Vec::with_capacity(records.len());
        for record in records {
            let body = serde_json::to_vec(&Sent::new(record));
            let body = body.map_err(|error| SinkError::refused(error.to_string()))?;
            messages.push((record.key(), body));
        }
        for message in connection.request_all(&self.config.subject, &messages).await? {
            check(&message, &self.config.subject)?;
        }
        Ok(())
    }
}

impl Sink for NatsSink {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        HookFuture::later(async move {
            // Taken out, so that a connection with an error or a cancelled request is not used again.
            let mut place = self.connection.lock().await;
            let mut connection = match place.take() {
                Some(connection) => connection,
                None => {
                    let inbox = self.random.next_u64();
                    Connection::open(self.config.address(), self.token.as_deref(), inbox).await?
                }
            };
            let answer = self.publish(&mut connection, records).await;
            if answer.is_ok() {
                *place = Some(connection);
            }
            answer
        })
    }
}

impl fmt::Debug for NatsSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsSink").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Checks that the stream has stored the message.
fn check(message: &Message, subject: &str) -> Result<(), SinkError> {
    if message.status == Some(503) {
        return Err(SinkError::again(format!(
            "no stream listens to `{subject}`; add one, or correct the subject"
        )));
    }
    let answer: Acknowledged = serde_json::from_slice(&message.body)
        .map_err(|error| SinkError::again(format!("the stream's answer cannot be read: {error}")))?;
    match answer.error {
        None if !answer.stream.is_empty() && answer.seq > 0 => Ok(()),
        None => Err(SinkError::again(format!(
            "no stream answered on `{subject}`, so nothing was stored; add a stream that subscribes to it, or correct the subject"
        ))),
        Some(error) if error.err_code == TOO_LARGE => Err(SinkError::refused(error.description)),
        Some(error) => Err(SinkError::again(format!("{} ({})", error.description, error.err_code))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stream_acknowledges() {
        let check = |status, body: &str| {
            check(&Message { subject: "answer".to_owned(), status, body: body.into() }, "hooks.audit")
        };
        assert_eq!(check(None, r#"{"stream":"AUDIT","seq":7}"#), Ok(()));
        assert_eq!(check(None, r#"{"stream":"AUDIT","seq":7,"duplicate":true}"#), Ok(()));
        for body in ["{}", r#"{"stream":"AUDIT"}"#, r#"{"seq":7}"#, r#"{"stream":"","seq":7}"#] {
            let error = check(None, body).unwrap_err().to_string();
            assert!(error.contains("no stream answered"), "{body}: {error}");
        }
        for body in ["", "+OK", "[]", r#"{"stream":"AUDIT","seq":"7"}"#, r#"{"error":{"err_code":1}}"#] {
            assert!(matches!(check(None, body), Err(SinkError::Again { .. })), "{body}");
        }
        let large = r#"{"error":{"err_code":10054,"description":"too large"}}"#;
        assert_eq!(check(None, large), Err(SinkError::refused("too large")));
        assert!(check(Some(503), "").unwrap_err().to_string().contains("no stream listens"));
    }
}

//! Sends committed records to other systems: at least once, in order, from the log itself.
//!
//! A [`Feed`] reads the log from its own position, delivers the records to one [`Sink`], and stores the
//! position once the sink has them. The log is the buffer: a slow or failing sink delays only its own
//! position, and costs one batch of memory. A sink may get records twice, if its answer was lost or the
//! process was killed before the position was stored. It recognizes them by their key,
//! [`Committed::key`](crate::Committed::key), which is unique across logs, so that several logs may feed one
//! sink.
//!
//! | sink | keys | meaning of a success | feature |
//! | --- | --- | --- | --- |
//! | [`OtlpSink`](otlp::OtlpSink) | span ids, `log.record.uid` | accepted by the collector | `http` |
//! | [`WebhookSink`](webhook::WebhookSink) | `Idempotency-Key`, `key` of each record | a 2xx answer | `http` |
//! | [`PostgresSink`](postgres::PostgresSink) | primary key | committed, as durable as the server's settings | `postgres` |
//! | [`NatsSink`](nats::NatsSink) | `Nats-Msg-Id` | stored by the stream; survives a power loss only with `sync_interval: always` | `nats` |
//!
//! If a sink permanently refuses a record, the record's key and the reason are written to a file beside the
//! position, and the following records go on. Errors that an operator has to fix (a wrong password, a missing
//! table) are retried until they are fixed.
//!
//! ```
//! use hooks_audit::Committed;
//! use hooks_audit::sink::{Sink, SinkError};
//! use hooks_core::HookFuture;
//!
//! /// Prints records.
//! struct Printed;
//!
//! impl Sink for Printed {
//!     fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
//!         for record in records {
//!             println!("{} {}", record.key(), record.record.event);
//!         }
//!         HookFuture::now(Ok(()))
//!     }
//! }
//! ```
//!
//! A feed delivers the committed records of a log. Here the sink is one of the host, which refuses a record:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::sink::{Feed, FeedSettings, LogSource, Sink, SinkError};
//! use hooks_audit::{Appender, Committed, Record, AppendSettings};
//! use hooks_core::testing::{FakeDisk, VirtualTime};
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use hooks_core::{Environment, HookFuture};
//!
//! struct NoStops;
//!
//! impl Sink for NoStops {
//!     fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
//!         let has_stop = records.iter().any(|one| one.record.event == "stop");
//!         HookFuture::now(if has_stop { Err(SinkError::refused("no stops here")) } else { Ok(()) })
//!     }
//! }
//!
//! let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
//! let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
//! appender.append(&mut ["session_start", "stop"].map(|event| Record::new(event, Timestamp(1)).into()))?;
//! appender.close()?;
//!
//! let (source, time) = (LogSource::new(disk.clone(), "/log"), VirtualTime::default());
//! let (settings, world) = (FeedSettings::new("host"), Environment::detached());
//! let mut feed = Feed::new(source, NoStops, disk, "/feeds", settings, &world, time.clone());
//! assert_eq!(time.block_on(feed.catch_up(1)), Some(true), "the sink has everything that it takes");
//! let status = feed.status().get();
//! assert_eq!((status.delivered, status.refused), (1, 1));
//! assert_eq!(status.last_refusal.as_deref(), Some("no stops here"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backoff;
mod bookmark;
mod chains;
mod config;
mod feed;
#[cfg(feature = "http")]
pub mod http;
mod metrics;
#[cfg(feature = "nats")]
pub mod nats;
mod open;
mod origin;
#[cfg(feature = "http")]
pub mod otlp;
#[cfg(feature = "postgres")]
pub mod postgres;
mod source;
mod status;
#[cfg(feature = "http")]
pub mod webhook;
#[cfg(any(feature = "http", feature = "nats"))]
mod wire;

use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;

pub use self::config::{
    FeedSettings, NatsConfig, OtlpConfig, PostgresConfig, Signal, SinkConfig, SinkConfigError, WebhookConfig,
};
pub use self::feed::{Feed, Step};
pub use self::metrics::MetricsSource;
pub use self::open::{OpenError, Opening};
pub use self::origin::Origin;
pub use self::source::{LogSource, Source};
pub use self::status::{FeedStatus, StatusHandle};
use crate::read::Committed;

/// Takes records. A sink that waits for an answer does so in the returned future. The future is dropped if it
/// takes too long: then the result is unknown, and the batch is delivered again.
pub trait Sink: Send + Sync {
    /// Takes a batch in order, all of it or nothing. The sink drops records that it has already, by
    /// [`Committed::key`](crate::Committed::key). There is at least one record.
    ///
    /// # Errors
    /// Returns an error if the sink has not stored all of the batch.
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>>;

    /// Called when there is nothing to deliver, and after each batch. The sink sends its own data now, such
    /// as metrics.
    ///
    /// # Errors
    /// Returns an error if that fails; nothing is lost.
    fn idle(&self) -> HookFuture<'_, Result<(), SinkError>> {
        HookFuture::now(Ok(()))
    }
}

impl<S: Sink + ?Sized> Sink for Arc<S> {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        (**self).deliver(records)
    }

    fn idle(&self) -> HookFuture<'_, Result<(), SinkError>> {
        (**self).idle()
    }
}

/// Reason why a sink did not take a batch.
///
/// The kind of the error decides whether the feed delivers the batch again:
///
/// ```
/// use hooks_audit::sink::SinkError;
///
/// fn error_of(status: u16) -> SinkError {
///     match status {
///         400 => SinkError::refused("the server cannot read the batch"),
///         _ => SinkError::again(format!("the server answered {status}")),
///     }
/// }
///
/// assert!(matches!(error_of(400), SinkError::Refused { .. }));
/// assert_eq!(error_of(503).to_string(), "the server answered 503");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SinkError {
    /// The sink may take it later: it is unavailable or overloaded, or an operator has to fix something.
    #[error("{message}")]
    Again {
        /// Description of the error.
        message: String,
        /// Time that the sink asks to wait.
        after: Option<Duration>,
    },
    /// The sink took the batch except for some records, which it refuses permanently and does not name. The
    /// batch is not delivered again.
    #[error("{message}")]
    Partly {
        /// Number of refused records.
        refused: u64,
        /// Message of the sink.
        message: String,
    },
    /// The sink refuses the batch permanently, because of something in it.
    #[error("{message}")]
    Refused {
        /// Message of the sink.
        message: String,
    },
}

impl SinkError {
    /// Creates an error after which the sink may take the batch later.
    pub fn again(message: impl Into<String>) -> Self {
        Self::Again { message: message.into(), after: None }
    }

    /// Creates an error for a permanent refusal.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into() }
    }
}

#[cfg(test)]
mod tests;

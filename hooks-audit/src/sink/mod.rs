//! Sends what was committed to other systems: at least once, in order, from the log itself.
//!
//! A [`Feed`] reads the log behind its own place in it, gives what it reads to one [`Sink`], and writes the place down
//! once the sink has it. The log is the buffer: a sink that is slow or dead holds up nothing but its own place, and
//! costs one batch of memory. What a sink gets twice (its answer was lost, the process was killed before the place was
//! written) it tells by the record's key, [`Committed::key`](crate::Committed::key), which is the same everywhere and of
//! this log alone: several logs may be sent to one sink.
//!
//! | sink | keys | what a success means | feature |
//! | --- | --- | --- | --- |
//! | [`OtlpSink`](otlp::OtlpSink) | span ids, `log.record.uid` | the collector took it | `http` |
//! | [`WebhookSink`](webhook::WebhookSink) | `Idempotency-Key`, `key` of each record | a 2xx answer | `http` |
//! | [`PostgresSink`](postgres::PostgresSink) | primary key | committed, as durable as the server is set to be | `postgres` |
//! | [`NatsSink`](nats::NatsSink) | `Nats-Msg-Id` | stored by the stream; through a loss of power only with `sync_interval: always` | `nats` |
//!
//! What a sink refuses for good (a record that it cannot take, however often it is asked) is written to a file beside
//! the place, with the reason, so that the records behind it go on; what somebody has to mend (a wrong password, a
//! table that is not there) is asked again until it is mended.
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

mod backoff;
mod bookmark;
mod chains;
mod feed;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "nats")]
pub mod nats;
mod open;
mod origin;
#[cfg(feature = "http")]
pub mod otlp;
#[cfg(feature = "postgres")]
pub mod postgres;
mod settings;
mod source;
mod status;
#[cfg(feature = "http")]
pub mod webhook;
#[cfg(any(feature = "http", feature = "nats"))]
mod wire;

use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;

pub use self::feed::{Feed, Step};
pub use self::open::{OpenError, Opening};
pub use self::origin::Origin;
pub use self::settings::{
    FeedSettings, NatsConfig, OtlpConfig, PostgresConfig, Signal, SinkConfig, SinkConfigError, WebhookConfig,
};
pub use self::source::{LogSource, Source};
pub use self::status::{FeedStatus, StatusHandle};
use crate::read::Committed;

/// Takes records. One that waits for an answer does so in the future it gives, which is dropped where it takes too
/// long: then nothing is known of the batch, and it is given again.
pub trait Sink: Send + Sync {
    /// Takes a batch in order, whole or not at all; what it has already (by
    /// [`Committed::key`](crate::Committed::key)) it drops. There is at least one record.
    ///
    /// # Errors
    /// Where it does not have all of the batch for good.
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>>;

    /// There is nothing to deliver at the moment, or a batch is settled; what a sink sends by itself, such as metrics,
    /// it sends now.
    ///
    /// # Errors
    /// Where it cannot; nothing is lost.
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

/// Why a sink did not take a batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SinkError {
    /// It may take it later: it is away, it is overloaded, somebody has to mend something.
    #[error("{message}")]
    Again {
        /// What happened.
        message: String,
        /// How long it asks to be left alone.
        after: Option<Duration>,
    },
    /// It took the batch, but for so many of the records, which it never takes and does not name. The batch is not given
    /// again.
    #[error("{message}")]
    Partly {
        /// How many it does not take.
        refused: u64,
        /// What it says.
        message: String,
    },
    /// It never takes it: there is something in it that it does not take.
    #[error("{message}")]
    Refused {
        /// What it says.
        message: String,
    },
}

impl SinkError {
    /// It may take it later.
    pub fn again(message: impl Into<String>) -> Self {
        Self::Again { message: message.into(), after: None }
    }

    /// It never takes it.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into() }
    }
}

#[cfg(test)]
mod tests;

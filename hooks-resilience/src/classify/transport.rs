//! Errors below HTTP.

use std::fmt;

use hooks_core::BoxError;

use crate::error::ErrorKind;

/// A call that failed before or while the provider answered.
///
/// ```
/// use std::io;
/// use hooks_resilience::ErrorKind;
/// use hooks_resilience::classify::{Phase, TransportError};
///
/// let cause = io::Error::new(io::ErrorKind::ConnectionReset, "reset by peer");
/// let error = TransportError::broke(Phase::Body).with_source(cause);
/// assert_eq!(error.kind(), ErrorKind::StreamBroken);
/// assert_eq!(error.to_string(), "the answer broke off: reset by peer");
/// ```
#[derive(Debug)]
pub struct TransportError {
    phase: Phase,
    timed_out: bool,
    source: Option<BoxError>,
}

/// Phase of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not connected yet: name lookup, connection, handshake.
    Connect,
    /// Connected, without an answer yet.
    FirstByte,
    /// The answer had begun.
    Body,
}

impl TransportError {
    /// Creates the error of a connection that broke in this phase.
    pub const fn broke(phase: Phase) -> Self {
        Self { phase, timed_out: false, source: None }
    }

    /// Creates the error of a timeout in this phase.
    pub const fn timed_out(phase: Phase) -> Self {
        Self { phase, timed_out: true, source: None }
    }

    /// Sets the cause of the error.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        match (self.phase, self.timed_out) {
            (Phase::Connect, true) => ErrorKind::ConnectTimeout,
            (Phase::FirstByte, true) => ErrorKind::FirstByteTimeout,
            (Phase::Body, true) => ErrorKind::IdleTimeout,
            (Phase::Connect | Phase::FirstByte, false) => ErrorKind::Network,
            (Phase::Body, false) => ErrorKind::StreamBroken,
        }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.phase, self.timed_out) {
            (Phase::Connect, true) => "no connection in time",
            (Phase::Connect, false) => "the connection could not be made",
            (Phase::FirstByte, true) => "no answer began in time",
            (Phase::FirstByte, false) => "the connection broke before anything was answered",
            (Phase::Body, true) => "the answer stalled",
            (Phase::Body, false) => "the answer broke off",
        })?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

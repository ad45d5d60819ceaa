//! What goes wrong below HTTP.

use std::fmt;

use hooks_core::BoxError;

use crate::error::ErrorKind;

/// A call that failed before, or while, the provider answered.
#[derive(Debug)]
pub struct TransportError {
    phase: Phase,
    timed_out: bool,
    source: Option<BoxError>,
}

/// How far a call had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No connection yet: name, address, handshake.
    Connect,
    /// Connected; nothing was answered yet.
    FirstByte,
    /// The answer had begun.
    Body,
}

impl TransportError {
    /// It broke in this phase.
    pub const fn broke(phase: Phase) -> Self {
        Self { phase, timed_out: false, source: None }
    }

    /// It took too long in this phase.
    pub const fn timed_out(phase: Phase) -> Self {
        Self { phase, timed_out: true, source: None }
    }

    /// Keeps the error it comes from.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of error it is.
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

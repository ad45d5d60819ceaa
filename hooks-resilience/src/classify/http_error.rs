//! An answer of a provider that is an error.

use std::fmt;

use super::Headers;

/// An answer of a provider whose status is not a success. A client returns it as its error, so that
/// [`Classifiers`](super::Classifiers) can classify it.
///
/// ```
/// use hooks_resilience::classify::{Headers, HttpError};
///
/// let headers = Headers::from_iter([("content-type", "text/plain")]);
/// let error = HttpError::new(503, headers, "down for maintenance");
/// assert_eq!((error.status(), error.body()), (503, &b"down for maintenance"[..]));
/// assert_eq!(error.headers().iter().next(), Some(("content-type", "text/plain")));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct HttpError {
    status: u16,
    headers: Headers,
    body: Vec<u8>,
}

/// The most bytes of a body that are read. Errors of providers are short.
pub(super) const BODY_BYTES: usize = 64 * 1024;

impl HttpError {
    /// Creates an error with this status, these headers and the first 64 KiB of this body.
    pub fn new(status: u16, headers: Headers, body: impl Into<Vec<u8>>) -> Self {
        let mut body = body.into();
        body.truncate(BODY_BYTES);
        Self { status, headers, body }
    }

    /// The HTTP status.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The header fields.
    pub const fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The kept part of the body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the provider answered with status {}", self.status)
    }
}

impl fmt::Debug for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        f.debug_struct("HttpError")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .field("body", &body)
            .finish()
    }
}

impl std::error::Error for HttpError {}

//! An answer of a provider that is an error.

use std::fmt;

use super::Headers;

/// What a provider answered instead of a reply: what a client gives its stack where the status is not a success,
/// so that [`Classifiers`](super::Classifiers) can say what it means.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpError {
    status: u16,
    headers: Headers,
    body: Vec<u8>,
}

/// How much of a body is read. Errors are short; what is longer is no error of a provider's.
pub(super) const BODY_BYTES: usize = 64 * 1024;

impl HttpError {
    /// An answer with this status, these headers and this body; of the body, 64 KiB are kept.
    pub fn new(status: u16, headers: Headers, body: impl Into<Vec<u8>>) -> Self {
        let mut body = body.into();
        body.truncate(BODY_BYTES);
        Self { status, headers, body }
    }

    /// Its status.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Its headers.
    pub const fn headers(&self) -> &Headers {
        &self.headers
    }

    /// Its body, as far as it is kept.
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

//! What an HTTP status says, where the body says nothing.

use crate::error::ErrorKind;

/// What `status` means for a model call.
pub(super) const fn kind(status: u16) -> ErrorKind {
    match status {
        401 | 407 => ErrorKind::Authentication,
        402 => ErrorKind::QuotaExhausted,
        403 | 451 => ErrorKind::Permission,
        404 | 410 => ErrorKind::ModelUnavailable,
        // 522 and 524 are a content network's: the provider behind it did not answer in time.
        408 | 504 | 522 | 524 => ErrorKind::AttemptTimeout,
        // Somebody else holds what is needed; too early; a dependency failed. All of them pass.
        409 | 424 | 425 => ErrorKind::Server,
        413 => ErrorKind::ContextOverflow,
        429 => ErrorKind::RateLimited,
        499 => ErrorKind::Network,
        503 | 529 => ErrorKind::Overloaded,
        400..=498 => ErrorKind::InvalidRequest,
        500..=599 => ErrorKind::Server,
        _ => ErrorKind::Unknown,
    }
}

//! Classification by the HTTP status, for replies whose body is not recognised.

use crate::error::ErrorKind;

/// The kind of error that `status` means for a model call.
pub(super) const fn kind(status: u16) -> ErrorKind {
    match status {
        401 | 407 => ErrorKind::Authentication,
        402 => ErrorKind::QuotaExhausted,
        403 | 451 => ErrorKind::Permission,
        404 | 410 => ErrorKind::ModelUnavailable,
        // 522 and 524 come from a content delivery network: the provider behind it did not answer in time.
        408 | 504 | 522 | 524 => ErrorKind::AttemptTimeout,
        // Conflict, failed dependency, too early: all of them are temporary.
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

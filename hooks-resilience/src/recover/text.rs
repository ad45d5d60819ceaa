//! What kind of error a text tells of, where the host says what type it is.

use hooks_core::event::ErrorType;

use crate::classify::Classifiers;
use crate::error::{ErrorKind, ModelError};

/// The error that a text of this type tells of: what `classifiers` read in it, as far as that is of the type. The type
/// is the host's word; the text says which of it.
pub(crate) fn read_text(classifiers: &Classifiers, text: &str, error_type: ErrorType) -> ModelError {
    let error = classifiers.text(text);
    let otherwise = match error_type {
        ErrorType::ContextOverflow => ErrorKind::ContextOverflow,
        ErrorType::Network => ErrorKind::Network,
        ErrorType::Permission => ErrorKind::Permission,
        // Hosts say "model" where they know no more than that a model was called.
        _ => return error,
    };
    match error.kind().error_type() == error_type {
        true => error,
        false => error.with_kind(otherwise),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use hooks_core::time::StoppedClock;

    use super::*;

    #[test]
    fn the_type_is_the_hosts_word() {
        let classifiers = Classifiers::new(Arc::new(StoppedClock::default()));
        for (text, error_type, kind) in [
            ("oops", ErrorType::Network, ErrorKind::Network),
            ("rate limit", ErrorType::Network, ErrorKind::Network),
            ("request timed out", ErrorType::Network, ErrorKind::AttemptTimeout),
            ("401", ErrorType::Permission, ErrorKind::Authentication),
            ("oops", ErrorType::Permission, ErrorKind::Permission),
            ("oops", ErrorType::ContextOverflow, ErrorKind::ContextOverflow),
            ("rate limit", ErrorType::Unknown, ErrorKind::RateLimited),
        ] {
            assert_eq!(read_text(&classifiers, text, error_type).kind(), kind, "{text}");
        }
    }

    #[test]
    fn another_kind_keeps_what_else_was_read() {
        let classifiers = Classifiers::new(Arc::new(StoppedClock::default()));
        let error = read_text(&classifiers, "503: try again in 3s", ErrorType::Network);
        assert_eq!((error.kind(), error.status()), (ErrorKind::Network, Some(503)));
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    }
}

//! Classification of an error text with a type that the host states.

use hooks_core::event::ErrorType;

use crate::classify::Classifiers;
use crate::error::{ErrorKind, ModelError};

/// The error in a text of this type: the result of `classifiers`, if it agrees with the type. The host's type
/// decides; the text only selects a kind of that type.
pub(crate) fn read_text(classifiers: &Classifiers, text: &str, error_type: ErrorType) -> ModelError {
    let error = classifiers.text(text);
    let otherwise = match error_type {
        ErrorType::ContextOverflow => ErrorKind::ContextOverflow,
        ErrorType::Network => ErrorKind::Network,
        ErrorType::Permission => ErrorKind::Permission,
        // Hosts use the type `model` if they only know that a model was called.
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

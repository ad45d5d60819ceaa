//! Mistakes in a configuration, with their places.

use std::fmt;

use crate::health::SettingsError;
use crate::overflow::OverflowConfigError;

/// A mistake in a configuration, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFault {
    /// Place in the configuration, such as `routing.tiers.premium[1]`.
    pub path: String,
    /// Description of the mistake.
    pub problem: String,
    /// Suggested correction.
    pub hint: String,
}

impl ConfigFault {
    /// Creates a fault. `text` has the problem before a semicolon, and the hint behind it.
    pub(super) fn new(path: impl Into<String>, text: &str) -> Self {
        let (problem, hint) = text.split_once("; ").unwrap_or((text, "correct it, or leave it out"));
        Self { path: path.into(), problem: problem.to_owned(), hint: hint.to_owned() }
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.problem, self.hint)
    }
}

impl std::error::Error for ConfigFault {}

pub(super) fn fault(error: &SettingsError) -> ConfigFault {
    ConfigFault::new(error.setting(), &error.to_string())
}

pub(super) fn overflow_fault(error: &OverflowConfigError) -> ConfigFault {
    let field = match error {
        OverflowConfigError::NoMeans | OverflowConfigError::TooManyMeans(_) => "means",
        OverflowConfigError::Target(_) => "target_percent",
        OverflowConfigError::Timeout => "summary_timeout",
    };
    ConfigFault::new(format!("overflow.{field}"), &error.to_string())
}

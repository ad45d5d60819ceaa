//! Errors of the configuration of policies, all reported at once.

use std::fmt;

/// Error in one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// Field, as a path from the top: `write_guard.allow[2]`.
    pub field: String,
    /// Description of the error.
    pub problem: String,
    /// Advice on how to correct it.
    pub hint: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, problem, hint } = self;
        write!(f, "`{field}`: {problem}; {hint}")
    }
}

impl std::error::Error for PolicyError {}

/// All errors of a configuration, in the order of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyErrors(Vec<PolicyError>);

impl PolicyErrors {
    /// Returns the errors, in order.
    pub fn as_slice(&self) -> &[PolicyError] {
        &self.0
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value if there are no errors.
    ///
    /// # Errors
    /// Returns the errors if there are any.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// Adds an error of `field`: the problem, and advice on how to correct it.
    pub fn push(&mut self, field: impl Into<String>, problem: impl Into<String>, hint: impl Into<String>) {
        self.0.push(PolicyError { field: field.into(), problem: problem.into(), hint: hint.into() });
    }

    /// Adds an error of another crate, whose text has the problem, a semicolon and the advice.
    pub fn push_text(&mut self, field: impl Into<String>, text: &str, hint: &str) {
        let (problem, hint) = text.split_once("; ").unwrap_or((text, hint));
        self.push(field, problem, hint);
    }
}

impl fmt::Display for PolicyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PolicyErrors {}

impl IntoIterator for PolicyErrors {
    type Item = PolicyError;
    type IntoIter = std::vec::IntoIter<PolicyError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

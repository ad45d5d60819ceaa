//! The reason why a governed tool call gave no result.

use std::fmt;

use super::{ToolOutcome, ToolResult};

/// Reason why a governed tool call gave no result. It displays the text for the agent.
///
/// ```
/// use hooks_core::drivers::{CallError, ToolOutcome};
///
/// let error = ToolOutcome::Denied("nothing is deleted here".to_owned()).into_result().expect_err("it was denied");
/// assert_eq!(error, CallError::Denied("nothing is deleted here".to_owned()));
/// assert_eq!(error.to_string(), "nothing is deleted here");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallError {
    /// The tool did not run, for this reason.
    Denied(String),
    /// The tool ran, and its result is withheld for this reason.
    Withheld(String),
    /// The tool failed with this error, as the later hooks left it.
    Failed(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Denied(text) | Self::Withheld(text) | Self::Failed(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for CallError {}

impl ToolOutcome {
    /// Returns the result, without the notes of the hooks.
    ///
    /// # Errors
    /// Returns `Denied` if the tool did not run, `Withheld` if its result may not be used, and `Failed` if it failed.
    pub fn into_result(self) -> Result<ToolResult, CallError> {
        match self {
            Self::Denied(reason) => Err(CallError::Denied(reason)),
            Self::Ran(result, _) => Ok(result),
            Self::Withheld(reason, _) => Err(CallError::Withheld(reason)),
            Self::Failed(result, ..) => Err(CallError::Failed(result.error.unwrap_or_default())),
        }
    }
}

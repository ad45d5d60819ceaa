//! Errors of the tools.

use std::path::Path;

use crate::error::TeamError;
use crate::text::one_line;

/// Error of a tool call that had no effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not match the tool's schema.
    #[error("the arguments of `{tool}` cannot be read: {reason}")]
    Arguments {
        /// Name of the tool.
        tool: &'static str,
        /// Reason why they cannot be parsed.
        reason: String,
    },
    /// The value of an argument is invalid.
    #[error("`{field}` is not accepted: {reason}")]
    Invalid {
        /// Name of the argument.
        field: &'static str,
        /// Reason, and how to solve the problem.
        reason: String,
    },
    /// The host does not support the tool.
    #[error("{0}")]
    Unavailable(&'static str),
    /// The host's router failed.
    #[error("the task was not routed: {0}")]
    Router(hooks_core::BoxError),
    /// The host does not know its sessions.
    #[error("the agents at work are not known: {0}")]
    Sessions(hooks_core::BoxError),
    /// The team folder could not be read or written.
    #[error(transparent)]
    Team(#[from] TeamError),
}

impl ToolError {
    /// The longest message a model gets, in characters.
    const LONGEST: usize = 512;

    pub(super) fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { field, reason: reason.into() }
    }

    /// Returns the message for the model: on one line, cut to a limit, with the paths of `root` and its
    /// parent replaced.
    pub fn for_model(&self, root: &Path) -> String {
        let mut text = self.to_string();
        for path in [Some(root), root.parent()].into_iter().flatten() {
            let path = path.to_string_lossy();
            if path.len() > 1 {
                text = text.replace(&*path, "[team-root]");
            }
        }
        one_line(&text).chars().take(Self::LONGEST).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_does_not_hear_of_the_machine() {
        let error =
            ToolError::invalid("x", format!("/home/me/p/.squad/a\nand /home/me/p/b {}", "é".repeat(600)));
        let text = error.for_model(Path::new("/home/me/p/.squad"));
        assert!(text.starts_with("`x` is not accepted: [team-root]/a and [team-root]/b "), "{text}");
        assert_eq!(text.chars().count(), 512);
    }
}

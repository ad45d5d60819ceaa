//! What a hook process gives back to its client.

use crate::degraded::Degraded;

/// What a hook process writes and with which code it ends. Nothing else may be written to its standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// For standard output: one JSON object, or nothing.
    pub stdout: String,
    /// For standard error: one line, or nothing.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// What could not be said as it was meant, for the log.
    pub degraded: Vec<Degraded>,
}

impl Reply {
    /// Exit code 2 with a text on stderr: what denies a tool call in every client that was run.
    ///
    /// The text never begins like JSON, which Gemini CLI would read in place of the exit code, and is never empty, which
    /// Codex CLI and Gemini CLI would take for an allow.
    pub(super) fn exit_two(reason: &str) -> Self {
        Self { stderr: format!("hooks: {reason}\n"), exit: 2, ..Self::default() }
    }

    /// Exit code 1 with a text on stderr: something went wrong, and nothing is stopped by it.
    pub(super) fn warning(reason: &str) -> Self {
        Self { stderr: format!("hooks: {reason}\n"), exit: 1, ..Self::default() }
    }
}

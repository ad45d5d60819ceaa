//! The output of a hook process.

use crate::degraded::Degraded;

/// The output and exit code of a hook process. The process must write nothing else to its standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodedAnswer {
    /// For standard output: one JSON object, or nothing.
    pub stdout: String,
    /// For standard error: one line, or nothing.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// Wishes that could not be encoded as they are meant, for the log.
    pub degraded: Vec<Degraded>,
}

impl EncodedAnswer {
    /// Exit code 2 with a text on stderr, which denies a tool call in every client that was tested.
    ///
    /// The text is never empty and never begins like JSON. Gemini CLI would read JSON in place of the exit
    /// code. Codex CLI and Gemini CLI would treat an empty text as an allow.
    pub(super) fn exit_two(reason: &str) -> Self {
        Self { stderr: format!("hooks: {reason}\n"), exit: 2, ..Self::default() }
    }

    /// Exit code 1 with a text on stderr: an error that does not stop anything.
    pub(super) fn warning(reason: &str) -> Self {
        Self { stderr: format!("hooks: {reason}\n"), exit: 1, ..Self::default() }
    }
}

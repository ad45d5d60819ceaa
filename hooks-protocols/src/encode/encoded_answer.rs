//! The output of a hook process.

use super::client_answer::ClientAnswer;
use crate::degraded::Degraded;

/// The output and exit code of a hook process. The process must write nothing else to its standard output.
///
/// ```
/// use hooks_protocols::{Answer, Client, decode, encode};
///
/// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1"}"#;
/// let reply = encode(&decode(Client::Claude, None, bytes)?, &Answer::deny("not in this folder"));
/// // A program prints this and exits with the code.
/// assert_eq!((reply.exit, &*reply.stderr), (0, ""));
/// assert_eq!(
///     reply.stdout,
///     r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not in this folder"}}"#,
/// );
/// assert!(reply.degraded.is_empty(), "the client denies as asked");
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodedAnswer {
    /// For standard output: one JSON object, or nothing.
    pub stdout: String,
    /// For standard error: one line, or nothing.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// The answer that the output states, for the log.
    pub answered: ClientAnswer,
    /// Wishes that could not be encoded as they are meant, for the log.
    pub degraded: Vec<Degraded>,
}

impl EncodedAnswer {
    /// Exit code 2 with a text on stderr, which denies a tool call in every client that was tested.
    ///
    /// The text is never empty and never begins like JSON. Gemini CLI would read JSON in place of the exit
    /// code. Codex CLI and Gemini CLI would treat an empty text as an allow.
    pub(super) fn exit_two(reason: &str) -> Self {
        let stderr = format!("hooks: {reason}\n");
        Self { stderr, exit: 2, answered: ClientAnswer::Block, ..Self::default() }
    }

    /// Exit code 1 with a text on stderr: an error that does not stop anything.
    pub(super) fn warning(reason: &str) -> Self {
        Self { stderr: format!("hooks: {reason}\n"), exit: 1, ..Self::default() }
    }
}

//! The answer that a client gets to the question whether an event may happen.

use std::fmt;

use crate::table::{Says, Word};

/// The answer that a client gets to the question whether an event may happen, as its output states it.
///
/// It can differ from what hooks decided: a client that cannot ask its user gets a denial, and a client that
/// cannot deny at an event gets no answer at all.
///
/// ```
/// use hooks_protocols::{Answer, Client, ClientAnswer, decode, encode};
///
/// let bytes = br#"{"session_id": "s-1", "cwd": "/repo", "hook_event_name": "PreToolUse", "transcript_path": null,
///     "model": "m", "permission_mode": "default", "turn_id": "t-1", "tool_name": "Bash",
///     "tool_input": {"command": "ls"}, "tool_use_id": "call_1"}"#;
/// let decoded = decode(Client::Codex, None, bytes)?;
/// assert_eq!(encode(&decoded, &Answer::ask("run it?")).answered, ClientAnswer::Deny);
/// assert_eq!(encode(&decoded, &Answer::default()).answered.name(), "none");
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClientAnswer {
    /// No answer: the client goes on as it would without hooks.
    #[default]
    None,
    /// The event may happen, without a question to the user.
    Allow,
    /// The client asks its user.
    Ask,
    /// The run ends.
    Stop,
    /// The event must not happen.
    Deny,
    /// The event must not happen, or its result is withheld: in the clients that call this a block, or that
    /// read it from an exit code.
    Block,
}

impl ClientAnswer {
    /// All answers.
    pub const ALL: [Self; 6] = [Self::None, Self::Allow, Self::Ask, Self::Stop, Self::Deny, Self::Block];

    /// Name of the answer in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Stop => "stop",
            Self::Deny => "deny",
            Self::Block => "block",
        }
    }

    /// The answer that a field states.
    pub(super) fn from_word(word: &Word) -> Self {
        match word.says {
            Says::Text("allow") => Self::Allow,
            Says::Text("ask") => Self::Ask,
            Says::Text("deny" | "decline") => Self::Deny,
            Says::Text("block") => Self::Block,
            Says::Flag(false) if word.to.last() == Some(&"continue") => Self::Stop,
            _ => Self::None,
        }
    }
}

impl fmt::Display for ClientAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

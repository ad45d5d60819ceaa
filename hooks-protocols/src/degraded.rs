//! Wishes that a client does not support, and the effects that replaced them.

use std::fmt;

use crate::client::Client;

/// An effect that hooks wish from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Wish {
    /// Deny the event.
    Deny,
    /// Let the user decide.
    Ask,
    /// Allow the event without a question to the user.
    Allow,
    /// Replace a part of the event, such as arguments, prompt or result.
    Rewrite,
    /// Add a text for the model.
    Context,
    /// Show a text to the user.
    Message,
    /// End the run after this event.
    Stop,
    /// Hide the result from the user.
    Quiet,
    /// Replace the client's summary.
    Summary,
    /// Use another model.
    Model,
    /// Try again, or do not try again.
    Retry,
    /// Replace the first prompt.
    FirstPrompt,
}

impl Wish {
    /// All wishes.
    pub const ALL: &'static [Self] = &[
        Self::Deny,
        Self::Ask,
        Self::Allow,
        Self::Rewrite,
        Self::Context,
        Self::Message,
        Self::Stop,
        Self::Quiet,
        Self::Summary,
        Self::Model,
        Self::Retry,
        Self::FirstPrompt,
    ];
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Rewrite => "rewrite",
            Self::Context => "context",
            Self::Message => "message",
            Self::Stop => "stop",
            Self::Quiet => "quiet",
            Self::Summary => "summary",
            Self::Model => "model",
            Self::Retry => "retry",
            Self::FirstPrompt => "first_prompt",
        })
    }
}

/// The effect that replaces an unsupported wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Instead {
    /// The event was denied.
    Denied,
    /// The run was ended.
    Stopped,
    /// The wish was encoded as an allow.
    AsAllow,
    /// The wish was encoded as the reason of a denial.
    AsReason,
    /// The wish was encoded as context for the model.
    AsContext,
    /// The wish was left out. Nothing becomes less strict by that.
    LeftOut,
    /// No effect: the client has no way to enforce the wish here. The operator can see it in the log.
    NotEnforced,
}

impl Instead {
    /// Name of the effect in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Stopped => "stopped",
            Self::AsAllow => "as_allow",
            Self::AsReason => "as_reason",
            Self::AsContext => "as_context",
            Self::LeftOut => "left_out",
            Self::NotEnforced => "not_enforced",
        }
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "denied instead",
            Self::Stopped => "the run was ended instead",
            Self::AsAllow => "sent as an allow",
            Self::AsReason => "sent as the reason of a denial",
            Self::AsContext => "sent as context",
            Self::LeftOut => "left out",
            Self::NotEnforced => "not enforced",
        })
    }
}

/// A wish that a client does not support as it is meant, for the log.
///
/// ```
/// use hooks_protocols::{Answer, Client, Instead, Wish, decode, encode};
///
/// let bytes = br#"{"session_id": "s-1", "cwd": "/repo", "hook_event_name": "PreToolUse", "transcript_path": null,
///     "model": "m", "permission_mode": "default", "turn_id": "t-1", "tool_name": "Bash",
///     "tool_input": {"command": "ls"}, "tool_use_id": "call_1"}"#;
/// let reply = encode(&decode(Client::Codex, None, bytes)?, &Answer::ask("run it?"));
/// let note = &reply.degraded[0];
/// assert_eq!((note.wish, note.instead), (Wish::Ask, Instead::Denied));
/// assert!(!note.is_unsafe(), "a denial is stricter than a question");
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Degraded {
    /// The client.
    pub client: Client,
    /// The event, as the client calls it.
    pub event: String,
    /// The unsupported wish.
    pub wish: Wish,
    /// The effect in place of the wish.
    pub instead: Instead,
}

impl Degraded {
    /// Whether a wish that has to be enforced was not enforced.
    ///
    /// ```
    /// use hooks_protocols::{Answer, Client, decode, encode};
    ///
    /// // At the end of a session nothing can be denied any more.
    /// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "SessionEnd",
    ///     "reason": "other"}"#;
    /// let encoded = encode(&decode(Client::Claude, None, bytes)?, &Answer::deny("stay"));
    /// assert!(encoded.degraded.iter().any(|note| note.is_unsafe()));
    /// # Ok::<(), hooks_protocols::DecodeError>(())
    /// ```
    pub fn is_unsafe(&self) -> bool {
        self.instead == Instead::NotEnforced
    }
}

impl fmt::Display for Degraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, event, wish, instead } = self;
        write!(f, "{client} does not support `{wish}` at `{event}`: {instead}")
    }
}

//! What a client could not be told, and what it was told instead.

use std::fmt;

use crate::client::Client;

/// Something that hooks wish of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Wish {
    /// It must not happen.
    Deny,
    /// A person decides.
    Ask,
    /// It may happen, without a question.
    Allow,
    /// It happens in another form: arguments, prompt, result.
    Rewrite,
    /// The model reads this as well.
    Context,
    /// The user reads this.
    Message,
    /// The run ends after this.
    Stop,
    /// The user does not see the result.
    Quiet,
    /// This summary in place of the client's.
    Summary,
    /// Another model.
    Model,
    /// Try again, or do not.
    Retry,
    /// Another first prompt.
    FirstPrompt,
}

impl Wish {
    /// All of them.
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

/// What a client is told where it cannot be told a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Instead {
    /// It was denied.
    Denied,
    /// The run was ended.
    Stopped,
    /// It was said as an allow.
    AsAllow,
    /// It was said as the reason of a denial.
    AsReason,
    /// It was left out; nothing gets weaker by that.
    LeftOut,
    /// Nothing: the client offers no way to enforce it here. Whoever reads the log has to know.
    NotEnforced,
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "denied instead",
            Self::Stopped => "the run was ended instead",
            Self::AsAllow => "said as an allow",
            Self::AsReason => "said as the reason of a denial",
            Self::LeftOut => "left out",
            Self::NotEnforced => "not enforced",
        })
    }
}

/// One wish that a client could not be told as it was meant. For the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Degraded {
    /// Which client.
    pub client: Client,
    /// At which event, in the client's words.
    pub event: String,
    /// What could not be said.
    pub wish: Wish,
    /// What was said.
    pub instead: Instead,
}

impl Degraded {
    /// Whether something that had to be enforced was not.
    pub fn is_unsafe(&self) -> bool {
        self.instead == Instead::NotEnforced
    }
}

impl fmt::Display for Degraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, event, wish, instead } = self;
        write!(f, "{client} cannot be told `{wish}` at `{event}`: {instead}")
    }
}

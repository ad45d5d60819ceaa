//! The configuration of a handler.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::rules::Profile;

/// Timeout in seconds of a handler without its own.
const DEFAULT_TIMEOUT: u64 = 60;

/// Code that runs when an event happens. `Default` is an empty command, which parsing never returns.
///
/// ```
/// use std::time::Duration;
/// use hooks_command::{Handler, Profile};
///
/// let handler = Handler::command("./check.sh");
/// assert_eq!((handler.title(), handler.limit()), ("./check.sh", Duration::from_secs(60)));
/// let named = Handler { name: "check".to_owned(), timeout: 5, ..handler.clone() };
/// assert_eq!((named.title(), named.limit()), ("check", Duration::from_secs(5)));
/// // The July profile takes handlers with the same command for duplicates.
/// assert!(named.is_same(&handler, Profile::July) && !named.is_same(&handler, Profile::September));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handler {
    /// Kind of the handler.
    pub kind: HandlerKind,
    /// Name of the handler in messages.
    pub name: String,
    /// Position in its block, such as `pre_tool_use[0].hooks[1]`; empty if it was not parsed. Handlers that
    /// differ in nothing else are duplicates.
    pub place: String,
    /// Shell line of a command, or name of a builtin.
    pub command: String,
    /// Parameters of a builtin.
    pub args: Vec<String>,
    /// Timeout in seconds; 0 is the default.
    pub timeout: u64,
    /// Variables to add to the environment.
    pub env: BTreeMap<String, String>,
    /// Working directory, relative to the folder of the event.
    pub working_dir: String,
    /// Effect of a failure; if absent, the event's default.
    pub on_error: Option<OnError>,
    /// Whether output that the event does not use is a failure.
    pub strict_output: bool,
    /// The model, as `provider/name`.
    pub model: String,
    /// The prompt, a template over the payload.
    pub prompt: String,
    /// Name of the schema of the model's reply.
    pub schema: String,
}

/// The kind of a handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HandlerKind {
    /// A shell line.
    #[default]
    Command,
    /// A builtin of the host.
    Builtin,
    /// A question to a model.
    Model,
}

/// The effect of a failing handler, unless failures of the event always close. For handlers without
/// `on_error`, see [`Failures`](crate::Failures).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The user gets a warning.
    #[default]
    Warn,
    /// No effect.
    Ignore,
    /// A block if the event can be blocked; if the event changes a result, the result is withheld.
    Block,
}

impl HandlerKind {
    /// The words of the kinds, in the order in which messages list them.
    pub const WORDS: [(&'static str, Self); 3] =
        [("command", Self::Command), ("builtin", Self::Builtin), ("model", Self::Model)];

    /// The word of this kind.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Builtin => "builtin",
            Self::Model => "model",
        }
    }
}

impl OnError {
    /// The words of the effects, in the order in which messages list them.
    pub const WORDS: [(&'static str, Self); 3] =
        [("warn", Self::Warn), ("ignore", Self::Ignore), ("block", Self::Block)];
}

impl Handler {
    /// A command with the default options.
    pub fn command(line: impl Into<String>) -> Self {
        Self { command: line.into(), ..Self::default() }
    }

    /// Name of the handler in messages of docker-agent: its name, else its command, else its kind.
    pub fn title(&self) -> &str {
        match (self.name.as_str(), self.command.as_str()) {
            ("", "") => self.kind.word(),
            ("", command) => command,
            (name, _) => name,
        }
    }

    /// Name of the handler in our messages: its name, else its position, because a script can have many
    /// lines. A builtin has the name by which it is called.
    ///
    /// ```
    /// use hooks_command::Handler;
    ///
    /// let handler = Handler { place: "stop[0]".to_owned(), ..Handler::command("set -e\n./check.sh") };
    /// assert_eq!(handler.label(), "stop[0]");
    /// let named = Handler { name: "check".to_owned(), ..handler };
    /// assert_eq!(named.label(), "check");
    /// ```
    pub fn label(&self) -> &str {
        let is_called = !self.name.is_empty() || self.kind == HandlerKind::Builtin;
        if is_called || self.place.is_empty() { self.title() } else { &self.place }
    }

    /// Timeout of the handler.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(if self.timeout == 0 { DEFAULT_TIMEOUT } else { self.timeout })
    }

    /// Whether `other` is a duplicate of this handler. The July profile compares three fields only, so that
    /// of two model handlers the second never ran.
    pub fn is_same(&self, other: &Self, profile: Profile) -> bool {
        match profile {
            Profile::July => {
                (self.kind, &self.command, &self.args) == (other.kind, &other.command, &other.args)
            }
            // A position is no part of the configuration.
            Profile::September => {
                (&self.name, self.kind, &self.command, &self.args, self.timeout, &self.env)
                    == (&other.name, other.kind, &other.command, &other.args, other.timeout, &other.env)
                    && (&self.working_dir, self.on_error, self.strict_output)
                        == (&other.working_dir, other.on_error, other.strict_output)
                    && (&self.model, &self.prompt, &self.schema)
                        == (&other.model, &other.prompt, &other.schema)
            }
        }
    }
}

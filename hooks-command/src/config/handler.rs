//! One handler, as it is configured.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::rules::Profile;

/// How long a handler may take that does not say so.
const DEFAULT_TIMEOUT: u64 = 60;

/// What runs when an event happens. `Default` is a command without a command, which no reader makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handler {
    /// What kind it is.
    pub kind: HandlerKind,
    /// What messages call it.
    pub name: String,
    /// The shell line of a command, the name of a builtin.
    pub command: String,
    /// The parameters of a builtin.
    pub args: Vec<String>,
    /// In seconds; 0 is the default.
    pub timeout: u64,
    /// Added to the environment.
    pub env: BTreeMap<String, String>,
    /// Where it runs, from the folder of the event.
    pub working_dir: String,
    /// What a failure means; the event's default where absent.
    pub on_error: Option<OnError>,
    /// Whether output that the event has no use for is a failure.
    pub strict_output: bool,
    /// The model, as `provider/name`.
    pub model: String,
    /// The prompt, a template over the payload.
    pub prompt: String,
    /// The shape of the model's reply.
    pub schema: String,
}

/// What kind of handler it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HandlerKind {
    /// A line for the shell.
    #[default]
    Command,
    /// A function of the host.
    Builtin,
    /// A question to a model.
    Model,
}

/// What a failing handler means where the event does not close whatever is said; see [`Failures`](crate::Failures) for
/// what it means where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The user is told.
    #[default]
    Warn,
    /// Nothing.
    Ignore,
    /// A block, where the event can be blocked; a result that is withheld, where it is changed.
    Block,
}

impl HandlerKind {
    /// The words for it, in the order in which messages list them.
    pub const WORDS: [(&'static str, Self); 3] =
        [("command", Self::Command), ("builtin", Self::Builtin), ("model", Self::Model)];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Builtin => "builtin",
            Self::Model => "model",
        }
    }
}

impl OnError {
    /// The words for it, in the order in which messages list them.
    pub const WORDS: [(&'static str, Self); 3] =
        [("warn", Self::Warn), ("ignore", Self::Ignore), ("block", Self::Block)];
}

impl Handler {
    /// A command with nothing else said.
    pub fn command(line: impl Into<String>) -> Self {
        Self { command: line.into(), ..Self::default() }
    }

    /// What messages call it.
    pub fn title(&self) -> &str {
        match (self.name.as_str(), self.command.as_str()) {
            ("", "") => self.kind.word(),
            ("", command) => command,
            (name, _) => name,
        }
    }

    /// How long it may take.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(if self.timeout == 0 { DEFAULT_TIMEOUT } else { self.timeout })
    }

    /// Whether running both would be running one twice. The summer looked at three fields only, so that of two models
    /// the second never ran.
    pub fn is_same(&self, other: &Self, profile: Profile) -> bool {
        match profile {
            Profile::July => {
                (self.kind, &self.command, &self.args) == (other.kind, &other.command, &other.args)
            }
            Profile::September => self == other,
        }
    }
}

//! How a wish is said to a client.

use super::Path;
use crate::degraded::Instead;

/// The phrases of one event.
#[derive(Clone, Copy)]
pub(crate) struct Phrases {
    /// What every answer has, whatever it says.
    pub(crate) always: &'static [Word],
    pub(crate) deny: Phrase,
    pub(crate) ask: Phrase,
    pub(crate) allow: Phrase,
    pub(crate) rewrite: Phrase,
    pub(crate) context: Phrase,
    pub(crate) message: Phrase,
    pub(crate) stop: Phrase,
    pub(crate) quiet: Phrase,
    pub(crate) summary: Phrase,
    pub(crate) model: Phrase,
    pub(crate) retry: Phrase,
}

/// One wish.
#[derive(Clone, Copy)]
pub(crate) enum Phrase {
    /// There is no way to say it.
    Cannot,
    /// Saying nothing says it.
    Silence,
    /// These words say it.
    Words(&'static [Word]),
    /// These words say something near it.
    Near(&'static [Word], Instead),
    /// The reason on stderr, nothing on stdout, exit code 2.
    Exit,
}

/// One field of an answer.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    /// Where it stands.
    pub(crate) to: Path,
    /// What it says.
    pub(crate) says: Says,
}

/// A field that says this.
pub(crate) const fn word(to: Path, says: Says) -> Word {
    Word { to, says }
}

/// The value of a field.
#[derive(Clone, Copy)]
pub(crate) enum Says {
    /// Always this text.
    Text(&'static str),
    /// Always this flag.
    Flag(bool),
    /// The name of the event.
    EventName,
    /// Why; never empty.
    Reason,
    /// What is added for the model.
    Context,
    /// What is told to the user.
    Message,
    /// Why the run ends.
    StopReason,
    /// A summary in place of the client's.
    Summary,
    /// Another model.
    Model,
    /// What to do about an error.
    Retry,
    /// The arguments, prompt or target as it was changed.
    Changed,
    /// The result as it was changed, in the shape that the client gave it.
    Result,
    /// The same, with keys in camelCase.
    ResultInCamelCase,
    /// The changed result's text.
    ResultText,
    /// The result with the reason in place of its texts.
    Withheld,
    /// The changed messages of a model call, in Gemini's form.
    GeminiMessages,
    /// The changed messages of a model call, in docker-agent's form.
    DockerMessages,
    /// The changed reply of a model, in Gemini's form.
    GeminiReply,
    /// The result as it is now, changed or not.
    ResultAnyhow,
}

/// Nothing can be said; an allow is said by silence, as it goes ahead then.
pub(crate) const SILENT: Phrases = Phrases {
    always: &[],
    deny: Phrase::Cannot,
    ask: Phrase::Cannot,
    allow: Phrase::Silence,
    rewrite: Phrase::Cannot,
    context: Phrase::Cannot,
    message: Phrase::Cannot,
    stop: Phrase::Cannot,
    quiet: Phrase::Cannot,
    summary: Phrase::Cannot,
    model: Phrase::Cannot,
    retry: Phrase::Cannot,
};

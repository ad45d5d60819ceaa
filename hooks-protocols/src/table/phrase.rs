//! Encoding of wishes in an answer.

use super::Path;
use crate::degraded::Instead;

/// The encoding of each wish at one event.
#[derive(Clone, Copy)]
pub(crate) struct Phrases {
    /// Fields that every answer has.
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

/// The encoding of a wish.
#[derive(Clone, Copy)]
pub(crate) enum Phrase {
    /// The wish is not supported.
    Cannot,
    /// An answer without fields has the effect.
    Silence,
    /// These fields have the effect.
    Words(&'static [Word]),
    /// These fields have a similar effect.
    Near(&'static [Word], Instead),
    /// The reason on stderr, nothing on stdout, exit code 2.
    Exit,
}

/// One field of an answer.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    /// Path of the field in the answer.
    pub(crate) to: Path,
    /// Value of the field.
    pub(crate) says: Says,
}

/// A field with the given path and value.
pub(crate) const fn word(to: Path, says: Says) -> Word {
    Word { to, says }
}

/// The value of a field.
#[derive(Clone, Copy)]
pub(crate) enum Says {
    /// Always this text.
    Text(&'static str),
    /// Always this boolean.
    Flag(bool),
    /// The name of the event.
    EventName,
    /// Reason of the answer; never empty.
    Reason,
    /// Texts for the model.
    Context,
    /// Texts for the user.
    Message,
    /// Reason for which the run ends.
    StopReason,
    /// A summary in place of the client's.
    Summary,
    /// Another model.
    Model,
    /// Whether to retry after an error.
    Retry,
    /// The changed arguments, prompt or target.
    Changed,
    /// The changed result, in the shape that the client sent.
    Result,
    /// The changed result, with keys in camelCase.
    ResultInCamelCase,
    /// The text of the changed result.
    ResultText,
    /// The result with the reason in place of its texts.
    Withheld,
    /// The changed messages of a model call, in Gemini's form.
    GeminiMessages,
    /// The changed messages of a model call, in docker-agent's form.
    DockerMessages,
    /// The changed reply of a model, in Gemini's form.
    GeminiReply,
    /// The current result, changed or not.
    ResultAnyhow,
}

/// No wish is supported, except that an empty answer allows, as the event then happens.
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

//! Why a payload cannot be read.

use hooks_core::event::WireError;

use crate::client::Client;

/// A payload that cannot be read. Whoever decides answers with a [`failure`](crate::failure).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// There is none.
    #[error("there was no payload; have the client write one to the hook's standard input")]
    Empty,
    /// It is longer than the caller wants to read.
    #[error("the payload is {length} bytes long and {limit} are read")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// It is deeper than any payload is.
    #[error("the payload is nested deeper than {0} levels")]
    TooDeep(usize),
    /// One key stands twice in one object, so that two readers would see two values.
    #[error("`{0}` is given twice in the payload")]
    Duplicate(String),
    /// It is not UTF-8.
    #[error("the payload is not valid UTF-8 (at byte {at})")]
    NotUtf8 {
        /// The offset of the first byte that is not.
        at: usize,
    },
    /// It escapes a surrogate without the other half of its pair, which is no character.
    #[error("the payload has half a surrogate pair (before byte {at})")]
    HalfPair {
        /// The offset behind the escape.
        at: usize,
    },
    /// A number would have to be rounded: an integer beyond 64 bits, or a fraction beyond `f64`.
    #[error("a number in the payload is beyond 64 bits")]
    Number,
    /// It would take far more memory than it is long.
    #[error("the payload takes {0} bytes more memory than it is long: it has too many small values")]
    TooMany(usize),
    /// It is not JSON.
    #[error("the payload is not JSON: {what} (at byte {at})")]
    NotJson {
        /// What is wrong.
        what: String,
        /// Where.
        at: usize,
    },
    /// Two keys of one object in the arguments differ in case only, and the client takes them for one.
    #[error("`{one}` and `{other}` are one name to {client}; give one of them")]
    SameName {
        /// The client.
        client: Client,
        /// The first.
        one: String,
        /// The second.
        other: String,
    },
    /// A name (of an event, a tool, a session, an agent, a call, a model or a folder) is longer than any is.
    #[error("the name of the {what} is {length} bytes long and {limit} are read")]
    LongName {
        /// Of what.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The folder that the event happens in is deeper than any is.
    #[error("the working folder has {parts} parts and {limit} are read; work in a folder further up")]
    DeepFolder {
        /// Its parts.
        parts: usize,
        /// The limit.
        limit: usize,
    },
    /// The payload names two events.
    #[error("the payload names two events, `{one}` and `{other}`")]
    TwoEvents {
        /// By the key that counts less.
        one: String,
        /// By the key that counts more.
        other: String,
    },
    /// It is JSON, and no object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// Neither the payload nor the caller says which event it is.
    #[error("{client} does not say which event this is; name it: `--event {example}`")]
    NoEvent {
        /// The client.
        client: Client,
        /// One of its events.
        example: &'static str,
    },
    /// The caller and the payload say two things.
    #[error(
        "the hook was called for `{called}` and the payload is of `{payload}`; correct the hook settings"
    )]
    OtherEvent {
        /// What the caller says.
        called: String,
        /// What the payload says.
        payload: String,
    },
    /// The caller names an event that the client does not have, about a payload that could be of one that is decided about.
    #[error(
        "`{event}` is no event of {client}, and this payload looks like one of `{meant}`; correct the hook settings"
    )]
    UnknownEvent {
        /// What the caller says.
        event: String,
        /// The client.
        client: Client,
        /// The event that the payload could be of.
        meant: &'static str,
    },
    /// The event is one of another client.
    #[error("`{event}` is no event of {client}; {other} has it, so call with `--client {}`", other.name())]
    OtherClient {
        /// The event.
        event: String,
        /// The client that was named.
        client: Client,
        /// A client that has it.
        other: Client,
    },
    /// A field that the event needs is missing or of another type.
    #[error("the payload of `{event}` cannot be read: {source}")]
    Fields {
        /// The event, in the client's words.
        event: String,
        /// Which field.
        source: WireError,
    },
}

impl DecodeError {
    /// The events that the payload could be of, in the client's words, as far as the error tells. Of several, the client is
    /// most likely at the last.
    pub fn events(&self) -> Vec<&str> {
        match self {
            Self::OtherEvent { called: one, payload: other } | Self::TwoEvents { one, other } => {
                vec![one, other]
            }
            Self::UnknownEvent { event, meant, .. } => vec![event, meant],
            Self::OtherClient { event, .. } | Self::Fields { event, .. } => vec![event],
            _ => Vec::new(),
        }
    }
}

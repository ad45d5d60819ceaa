//! Errors of decoding a payload.

use hooks_core::event::WireError;

use crate::client::Client;

/// The payload cannot be decoded. A hook that decides then answers with a [`failure`](crate::failure).
///
/// ```
/// use hooks_protocols::{Client, decode};
///
/// let error = |event, bytes: &str| {
///     decode(Client::Claude, event, bytes.as_bytes()).expect_err("it is invalid").to_string()
/// };
/// assert_eq!(error(None, r#"{"a": 1, "a": 2}"#), "`a` is given twice in the payload");
/// assert_eq!(error(None, "[]"), "the payload is not a JSON object");
/// assert_eq!(
///     error(Some("PostToolUse"), r#"{"hook_event_name": "PreToolUse"}"#),
///     "the hook was called for `PostToolUse` and the payload is of `PreToolUse`; correct the hook settings",
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The payload is empty.
    #[error("there was no payload; have the client write one to the hook's standard input")]
    Empty,
    /// The payload is longer than the caller's limit.
    #[error("the payload is {length} bytes long and {limit} are read")]
    TooLong {
        /// Length of the payload in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The payload is nested deeper than the limit.
    #[error("the payload is nested deeper than {0} levels")]
    TooDeep(usize),
    /// An object has a duplicate key. Two parsers could read different values.
    #[error("`{0}` is given twice in the payload")]
    Duplicate(String),
    /// The payload is not UTF-8.
    #[error("the payload is not valid UTF-8 (at byte {at})")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// A string escapes one half of a surrogate pair without the other, which is not a character.
    #[error("the payload has half a surrogate pair (before byte {at})")]
    HalfPair {
        /// Offset after the escape.
        at: usize,
    },
    /// A number would have to be rounded: an integer beyond 64 bits, or a fraction beyond `f64`.
    #[error("a number in the payload is beyond 64 bits")]
    Number,
    /// The payload needs far more memory than its length.
    #[error("the payload takes {0} bytes more memory than it is long: it has too many small values")]
    TooMany(usize),
    /// The payload is not JSON.
    #[error("the payload is not JSON: {what} (at byte {at})")]
    NotJson {
        /// The syntax error.
        what: String,
        /// Offset of the error in bytes.
        at: usize,
    },
    /// Two keys of an object in the arguments differ only in case, and the client treats them as the same
    /// name.
    #[error("`{one}` and `{other}` are one name to {client}; give one of them")]
    SameName {
        /// The client.
        client: Client,
        /// The first key.
        one: String,
        /// The second key.
        other: String,
    },
    /// A name (of an event, a tool, a session, an agent, a call, a model or a folder) is longer than the limit.
    #[error("the name of the {what} is {length} bytes long and {limit} are read")]
    LongName {
        /// The thing with the name: `event` or `tool`.
        what: &'static str,
        /// Length of the name in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The working folder of the event has more parts than the limit.
    #[error("the working folder has {parts} parts and {limit} are read; work in a folder further up")]
    DeepFolder {
        /// Number of parts of the folder.
        parts: usize,
        /// The limit.
        limit: usize,
    },
    /// The payload names two events.
    #[error("the payload names two events, `{one}` and `{other}`")]
    TwoEvents {
        /// The event named by the key with the lower priority.
        one: String,
        /// The event named by the key with the higher priority.
        other: String,
    },
    /// The payload is JSON, but not an object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// Neither the payload nor the caller names the event.
    #[error("the payload of {client} does not name its event; name it: `--event {example}`")]
    NoEvent {
        /// The client.
        client: Client,
        /// An event of the client, as an example.
        example: &'static str,
    },
    /// The caller and the payload name different events.
    #[error(
        "the hook was called for `{called}` and the payload is of `{payload}`; correct the hook settings"
    )]
    OtherEvent {
        /// The event that the caller names.
        called: String,
        /// The event that the payload names.
        payload: String,
    },
    /// The client has no event of the name that the caller gives, and the payload could belong to an event
    /// that hooks decide.
    #[error(
        "`{event}` is not an event of {client}, and this payload looks like one of `{meant}`; correct the hook settings"
    )]
    UnknownEvent {
        /// The event that the caller names.
        event: String,
        /// The client.
        client: Client,
        /// The event to which the payload could belong.
        meant: &'static str,
    },
    /// The event belongs to another client.
    #[error("`{event}` is not an event of {client}; {other} has it, so call with `--client {}`", other.name())]
    OtherClient {
        /// Name of the event.
        event: String,
        /// The client that the caller names.
        client: Client,
        /// A client that has the event.
        other: Client,
    },
    /// A field that the event needs is missing or has another type.
    #[error("the payload of `{event}` cannot be read: {source}")]
    Fields {
        /// The event, as the client calls it.
        event: String,
        /// The field and its error.
        source: WireError,
    },
}

impl DecodeError {
    /// The events to which the payload could belong, as the client calls them, if the error names any. Of
    /// several, the last is the most likely.
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

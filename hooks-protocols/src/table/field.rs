//! Mapping of payload fields to fields of our events, in both directions.

use serde_json::Value;

/// Keys, from the outermost to the innermost.
pub(crate) type Path = &'static [&'static str];

/// One field of a payload.
pub(crate) struct Field {
    /// Path of the field in the payload.
    pub(crate) from: Path,
    /// Destination of the value.
    pub(crate) to: To,
    /// Conversion of the value.
    pub(crate) how: How,
}

/// Destination of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// The session.
    Session,
    /// The parent of the session.
    Parent,
    /// The agent that acts.
    Agent,
    /// The working directory of the agent.
    Folder,
    /// The folder of the whole project. It is also the working directory if the payload has none.
    Root,
    /// The time of the event.
    Time,
    /// A field of the event.
    Event(Path),
}

/// Conversion of a value in both directions. A value that cannot be converted stays among the unknown fields.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// Any value, unchanged.
    Any,
    /// A string.
    Text,
    /// An integer; a fraction is truncated.
    Count,
    /// Pairs of the client's word and ours. If several of the client's words map to one of ours, the first is
    /// written.
    Words(&'static [(&'static str, &'static str)]),
    /// JSON in a string, as Cursor sends arguments.
    JsonText,
    /// A pair of functions: the first reads, the second writes.
    Both(fn(&Value) -> Option<Value>, fn(Value) -> Option<Value>),
}

impl How {
    /// Converts a client's value to ours.
    pub(crate) fn read(self, value: &Value) -> Option<Value> {
        match self {
            Self::Any => Some(value.clone()),
            Self::Text => value.is_string().then(|| value.clone()),
            Self::Count => match value.as_u64() {
                Some(count) => Some(count.into()),
                None => value.as_f64().filter(|count| *count >= 0.0).map(whole),
            },
            Self::Words(words) => {
                let theirs = value.as_str()?;
                words.iter().find(|(word, _)| *word == theirs).map(|(_, ours)| (*ours).into())
            }
            // Parsing JSON needs limits; see `Placed::json_text`.
            Self::JsonText => None,
            Self::Both(read, _) => read(value),
        }
    }

    /// Converts our value to the client's.
    pub(crate) fn write(self, value: Value) -> Option<Value> {
        match self {
            Self::Any | Self::Text | Self::Count => Some(value),
            Self::Words(words) => {
                let ours = value.as_str()?;
                words.iter().find(|(_, word)| *word == ours).map(|(theirs, _)| (*theirs).into())
            }
            Self::JsonText => Some(value.to_string().into()),
            Self::Both(_, write) => write(value),
        }
    }

    /// Whether the value can be removed from the payload, as it can be restored exactly from the converted
    /// value.
    pub(crate) fn takes(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Text => value.is_string(),
            Self::Count => value.is_u64(),
            Self::JsonText => false,
            Self::Words(_) | Self::Both(..) => {
                self.read(value).and_then(|ours| self.write(ours)).is_some_and(|again| again == *value)
            }
        }
    }
}

/// Truncates a number. The cast saturates at `u64::MAX`.
fn whole(count: f64) -> Value {
    (count as u64).into()
}

/// A value for a field of our event that a payload never has.
pub(crate) struct Preset {
    pub(crate) to: Path,
    pub(crate) value: Constant,
}

/// The value of a [`Preset`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Constant {
    Text(&'static str),
    Count(u64),
    Flag(bool),
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Text(text) => text.into(),
            Constant::Count(count) => count.into(),
            Constant::Flag(flag) => flag.into(),
        }
    }
}

/// A preset string.
pub(crate) const fn text(to: Path, text: &'static str) -> Preset {
    Preset { to, value: Constant::Text(text) }
}

/// A preset number.
pub(crate) const fn number(to: Path, count: u64) -> Preset {
    Preset { to, value: Constant::Count(count) }
}

/// A preset flag.
pub(crate) const fn flag(to: Path, flag: bool) -> Preset {
    Preset { to, value: Constant::Flag(flag) }
}

impl Field {
    /// A field with any value.
    pub(crate) const fn any(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::Any }
    }

    /// A string field.
    pub(crate) const fn text(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::Text }
    }

    /// A field with a count.
    pub(crate) const fn count(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::Count }
    }

    /// A field with one of a few words.
    pub(crate) const fn words(from: Path, to: Path, words: &'static [(&'static str, &'static str)]) -> Self {
        Self { from, to: To::Event(to), how: How::Words(words) }
    }

    /// A field with JSON in a string.
    pub(crate) const fn json_text(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::JsonText }
    }

    /// A field with its own conversion.
    pub(crate) const fn both(
        from: Path,
        to: Path,
        read: fn(&Value) -> Option<Value>,
        write: fn(Value) -> Option<Value>,
    ) -> Self {
        Self { from, to: To::Event(to), how: How::Both(read, write) }
    }

    /// A string field of the context.
    pub(crate) const fn context(from: Path, to: To) -> Self {
        Self { from, to, how: How::Text }
    }
}

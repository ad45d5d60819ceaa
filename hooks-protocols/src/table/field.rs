//! Where a field of a payload goes, in both directions.

use serde_json::Value;

/// Keys, from the outermost in.
pub(crate) type Path = &'static [&'static str];

/// One field of a payload.
pub(crate) struct Field {
    /// Where it stands in the payload.
    pub(crate) from: Path,
    /// Where it goes.
    pub(crate) to: To,
    /// How it is read and written.
    pub(crate) how: How,
}

/// What a field says something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// The session.
    Session,
    /// The session above it.
    Parent,
    /// The agent that acts.
    Agent,
    /// The folder it works in.
    Folder,
    /// The folder of the whole project; also the one it works in, where the payload does not say that.
    Root,
    /// When it happened.
    Time,
    /// A field of the event.
    Event(Path),
}

/// How a value is read and written. What cannot be read stays among the unknown fields.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// Any value, as it is.
    Any,
    /// A text.
    Text,
    /// A whole number; a fraction is cut off.
    Count,
    /// Theirs and ours. Of several of theirs for one of ours, the first is the one to write.
    Words(&'static [(&'static str, &'static str)]),
    /// JSON in a text, as Cursor sends arguments.
    JsonText,
    /// Read by the first, written by the second.
    Both(fn(&Value) -> Option<Value>, fn(Value) -> Option<Value>),
}

impl How {
    /// The value as our events have it.
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
            // It takes limits to read it: see `Placed::json_text`.
            Self::JsonText => None,
            Self::Both(read, _) => read(value),
        }
    }

    /// The value as the client has it.
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

    /// Whether the value can be taken out of the payload, as it can be written again from what is read.
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

/// Cast with saturation, which is what a count beyond all counts deserves.
fn whole(count: f64) -> Value {
    (count as u64).into()
}

/// A field of an event that a payload never has.
pub(crate) struct Preset {
    pub(crate) to: Path,
    pub(crate) value: Constant,
}

/// What it is instead.
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

/// A text that is always the same.
pub(crate) const fn text(to: Path, text: &'static str) -> Preset {
    Preset { to, value: Constant::Text(text) }
}

/// A number that is always the same.
pub(crate) const fn number(to: Path, count: u64) -> Preset {
    Preset { to, value: Constant::Count(count) }
}

/// A flag that is always the same.
pub(crate) const fn flag(to: Path, flag: bool) -> Preset {
    Preset { to, value: Constant::Flag(flag) }
}

impl Field {
    /// Any value.
    pub(crate) const fn any(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::Any }
    }

    /// A text.
    pub(crate) const fn text(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::Text }
    }

    /// A number.
    pub(crate) const fn count(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::Count }
    }

    /// One of a few words.
    pub(crate) const fn words(from: Path, to: Path, words: &'static [(&'static str, &'static str)]) -> Self {
        Self { from, to: To::Event(to), how: How::Words(words) }
    }

    /// JSON in a text.
    pub(crate) const fn json_text(from: Path, to: Path) -> Self {
        Self { from, to: To::Event(to), how: How::JsonText }
    }

    /// Something that takes reading.
    pub(crate) const fn both(
        from: Path,
        to: Path,
        read: fn(&Value) -> Option<Value>,
        write: fn(Value) -> Option<Value>,
    ) -> Self {
        Self { from, to: To::Event(to), how: How::Both(read, write) }
    }

    /// A text about where the event happens.
    pub(crate) const fn context(from: Path, to: To) -> Self {
        Self { from, to, how: How::Text }
    }
}

//! A word of a command, as far as it is known before running.

/// A word that a program is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Known.
    Literal(String),
    /// Known but for the places between these texts; there are at least two, which may be empty.
    Dynamic(Vec<String>),
}

impl Argument {
    /// A word of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self::Dynamic(vec![String::new(), String::new()])
    }

    /// The word, where it is known.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Dynamic(_) => None,
        }
    }

    /// What the word begins with.
    pub fn prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Dynamic(pieces) => pieces.first().map_or("", String::as_str),
        }
    }

    /// The last part of a path, where it is known.
    pub fn file_name(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => text.rsplit('/').next(),
            Self::Dynamic(pieces) => pieces.last()?.rsplit_once('/').map(|(_, name)| name),
        }
    }

    /// The word as a text for a shell, where a variable that nobody sets stands for what is not known.
    pub(super) fn as_shell_text(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Dynamic(pieces) => pieces.join("${_}"),
        }
    }

    /// Whether nothing of the word is known.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Dynamic(pieces) if pieces.iter().all(|piece| piece.trim().is_empty()))
    }

    /// What keeping it costs; unknown places count as well, or doubling them would be free.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::Dynamic(pieces) => pieces.iter().map(|piece| piece.len() + 1).sum(),
        }
    }

    /// What follows a prefix of the word.
    pub(super) fn strip_prefix(&self, prefix: &str) -> Option<Self> {
        match self {
            Self::Literal(text) => text.strip_prefix(prefix).map(|rest| Self::Literal(rest.to_owned())),
            Self::Dynamic(pieces) => {
                let (first, rest) = pieces.split_first()?;
                let first = first.strip_prefix(prefix)?.to_owned();
                Some(Self::Dynamic(std::iter::once(first).chain(rest.iter().cloned()).collect()))
            }
        }
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Literal(text.to_owned())
    }
}

/// Puts a word together from known and unknown pieces.
#[derive(Debug, Default)]
pub(super) struct ArgumentBuilder {
    done: Vec<String>,
    current: String,
}

impl ArgumentBuilder {
    pub(super) fn text(&mut self, text: &str) {
        self.current.push_str(text);
    }

    pub(super) fn character(&mut self, c: char) {
        self.current.push(c);
    }

    pub(super) fn unknown(&mut self) {
        self.done.push(std::mem::take(&mut self.current));
    }

    pub(super) fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Literal(text) => self.text(text),
            Argument::Dynamic(pieces) => {
                for (index, piece) in pieces.iter().enumerate() {
                    if index > 0 {
                        self.unknown();
                    }
                    self.text(piece);
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> Argument {
        if self.done.is_empty() {
            return Argument::Literal(self.current);
        }
        self.done.push(self.current);
        Argument::Dynamic(self.done)
    }
}

//! A word of a command, as far as it is known before running.

use crate::globs::Gap;

/// A word that a program is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Known.
    Literal(String),
    /// Known but for the gaps between these pieces.
    Dynamic {
        /// What is known; at least two texts, which may be empty.
        pieces: Vec<String>,
        /// What is between each two of them.
        gaps: Vec<Gap>,
    },
}

impl Argument {
    /// A word of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self::Dynamic { pieces: vec![String::new(), String::new()], gaps: vec![Gap::Any] }
    }

    /// The word, where it is known.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Dynamic { .. } => None,
        }
    }

    /// What the word begins with.
    pub fn prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Dynamic { pieces, .. } => pieces.first().map_or("", String::as_str),
        }
    }

    /// The word as an outline: stand-ins for what is not known.
    pub fn outline(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Dynamic { pieces, gaps } => {
                let gaps = gaps.iter().map(|gap| Some(gap.stand_in())).chain(std::iter::once(None));
                pieces.iter().zip(gaps).fold(String::new(), |text, (piece, gap)| {
                    gap.into_iter().fold(text + piece, |text, gap| text + gap.encode_utf8(&mut [0; 4]))
                })
            }
        }
    }

    /// The word that an outline stands for.
    pub fn of_outline(outline: &str) -> Self {
        let mut builder = ArgumentBuilder::default();
        for c in outline.chars() {
            match Gap::of(c) {
                Some(gap) => builder.gap(gap),
                None => builder.character(c),
            }
        }
        builder.finish()
    }

    /// The last part of a path, where it is known.
    pub fn file_name(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => text.rsplit('/').next(),
            Self::Dynamic { pieces, .. } => pieces.last()?.rsplit_once('/').map(|(_, name)| name),
        }
    }

    /// The word as a text for a shell, where a variable that nobody sets stands for what is not known.
    pub(super) fn as_shell_text(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Dynamic { pieces, .. } => pieces.join("${_}"),
        }
    }

    /// Whether the word is the result of a search.
    pub(super) fn is_found(&self) -> bool {
        matches!(self, Self::Dynamic { gaps, .. } if gaps.contains(&Gap::Folders) && !gaps.contains(&Gap::Any))
    }

    /// Whether nothing of the word is known.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Dynamic { pieces, .. } if pieces.iter().all(|piece| piece.trim().is_empty()))
    }

    /// Whether the word may begin with anything, a slash as well.
    pub(super) fn begins_with_anything(&self) -> bool {
        self.prefix().is_empty()
            && matches!(self, Self::Dynamic { gaps, .. } if gaps.first() == Some(&Gap::Any))
    }

    /// What keeping it costs; unknown places count as well, or doubling them would be free.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::Dynamic { pieces, .. } => pieces.iter().map(|piece| piece.len() + 1).sum(),
        }
    }

    /// What follows a prefix of the word.
    pub(super) fn strip_prefix(&self, prefix: &str) -> Option<Self> {
        match self {
            Self::Literal(text) => text.strip_prefix(prefix).map(|rest| Self::Literal(rest.to_owned())),
            Self::Dynamic { pieces, gaps } => {
                let (first, rest) = pieces.split_first()?;
                let first = first.strip_prefix(prefix)?.to_owned();
                let pieces = std::iter::once(first).chain(rest.iter().cloned()).collect();
                Some(Self::Dynamic { pieces, gaps: gaps.clone() })
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
    gaps: Vec<Gap>,
    current: String,
    /// Where a `[` stands: after how many gaps, and where in the piece behind them.
    bracket: Option<(usize, usize)>,
}

impl ArgumentBuilder {
    pub(super) fn text(&mut self, text: &str) {
        self.current.push_str(text);
    }

    pub(super) fn character(&mut self, c: char) {
        self.current.push(c);
    }

    pub(super) fn unknown(&mut self) {
        self.gap(Gap::Any);
    }

    pub(super) fn gap(&mut self, gap: Gap) {
        self.done.push(std::mem::take(&mut self.current));
        self.gaps.push(gap);
    }

    /// A `[` that may begin a wildcard.
    pub(super) fn open_bracket(&mut self) {
        self.bracket.get_or_insert((self.done.len(), self.current.len()));
        self.current.push('[');
    }

    /// Whether there is a `[` that a `]` would make a wildcard of.
    pub(super) fn has_bracket(&self) -> bool {
        self.bracket.is_some()
    }

    /// The `]` of a wildcard: with all behind the `[` it stands for one character.
    pub(super) fn close_bracket(&mut self) {
        let Some((gaps, at)) = self.bracket.take() else { return };
        self.done.push(std::mem::take(&mut self.current));
        self.current = self.done.get(gaps).and_then(|piece| piece.get(..at)).unwrap_or_default().to_owned();
        self.done.truncate(gaps);
        self.gaps.truncate(gaps);
        self.gap(Gap::One);
    }

    pub(super) fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Literal(text) => self.text(text),
            Argument::Dynamic { pieces, gaps } => {
                let gaps = std::iter::once(None).chain(gaps.iter().copied().map(Some));
                for (piece, gap) in pieces.iter().zip(gaps) {
                    gap.into_iter().for_each(|gap| self.gap(gap));
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
        Argument::Dynamic { pieces: self.done, gaps: self.gaps }
    }
}

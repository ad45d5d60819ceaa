//! Word of a command, as far as it is known before running.

use crate::globs::Gap;

/// Word that a program receives.
///
/// ```
/// use hooks_facts::commands::{Analysis, Options};
///
/// let analysis = Analysis::of_text("cat logs/$DAY/app.log", &Options::default());
/// let word = &analysis.invocations[0].argv[1];
/// assert_eq!(word.literal(), None);
/// assert_eq!(word.prefix(), "logs/");
/// assert_eq!(word.file_name(), Some("app.log"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A known word.
    Literal(String),
    /// A word that is known except for the gaps between these pieces.
    Dynamic {
        /// The known pieces; at least two texts, which may be empty.
        pieces: Vec<String>,
        /// The gap between each two pieces.
        gaps: Vec<Gap>,
    },
}

impl Argument {
    /// Creates a word of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self::Dynamic { pieces: vec![String::new(), String::new()], gaps: vec![Gap::Any] }
    }

    /// Creates a word that is a line of a list.
    pub(super) fn listed() -> Self {
        Self::of_outline(&Gap::Listed.stand_in().to_string())
    }

    /// Returns whether a part of the word is a line of a list.
    pub(super) fn is_listed(&self) -> bool {
        matches!(self, Self::Dynamic { gaps, .. } if gaps.contains(&Gap::Listed))
    }

    /// Returns the word if it is known.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("rm -r src \"$OUT\"", &Options::default());
    /// let words: Vec<_> = analysis.invocations[0].argv.iter().map(|word| word.literal()).collect();
    /// assert_eq!(words, [Some("rm"), Some("-r"), Some("src"), None]);
    /// ```
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Dynamic { .. } => None,
        }
    }

    /// Returns the known start of the word.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("cat logs/$DAY.txt", &Options::default());
    /// assert_eq!(analysis.invocations[0].argv[1].prefix(), "logs/");
    /// ```
    pub fn prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Dynamic { pieces, .. } => pieces.first().map_or("", String::as_str),
        }
    }

    /// Formats the word as an outline, with stand-ins for unknown parts.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    /// use hooks_facts::globs::{Gap, shown};
    ///
    /// let analysis = Analysis::of_text("xargs cat < names", &Options::default());
    /// let cat = analysis.invocations.last().unwrap();
    /// let outline = cat.argv[1].outline();
    /// assert!(outline.contains(Gap::Listed.stand_in())); // each line of the list
    /// assert_eq!(shown(&outline), "…");
    /// ```
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

    /// Parses the word of an outline.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Argument, Options};
    ///
    /// let analysis = Analysis::of_text("cat logs/$DAY", &Options::default());
    /// let word = &analysis.invocations[0].argv[1];
    /// assert_eq!(&Argument::of_outline(&word.outline()), word);
    /// ```
    pub fn of_outline(outline: &str) -> Self {
        let mut builder = ArgumentBuilder::default();
        for c in outline.chars() {
            match Gap::from_char(c) {
                Some(gap) => builder.gap(gap),
                None => builder.character(c),
            }
        }
        builder.finish()
    }

    /// Returns the last part of a path if it is known.
    pub fn file_name(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => text.rsplit('/').next(),
            Self::Dynamic { pieces, .. } => pieces.last()?.rsplit_once('/').map(|(_, name)| name),
        }
    }

    /// Formats the word as text for a shell, with an unset variable for each unknown part.
    pub(super) fn as_shell_text(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Dynamic { pieces, .. } => pieces.join("${_}"),
        }
    }

    /// Returns whether the word is the result of a search or of a wildcard.
    pub(super) fn is_found(&self) -> bool {
        matches!(self, Self::Dynamic { gaps, .. } if !gaps.iter().any(|gap| gap.is_anything()))
    }

    /// Returns whether nothing of the word is known.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Dynamic { pieces, .. } if pieces.iter().all(|piece| piece.trim().is_empty()))
    }

    /// Returns whether the word may start with anything, also with a slash.
    pub(super) fn begins_with_anything(&self) -> bool {
        self.prefix().is_empty()
            && matches!(self, Self::Dynamic { gaps, .. } if gaps.first().is_some_and(|gap| gap.is_anything()))
    }

    /// Returns the cost of storing the word; unknown parts count as well, because doubling them would
    /// otherwise be free.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::Dynamic { pieces, .. } => pieces.iter().map(|piece| piece.len() + 1).sum(),
        }
    }

    /// Returns the cost of keeping the word in a list, where empty words need room too.
    pub(super) fn cost(&self) -> usize {
        self.len() + 1
    }

    /// Returns the rest of the word after a prefix.
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

/// Builds a word from known and unknown pieces.
#[derive(Debug, Default)]
pub(super) struct ArgumentBuilder {
    done: Vec<String>,
    gaps: Vec<Gap>,
    current: String,
    /// Position of a `[`: the number of gaps before it, and the position in the piece after them.
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

    /// Appends a `[` that may start a wildcard.
    pub(super) fn open_bracket(&mut self) {
        self.bracket.get_or_insert((self.done.len(), self.current.len()));
        self.current.push('[');
    }

    /// Returns whether there is a `[` that a `]` would turn into a wildcard.
    pub(super) fn has_bracket(&self) -> bool {
        // In a class such as `[[:lower:]]`, the first `]` ends only the name of the class.
        let Some((gaps, at)) = self.bracket else { return false };
        let inner =
            if self.done.len() == gaps { self.current.get(at..) } else { Some(self.current.as_str()) };
        let class = inner.and_then(|inner| inner.rfind("[:").and_then(|at| inner.get(at + 2..)));
        !class.is_some_and(|class| class.ends_with(':') && !class.trim_end_matches(':').contains(':'))
    }

    /// Ends a wildcard at its `]`: everything from the `[` on stands for one character.
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

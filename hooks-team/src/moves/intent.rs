//! The stored description of a move.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::route;
use crate::digest::Digest;
use crate::error::TeamError;
use crate::folder::{LARGEST, TeamPath};

/// The most bytes that are searched for entries to remove, if another program changed a source.
const SEARCHED: usize = 256 << 20;

/// Description of a move: its parts, sources and target. It contains all moved text, so that it does not
/// depend on later changes of the files.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Intent {
    version: u32,
    pub(super) target: String,
    /// Title of the target, if the target does not exist yet.
    pub(super) title: String,
    pub(super) parts: Vec<Part>,
    /// Number of times that the target had the longest part before the move. All parts are added in one
    /// write, so this part shows whether the move was made.
    pub(super) before: usize,
    pub(super) sources: Vec<Source>,
}

/// Entries that are added to the target together.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// Section to which they are added; if `None`, the end of the file.
    pub(super) group: Option<String>,
    /// Whether the part has no headings. It is then added before the existing headings: otherwise it would
    /// become part of the text below the last one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) leading: bool,
    pub(super) text: Saved,
}

/// A file from which entries are moved.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(super) place: String,
    before: String,
    /// Digest of the file after the move; `None` if the file is removed.
    after: Option<String>,
    removals: Vec<Removal>,
}

/// A range that is removed from a source.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Removal {
    start: usize,
    end: usize,
    text: Saved,
}

/// Bytes in JSON: as text if they are UTF-8, and otherwise in hexadecimal digits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Saved {
    Text(String),
    Hex(String),
}

/// State that a source should have after the move.
pub(super) enum Left {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The file is removed.
    Nothing,
    /// The current content stays: the move was made here, or another program changed a file that should be
    /// removed.
    AsItIs,
}

impl Intent {
    const VERSION: u32 = 1;

    /// Describes the move of `parts` to the file at `target`, which has `content`.
    ///
    /// # Errors
    /// Returns `Invalid` if entries never move between these files; `Full` if the target would be larger than
    /// the limit for reading.
    pub(crate) fn new(
        target: &TeamPath,
        content: &[u8],
        title: &str,
        parts: Vec<Part>,
        sources: Vec<Source>,
    ) -> Result<Self, TeamError> {
        let mut intent = Self {
            version: Self::VERSION,
            target: target.to_string(),
            title: title.to_owned(),
            parts,
            before: 0,
            sources,
        };
        intent.check().map_err(|reason| TeamError::invalid("move", reason))?;
        // For each part, its heading and empty lines are added as well.
        let added =
            intent.parts.iter().map(|part| part.text.len() + part.group.as_ref().map_or(8, String::len));
        if (content.len() + title.len() + added.sum::<usize>()) as u64 > LARGEST {
            return Err(TeamError::Full { place: target.to_string(), limit: LARGEST });
        }
        intent.before = intent.count_in(content);
        Ok(intent)
    }

    /// Parses a stored move.
    ///
    /// # Errors
    /// Returns the reason if it is not a move that this crate has stored.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let intent: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("it is not a move that can be read: {error}"))?;
        if intent.version != Self::VERSION {
            return Err(format!("it is a move of version {}, which is not known here", intent.version));
        }
        intent.check()?;
        Ok(intent)
    }

    fn check(&self) -> Result<(), String> {
        let sources = self.sources.iter().map(|source| (&*source.place, source.after.is_none()));
        route::check(&self.target, sources)?;
        let mut places = self.sources.iter().map(|source| &source.place).chain([&self.target]);
        let is_inside = places.all(|place| TeamPath::stored(place).is_some());
        is_inside.then_some(()).ok_or_else(|| "a file of it is not in this folder".to_owned())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // The value has only text, numbers and lists, so it can always be encoded as JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether `content` has the parts of this move.
    pub(super) fn is_in(&self, content: &[u8]) -> bool {
        self.parts.is_empty() || self.count_in(content) > self.before
    }

    fn count_in(&self, content: &[u8]) -> usize {
        let parts = self.parts.iter().map(|part| part.text.bytes());
        let Some(longest) = parts.max_by_key(Vec::len).filter(|longest| !longest.is_empty()) else {
            return 0;
        };
        memmem::find_iter(content, &longest).count()
    }
}

/// Parts of a move that is being planned.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    parts: Vec<(Option<String>, bool, Vec<u8>)>,
    numbers: HashMap<(Option<String>, bool), usize>,
}

impl Parts {
    /// Adds `block` to the part of `group`; a `leading` block has no heading.
    pub(crate) fn add(&mut self, group: Option<&str>, leading: bool, block: &[u8]) {
        let group = group.map(str::to_owned);
        let number = *self.numbers.entry((group.clone(), leading)).or_insert(self.parts.len());
        if let Some((_, _, text)) = self.parts.get_mut(number) {
            text.extend_from_slice(b"\n");
            text.extend_from_slice(block);
        } else {
            self.parts.push((group, leading, block.to_vec()));
        }
    }

    /// Returns the parts in the order in which they were first added to.
    pub(crate) fn finish(self) -> Vec<Part> {
        let parts = self.parts.into_iter();
        parts.map(|(group, leading, text)| Part { group, leading, text: Saved::new(text) }).collect()
    }
}

impl Source {
    /// Describes the file at `place`, which has `before` and should have `after`.
    pub(crate) fn new(place: &TeamPath, before: &[u8], removals: Vec<Removal>, after: &[u8]) -> Self {
        Self {
            place: place.to_string(),
            before: Digest::hash(before).to_string(),
            after: Some(Digest::hash(after).to_string()),
            removals,
        }
    }

    /// Describes the file at `place` with the content `before`, which should be removed.
    pub(crate) fn whole(place: &TeamPath, before: &[u8]) -> Self {
        let before = Digest::hash(before).to_string();
        Self { place: place.to_string(), before, after: None, removals: Vec::new() }
    }

    /// Returns the state that a file with the content `current` should have.
    pub(super) fn left(&self, current: &[u8]) -> Left {
        let digest = Digest::hash(current);
        let is = |saved: &str| Digest::parse(saved) == Some(digest);
        match &self.after {
            None if is(&self.before) => Left::Nothing,
            None => Left::AsItIs,
            Some(after) if is(after) => Left::AsItIs,
            Some(_) if is(&self.before) => {
                Left::Bytes(without(current, self.removals.iter().map(Removal::range)))
            }
            Some(_) => Left::Bytes(without(current, self.found_in(current))),
        }
    }

    /// Finds the text to remove in a file that another program changed. Text that cannot be found was removed
    /// or changed, and stays. The search ends after a limit of bytes, and text beyond that stays too.
    fn found_in(&self, current: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let (mut from, mut searched) = (0, 0);
        for removal in &self.removals {
            if searched > SEARCHED {
                break;
            }
            let text = removal.text.bytes();
            let text = text.trim_ascii_end();
            let rest = current.get(from..).unwrap_or_default();
            let ends_a_line = |at: &usize| {
                let behind = rest.get(at + text.len()..).unwrap_or_default();
                matches!(behind, [] | [b'\n' | b'\r' | b' ', ..])
            };
            let begins_a_line =
                |at: &usize| from + at == 0 || matches!(current.get(from + at - 1), Some(b'\n' | b'\r'));
            let at = memmem::find_iter(rest, text).find(|at| begins_a_line(at) && ends_a_line(at));
            searched += at.map_or(rest.len(), |at| at + text.len());
            if let Some(at) = at.filter(|_| !text.is_empty()) {
                let end = from + at + text.len();
                let behind = current.get(end..).unwrap_or_default();
                let newline = if behind.starts_with(b"\r\n") {
                    2
                } else {
                    usize::from(matches!(behind, [b'\n' | b'\r', ..]))
                };
                found.push(from + at..end + newline);
                from = end + newline;
            }
        }
        found
    }
}

impl Removal {
    pub(crate) fn new(range: Range<usize>, text: &[u8]) -> Self {
        Self { start: range.start, end: range.end, text: Saved::new(text.to_vec()) }
    }

    const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl Saved {
    fn new(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Hex(error.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Hex(digits) => digits.len() / 2,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Hex(digits) => digits
                .as_bytes()
                .chunks(2)
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect(),
        }
    }
}

fn without(bytes: &[u8], ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<u8> {
    crate::text::apply(bytes, ranges.into_iter().map(crate::text::Splice::remove).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        for bytes in [&b"a\r\n\xFF\0"[..], "é".as_bytes(), b""] {
            let saved = serde_json::to_string(&Saved::new(bytes.to_vec())).unwrap();
            assert_eq!(serde_json::from_str::<Saved>(&saved).unwrap().bytes(), bytes);
        }
    }

    #[test]
    fn what_somebody_changed_is_found_again() {
        let before = b"# H\n\n- a\n- ab\n- b\n";
        let place = TeamPath::known("h.md");
        let removals = vec![Removal::new(5..9, b"- a\n"), Removal::new(14..18, b"- b\n")];
        let source = Source::new(&place, before, removals, b"# H\n\n- ab\n");
        let left = |current: &[u8]| match source.left(current) {
            Left::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            Left::AsItIs => "as it is".to_owned(),
            Left::Nothing => "nothing".to_owned(),
        };
        assert_eq!(left(before), "# H\n\n- ab\n");
        assert_eq!(left(b"# H\n\n- ab\n"), "as it is");
        assert_eq!(left(b"# New\n\n- ab\n- a\n- c\n- b"), "# New\n\n- ab\n- c\n");
        assert_eq!(left(b"# New\n\n- ab\n- c\n"), "# New\n\n- ab\n- c\n");
    }
}

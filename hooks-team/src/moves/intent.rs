//! A move, written down.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::route;
use crate::digest::Digest;
use crate::error::TeamError;
use crate::folder::{LARGEST, Place};

/// The most bytes that are searched for what leaves a source that somebody changed.
const SEARCHED: usize = 256 << 20;

/// What is moved, from where to where. It holds all of it, so that nothing depends on what others do meanwhile.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Intent {
    version: u32,
    pub(super) target: String,
    /// What the target begins with if it is not there.
    pub(super) title: String,
    pub(super) parts: Vec<Part>,
    /// How often the target held the longest part before. All parts are added at one moment, so that one tells.
    pub(super) before: usize,
    pub(super) sources: Vec<Source>,
}

/// Entries that are added to the target together.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// The section they are added to; at the end of the file where there is none.
    pub(super) group: Option<String>,
    /// Whether it has no headings: then it stands before those that are there, or it would be taken for a part of what
    /// is below the last of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) leading: bool,
    pub(super) text: Saved,
}

/// A file that entries leave.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(super) place: String,
    before: String,
    /// What is left; the file goes where nothing shall be.
    after: Option<String>,
    removals: Vec<Removal>,
}

/// A range that is taken out of a source.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Removal {
    start: usize,
    end: usize,
    text: Saved,
}

/// Bytes in JSON: text as it is, anything else in hexadecimal digits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Saved {
    Text(String),
    Hex(String),
}

/// What a source shall become.
pub(super) enum Left {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing: the file goes.
    Nothing,
    /// What it is: the move is done there, or somebody changed a file that was to go.
    AsItIs,
}

impl Intent {
    const VERSION: u32 = 1;

    /// The move of `parts` to the file at `target`, which holds `content`.
    ///
    /// # Errors
    /// Nothing is moved between such files, or the target would be larger than anybody reads.
    pub(crate) fn new(
        target: &Place,
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
        // Beside a part, its heading and empty lines are added.
        let added =
            intent.parts.iter().map(|part| part.text.len() + part.group.as_ref().map_or(8, String::len));
        if (content.len() + title.len() + added.sum::<usize>()) as u64 > LARGEST {
            return Err(TeamError::Full { place: target.to_string(), limit: LARGEST });
        }
        intent.before = intent.count_in(content);
        Ok(intent)
    }

    /// Reads what was written down.
    ///
    /// # Errors
    /// It is none that this crate writes down: why, as a reason for people.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let intent: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("it is no move that can be read: {error}"))?;
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
        let is_inside = places.all(|place| Place::stored(place).is_some());
        is_inside.then_some(()).ok_or_else(|| "a file of it is not in this folder".to_owned())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Text, numbers and lists only: there is nothing that JSON does not have.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether `content` holds what is moved.
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

/// The parts of a move while it is planned.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    parts: Vec<(Option<String>, bool, Vec<u8>)>,
    numbers: HashMap<(Option<String>, bool), usize>,
}

impl Parts {
    /// Adds `block` to the part of `group`; a `leading` one has no heading.
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

    /// The parts, in the order in which they were begun.
    pub(crate) fn finish(self) -> Vec<Part> {
        let parts = self.parts.into_iter();
        parts.map(|(group, leading, text)| Part { group, leading, text: Saved::new(text) }).collect()
    }
}

impl Source {
    /// The file at `place`, which holds `before` and shall hold `after`.
    pub(crate) fn of(place: &Place, before: &[u8], removals: Vec<Removal>, after: &[u8]) -> Self {
        Self {
            place: place.to_string(),
            before: Digest::of(before).to_string(),
            after: Some(Digest::of(after).to_string()),
            removals,
        }
    }

    /// The file at `place`, which goes.
    pub(crate) fn whole(place: &Place, before: &[u8]) -> Self {
        let before = Digest::of(before).to_string();
        Self { place: place.to_string(), before, after: None, removals: Vec::new() }
    }

    /// What is left of `current`.
    pub(super) fn left(&self, current: &[u8]) -> Left {
        let digest = Digest::of(current);
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

    /// Where what is removed stands in a file that somebody changed meanwhile. What cannot be found was removed, or
    /// changed: that stays. So does what is not found before so much was searched that nobody should wait longer.
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
        let place = Place::known("h.md");
        let removals = vec![Removal::new(5..9, b"- a\n"), Removal::new(14..18, b"- b\n")];
        let source = Source::of(&place, before, removals, b"# H\n\n- ab\n");
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

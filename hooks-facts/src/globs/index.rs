//! Finds the patterns that may match a path, by letters that a matching path must contain.
//!
//! Each pattern is indexed once, under the letters that the fewest other patterns share: its end, its start,
//! a name between two slashes, or otherwise a fragment. A path is then looked up by its ends, its starts, its
//! names and, in one pass, by all fragments.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;
use hashbrown::HashMap;

use super::wild::Wild;

/// Indices of patterns in their list, in order.
type Places = Vec<usize>;

/// Patterns by the letters that they need.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    endings: Texts,
    beginnings: Texts,
    names: Texts,
    fragments: Option<Fragments>,
    /// Patterns without letters.
    others: Places,
}

/// An index that is built once it is worth its cost, which is that of many questions to a few patterns. A
/// process that asks once and ends builds none.
#[derive(Debug, Default)]
pub(super) struct LazyIndex {
    index: OnceLock<Index>,
    /// Number of questions that were answered without the index.
    lookups: AtomicUsize,
}

/// Limits up to which questions are answered without an index.
const QUESTIONS: usize = 16;
const PATTERNS: usize = 64;

impl LazyIndex {
    /// Returns the index of `patterns`, which are the same each time; `None` if the patterns are to be
    /// checked one by one.
    pub(super) fn get(&self, patterns: &[Wild]) -> Option<&Index> {
        if let Some(index) = self.index.get() {
            return Some(index);
        }
        let is_early = patterns.len() <= PATTERNS && self.lookups.fetch_add(1, Ordering::Relaxed) < QUESTIONS;
        (!is_early).then(|| self.index.get_or_init(|| Index::new(patterns)))
    }
}

impl Clone for LazyIndex {
    fn clone(&self) -> Self {
        let lookups = AtomicUsize::new(self.lookups.load(Ordering::Relaxed));
        Self { index: self.index.clone(), lookups }
    }
}

/// Patterns by a text.
#[derive(Clone, Debug, Default)]
struct Texts {
    places: HashMap<String, Places>,
    /// Lengths of the texts, each with the bytes that distinguish most texts, as [`bit`]s.
    lengths: Vec<(usize, u64)>,
    /// The lengths that there are, as [`bit_of_length`]s.
    all_lengths: u64,
}

/// Patterns by a text that may be anywhere in a path.
#[derive(Clone, Debug)]
struct Fragments {
    automaton: AhoCorasick,
    places: Vec<Places>,
}

/// Letters under which a pattern is indexed, the fastest kind of look-up first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Letters {
    Ending(String),
    Beginning(String),
    Name(String),
    Fragment(String),
}

/// Patterns that may share the same letters before a pass for fragments is worth its cost.
const FEW: usize = 8;

impl Index {
    pub(super) fn new(patterns: &[Wild]) -> Self {
        let all: Vec<Vec<Letters>> = patterns.iter().map(|pattern| needed(pattern).collect()).collect();
        let mut shared: HashMap<&Letters, usize> = HashMap::new();
        for letters in all.iter().flatten() {
            *shared.entry(letters).or_default() += 1;
        }
        let mut index = Self::default();
        let mut fragments: HashMap<String, Places> = HashMap::new();
        for (place, needed) in all.iter().enumerate() {
            let by = |letters: &Letters| shared.get(letters).copied().unwrap_or_default();
            let is_fragment = |letters: &Letters| matches!(letters, Letters::Fragment(_));
            let best = |is_inner: bool| {
                let all = needed.iter().filter(|letters| is_fragment(letters) == is_inner);
                all.min_by_key(|letters| (by(letters), *letters))
            };
            let (inner, outer) = (best(true), best(false));
            let is_crowded = |outer: &Letters| inner.is_some_and(|inner| by(outer) > FEW.max(by(inner)));
            match outer.filter(|outer| !is_crowded(outer)).or(inner).cloned() {
                Some(Letters::Ending(text)) => index.endings.enter(text, place, first),
                Some(Letters::Beginning(text)) => index.beginnings.enter(text, place, last),
                Some(Letters::Name(text)) => index.names.enter(text, place, first),
                Some(Letters::Fragment(text)) => fragments.entry(text).or_default().push(place),
                None => index.others.push(place),
            }
        }
        index.fragments = Fragments::new(fragments, &mut index.others);
        index
    }

    /// Visits the indices of all patterns that may match a path, each at least once.
    pub(super) fn visit<'a>(&'a self, path: &str, visit: &mut impl FnMut(&'a [usize])) {
        self.endings.visit(path, first, |length| path.get(path.len() - length..), visit);
        self.beginnings.visit(path, last, |length| path.get(..length), visit);
        if !self.names.lengths.is_empty() {
            for name in names(path) {
                if let Some(places) = self.names.get(name) {
                    visit(places);
                }
            }
        }
        if let Some(fragments) = &self.fragments {
            for found in fragments.automaton.find_overlapping_iter(path) {
                visit(fragments.places.get(found.pattern().as_usize()).map_or(&[], Vec::as_slice));
            }
        }
        if !self.others.is_empty() {
            visit(&self.others);
        }
    }
}

/// Returns all letters under which a pattern may be indexed.
fn needed(pattern: &Wild) -> impl Iterator<Item = Letters> + '_ {
    let is_any = |text: &&String| !text.is_empty();
    let ending = Some(&pattern.ending).filter(is_any).map(|text| Letters::Ending(text.clone()));
    let beginning = Some(&pattern.beginning).filter(is_any).map(|text| Letters::Beginning(text.clone()));
    let (names, fragments) = (pattern.names(), pattern.fragments());
    ending
        .into_iter()
        .chain(beginning)
        .chain(names.map(Letters::Name))
        .chain(fragments.map(Letters::Fragment))
}

impl Texts {
    /// Adds a pattern; `telling` returns the byte of a text that distinguishes it from most others.
    fn enter(&mut self, text: String, place: usize, telling: fn(&str) -> Option<u8>) {
        let bit = telling(&text).map_or(0, bit);
        self.all_lengths |= bit_of_length(text.len());
        match self.lengths.iter_mut().find(|(length, _)| *length == text.len()) {
            Some((_, bits)) => *bits |= bit,
            None => self.lengths.push((text.len(), bit)),
        }
        self.places.entry(text).or_default().push(place);
    }

    /// Visits the patterns of the parts of a path that are as long as some text; `part` returns the part of a
    /// given length.
    fn visit<'a, 'p>(
        &'a self,
        path: &'p str,
        telling: fn(&str) -> Option<u8>,
        part: impl Fn(usize) -> Option<&'p str>,
        visit: &mut impl FnMut(&'a [usize]),
    ) {
        for (length, bits) in &self.lengths {
            let part = (*length <= path.len()).then(|| part(*length)).flatten();
            let part = part.filter(|part| telling(part).is_some_and(|byte| bits & bit(byte) != 0));
            if let Some(places) = part.and_then(|part| self.places.get(part)) {
                visit(places);
            }
        }
    }

    fn get(&self, text: &str) -> Option<&Places> {
        let byte = first(text).filter(|_| self.all_lengths & bit_of_length(text.len()) != 0)?;
        let may_be = self.lengths.iter().any(|(length, bits)| *length == text.len() && bits & bit(byte) != 0);
        may_be.then(|| self.places.get(text)).flatten()
    }
}

impl Fragments {
    /// Builds an automaton of all texts; if that fails, adds the patterns to `others`.
    fn new(texts: HashMap<String, Places>, others: &mut Places) -> Option<Self> {
        if texts.is_empty() {
            return None;
        }
        let (texts, places): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        match AhoCorasick::new(&texts) {
            Ok(automaton) => Some(Self { automaton, places }),
            // There are more letters than an automaton can have.
            Err(_) => {
                others.extend(places.into_iter().flatten());
                others.sort_unstable();
                None
            }
        }
    }
}

/// The names of a path, as `split` returns them. They are so short that a search by blocks costs more than this loop.
fn names(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let text = rest?;
        let slash = text.bytes().position(|byte| byte == b'/');
        rest = slash.and_then(|at| text.get(at + 1..));
        text.get(..slash.unwrap_or(text.len()))
    })
}

fn first(text: &str) -> Option<u8> {
    text.as_bytes().first().copied()
}

fn last(text: &str) -> Option<u8> {
    text.as_bytes().last().copied()
}

fn bit(byte: u8) -> u64 {
    1 << (byte & 63)
}

fn bit_of_length(length: usize) -> u64 {
    1 << length.min(63)
}

#[cfg(test)]
mod tests {
    use super::super::{GlobOptions, Globs};
    use super::*;

    #[test]
    fn names_are_those_of_split() {
        for path in ["", "/", "a", "a/b.rs", "/a//b/", "ä/ö"] {
            assert!(names(path).eq(path.split('/')), "{path}");
        }
    }

    fn wild(count: usize) -> Vec<Wild> {
        (0..count).map(|index| Wild::new(index, format!("{index}/"), 0, Vec::new())).collect()
    }

    #[test]
    fn few_questions_to_few_patterns_are_answered_without_an_index() {
        let (index, patterns) = (LazyIndex::default(), wild(PATTERNS));
        for _ in 0..QUESTIONS {
            assert!(index.get(&patterns).is_none());
        }
        assert!(index.get(&patterns).is_some() && index.clone().get(&patterns).is_some());
        assert!(LazyIndex::default().get(&wild(PATTERNS + 1)).is_some());
    }

    #[test]
    fn the_answer_is_the_same_with_an_index_and_without() {
        let patterns = ["*.lock", "src/*-a", "src/**/x/*.rs", "**/gen*", "src/x*y", "docs/**", "**"];
        let paths = ["a.lock", "src/b-a", "src/q/x/y.rs", "src/gen1", "src/xay", "docs/a/b", "c", "src/x"];
        for least in 0..patterns.len() {
            let globs = Globs::compile(&patterns[least..], &GlobOptions::default()).unwrap();
            let early = paths.map(|path| globs.find(path));
            // By now there is one.
            let _again = paths.map(|path| globs.find(path));
            assert_eq!(early, paths.map(|path| globs.find(path)));
        }
    }
}

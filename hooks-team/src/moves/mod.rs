//! Entries on their way from one file to another: first added there, then taken away here.
//!
//! A move is written down before it begins, with all that it moves. Whoever takes the folder's lock next finishes what a
//! killed process began, so that after that every entry is in exactly one place. An entry that the target already
//! has, byte for byte and dated or under a heading, is not added a second time.
//!
//! Others write in the folder too. What moves from where to where is a closed list, and what somebody else wrote down
//! is set aside: it reaches no other file, and keeps no move of ours.

mod intent;
mod route;
mod run;

use std::collections::HashMap;

pub(crate) use self::intent::{Intent, Parts, Removal, Source};
pub(crate) use self::route::is_markdown;
pub(crate) use self::run::{UNDER_WAY, begin, resume};
use crate::digest::Digest;
use crate::error::TeamError;
use crate::folder::Place;
use crate::ledger::{Entry, EntryKind, Grammar, Ledger};
use crate::text::{Document, balanced, ends_line, guarded};

/// What a move did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many entries left their place.
    pub entries: usize,
    /// How many of them the target had already.
    pub known: usize,
}

/// What the target of a move has, so that nothing is added twice.
pub(crate) struct Known(HashMap<Digest, usize>);

impl Known {
    /// The entries of `target`.
    pub(crate) fn of(target: &Ledger) -> Self {
        let mut known = HashMap::new();
        for entry in target.entries().filter(is_unmistakable) {
            *known.entry(entry.digest()).or_default() += 1;
        }
        Self(known)
    }

    /// Whether the target has `digest`; each of its entries stands for one that is moved.
    pub(crate) fn take(&mut self, digest: Digest) -> bool {
        let Some(count) = self.0.get_mut(&digest).filter(|count| **count > 0) else { return false };
        *count -= 1;
        true
    }

    /// Whether `digest` is known by now. From here on it is: however often it comes, it is added once.
    pub(crate) fn meet(&mut self, digest: Digest) -> bool {
        let times = self.0.entry(digest).or_default();
        *times += 1;
        *times > 1
    }
}

/// The most bytes that one move takes: it is written down with all that it moves, and has to be read again.
pub(crate) const MOST: usize = 4 << 20;

/// Whether two entries of the same text are surely one. A short item without a date may well be said twice.
pub(crate) fn is_unmistakable(entry: &Entry<'_>) -> bool {
    entry.kind() == EntryKind::Block || entry.date().is_some()
}

/// The text of an entry as it is added to `target`: it ends its last line, leaves nothing open, and closes nothing that
/// was open there.
pub(crate) fn block(target: &Document, text: &[u8]) -> Vec<u8> {
    let newline = Document::parse(text).newline().as_bytes();
    let mut block = balanced(text.trim_ascii_end());
    if !ends_line(&block) {
        block.extend_from_slice(newline);
    }
    guarded(target, block)
}

/// The move of the entries of `source` that `select` picks to `target`, whose parts are named after their groups if
/// `grouped`. Nothing where none is picked; of more than [`MOST`] bytes, the first ones.
pub(crate) fn plan(
    (place, source): (&Place, &[u8]),
    (target_place, target): (&Place, &[u8]),
    grammar: Grammar,
    title: &str,
    mut select: impl FnMut(&Entry<'_>) -> bool,
) -> Result<Option<(Intent, Moved)>, TeamError> {
    let ledger = Ledger::new(Document::parse(source), grammar);
    let mut size = 0;
    let picked = ledger.entries().filter(|entry| select(entry));
    let picked: Vec<_> = picked
        .take_while(|entry| {
            let is_first = size == 0;
            size += entry.range().len();
            is_first || size <= MOST
        })
        .collect();
    if picked.is_empty() {
        return Ok(None);
    }
    let target = Ledger::new(Document::parse(target), grammar);
    let mut known = Known::of(&target);
    let mut moved = Moved { entries: picked.len(), known: 0 };
    let mut parts = Parts::default();
    for entry in &picked {
        if is_unmistakable(entry) && known.take(entry.digest()) {
            moved.known += 1;
            continue;
        }
        let group = entry.group().filter(|_| grammar == Grammar::History);
        let leading = entry.kind() != EntryKind::Block;
        parts.add(group.as_deref(), leading, &block(target.document(), entry.bytes()));
    }
    let removals = picked.iter().map(|entry| {
        let range = entry.range();
        Removal::new(range.clone(), ledger.document().slice(range))
    });
    let source =
        Source::of(place, source, removals.collect(), &ledger.without(picked.iter().map(Entry::range)));
    let intent = Intent::new(target_place, target.document().bytes(), title, parts.finish(), vec![source])?;
    Ok(Some((intent, moved)))
}

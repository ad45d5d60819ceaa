//! Moves of entries between files: first added to the target, then removed from the sources.
//!
//! A move is stored before it begins, with all text that it moves. If a process is killed during a move, the
//! next one that takes the folder's lock finishes it, so that every entry is in exactly one file. An entry
//! that the target already has, byte for byte and with a date or heading, is not added again.
//!
//! Other programs write to the folder as well. Moves are only possible between a fixed list of files. A
//! stored move of another program is set aside: it reaches no other file, and blocks no move of ours.

mod intent;
mod route;
mod run;

use std::collections::HashMap;

pub(crate) use self::intent::{Intent, Parts, Removal, Source};
pub(crate) use self::route::is_markdown;
pub(crate) use self::run::{UNDER_WAY, begin, resume};
use crate::digest::Digest;
use crate::error::TeamError;
use crate::folder::TeamPath;
use crate::ledger::{Entry, EntryKind, Grammar, Ledger};
use crate::text::{Document, balanced, ends_line, guarded};

/// Result of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Number of entries that were moved.
    pub entries: usize,
    /// Number of them that the target already had.
    pub known: usize,
}

/// Entries of the target of a move, so that no entry is added twice.
pub(crate) struct Known(HashMap<Digest, usize>);

impl Known {
    /// Collects the entries of `target`.
    pub(crate) fn from_ledger(target: &Ledger) -> Self {
        let mut known = HashMap::new();
        for entry in target.entries().filter(is_unmistakable) {
            *known.entry(entry.digest()).or_default() += 1;
        }
        Self(known)
    }

    /// Whether the target has `digest`; each of its entries can match one moved entry.
    pub(crate) fn take(&mut self, digest: Digest) -> bool {
        let Some(count) = self.0.get_mut(&digest).filter(|count| **count > 0) else { return false };
        *count -= 1;
        true
    }

    /// Returns whether `digest` is known, and makes it known: equal entries are added once.
    pub(crate) fn meet(&mut self, digest: Digest) -> bool {
        let times = self.0.entry(digest).or_default();
        *times += 1;
        *times > 1
    }
}

/// The most bytes of one move: it is stored with all its text and has to be read again.
pub(crate) const MOST: usize = 4 << 20;

/// Whether two entries with equal text are certainly the same entry. A short item without a date may occur
/// twice.
pub(crate) fn is_unmistakable(entry: &Entry<'_>) -> bool {
    entry.kind() == EntryKind::Block || entry.date().is_some()
}

/// Returns the text of an entry for `target`: it ends its last line, leaves no code block open, and closes
/// none that is open in the target.
pub(crate) fn block(target: &Document, text: &[u8]) -> Vec<u8> {
    let newline = Document::parse(text).newline().as_bytes();
    let mut block = balanced(text.trim_ascii_end());
    if !ends_line(&block) {
        block.extend_from_slice(newline);
    }
    guarded(target, block)
}

/// Plans the move of the entries of `source` that `select` picks to `target`. In a history, each entry is
/// added to the section of its group. Returns `None` if no entry is picked. Beyond [`MOST`] bytes, only the
/// first entries are moved.
pub(crate) fn plan(
    (place, source): (&TeamPath, &[u8]),
    (target_place, target): (&TeamPath, &[u8]),
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
    let mut known = Known::from_ledger(&target);
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
        Source::new(place, source, removals.collect(), &ledger.without(picked.iter().map(Entry::range)));
    let intent = Intent::new(target_place, target.document().bytes(), title, parts.finish(), vec![source])?;
    Ok(Some((intent, moved)))
}

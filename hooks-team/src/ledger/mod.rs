//! Files that are a list of entries: decisions, histories, their archives, the inbox.
//!
//! Real files mix forms, so an [`Entry`] is whatever a reader would call one: a block under a heading, an item of a
//! list, or a paragraph or table that stands alone. Together with headings that only group, rules, comments and empty
//! lines, the entries are the whole file.

mod entry;
mod grammar;

use std::ops::Range;

pub use self::entry::{Entry, EntryKind};
pub use self::grammar::Grammar;
use self::grammar::Span;
use crate::text::{Document, Splice};

/// A document of entries.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    document: Document,
    spans: Vec<Span>,
}

impl Ledger {
    /// Finds the entries of `document`.
    pub fn new(document: Document, grammar: Grammar) -> Self {
        let spans = grammar::spans(&document, grammar);
        Self { document, spans }
    }

    /// The file.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Its entries, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> + ExactSizeIterator + Clone {
        self.spans.iter().map(|span| Entry::new(&self.document, span))
    }

    /// The file without the entries at `ranges` (what [`Entry::range`] gives), everything else as it was.
    pub(crate) fn without(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<u8> {
        self.document.with(ranges.into_iter().map(Splice::remove).collect())
    }
}

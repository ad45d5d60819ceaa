//! Files with a list of entries: decisions, histories, their archives, the inbox.
//!
//! Real files mix forms, so an [`Entry`] is what a reader would call one: a block under a heading, an item of
//! a list, or a separate paragraph or table. The rest of a file is group headings, rules, comments and empty
//! lines.
//!
//! ```
//! use hooks_team::ledger::{EntryKind, Grammar, Ledger};
//! use hooks_team::text::Document;
//!
//! let text = "# Decisions\n\n### 2026-03-15: Use SQLite\n\nOne file.\n";
//! let ledger = Ledger::new(Document::parse(text), Grammar::Decisions);
//! let entry = ledger.entries().next().expect("there is one");
//! assert_eq!((entry.kind(), &*entry.heading()), (EntryKind::Block, "2026-03-15: Use SQLite"));
//! assert_eq!((&*entry.title(), entry.body().trim()), ("Use SQLite", "One file."));
//! ```

mod entry;
mod grammar;

use std::ops::Range;

pub use self::entry::{Entry, EntryKind};
pub use self::grammar::Grammar;
use self::grammar::Span;
use crate::text::{Document, Splice};

/// A document with its entries.
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

    /// Returns the document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the entries, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> + ExactSizeIterator + Clone {
        self.spans.iter().map(|span| Entry::new(&self.document, span))
    }

    /// Returns the file without the entries at `ranges` (of [`Entry::range`]), and otherwise unchanged.
    pub(crate) fn without(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<u8> {
        self.document.with(ranges.into_iter().map(Splice::remove).collect())
    }
}

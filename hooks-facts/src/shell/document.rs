//! Here-documents, whose text starts after the line of their operator.

use std::rc::Rc;

use super::cursor::Result;
use super::parser::ShellParser;
use super::tree::{Document, Part, Word};
use super::word::Parts;

/// Here-document whose operator was parsed.
pub(super) struct Pending {
    mark: String,
    /// Whether the mark is quoted, so that the text is literal.
    quoted: bool,
    /// Whether tabs at the start of each line are removed.
    strips_tabs: bool,
    document: Document,
}

impl Pending {
    /// Creates the document; `None` if the mark has an expansion: shells compare it literally, but its
    /// literal text is not kept.
    pub(super) fn new(target: &Word, strips_tabs: bool, document: &Document) -> Option<Self> {
        let quoted = target.parts.iter().any(|part| matches!(part, Part::Literal { quoted: true, .. }));
        let mark = target.literal()?;
        Some(Self { mark, quoted, strips_tabs, document: Rc::clone(document) })
    }
}

impl ShellParser<'_> {
    /// Parses the texts of all pending documents; the reader is at the start of a line.
    pub(super) fn documents(&mut self) -> Result<()> {
        for pending in std::mem::take(&mut self.pending) {
            let word = self.document(&pending)?;
            // Each document is pending once, so it is empty here.
            let _already = pending.document.set(word);
        }
        Ok(())
    }

    fn document(&mut self, pending: &Pending) -> Result<Word> {
        let start = self.cursor.position;
        let mut text = String::new();
        loop {
            // Bash accepts the end of the text as the end of the document.
            if self.cursor.rest().is_empty() {
                break;
            }
            let whole = self.cursor.rest().split_inclusive('\n').next().unwrap_or_default();
            // Inside of a `$(…)` the rest may contain more than the document; each line is counted once.
            self.cursor.spend(whole.len())?;
            self.cursor.position += whole.len();
            let line = if pending.strips_tabs { whole.trim_start_matches('\t') } else { whole };
            if line.trim_end_matches(['\n', '\r']) == pending.mark {
                break;
            }
            text.push_str(line);
        }
        let span = self.cursor.span_from(start);
        if pending.quoted {
            return Ok(Word { parts: vec![Part::Literal { text, quoted: true }], span });
        }
        self.cursor.enter()?;
        let mut inner =
            ShellParser { cursor: self.cursor.nested(&text), syntax: self.syntax, pending: Vec::new() };
        let mut parts = Parts::default();
        let mut read = Ok(());
        while let (Ok(()), Some(c)) = (&read, inner.cursor.peek()) {
            read = inner.quoted_piece(c, &mut parts, "$`\\");
        }
        self.cursor.steps = inner.cursor.steps;
        read.map_err(|error| self.cursor.error(error.reason))?;
        self.cursor.leave();
        Ok(Word { parts: parts.finish(), span })
    }
}

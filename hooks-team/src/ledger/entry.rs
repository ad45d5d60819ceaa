//! Entries of a ledger.

use std::borrow::Cow;
use std::ops::Range;

use hooks_core::time::Timestamp;

use super::grammar::Span;
use crate::digest::Digest;
use crate::text::{Document, Field, fields};
use crate::when;

/// Form of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A heading with the text below it.
    Block,
    /// An item of a list, with the lines that belong to it.
    Item,
    /// A separate paragraph, table or code block.
    Loose,
}

/// An entry of a [`Ledger`](super::Ledger). Cheap to copy; its values are parsed from the file on each call.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    document: &'a Document,
    span: &'a Span,
}

impl<'a> Entry<'a> {
    pub(super) const fn new(document: &'a Document, span: &'a Span) -> Self {
        Self { document, span }
    }

    /// Returns the form of the entry.
    pub const fn kind(&self) -> EntryKind {
        self.span.kind
    }

    /// Returns the range of the entry in the file, with the empty lines after it.
    pub fn range(&self) -> Range<usize> {
        self.span.range.clone()
    }

    /// Returns the bytes of the entry, without the empty lines after it.
    pub fn bytes(&self) -> &'a [u8] {
        self.document.slice(self.span.content.clone())
    }

    /// Returns the text of the entry, heading included.
    pub fn text(&self) -> Cow<'a, str> {
        self.document.text(self.span.content.clone())
    }

    /// Returns the digest of the entry's text.
    pub fn digest(&self) -> Digest {
        Digest::of_text(self.bytes())
    }

    /// Returns the heading, or else the first line, with a date before it.
    pub fn heading(&self) -> Cow<'a, str> {
        self.document.text(self.span.title.clone())
    }

    /// Returns the heading, or else the first line, without a date before it.
    pub fn title(&self) -> Cow<'a, str> {
        let heading = self.heading();
        let Some((_, length)) = dated(&heading) else { return heading };
        match heading {
            Cow::Borrowed(text) => Cow::Borrowed(behind(text, length)),
            Cow::Owned(text) => Cow::Owned(behind(&text, length).to_owned()),
        }
    }

    /// Returns the text below the heading, or all text if there is no heading.
    pub fn body(&self) -> Cow<'a, str> {
        self.document.text(self.span.body.clone())
    }

    /// Returns the heading of the entry's group.
    pub fn group(&self) -> Option<Cow<'a, str>> {
        let section = self.document.sections().get(self.span.group?)?;
        Some(self.document.title_of(section))
    }

    /// Returns the date of the entry: the date at the start or the end of its heading, or else a `Date`
    /// field. For items and paragraphs, it is the first date in the first line.
    pub fn date(&self) -> Option<Timestamp> {
        let heading = self.heading();
        let in_heading = dated(&heading).map(|(moment, _)| moment).or_else(|| when::trailing(&heading));
        in_heading.or_else(|| match self.span.kind {
            EntryKind::Block => {
                self.field(&["date", "decided", "updated", "timestamp"]).as_deref().and_then(when::first)
            }
            EntryKind::Item | EntryKind::Loose => when::first(&heading),
        })
    }

    /// Returns the fields (`**Name:** value`), in order.
    pub fn fields(&self) -> Vec<Field<'a>> {
        fields(self.document, &self.span.body)
    }

    /// Returns the value of the first field with one of `names`, which are in lower case.
    pub fn field(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        self.fields().into_iter().find(|field| field.is(names)).map(|field| field.value)
    }

    /// Whether the entry is in force: it is not struck out, and its status is neither an end (superseded,
    /// rejected, withdrawn and so on) nor a proposal (proposed, draft). An entry without a status is in
    /// force.
    ///
    /// ```
    /// use hooks_team::ledger::{Grammar, Ledger};
    /// use hooks_team::text::Document;
    ///
    /// let in_force = |status| {
    ///     let text = format!("### 2026-03-15: Use SQLite\n**Status:** {status}\n");
    ///     Ledger::new(Document::parse(text), Grammar::Decisions).entries().all(|entry| entry.is_in_force())
    /// };
    /// assert!(in_force("accepted"));
    /// assert!(!in_force("❌ Superseded by Redis"));
    /// assert!(!in_force("proposed"));
    /// ```
    pub fn is_in_force(&self) -> bool {
        const NOT: [&str; 8] =
            ["superseded", "rejected", "deprecated", "withdrawn", "expired", "obsolete", "proposed", "draft"];
        let status = self.field(&["status", "state"]).unwrap_or_default();
        // An emoji or emphasis may come before the word.
        let status = status.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        !NOT.iter().any(|word| status.starts_with(word)) && !self.title().starts_with("~~")
    }

    /// Returns the author of the entry.
    pub fn by(&self) -> Option<Cow<'a, str>> {
        self.field(&["by", "author", "decided by", "owner", "reviewer", "requested by"])
    }
}

/// Parses the date at the start of a heading, with or without brackets. Returns the date and its length in
/// bytes.
pub(super) fn dated(heading: &str) -> Option<(Timestamp, usize)> {
    let inner = heading.trim_start_matches(['[', '(', ' ', '*']);
    let (moment, length) = when::leading(inner)?;
    Some((moment, heading.len() - inner.len() + length))
}

/// Returns the part of `heading` after its date and the separator.
fn behind(heading: &str, length: usize) -> &str {
    let rest = heading.get(length..).unwrap_or_default();
    rest.trim_start_matches(|c: char| {
        matches!(c, ':' | ']' | ')' | '*' | '-' | '–' | '—' | '|') || c.is_whitespace()
    })
}

//! One entry.

use std::borrow::Cow;
use std::ops::Range;

use hooks_core::time::Timestamp;

use super::grammar::Span;
use crate::digest::Digest;
use crate::text::{Document, Field, fields};
use crate::when;

/// What an entry looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A heading and what is below it.
    Block,
    /// An item of a list, with the lines that belong to it.
    Item,
    /// A paragraph, a table or code that stands alone.
    Loose,
}

/// An entry of a [`Ledger`](super::Ledger). Copied freely; everything is read from the file when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    document: &'a Document,
    span: &'a Span,
}

impl<'a> Entry<'a> {
    pub(super) const fn new(document: &'a Document, span: &'a Span) -> Self {
        Self { document, span }
    }

    /// What it looks like.
    pub const fn kind(&self) -> EntryKind {
        self.span.kind
    }

    /// Where it is, with the empty lines behind it.
    pub fn range(&self) -> Range<usize> {
        self.span.range.clone()
    }

    /// Its bytes, without the empty lines behind it.
    pub fn bytes(&self) -> &'a [u8] {
        self.document.slice(self.span.content.clone())
    }

    /// Its text, heading and all.
    pub fn text(&self) -> Cow<'a, str> {
        self.document.text(self.span.content.clone())
    }

    /// What it says, as a number.
    pub fn digest(&self) -> Digest {
        Digest::of_text(self.bytes())
    }

    /// Its heading, or its first line, with the date that stands before it.
    pub fn heading(&self) -> Cow<'a, str> {
        self.document.text(self.span.title.clone())
    }

    /// Its heading, or its first line, without a date before it.
    pub fn title(&self) -> Cow<'a, str> {
        let heading = self.heading();
        let Some((_, length)) = dated(&heading) else { return heading };
        match heading {
            Cow::Borrowed(text) => Cow::Borrowed(behind(text, length)),
            Cow::Owned(text) => Cow::Owned(behind(&text, length).to_owned()),
        }
    }

    /// What stands below its heading; all of it where it has none.
    pub fn body(&self) -> Cow<'a, str> {
        self.document.text(self.span.body.clone())
    }

    /// The heading it is grouped under.
    pub fn group(&self) -> Option<Cow<'a, str>> {
        let section = self.document.sections().get(self.span.group?)?;
        Some(self.document.title_of(section))
    }

    /// When it was written: the date its heading begins or ends with, else a `Date` field. Items and paragraphs are
    /// dated by the first date of their first line.
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

    /// Its fields (`**Name:** value`), in order.
    pub fn fields(&self) -> Vec<Field<'a>> {
        fields(self.document, &self.span.body)
    }

    /// The value of the first field called one of `names` (in lower case).
    pub fn field(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        self.fields().into_iter().find(|field| field.is(names)).map(|field| field.value)
    }

    /// Whether what it says holds: it is neither struck out, nor does its status say that it holds no longer
    /// (superseded, rejected, withdrawn and so on) or not yet (proposed, draft). Where nothing is said, it holds.
    pub fn is_in_force(&self) -> bool {
        const NOT: [&str; 8] =
            ["superseded", "rejected", "deprecated", "withdrawn", "expired", "obsolete", "proposed", "draft"];
        let status = self.field(&["status", "state"]).unwrap_or_default();
        // Before the word there may be a sign, or emphasis.
        let status = status.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        !NOT.iter().any(|word| status.starts_with(word)) && !self.title().starts_with("~~")
    }

    /// Who decided or wrote it.
    pub fn by(&self) -> Option<Cow<'a, str>> {
        self.field(&["by", "author", "decided by", "owner", "reviewer", "requested by"])
    }
}

/// The date that a heading begins with, in brackets or not, and how many bytes it has.
pub(super) fn dated(heading: &str) -> Option<(Timestamp, usize)> {
    let inner = heading.trim_start_matches(['[', '(', ' ', '*']);
    let (moment, length) = when::leading(inner)?;
    Some((moment, heading.len() - inner.len() + length))
}

/// `heading` behind its date and what sets that off.
fn behind(heading: &str, length: usize) -> &str {
    let rest = heading.get(length..).unwrap_or_default();
    rest.trim_start_matches(|c: char| {
        matches!(c, ':' | ']' | ')' | '*' | '-' | '–' | '—' | '|') || c.is_whitespace()
    })
}

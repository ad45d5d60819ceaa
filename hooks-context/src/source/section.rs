//! Sections: the answers of sources.

use hooks_team::Digest;

/// Answer of a source: entries, the most relevant first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Section {
    /// Heading above the entries. If it is empty, there is no heading.
    pub title: String,
    /// The entries.
    pub items: Vec<Item>,
    /// Number of further entries that the source left out.
    pub more: usize,
    /// Shell command that shows all entries.
    pub command: Option<String>,
}

/// An entry, which is given whole or not at all.
///
/// ```
/// use hooks_context::source::Item;
///
/// assert_eq!(Item::new("  Use Postgres.\n").text, "Use Postgres.");
/// assert_eq!(Item::new("Use Postgres.\n").digest, Item::new("Use Postgres.").digest);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Item {
    /// Text of the entry.
    pub text: String,
    /// Digest of the text. The same text is given once, even if several sources have it, and is not repeated
    /// when a session goes on.
    pub digest: Digest,
}

impl Section {
    /// Makes a section with a heading.
    pub fn new(title: impl Into<String>, items: Vec<Item>) -> Self {
        Self { title: title.into(), items, more: 0, command: None }
    }

    /// Sets the number of left-out entries, and the command that shows them.
    ///
    /// ```
    /// use hooks_context::source::{Item, Section};
    ///
    /// let section = Section::new("Decisions", vec![Item::new("Use Postgres.")]);
    /// let section = section.with_rest(3, Some("cat .squad/decisions.md".to_owned()));
    /// assert_eq!((section.items.len(), section.more), (1, 3));
    /// ```
    #[must_use]
    pub fn with_rest(mut self, more: usize, command: Option<String>) -> Self {
        (self.more, self.command) = (more, command);
        self
    }
}

impl Item {
    /// Makes an entry of `text`, without white space at its ends.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        Self { digest: Digest::of_text(text.as_bytes()), text: text.to_owned() }
    }
}

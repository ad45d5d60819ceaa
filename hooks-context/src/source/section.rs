//! A part of the context.

use hooks_team::Digest;

/// What a source gives: entries, the most relevant first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Section {
    /// Its heading. Without a heading nothing stands above its entries.
    pub title: String,
    /// The entries.
    pub items: Vec<Item>,
    /// How many there are beside these, which the source left out itself.
    pub more: usize,
    /// How to read all of it.
    pub command: Option<String>,
}

/// An entry: it is given whole or not at all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Item {
    /// Its text.
    pub text: String,
    /// What it says, as a number: the same text is given once, whoever has it, and not again when a session goes on.
    pub digest: Digest,
}

impl Section {
    /// A part under `title`.
    pub fn new(title: impl Into<String>, items: Vec<Item>) -> Self {
        Self { title: title.into(), items, more: 0, command: None }
    }

    /// Says that there are `more` entries, which `command` shows.
    #[must_use]
    pub fn with_rest(mut self, more: usize, command: Option<String>) -> Self {
        (self.more, self.command) = (more, command);
        self
    }
}

impl Item {
    /// An entry of `text`, without the space around it.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        Self { digest: Digest::of_text(text.as_bytes()), text: text.to_owned() }
    }
}

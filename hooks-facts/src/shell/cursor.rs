//! Position of a reader in its text, and its remaining budget.

use super::error::{Span, Unanalysable, Unparsed};

/// Longest text that is parsed.
const MAX_LENGTH: usize = 256 * 1024;

/// Deepest nesting that is parsed. The stack of a thread holds many times this.
const MAX_DEPTH: usize = 40;

pub(super) type Result<T> = std::result::Result<T, Unanalysable>;

/// Text with a position in it.
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) position: usize,
    depth: usize,
    /// Remaining characters that may be read, over all nested texts.
    pub(super) steps: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self> {
        let cursor = Self { text, position: 0, depth: 0, steps: text.len().saturating_mul(64) + 4096 };
        if text.len() > MAX_LENGTH { Err(cursor.error(Unparsed::TooLong)) } else { Ok(cursor) }
    }

    /// Creates a cursor on a text taken out of this one, with the same limits.
    pub(super) fn nested<'n>(&self, text: &'n str) -> Cursor<'n> {
        Cursor { text, position: 0, depth: self.depth, steps: self.steps }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Returns the character after the next one.
    pub(super) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn next(&mut self) -> Result<Option<char>> {
        self.spend(1)?;
        let next = self.peek();
        self.position += next.map_or(0, char::len_utf8);
        Ok(next)
    }

    /// Consumes a text if it is at this position.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_here = self.starts_with(text);
        if is_here {
            self.position += text.len();
        }
        is_here
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) {
            return Ok(());
        }
        Err(self.error(if self.rest().is_empty() { Unparsed::Unclosed } else { Unparsed::Unexpected }))
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<()> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(self.error(Unparsed::TooComplex)),
        }
    }

    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.error(Unparsed::TooDeep)) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn span_from(&self, start: usize) -> Span {
        Span { start, end: self.position }
    }

    /// Returns the text between a position and the present one.
    pub(super) fn text_from(&self, start: usize) -> &'t str {
        self.text.get(start..self.position).unwrap_or_default()
    }

    pub(super) fn error(&self, reason: Unparsed) -> Unanalysable {
        let end = self.text.len().min(self.position + 1);
        Unanalysable { reason, span: Span { start: self.position.min(end), end } }
    }
}

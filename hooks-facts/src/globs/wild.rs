//! One pattern with a wildcard, and the letters that it needs.

use super::matcher;
use super::pattern::Token;
use super::set::{character, text};

/// Pattern with a wildcard.
#[derive(Clone, Debug)]
pub(super) struct Wild {
    /// Index in the list.
    pub(super) index: usize,
    /// Characters before the first wildcard.
    pub(super) beginning: String,
    /// Characters after the last wildcard.
    pub(super) ending: String,
    /// Length of the folders before the first wildcard: `src/` of `src/a*`.
    folder: usize,
    /// Tokens after the folders.
    pub(super) tokens: Vec<Token>,
}

impl Wild {
    pub(super) fn new(index: usize, beginning: String, folder: usize, tokens: Vec<Token>) -> Self {
        let ends_at = tokens.iter().rposition(|token| character(*token).is_none()).map_or(0, |at| at + 1);
        let ending = text(tokens.get(ends_at..).unwrap_or_default());
        Self { index, beginning, ending, folder, tokens }
    }

    /// Returns the folders before the first wildcard.
    pub(super) fn folder(&self) -> &str {
        self.beginning.get(..self.folder).unwrap_or_default()
    }

    /// Returns the parts that identify the pattern.
    pub(super) fn text(&self) -> (&str, &[Token]) {
        (self.folder(), &self.tokens)
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        // Most paths are excluded by their letters, without a look at the tokens.
        path.starts_with(&self.beginning)
            && path.ends_with(&self.ending)
            && path.get(self.folder..).is_some_and(|rest| matcher::matches(&self.tokens, rest))
    }

    /// Returns whole names between two slashes that every matching path contains, without those at the start.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.runs().filter(|run| run.begins_name && run.ends_name).map(|run| run.text)
    }

    /// Returns letters that every matching path contains somewhere, without those at its start or end.
    pub(super) fn fragments(&self) -> impl Iterator<Item = String> + '_ {
        let last = self.tokens.len();
        self.runs().filter(move |run| run.end < last).map(|run| run.text)
    }

    /// Returns the letters after the first wildcard, in runs that end at slashes and wildcards.
    fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        let is_letter = |token: &Token| matches!(token, Token::Char(c) if *c != '/');
        let first = self.tokens.iter().position(|token| character(*token).is_none());
        let mut at = first.unwrap_or(self.tokens.len());
        std::iter::from_fn(move || {
            let rest = self.tokens.get(at..)?;
            let start = at + rest.iter().position(is_letter)?;
            let rest = self.tokens.get(start..)?;
            let end = start + rest.iter().position(|token| !is_letter(token)).unwrap_or(rest.len());
            at = end;
            let text = text(self.tokens.get(start..end)?);
            let before = start.checked_sub(1).and_then(|before| self.tokens.get(before));
            Some(Run {
                text,
                end,
                begins_name: matches!(before, Some(Token::Char('/'))) || self.is_at_name(start),
                ends_name: matches!(self.tokens.get(end), None | Some(Token::Char('/'))),
            })
        })
    }

    /// Returns whether a name starts at a position after `**/`.
    fn is_at_name(&self, start: usize) -> bool {
        let before = self.tokens.get(..start).unwrap_or_default();
        let behind = before.iter().rev().find(|token| **token != Token::Folders);
        before.last() == Some(&Token::Folders) && matches!(behind, None | Some(Token::Char('/')))
    }
}

/// Run of letters.
struct Run {
    text: String,
    /// Position of the token after it.
    end: usize,
    begins_name: bool,
    ends_name: bool,
}

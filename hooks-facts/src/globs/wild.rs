//! One pattern with a wildcard, and the letters that it needs.

use super::matcher;
use super::pattern::Token;
use super::set::character;

/// A pattern with a wildcard.
#[derive(Clone, Debug)]
pub(super) struct Wild {
    /// Its place in the list.
    pub(super) index: usize,
    /// The characters that it begins with.
    pub(super) beginning: String,
    /// The characters that it ends in.
    pub(super) ending: String,
    /// How long the folders before the first wildcard are: `src/` of `src/a*`.
    folder: usize,
    /// What follows the folders.
    pub(super) tokens: Vec<Token>,
}

impl Wild {
    pub(super) fn new(index: usize, beginning: String, folder: usize, tokens: Vec<Token>) -> Self {
        let ends_at = tokens.iter().rposition(|token| character(*token).is_none()).map_or(0, |at| at + 1);
        let ending = tokens.iter().skip(ends_at).filter_map(|token| character(*token)).collect();
        Self { index, beginning, ending, folder, tokens }
    }

    /// The folders before the first wildcard.
    pub(super) fn folder(&self) -> &str {
        self.beginning.get(..self.folder).unwrap_or_default()
    }

    /// What tells it from other patterns.
    pub(super) fn text(&self) -> (&str, &[Token]) {
        (self.folder(), &self.tokens)
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        // Most paths are told apart by their letters, without a look at the tokens.
        path.starts_with(&self.beginning)
            && path.ends_with(&self.ending)
            && path.get(self.folder..).is_some_and(|rest| matcher::matches(&self.tokens, rest))
    }

    /// Whole names between two slashes that stand in every path that it matches; not those it begins with.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.runs().filter(|run| run.begins_name && run.ends_name).map(|run| run.text)
    }

    /// Letters that stand somewhere in every path that it matches; not those it begins or ends with.
    pub(super) fn fragments(&self) -> impl Iterator<Item = String> + '_ {
        let last = self.tokens.len();
        self.runs().filter(move |run| run.end < last).map(|run| run.text)
    }

    /// The letters behind the first wildcard, in runs that end at slashes and wildcards.
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
            let text = self.tokens.get(start..end)?.iter().filter_map(|token| character(*token)).collect();
            let before = start.checked_sub(1).and_then(|before| self.tokens.get(before));
            Some(Run {
                text,
                end,
                begins_name: matches!(before, Some(Token::Char('/'))) || self.is_at_name(start),
                ends_name: matches!(self.tokens.get(end), None | Some(Token::Char('/'))),
            })
        })
    }

    /// Whether a name begins at a place behind `**/`.
    fn is_at_name(&self, start: usize) -> bool {
        let before = self.tokens.get(..start).unwrap_or_default();
        let behind = before.iter().rev().find(|token| **token != Token::Folders);
        before.last() == Some(&Token::Folders) && matches!(behind, None | Some(Token::Char('/')))
    }
}

/// Letters in a row.
struct Run {
    text: String,
    /// The place of the token behind it.
    end: usize,
    begins_name: bool,
    ends_name: bool,
}

//! Parts of a sentence that are read as sentences of their own: what stands before a marked wish, and what a dash or a
//! semicolon divides.

use std::ops::Range;

use super::unmarked::Context;
use super::{Form, Wish, WishParser, form};
use crate::directive::words::{JOINING, SCOPING, VERBS};

/// Nouns with which a user announces what follows.
const ANNOUNCING: &[&str] = table!("words_announcing");

/// The shortest part that is read, in tokens.
const SHORTEST: usize = 3;

impl WishParser<'_> {
    /// Returns the wishes of the sentence: those with a marker, and one without a marker before the first of them or in any
    /// part.
    pub(super) fn with_unmarked(&self, marked: Vec<Wish>, context: &Context<'_>) -> Vec<Wish> {
        let Some(first) = marked.first() else {
            let whole = self.unmarked(context);
            return whole.or_else(|| self.in_a_part(context)).into_iter().collect();
        };
        // "I hate long functions, split them up": the marked wish is the consequence of the words before it.
        let refers = first.tokens.clone().any(|at| self.sentence.is(at, &["them", "it", "one", "those"]));
        let head = self.before(first.tokens.start, context).filter(|_| !refers);
        head.into_iter().chain(marked).collect()
    }

    /// "We use Tailwind for all styling, no inline styles.": the words before the marked wish that begins at `start`.
    fn before(&self, start: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let mut end = start;
        while end > 0 && (s.mark(end - 1).is_some() || s.is(end - 1, JOINING) || s.is_filler(end - 1)) {
            end -= 1;
        }
        // "By the way" begins no scope, as "by default" does.
        let begins = self.content(0);
        let instructs =
            s.is(begins, VERBS) && !(begins..end).any(|at| s.is(at, &["every", "each", "all", "any"]));
        let is_scope = s.is(self.past_asides(self.content(0)).0, SCOPING);
        if end == start || is_scope || instructs {
            return None;
        }
        self.in_part(0..end, context)
    }

    /// Returns the wish of the first part between dashes and semicolons that has one.
    fn in_a_part(&self, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let divides = |at: &usize| match s.mark(*at) {
            Some(';' | '—' | '–' | '-') => true,
            Some(':') => self.announces(*at) && !self.is_talked_about(at + 1),
            _ => false,
        };
        let mut start = 0;
        let ends = (0..s.len()).filter(divides).chain(std::iter::once(s.len()));
        let parts = ends.map(|end| std::mem::replace(&mut start, end + 1)..end);
        parts.filter(|part| part.len() < s.len()).find_map(|part| self.in_part(part, context))
    }

    /// "One reminder about the registry: …": whether the words before a colon announce a statement of the user.
    fn announces(&self, colon: usize) -> bool {
        let s = self.sentence;
        (0..colon).any(|at| s.is(at, ANNOUNCING))
    }

    fn in_part(&self, part: Range<usize>, context: &Context<'_>) -> Option<Wish> {
        if part.len() < SHORTEST {
            return None;
        }
        let sentence = self.sentence.part(part.clone());
        let reader = WishParser { sentence: &sentence, form: form(&sentence) };
        if reader.form != Form::Statement {
            return None;
        }
        let Wish { mode, tokens } = reader.unmarked(context)?;
        Some(Wish { mode, tokens: tokens.start + part.start..tokens.end + part.start })
    }
}

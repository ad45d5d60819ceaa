//! Matches a path against the tokens of one pattern.
//!
//! Most patterns have no wildcard for folders but at their start, so that each of their names is compared with one of the path. For all
//! others, the positions of the match among the tokens are a bit set, which is updated for each character of the path. In the worst case,
//! the time is the product of the two lengths, whatever the pattern.

use super::pattern::Token;

/// Most tokens after the literal start of a pattern.
pub(super) const MAX_TOKENS: usize = WORDS * 64 - 1;

const WORDS: usize = 8;

/// Positions of a match; position `n` is before token `n`. `W` words of 64 of them.
#[derive(Clone, Copy)]
struct Places<const W: usize>([u64; W]);

impl<const W: usize> Places<W> {
    fn insert(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    fn contains(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word & (1 << (place % 64)) != 0)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Inserts a position and those that can be reached from it without a character.
    fn enter(&mut self, mut place: usize, tokens: &[Token]) {
        self.insert(place);
        while matches!(tokens.get(place), Some(Token::Star | Token::Deep | Token::DeepLine | Token::Folders))
        {
            place += 1;
            self.insert(place);
        }
    }

    fn each(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let lowest = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (lowest < u64::BITS).then_some(at * 64 + lowest as usize)
            })
        })
    }
}

/// Returns whether the tokens match the whole text.
pub(super) fn matches(tokens: &[Token], text: &str) -> bool {
    match tokens {
        [] => text.is_empty(),
        [Token::Deep] => true,
        [Token::Folders, names @ ..] if stay_in_names(names) => {
            let slashes = names.iter().filter(|token| **token == Token::Char('/')).count();
            last_names(text, slashes + 1).is_some_and(|text| match_names(names, text))
        }
        names if stay_in_names(names) => match_names(names, text),
        _ if tokens.len() < 64 => match_all::<1>(tokens, text),
        _ => match_all::<WORDS>(tokens, text),
    }
}

/// Whether no token stands for a text with a slash, other than the slash itself.
fn stay_in_names(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| matches!(token, Token::Char(_) | Token::One | Token::Star))
}

/// The last names of a path; `None` if it has fewer.
fn last_names(text: &str, count: usize) -> Option<&str> {
    let mut slashes = text.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'/');
    match slashes.nth(count - 1) {
        Some((at, _)) => text.get(at + 1..),
        None => (text.bytes().filter(|byte| *byte == b'/').count() + 1 == count).then_some(text),
    }
}

/// Compares tokens that [`stay_in_names`]. After a mismatch, the last wildcard of the same name takes one character more; those
/// before it need no other try.
fn match_names(tokens: &[Token], text: &str) -> bool {
    let mut rest = text.chars();
    let mut place = 0;
    let mut wildcard = None;
    loop {
        let before = rest.clone();
        let Some(c) = rest.next() else {
            return tokens.get(place..).is_some_and(|left| left.iter().all(|token| *token == Token::Star));
        };
        match tokens.get(place) {
            Some(Token::Star) => {
                place += 1;
                rest = before.clone();
                wildcard = Some((place, before));
            }
            Some(Token::Char(expected)) if *expected == c => {
                place += 1;
                if c == '/' {
                    wildcard = None;
                }
            }
            Some(Token::One) if c != '/' => place += 1,
            _ => {
                let Some((after, mut from)) = wildcard.take() else { return false };
                if from.next().is_none_or(|taken| taken == '/') {
                    return false;
                }
                (place, rest) = (after, from.clone());
                wildcard = Some((after, from));
            }
        }
    }
}

fn match_all<const W: usize>(tokens: &[Token], text: &str) -> bool {
    let mut places = Places([0; W]);
    places.enter(0, tokens);
    for c in text.chars() {
        let mut next = Places([0; W]);
        for place in places.each() {
            match tokens.get(place) {
                Some(Token::Char(expected)) if *expected == c => next.enter(place + 1, tokens),
                Some(Token::One) if c != '/' => next.enter(place + 1, tokens),
                Some(Token::Any) => next.enter(place + 1, tokens),
                Some(Token::Star) if c != '/' => next.enter(place, tokens),
                Some(Token::Deep) => next.enter(place, tokens),
                Some(Token::DeepLine) if !is_line_break(c) => next.enter(place, tokens),
                // In the middle of a folder's name the match may not continue, so it stays before the token
                // without entering the following ones.
                Some(Token::Folders) => {
                    next.insert(place);
                    if c == '/' {
                        next.enter(place + 1, tokens);
                    }
                }
                _ => {}
            }
        }
        if next.is_empty() {
            return false;
        }
        places = next;
    }
    places.contains(tokens.len())
}

/// Line breaks of the expressions that Squad compiles its patterns to.
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

//! Matches a path against the tokens of one pattern, for all possible positions at once.
//!
//! The positions of the match among the tokens are a bit set, which is updated for each character of the
//! path. In the worst case, the time is the product of the two lengths, whatever the pattern.

use super::pattern::Token;

/// Most tokens after the literal start of a pattern.
pub(super) const MAX_TOKENS: usize = WORDS * 64 - 1;

const WORDS: usize = 8;

/// Positions of a match; position `n` is before token `n`.
#[derive(Clone, Copy, Default)]
struct Places([u64; WORDS]);

impl Places {
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
}

/// Returns whether the tokens match the whole text.
pub(super) fn matches(tokens: &[Token], text: &str) -> bool {
    match tokens {
        [] => return text.is_empty(),
        [Token::Deep] => return true,
        _ => {}
    }
    let mut places = Places::default();
    places.enter(0, tokens);
    for c in text.chars() {
        let mut next = Places::default();
        for (place, token) in tokens.iter().enumerate().filter(|(place, _)| places.contains(*place)) {
            match token {
                Token::Char(expected) if *expected == c => next.enter(place + 1, tokens),
                Token::One if c != '/' => next.enter(place + 1, tokens),
                Token::Any => next.enter(place + 1, tokens),
                Token::Star if c != '/' => next.enter(place, tokens),
                Token::Deep => next.enter(place, tokens),
                Token::DeepLine if !is_line_break(c) => next.enter(place, tokens),
                // In the middle of a folder's name the match may not continue, so it stays before the token
                // without entering the following ones.
                Token::Folders => {
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

//! Decides whether a condition of a statement is always true.

use super::sql_lexer::Token;

/// Words that end a condition.
const ENDS: &[&str] =
    &["returning", "order", "group", "limit", "having", "union", "allow", "option", "window"];

/// Words of a condition that is the same for every row.
const CONSTANT_WORDS: &[&str] = &["true", "false", "not", "and", "or", "is", "null", "like", "between"];

/// Returns whether a statement has a condition that some row may not meet.
pub(super) fn has_condition(tokens: &[Token]) -> bool {
    let Some(condition) = after_where(tokens) else { return false };
    let condition = without_parentheses(condition);
    !condition.is_empty() && !split(condition, "or").iter().any(|part| is_constant(part))
}

/// Returns the condition behind a `where` that is not inside of parentheses.
fn after_where(tokens: &[Token]) -> Option<&[Token]> {
    let start = positions(tokens).find(|(_, token)| token.is("where")).map(|(at, _)| at + 1)?;
    let rest = tokens.get(start..)?;
    let is_end = |token: &Token| token.word().is_some_and(|word| ENDS.contains(&word));
    let end = positions(rest).find(|(_, token)| is_end(token)).map_or(rest.len(), |(at, _)| at);
    rest.get(..end)
}

/// Returns whether each part of a conjunction is the same for every row: `1 = 1`, `id = id`.
fn is_constant(tokens: &[Token]) -> bool {
    let parts = split(without_parentheses(tokens), "and");
    parts.iter().all(|part| {
        let part = without_parentheses(part);
        if let [left, Token::Symbol('='), right] = part
            && left == right
            && *left != Token::Gap
        {
            return true;
        }
        part.iter().all(|token| match token {
            Token::Word(word) => {
                CONSTANT_WORDS.contains(&word.as_str()) || word.starts_with(|c: char| c.is_ascii_digit())
            }
            Token::Text(_) => true,
            Token::Symbol(symbol) => !matches!(symbol, '$' | ':' | '?'),
            Token::Name(_) | Token::Gap | Token::Client(_) => false,
        })
    })
}

/// Removes parentheses around all of the tokens.
fn without_parentheses(mut tokens: &[Token]) -> &[Token] {
    while let [Token::Symbol('('), inner @ .., Token::Symbol(')')] = tokens {
        let mut depth = 1_usize;
        let closes_early = inner.iter().any(|token| {
            match token {
                Token::Symbol('(') => depth += 1,
                Token::Symbol(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        if closes_early {
            return tokens;
        }
        tokens = inner;
    }
    tokens
}

/// Splits tokens at a word that is not inside of parentheses.
fn split<'t>(tokens: &'t [Token], word: &str) -> Vec<&'t [Token]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in positions(tokens).filter(|(_, token)| token.is(word)) {
        parts.extend(tokens.get(start..at));
        start = at + 1;
    }
    parts.extend(tokens.get(start..));
    parts
}

/// Returns the tokens that are not inside of parentheses, with their positions.
pub(super) fn positions(tokens: &[Token]) -> impl Iterator<Item = (usize, &Token)> {
    let mut depth = 0_usize;
    tokens.iter().enumerate().filter(move |(_, token)| {
        let before = depth;
        match token {
            Token::Symbol('(') => depth += 1,
            Token::Symbol(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before == 0 && depth == 0
    })
}

//! Parses one pattern to sequences of tokens, one for each alternative.

use super::dialect::PatternDialect;
use super::error::PatternProblem;

/// One step of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Token {
    /// This character.
    Char(char),
    /// One character other than a slash.
    One,
    /// One character.
    Any,
    /// Any number of characters other than a slash.
    Star,
    /// Any number of characters.
    Deep,
    /// Any number of characters other than line breaks.
    DeepLine,
    /// Nothing, or any text that ends with a slash.
    Folders,
}

/// Parsed pattern.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    pub(super) alternatives: Vec<Vec<Token>>,
    /// Position of a `**` beside other characters.
    pub(super) odd_stars: Option<usize>,
}

/// Error in a pattern, with its position.
pub(super) type Problem = (PatternProblem, usize);

/// Limits on the cost of one pattern.
const MAX_LENGTH: usize = 4096;
const MAX_ALTERNATIVES: usize = 256;
const MAX_NESTING: usize = 16;

/// Parses a pattern that is relative to the root.
pub(super) fn parse(pattern: &str, dialect: PatternDialect) -> Result<Pattern, Problem> {
    if pattern.is_empty() {
        return Err((PatternProblem::Empty, 0));
    }
    if pattern.len() > MAX_LENGTH {
        return Err((PatternProblem::TooLong, MAX_LENGTH));
    }
    if dialect == PatternDialect::Standard && pattern.starts_with('!') {
        return Err((PatternProblem::Negated, 0));
    }
    let marks = marks(pattern, dialect)?;
    let mut result = Pattern::default();
    let is_one = marks.iter().all(|(mark, _)| mark.is_plain());
    let alternatives = if is_one { vec![marks] } else { alternatives(&mut marks.as_slice(), None, 0)? };
    for alternative in alternatives {
        let tokens = tokens(&alternative, dialect, &mut result.odd_stars)?;
        if tokens.is_empty() {
            return Err((PatternProblem::Empty, 0));
        }
        if !result.alternatives.contains(&tokens) {
            result.alternatives.push(tokens);
        }
    }
    Ok(result)
}

/// Character of the pattern with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Char(char),
    Question,
    Star,
    Open,
    Comma,
    Close,
}

impl Mark {
    /// Whether it means the same inside of braces and outside.
    const fn is_plain(self) -> bool {
        matches!(self, Self::Char(_) | Self::Question | Self::Star)
    }
}

type Marks = Vec<(Mark, usize)>;

fn marks(pattern: &str, dialect: PatternDialect) -> Result<Marks, Problem> {
    let mut marks = Vec::with_capacity(pattern.len());
    let mut characters = pattern.char_indices();
    while let Some((at, c)) = characters.next() {
        let mark = match (c, dialect) {
            ('*', _) => Mark::Star,
            ('?', _) => Mark::Question,
            ('\\', PatternDialect::Squad) => Mark::Char('/'),
            ('\\', PatternDialect::Standard) => match characters.next() {
                Some((_, escaped)) => Mark::Char(escaped),
                None => return Err((PatternProblem::DanglingEscape, at)),
            },
            ('{', PatternDialect::Standard) => Mark::Open,
            (',', PatternDialect::Standard) => Mark::Comma,
            ('}', PatternDialect::Standard) => Mark::Close,
            (c, _) => Mark::Char(c),
        };
        marks.push((mark, at));
    }
    Ok(marks)
}

/// Returns the alternatives of the marks up to the end, or up to the closing brace. The nesting is bounded.
fn alternatives(
    rest: &mut &[(Mark, usize)],
    opened: Option<usize>,
    nesting: usize,
) -> Result<Vec<Marks>, Problem> {
    if nesting > MAX_NESTING {
        return Err((PatternProblem::TooManyAlternatives, opened.unwrap_or_default()));
    }
    let mut finished: Vec<Marks> = Vec::new();
    let mut current: Vec<Marks> = vec![Vec::new()];
    while let Some((&(mark, at), after)) = rest.split_first() {
        let plain = rest.iter().take_while(|(mark, _)| mark.is_plain()).count();
        if let Some((plain, after)) = rest.split_at_checked(plain).filter(|(plain, _)| !plain.is_empty()) {
            current.iter_mut().for_each(|alternative| alternative.extend_from_slice(plain));
            *rest = after;
            continue;
        }
        *rest = after;
        match mark {
            Mark::Open => {
                let inner = alternatives(rest, Some(at), nesting + 1)?;
                if current.len() * inner.len() > MAX_ALTERNATIVES {
                    return Err((PatternProblem::TooManyAlternatives, at));
                }
                current = product(&current, &inner);
            }
            Mark::Close if opened.is_some() => {
                finished.append(&mut current);
                return Ok(finished);
            }
            Mark::Close => return Err((PatternProblem::UnopenedBrace, at)),
            Mark::Comma if opened.is_some() => {
                finished.append(&mut current);
                if finished.len() > MAX_ALTERNATIVES {
                    return Err((PatternProblem::TooManyAlternatives, at));
                }
                current = vec![Vec::new()];
            }
            _ => current.iter_mut().for_each(|alternative| alternative.push((Mark::Char(','), at))),
        }
    }
    match opened {
        Some(at) => Err((PatternProblem::UnclosedBrace, at)),
        None => Ok(current),
    }
}

fn product(left: &[Marks], right: &[Marks]) -> Vec<Marks> {
    left.iter()
        .flat_map(|left| right.iter().map(move |right| [left.as_slice(), right.as_slice()].concat()))
        .collect()
}

/// Returns the tokens of one alternative. Empty and `.` segments are left out, as in a normal path.
fn tokens(
    marks: &[(Mark, usize)],
    dialect: PatternDialect,
    odd_stars: &mut Option<usize>,
) -> Result<Vec<Token>, Problem> {
    let mut tokens = Vec::with_capacity(marks.len());
    let mut segments = marks.split(|(mark, _)| *mark == Mark::Char('/')).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        let mut position = 0;
        let is = |text: &str| segment.iter().map(|(mark, _)| *mark).eq(text.chars().map(Mark::Char));
        if let Some((_, at)) = segment.first() {
            position = *at;
        }
        if is("..") {
            return Err((PatternProblem::ParentSegment, position));
        }
        if segment.is_empty() || is(".") {
            continue;
        }
        let only_stars = segment.len() > 1 && segment.iter().all(|(mark, _)| *mark == Mark::Star);
        if only_stars {
            let deep = if dialect == PatternDialect::Squad { Token::DeepLine } else { Token::Deep };
            tokens.push(if last { deep } else { Token::Folders });
            continue;
        }
        let mut stars = segment.iter().peekable();
        while let Some((mark, at)) = stars.next() {
            tokens.push(match (mark, dialect) {
                (Mark::Star, _) => {
                    let double = stars.next_if(|(mark, _)| *mark == Mark::Star).is_some();
                    while stars.next_if(|(mark, _)| *mark == Mark::Star).is_some() {}
                    match dialect {
                        PatternDialect::Squad if double => Token::DeepLine,
                        PatternDialect::Standard if double => {
                            odd_stars.get_or_insert(*at);
                            Token::Star
                        }
                        _ => Token::Star,
                    }
                }
                (Mark::Question, PatternDialect::Squad) => Token::Any,
                (Mark::Question, PatternDialect::Standard) => Token::One,
                (Mark::Char(c), _) => Token::Char(*c),
                // Braces have been expanded already.
                (Mark::Open | Mark::Comma | Mark::Close, _) => continue,
            });
        }
        if !last {
            tokens.push(Token::Char('/'));
        }
    }
    Ok(tokens)
}

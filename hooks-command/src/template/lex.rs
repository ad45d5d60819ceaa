//! Splits a template into texts and actions, and an action into words.

use super::{TemplateError, error};

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Action(Vec<Word>),
}

/// A word of an action.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A function or a keyword.
    Name(String),
    /// `.A.B`; `.` alone is empty.
    Field(Vec<String>),
    /// `$x.A`.
    Variable(String, Vec<String>),
    Text(String),
    Number(serde_json::Number),
    Open,
    /// `)`, with the fields after it.
    Close(Vec<String>),
    Pipe,
    Comma,
    Declare,
    Assign,
}

/// The parts of a template, in order.
pub(super) fn lex(text: &str) -> Result<Vec<Part>, TemplateError> {
    let mut parts = Vec::new();
    let (mut rest, mut trims) = (text, false);
    while let Some((before, after)) = rest.split_once("{{") {
        let (after, trims_before) = match after.strip_prefix('-') {
            Some(trimmed) if trimmed.starts_with(char::is_whitespace) => (trimmed, true),
            _ => (after, false),
        };
        parts.push(Part::Text(trimmed(before, trims, trims_before)));
        if let Some(comment) = after.trim_start().strip_prefix("/*") {
            let Some((_, behind)) = comment.split_once("*/") else { return error("a comment has no end") };
            let Some((marker, behind)) = behind.split_once("}}") else {
                return error("an action has no end");
            };
            trims = marker.trim() == "-";
            if !trims && !marker.trim().is_empty() {
                return error("a comment stands alone in its action");
            }
            rest = behind;
            continue;
        }
        let (words, behind, trims_after) = action(after)?;
        parts.push(Part::Action(words));
        (rest, trims) = (behind, trims_after);
    }
    parts.push(Part::Text(trimmed(rest, trims, false)));
    Ok(parts)
}

fn trimmed(text: &str, at_start: bool, at_end: bool) -> String {
    let text = if at_start { text.trim_start() } else { text };
    let text = if at_end { text.trim_end() } else { text };
    text.to_owned()
}

/// The words of an action, the text after it, and whether that text loses its leading white space.
fn action(text: &str) -> Result<(Vec<Word>, &str, bool), TemplateError> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let spaced = rest.starts_with(char::is_whitespace);
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix("}}") {
            return Ok((words, behind, false));
        }
        if spaced && let Some(behind) = rest.strip_prefix("-}}") {
            return Ok((words, behind, true));
        }
        let Some(first) = rest.chars().next() else { return error("an action has no end") };
        let (word, behind) = word(first, rest)?;
        words.push(word);
        rest = behind;
    }
}

fn word(first: char, text: &str) -> Result<(Word, &str), TemplateError> {
    let after = text.get(first.len_utf8()..).unwrap_or_default();
    Ok(match first {
        '(' => (Word::Open, after),
        ')' => {
            let (fields, rest) = fields(after)?;
            (Word::Close(fields), rest)
        }
        '|' => (Word::Pipe, after),
        ',' => (Word::Comma, after),
        '=' => (Word::Assign, after),
        ':' => match after.strip_prefix('=') {
            Some(rest) => (Word::Declare, rest),
            None => return error("a colon stands alone"),
        },
        '"' => quoted(text)?,
        '`' => match after.split_once('`') {
            Some((raw, rest)) => (Word::Text(raw.to_owned()), rest),
            None => return error("a string has no end"),
        },
        '$' => {
            let (name, rest) = name(after);
            let (fields, rest) = fields(rest)?;
            (Word::Variable(name.to_owned(), fields), rest)
        }
        '.' if !after.starts_with(|c: char| c.is_ascii_digit()) => {
            let (found, rest) = fields(text)?;
            match found.is_empty() {
                true => (Word::Field(found), after),
                false => (Word::Field(found), rest),
            }
        }
        c if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => number(text)?,
        c if c.is_alphabetic() || c == '_' => {
            let (name, rest) = name(text);
            (Word::Name(name.to_owned()), rest)
        }
        other => return error(format!("`{other}` is not known here")),
    })
}

/// Parses `.A.B` at the beginning of a text; also returns the rest.
fn fields(text: &str) -> Result<(Vec<String>, &str), TemplateError> {
    let (mut fields, mut rest) = (Vec::new(), text);
    while let Some(after) = rest.strip_prefix('.') {
        let (field, behind) = name(after);
        if field.is_empty() {
            return if fields.is_empty() { Ok((fields, rest)) } else { error("a field has no name") };
        }
        fields.push(field.to_owned());
        rest = behind;
    }
    Ok((fields, rest))
}

fn name(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn quoted(text: &str) -> Result<(Word, &str), TemplateError> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => break,
            '"' => {
                let (literal, rest) = text.split_at_checked(at + 1).unwrap_or((text, ""));
                return match serde_json::from_str(literal) {
                    Ok(text) => Ok((Word::Text(text), rest)),
                    Err(_) => error("a string in quotes has an unknown escape"),
                };
            }
            _ => {}
        }
    }
    error("a string has no end")
}

fn number(text: &str) -> Result<(Word, &str), TemplateError> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '+' | '_'));
    let (digits, rest) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    let plain = digits.strip_prefix('+').unwrap_or(digits);
    let number = plain.parse::<i64>().ok().map(Into::into);
    let number = number.or_else(|| serde_json::Number::from_f64(plain.parse().ok()?));
    match number {
        Some(number) => Ok((Word::Number(number), rest)),
        None => error(format!("`{digits}` is not a number")),
    }
}

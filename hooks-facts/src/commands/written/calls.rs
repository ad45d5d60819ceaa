//! Calls with literal words in the code of a written file.
//!
//! A file has comments, messages and documents besides its calls, so that only what a call receives counts: a text, a list
//! of words, or a chain of words. Code that reaches a call in another way is read by the reader of one-line programs,
//! to which every string may be a command.

use std::collections::HashMap;

use super::super::analysis::UnresolvedReason;
use super::super::argument::Argument;
use super::super::code::{self, Language};
use super::super::reads;
use super::super::walk::{Stream, Walk};
use crate::shell::{Span, escape};

/// Names of calls that start a command.
const CALLS: &[&str] = table!("runner_words_calls");

/// Ways to reach a call without its name.
const INDIRECT: &[&str] = table!("runner_words_indirect");

/// Calls that decode a text which cannot be read here.
const DECODES: &[&str] = table!("program_words_decodes");

/// Most strings of one call.
const MAX_WORDS: usize = 256;

/// Piece of code.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A string, with an unset variable for each computed part.
    Text(String),
    /// A text that runs as a command by its quotes alone.
    Command(String),
    Name(String),
    Mark(char),
    /// End of a line.
    End,
}

/// Collects the commands that a code starts.
pub(super) fn run(walk: &mut Walk, language: Language, text: &str, span: Span) {
    if !walk.pay(text.len(), span) {
        return;
    }
    if INDIRECT.iter().any(|word| has_word(text, word))
        || matches!(language, Language::Sed | Language::Awk | Language::Tcl)
    {
        return code::run(walk, language, text, span);
    }
    walk.interprets(language, text, span);
    reads::note_code(walk, language.name(), text, span);
    let tokens = tokens(language, text);
    let named = names(&tokens);
    let mut calls = 0_usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Command(text) => {
                calls += 1;
                walk.maybe_text(text, span);
            }
            Token::Name(name) if is_call(name) && is_called(language, &tokens, at) => {
                calls += 1;
                let call = Call::read(&tokens, at, &named);
                call.run(walk, span);
            }
            _ => {}
        }
    }
    if calls > 0 && DECODES.iter().any(|call| text.contains(call)) {
        walk.unresolved(UnresolvedReason::Text, span);
    }
}

/// Returns whether a text has a word that is not the end of another one: `re.compile(` is not `compile(`.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let begins = |at: usize| !text.get(..at).unwrap_or_default().ends_with(is_part);
    !word.starts_with(is_part) && text.contains(word) || text.match_indices(word).any(|(at, _)| begins(at))
}

fn is_call(name: &str) -> bool {
    let last = name.rsplit(['.', ':', '>']).next().unwrap_or(name);
    CALLS.iter().any(|call| match call.contains(['.', ':']) {
        true => name == *call || name.ends_with(&format!(".{call}")) || name.ends_with(&format!("::{call}")),
        false => last == *call,
    })
}

/// Returns whether arguments follow: a parenthesis, or, where a language needs none, a string.
fn is_called(language: Language, tokens: &[Token], at: usize) -> bool {
    match tokens.get(at) {
        Some(Token::Mark('(' | '!')) => true,
        Some(Token::Text(_)) => {
            matches!(language, Language::Perl | Language::Ruby | Language::Php | Language::Lua)
        }
        _ => false,
    }
}

/// Returns the names that stand for one text or one list in the whole code.
fn names(tokens: &[Token]) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for (at, window) in tokens.windows(3).enumerate() {
        let [Token::Name(name), Token::Mark('='), third] = window else { continue };
        let name = name.trim_start_matches(['$', '@']).to_owned();
        let values = match third {
            Token::Text(text) => vec![text.clone()],
            Token::Mark('[' | '(') => {
                let behind = tokens.iter().skip(at + 3).take(MAX_WORDS);
                let inner = behind.take_while(|token| !matches!(token, Token::Mark(']' | ')')));
                inner
                    .filter_map(|token| if let Token::Text(text) = token { Some(text.clone()) } else { None })
                    .collect()
            }
            _ => continue,
        };
        // Of several values, each may be meant.
        found.entry(name).or_default().extend(values);
    }
    found
}

/// Arguments of a call.
#[derive(Default)]
struct Call {
    /// Words in their order, with lists flattened.
    words: Vec<String>,
    /// Whether the first argument is a list.
    begins_with_list: bool,
}

impl Call {
    /// Reads the arguments of a call, and of the calls that are chained to it: `.args([…])`.
    fn read(tokens: &[Token], start: usize, named: &HashMap<String, Vec<String>>) -> Self {
        let mut call = Self::default();
        let has_parenthesis = matches!(tokens.get(start), Some(Token::Mark('(' | '!')));
        let (mut depth, mut joins, mut is_first) = (0_usize, false, true);
        for (at, token) in tokens.iter().enumerate().skip(start) {
            if call.words.len() >= MAX_WORDS {
                break;
            }
            match token {
                Token::Mark('(' | '[' | '{') => {
                    if *token == Token::Mark('[') && is_first && call.words.is_empty() {
                        call.begins_with_list = true;
                    }
                    depth += 1;
                }
                Token::Mark(')' | ']' | '}') => {
                    depth = depth.saturating_sub(1);
                    let is_chained = matches!(tokens.get(at + 1), Some(Token::Name(name)) if is_chain(name));
                    let is_chained = is_chained
                        || matches!((tokens.get(at + 1), tokens.get(at + 2)), (Some(Token::End), Some(Token::Name(name))) if is_chain(name));
                    if depth == 0 && !is_chained {
                        break;
                    }
                }
                Token::Mark(',') => (joins, is_first) = (false, false),
                Token::Mark('+') => joins = true,
                Token::Mark('.') if matches!(tokens.get(at + 1), Some(Token::Text(_))) => joins = true,
                Token::Mark(';') if depth == 0 => break,
                Token::End if depth == 0 && !has_parenthesis => break,
                Token::Text(text) => {
                    // `"a" "b"` is one text.
                    let is_adjacent =
                        matches!(at.checked_sub(1).and_then(|at| tokens.get(at)), Some(Token::Text(_)));
                    match call.words.last_mut() {
                        Some(last) if joins || is_adjacent => last.push_str(text),
                        _ => call.words.push(text.clone()),
                    }
                    joins = false;
                }
                Token::Name(name) => {
                    let is_option = matches!(tokens.get(at + 1), Some(Token::Mark('=' | ':')));
                    let values = named.get(name.trim_start_matches(['$', '@'])).filter(|_| !is_option);
                    match (values, call.words.last_mut()) {
                        (Some(values), Some(last)) if joins => last.push_str(&values.join(" ")),
                        (Some(values), _) => {
                            call.begins_with_list |= call.words.is_empty() && values.len() > 1;
                            call.words.extend(values.iter().cloned());
                        }
                        (None, Some(last)) if joins => last.push_str("${_}"),
                        _ => {}
                    }
                    joins = false;
                }
                _ => {}
            }
        }
        call
    }

    fn run(&self, walk: &mut Walk, span: Span) {
        let Some(first) = self.words.first() else { return };
        let is_text = first.trim().contains(char::is_whitespace) || self.words.len() == 1;
        if is_text && !(self.begins_with_list && self.words.len() > 1) {
            walk.maybe_text(first, span);
            return;
        }
        let words: Vec<Argument> = self.words.iter().map(|word| word.as_str().into()).collect();
        walk.run_some(&words, &Stream::Empty, span);
        // `execlp("rm", "rm", "-rf", …)` names the program twice.
        if let [first, second, ..] = self.words.as_slice()
            && (first == second || first.ends_with(&format!("/{second}")))
        {
            walk.run_some(words.get(1..).unwrap_or_default(), &Stream::Empty, span);
        }
    }
}

fn is_chain(name: &str) -> bool {
    matches!(
        name.trim_start_matches('.'),
        "arg" | "args" | "command" | "addArgument" | "current_dir" | "env" | "output"
    )
}

/// Splits code into its pieces, without comments.
fn tokens(language: Language, text: &str) -> Vec<Token> {
    let hash_comments = !matches!(language, Language::JavaScript | Language::Lua);
    let slash_comments = matches!(language, Language::JavaScript | Language::Php);
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\n' => {
                found.push(Token::End);
                1
            }
            '#' if hash_comments => line_length(rest),
            '/' if slash_comments && rest.starts_with("//") => line_length(rest),
            '/' if slash_comments && rest.starts_with("/*") => {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            }
            '-' if language == Language::Lua && rest.starts_with("--") => line_length(rest),
            '"' | '\'' | '`' => string(language, rest, &mut found),
            'q' | '%' if command_quotes(language, rest).is_some() => {
                let (text, length) = command_quotes(language, rest).unwrap_or_default();
                found.push(Token::Command(text));
                length
            }
            c if c.is_alphanumeric() || "_$@.".contains(c) => {
                let is_part = |c: char| c.is_alphanumeric() || "_$@.:".contains(c);
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let name = rest.get(..end).unwrap_or_default();
                // A colon at the end belongs to a label or a key.
                let trimmed = name.trim_end_matches(':');
                if trimmed == "." {
                    found.push(Token::Mark('.'));
                } else if !trimmed.is_empty() {
                    found.push(Token::Name(trimmed.to_owned()));
                }
                if trimmed.len() < name.len() {
                    found.push(Token::Mark(':'));
                }
                end
            }
            c if c.is_whitespace() => c.len_utf8(),
            c => {
                found.push(Token::Mark(c));
                c.len_utf8()
            }
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    found
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Reads a string; returns its length in the text.
fn string(language: Language, text: &str, found: &mut Vec<Token>) -> usize {
    let quote = text.get(..1).unwrap_or_default();
    let triple = quote.repeat(3);
    let mark = if text.starts_with(&triple) && language == Language::Python { &*triple } else { quote };
    let (mut inner, mut at) = (String::new(), mark.len());
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(mark) {
            break;
        }
        let Some(c) = rest.chars().next() else { break };
        at += c.len_utf8();
        if c == '\\' {
            let read = escape(rest.get(1..).unwrap_or_default());
            inner.push_str(&read.text);
            at += read.length;
        } else {
            inner.push(c);
        }
    }
    let end = (at + mark.len()).min(text.len());
    let is_command = quote == "`" && matches!(language, Language::Perl | Language::Ruby | Language::Php);
    if is_command {
        found.push(Token::Command(inner));
        return end;
    }
    let prefix = match found.last() {
        Some(Token::Name(name)) if language == Language::Python && name.len() <= 2 => {
            Some(name.to_lowercase())
        }
        _ => None,
    };
    let is_format = prefix.as_ref().is_some_and(|prefix| prefix.contains('f'));
    if prefix.is_some_and(|prefix| prefix.chars().all(|c| "rbfu".contains(c))) {
        found.pop();
    }
    let computed = match language {
        Language::JavaScript => quote == "`" && inner.contains("${"),
        Language::Ruby => quote == "\"" && inner.contains("#{"),
        Language::Python => is_format && inner.contains('{'),
        _ => false,
    };
    let inner = if computed { without_parts(&inner) } else { inner };
    found.push(Token::Text(inner));
    end
}

/// Replaces the computed parts of a text by an unset variable.
fn without_parts(text: &str) -> String {
    let mut result = String::new();
    let mut depth = 0_usize;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '$' | '#' if depth == 0 && characters.peek() == Some(&'{') => {}
            '{' => {
                if depth == 0 {
                    result.push_str("${_}");
                }
                depth += 1;
            }
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => result.push(c),
            _ => {}
        }
    }
    result
}

/// Reads `qx(…)` or `%x(…)`.
fn command_quotes(language: Language, text: &str) -> Option<(String, usize)> {
    let start = match language {
        Language::Perl => "qx",
        Language::Ruby => "%x",
        _ => return None,
    };
    let rest = text.strip_prefix(start)?;
    let open = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        open => open,
    };
    let inner = rest.get(1..)?;
    let end = inner.find(close).unwrap_or(inner.len());
    Some((inner.get(..end)?.to_owned(), (start.len() + 1 + end + 1).min(text.len())))
}

//! Calls with literal words in the code of a written file.
//!
//! A file has comments, messages and documents besides its calls, so that only what a call receives counts: a text, a list
//! of words, or a chain of words. Code that reaches a call in another way is read by the reader of one-line programs,
//! to which every string may be a command.

use std::collections::HashMap;

use super::super::analysis::UnresolvedReason;
use super::super::argument::Argument;
use super::super::code::{self, Language};
use super::super::code_calls;
use super::super::effects::code::{Token as Lexed, tokens as lexed};
use super::super::reads;
use super::super::walk::{MAX_TEXT, Walk};
use crate::shell::Span;

/// Names of calls that start a command.
const CALLS: &[&str] = table!("runner_words_calls");

/// Ways to reach a call without its name.
const INDIRECT: &[&str] = table!("runner_words_indirect");

/// Calls that decode a text which cannot be read here.
const DECODES: &[&str] = table!("program_words_decodes");

/// Most strings of one call, and of a list with a name. With more, the code is too complex.
const MAX_WORDS: usize = 256;

/// Most pieces of all calls together.
const MAX_PIECES: usize = 4 * 1024 * 1024;

/// Strings that a name stands for; `None` if they are too many.
type Named = HashMap<String, Option<Vec<String>>>;

/// Piece of code.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A string, with an unset variable for each part that has code.
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
    code_calls::note(walk, language, text, span);
    let tokens = tokens(language, text);
    let named = names(&tokens);
    let (mut calls, mut left) = (0_usize, MAX_PIECES);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Command(text) => {
                calls += 1;
                walk.maybe_started(text, span);
            }
            Token::Name(name) if is_call(name) && is_called(language, &tokens, at) => {
                calls += 1;
                let call = Call::read(&tokens, at, &named, &mut left);
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
    let last = name.rsplit('.').next().unwrap_or(name);
    CALLS.iter().any(|call| match call.contains(['.', ':']) {
        true => {
            let call = call.replace("::", ".");
            name.strip_suffix(&*call).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        }
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
fn names(tokens: &[Token]) -> Named {
    let mut found = Named::new();
    for (at, window) in tokens.windows(3).enumerate() {
        let [Token::Name(name), Token::Mark('='), third] = window else { continue };
        let name = name.trim_start_matches(['$', '@']).to_owned();
        let values = match third {
            Token::Text(text) => Some(vec![text.clone()]),
            Token::Mark('[' | '(') => list(tokens.get(at + 3..).unwrap_or_default()),
            _ => continue,
        };
        // Of several values, each may be meant.
        let known = found.entry(name).or_insert_with(|| Some(Vec::new()));
        match (known.as_mut(), values) {
            (Some(known), Some(values)) if known.len() + values.len() <= MAX_WORDS => known.extend(values),
            _ => *known = None,
        }
    }
    found
}

/// Returns the strings of a list up to its end; `None` if they are too many.
fn list(tokens: &[Token]) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for token in tokens.iter().take(MAX_WORDS * 4) {
        match token {
            Token::Text(text) => texts.push(text.clone()),
            Token::Mark(']' | ')') => return (texts.len() <= MAX_WORDS).then_some(texts),
            _ => {}
        }
    }
    (tokens.len() < MAX_WORDS * 4).then_some(texts)
}

/// Arguments of a call.
#[derive(Default)]
struct Call {
    /// Words in their order, with lists flattened.
    words: Vec<String>,
    /// Whether the first argument is a list.
    begins_with_list: bool,
    /// Whether there are more words, or longer ones, than are read.
    is_too_long: bool,
}

impl Call {
    /// Reads the arguments of a call, and of the calls that are chained to it: `.args([…])`.
    fn read(tokens: &[Token], start: usize, named: &Named, left: &mut usize) -> Self {
        let mut call = Self::default();
        let has_parenthesis = matches!(tokens.get(start), Some(Token::Mark('(' | '!')));
        let (mut depth, mut joins, mut is_first) = (0_usize, false, true);
        for (at, token) in tokens.iter().enumerate().skip(start) {
            *left = left.saturating_sub(1);
            if *left == 0
                || call.words.len() > MAX_WORDS
                || call.words.last().is_some_and(|last| last.len() > MAX_TEXT)
            {
                call.is_too_long = true;
            }
            if call.is_too_long {
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
                        (Some(None), _) => call.is_too_long = true,
                        (Some(Some(values)), Some(last)) if joins => last.push_str(&values.join(" ")),
                        (Some(Some(values)), _) => {
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
        if self.is_too_long {
            return walk.too_complex(span);
        }
        let Some(first) = self.words.first() else { return };
        let is_text = first.trim().contains(char::is_whitespace) || self.words.len() == 1;
        if is_text && !(self.begins_with_list && self.words.len() > 1) {
            walk.maybe_text(first, span);
            return;
        }
        let words: Vec<Argument> = self.words.iter().map(|word| word.as_str().into()).collect();
        walk.run_some(&words, &walk.inherited_input(), span);
        // `execlp("rm", "rm", "-rf", …)` names the program twice.
        if let [first, second, ..] = self.words.as_slice()
            && (first == second || first.ends_with(&format!("/{second}")))
        {
            walk.run_some(words.get(1..).unwrap_or_default(), &walk.inherited_input(), span);
        }
    }
}

fn is_chain(name: &str) -> bool {
    matches!(
        name.trim_start_matches('.'),
        "arg" | "args" | "command" | "addArgument" | "current_dir" | "env" | "output"
    )
}

/// Returns the pieces of a code: a name with the names that dots join to it is one.
fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    for token in lexed(language, text) {
        let next = match token {
            Lexed::Text(text) => Token::Text(text),
            Lexed::Command(text) => Token::Command(text),
            Lexed::Sign('\n') => Token::End,
            Lexed::Sign(sign) => Token::Mark(sign),
            Lexed::Name(name) => Token::Name(whole_name(&mut found, &name)),
        };
        found.push(next);
    }
    found
}

/// Takes the beginning of a name from the end of the pieces: `a.`, `.`, `$`.
fn whole_name(found: &mut Vec<Token>, last: &str) -> String {
    let Some(Token::Mark(sign)) = found.pop_if(|token| matches!(token, Token::Mark('.' | '$' | '@'))) else {
        return last.to_owned();
    };
    let before = found.pop_if(|token| sign == '.' && matches!(token, Token::Name(_)));
    let mut whole = if let Some(Token::Name(name)) = before { name } else { String::new() };
    whole.push(sign);
    whole + last
}

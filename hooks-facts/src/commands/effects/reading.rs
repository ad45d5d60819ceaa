//! Decides whether the text of an interpreter for certain only reads and shows.
//!
//! Everything that is not known to read counts as a change. The answer may only be used to let a text name a file, never to
//! find one.

use super::code::{Token, tokens};
use crate::commands::code::Language;

/// Functions that only read, convert or show, in any of the languages.
const READS: &[&str] = table!("effect_words_reads");

/// Modules that change nothing when they are loaded.
const MODULES: &[&str] = table!("effect_words_modules");

/// Returns whether a text of a language for certain only reads: each function that it calls is known to read, and is called by
/// its name.
pub(in crate::commands) fn only_reads(language: Language, text: &str) -> bool {
    if !matches!(language, Language::Python | Language::JavaScript | Language::Ruby) {
        return false;
    }
    let tokens = tokens(language, text);
    let mut loads = false;
    tokens.iter().enumerate().all(|(at, token)| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let next = tokens.get(at + 1);
        let is_call = next.is_some_and(|next| next.is('(') || matches!(next, Token::Text(_)));
        match token {
            Token::Command(_) => false,
            Token::Name(name) if matches!(name.as_str(), "import" | "from" | "require") => {
                loads = true;
                true
            }
            Token::Name(name) if loads && !is_call => {
                loads = next.is_some_and(|next| next.is(',') || next.name().is_some());
                MODULES.contains(&name.as_str()) || matches!(name.as_str(), "import" | "as")
            }
            Token::Text(text) if loads => {
                loads = false;
                MODULES.contains(&text.trim_start_matches("node:")) || text.ends_with(".json")
            }
            Token::Name(name) if READS.contains(&name.as_str()) => {
                // A name that stands without a call may get another meaning.
                let is_part =
                    before.is_some_and(|before| before.is('.')) || next.is_some_and(|next| next.is('.'));
                (is_call || is_part || WORDS.contains(&name.as_str()))
                    && (name != "open" || opens_to_read(&tokens, at))
            }
            // Ruby calls without brackets, so that only known names may stand anywhere.
            Token::Name(_) => !is_call && language != Language::Ruby,
            // A mode other than reading is a short text of these letters, and may be a part of a longer one.
            Token::Text(text) => {
                let is_mode = text.len() <= 3 && text.contains(['w', 'a', 'x', '+']);
                !is_mode && !next.is_some_and(|next| next.is('['))
            }
            Token::Sign('(') => {
                !matches!(before, Some(Token::Text(_) | Token::Command(_) | Token::Sign(')' | ']' | '}')))
            }
            Token::Sign('@' | '&' | '!' | '%' | '`') => false,
            Token::Sign('=') => {
                // `a.b = c` may call anything.
                let is_equal = before.is_some_and(|before| before.is('='))
                    || next.is_some_and(|next| next.is('=') || next.is('>'));
                let place = at.checked_sub(2).and_then(|place| tokens.get(place));
                is_equal
                    || !place.is_some_and(|place| place.is('.'))
                        && !before.is_some_and(|before| before.is(']'))
            }
            Token::Sign(_) => true,
        }
    })
}

/// Longest list of arguments that is looked at.
const MAX_ARGUMENTS: usize = 64;

/// Words of the languages that call nothing.
const WORDS: &[&str] = &[
    "if", "for", "in", "and", "or", "not", "else", "elif", "with", "while", "lambda", "return", "console",
    "JSON",
];

/// Returns whether a call of `open` has no arguments after the name of the file but literal ones.
fn opens_to_read(tokens: &[Token], at: usize) -> bool {
    let arguments = tokens.iter().skip(at + 2).take(MAX_ARGUMENTS);
    let Some(end) = arguments.clone().position(|token| token.is(')')) else { return false };
    arguments.take(end).skip_while(|token| !token.is(',')).all(|token| match token {
        Token::Text(_) | Token::Sign(',' | '=') => true,
        Token::Name(name) => matches!(name.as_str(), "encoding" | "errors" | "newline" | "mode"),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_ends() {
        for text in ["(", "open(", "import", "= =", "'w'[", "a.b="] {
            for language in [Language::Python, Language::JavaScript, Language::Ruby] {
                only_reads(language, text);
            }
        }
    }
}

//! Texts in the code of an interpreter that may be names of files: strings without their escapes, strings that are put together,
//! and those behind the user's home.

use super::code::{Token, tokens};
use crate::commands::code::Language;

/// Calls and names that stand for the user's home.
const HOMES: &[&str] = table!("read_words_homes");

/// Most strings that are put together.
const MAX_PARTS: usize = 16;

/// Longest name.
const MAX_NAME: usize = 4_096;

/// Returns the strings of a text of a language.
pub(super) fn texts(language: Language, text: &str) -> impl Iterator<Item = String> {
    tokens(language, text).into_iter().filter_map(|token| match token {
        Token::Text(text) | Token::Command(text) => Some(text),
        Token::Name(_) | Token::Sign(_) => None,
    })
}

/// Returns the names that strings of a text may be, alone and put together: `join(a, '.x', 'y')`. If the text asks for the
/// user's home, each may be in it.
pub(super) fn names(language: Language, text: &str) -> Vec<String> {
    let tokens = tokens(language, text);
    let has_home = HOMES.iter().any(|home| text.contains(home));
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(first) = token.text() else { continue };
        let mut name = String::new();
        let is_joined = is_joined(&tokens, at);
        for part in std::iter::once(first).chain(parts_after(&tokens, at, is_joined)).take(MAX_PARTS) {
            if name.len() + part.len() > MAX_NAME {
                break;
            }
            if !name.is_empty() && !name.ends_with('/') && !part.starts_with('/') {
                name.push('/');
            }
            name.push_str(part);
            if has_home && name.contains(['/', '.']) {
                found.push(format!("~/{}", below_home(&name)));
            }
            found.push(name.clone());
        }
    }
    found
}

/// Calls that put their arguments together.
const JOINS: &[&str] = &["join", "joinpath", "resolve", "Path", "of", "get"];

/// Returns whether a call that puts its arguments together is near before a string.
fn is_joined(tokens: &[Token], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default().iter().rev().take(MAX_PARTS);
    let mut before = before.take_while(|token| !matches!(token, Token::Sign(';' | '\n' | '=' | '{' | '}')));
    before.any(|token| token.name().is_some_and(|name| JOINS.contains(&name)))
}

/// Returns the strings behind a string that are put behind it: only slashes, calls that join and, in such a call, commas are
/// between them.
fn parts_after(tokens: &[Token], at: usize, is_joined: bool) -> impl Iterator<Item = &str> {
    let behind = tokens.get(at + 1..).unwrap_or_default().iter();
    behind
        .take(MAX_PARTS * 4)
        .take_while(move |token| match token {
            Token::Text(_) | Token::Sign('/' | '(' | ')' | '.') => true,
            Token::Sign(',') => is_joined,
            Token::Name(name) => JOINS.contains(&name.as_str()),
            _ => false,
        })
        .filter_map(Token::text)
}

/// Returns the rest of a name behind what stands for the home in it: `$ENV{HOME}/x`, `${_}/x`, `/x`.
fn below_home(name: &str) -> &str {
    match name.split_once('/') {
        Some((start, rest)) if start == "~" || start.contains(['{', '$', '%']) => rest,
        _ => name.trim_start_matches('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_behind_the_home_are_put_together() {
        for (language, code) in [
            (Language::JavaScript, "f(process.env.HOME + '/.x/y')"),
            (Language::JavaScript, "f(`${process.env.HOME}/.x/y`)"),
            (Language::JavaScript, "f(`${process.env['HOME']}/.x/y`)"),
            (Language::JavaScript, "f(path.join(os.homedir(), '.x', 'y'))"),
            (Language::JavaScript, "const h = os.homedir(); f(h + '/.x/' + 'y')"),
            (Language::Python, "f(os.path.expanduser('~/.x/y'))"),
            (Language::Python, "f(Path.home() / '.x' / 'y')"),
            (Language::Python, "f(Path.home().joinpath('.x').joinpath('y'))"),
            (Language::Python, "f(f\"{os.environ['HOME']}/.x/y\")"),
            (Language::Ruby, "f(ENV[\"HOME\"] + '/.x/y')"),
            (Language::Ruby, "f(\"#{Dir.home}/.x/y\")"),
            (Language::Perl, "f(\"$ENV{HOME}/.x/y\")"),
            (Language::Perl, "f($ENV{HOME} . '/.x/y')"),
            (Language::Php, "f(getenv('HOME') . '/.x/y');"),
        ] {
            let found = names(language, code);
            assert!(found.iter().any(|name| name == "~/.x/y"), "{code}: {found:?}");
        }
        assert!(!names(Language::Python, "f('/.x/y')").contains(&"~/.x/y".to_owned()));
    }

    #[test]
    fn escapes_and_joints_are_read() {
        let found: Vec<_> = texts(Language::Python, "f('\\x73' + 'r' 'c')").collect();
        assert_eq!(found, ["src"]);
    }
}

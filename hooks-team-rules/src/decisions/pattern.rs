//! Patterns of tokens in source text.

use super::index::literal;
use super::lex::{Lexed, Token};
use super::tables::Language;

/// A pattern in source text, outside of comments and strings.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    /// These tokens, one after another.
    Tokens(Vec<Token>),
    /// A call of this function.
    Call(Vec<Token>),
    /// A call of this function with this among its arguments.
    With(Vec<Token>, Vec<Token>),
    /// A name in any position.
    Name(String),
    /// A name that begins so.
    Prefix(String),
    /// A whole string.
    Text(String),
    /// A string that begins so.
    TextPrefix(String),
    /// A string that contains this.
    Within(String),
    /// Text anywhere, comments included.
    Raw(String),
    /// A type of this name.
    Type(String),
    /// The end of a container image.
    Image(String),
    /// Output of this program, in a shell.
    Pipe(String),
    /// The value of the last line with this instruction, as in `USER root`: earlier ones do not hold at the end.
    Last(String, String),
}

/// Words before the name of a new function or type.
const DECLARING: &[&str] = &[
    "def",
    "fn",
    "func",
    "fun",
    "function",
    "class",
    "struct",
    "interface",
    "enum",
    "trait",
    "void",
    "const",
    "let",
    "var",
    "type",
    "defmodule",
    "defp",
    "sub",
    "module",
    "public",
    "private",
    "protected",
    "static",
    "final",
    "val",
    "int",
    "string",
    "String",
    "bool",
    "async",
    "override",
    "abstract",
];

/// Words before the name that make it a call all the same.
const ROOTS: &[&str] =
    &["window", "globalThis", "self", "this", "global", "builtins", "document", "await", "return"];

impl Pattern {
    /// Parses a pattern; `None` if it is empty.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((word, rest)) = text.split_once(' ') {
            let rest = rest.trim();
            let own = || rest.to_owned();
            match word {
                "CALL" => return Some(Self::Call(tokens(rest))),
                "ARGS" => {
                    let (function, argument) = rest.split_once(' ')?;
                    let parts = (tokens(function), tokens(argument));
                    let is_whole = !parts.0.is_empty() && !parts.1.is_empty();
                    return is_whole.then_some(Self::With(parts.0, parts.1));
                }
                "IDENT" => return Some(Self::Name(own())),
                "PREFIX" => return Some(Self::Prefix(own())),
                "STR" if rest.ends_with("//") => return Some(Self::TextPrefix(own())),
                "STR" => return Some(Self::Text(own())),
                "IN" => return Some(Self::Within(own())),
                "RAW" => return Some(Self::Raw(own())),
                "TYPE" => return Some(Self::Type(own())),
                "IMAGE" => return Some(Self::Image(own())),
                "PIPE" => return Some(Self::Pipe(own())),
                "LAST" => {
                    let (instruction, value) = rest.split_once(' ')?;
                    return Some(Self::Last(instruction.to_owned(), value.trim().to_owned()));
                }
                _ => {}
            }
        }
        // `{!! !!}` has any text between its marks.
        let is_marks = |part: &str| {
            part.len() > 1 && !part.contains(|c: char| c.is_alphanumeric() || "\"'`_".contains(c))
        };
        let text = match text.split_once(' ') {
            Some((open, close))
                if is_marks(open)
                    && is_marks(close)
                    && open.chars().rev().map(mirrored).eq(close.chars()) =>
            {
                open
            }
            _ => text,
        };
        let parts = text.split("...").map(|part| tokens(part.trim()));
        let longest = parts.max_by_key(Vec::len).filter(|tokens| !tokens.is_empty())?;
        Some(Self::Tokens(longest))
    }

    /// Returns the pattern of a call of `function`.
    pub(super) fn call(function: &str) -> Option<Self> {
        let name = function.trim().trim_end_matches("...").trim_end_matches(')').trim_end_matches('(').trim();
        let tokens = tokens(name);
        (!tokens.is_empty()).then_some(Self::Call(tokens))
    }

    /// Returns a text that source text contains if the pattern matches it.
    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::Tokens(tokens) | Self::Call(tokens) | Self::With(tokens, _) => {
                let text = |token: &Token| match token {
                    Token::Name(name) if name == "_" => None,
                    Token::Name(text) | Token::Text(text) => literal(text),
                    Token::Mark(_) => None,
                };
                let mark = |token: &Token| match token {
                    Token::Mark(mark) => literal(&mark.to_string()),
                    Token::Name(_) | Token::Text(_) => None,
                };
                let longest = tokens.iter().filter_map(text).max_by_key(String::len);
                longest.or_else(|| tokens.iter().find_map(mark))
            }
            Self::Image(end) if end == ":latest" => None,
            Self::Name(text)
            | Self::Prefix(text)
            | Self::Text(text)
            | Self::TextPrefix(text)
            | Self::Within(text)
            | Self::Raw(text)
            | Self::Type(text)
            | Self::Image(text)
            | Self::Pipe(text)
            | Self::Last(_, text) => literal(text),
        }
    }

    /// Whether it is one of container images, and matches this one.
    pub(super) fn is_of_image(&self, image: &str) -> bool {
        matches!(self, Self::Image(end) if image.ends_with(end.as_str()) || end == ":latest" && is_untagged(image))
    }

    /// Counts the matches in `text`, which is in `language` and split as `lexed`.
    pub(super) fn count(&self, text: &str, lexed: &Lexed, language: &Language) -> usize {
        match self {
            Self::Tokens(pattern) => starts(pattern, lexed, language)
                .filter(|at| stands_alone(pattern, lexed, *at) && is_whole_operator(pattern, lexed, *at))
                .filter(|at| !is_full_tag(pattern, lexed, *at))
                .count(),
            Self::Call(pattern) => {
                starts(pattern, lexed, language).filter(|at| is_call(pattern, lexed, *at, language)).count()
            }
            Self::With(function, argument) => starts(function, lexed, language)
                .filter(|at| is_call(function, lexed, *at, language))
                .filter(|at| has_argument(argument, lexed, at + function.len(), language))
                .count(),
            Self::Name(name) => lexed.tokens.iter().filter(|token| token.name() == Some(name)).count(),
            Self::Prefix(prefix) => lexed
                .tokens
                .iter()
                .filter(|token| token.name().is_some_and(|name| name.starts_with(prefix.as_str())))
                .count(),
            Self::Text(wanted) => lexed
                .tokens
                .iter()
                .filter(|token| token.text().is_some_and(|text| text.eq_ignore_ascii_case(wanted)))
                .count(),
            Self::TextPrefix(wanted) => lexed
                .tokens
                .iter()
                .filter(|token| token.text().is_some_and(|text| text.starts_with(wanted.as_str())))
                .count(),
            Self::Within(part) => lexed
                .tokens
                .iter()
                .filter(|token| token.text().is_some_and(|text| text.contains(part.as_str())))
                .count(),
            Self::Raw(raw) => text.matches(raw.as_str()).count(),
            Self::Type(name) => (0..lexed.tokens.len()).filter(|at| is_type(name, lexed, *at)).count(),
            Self::Image(end) => images(&lexed.code)
                .filter(|image| image.ends_with(end.as_str()) || (end == ":latest" && is_untagged(image)))
                .count(),
            Self::Last(instruction, value) => {
                let mut values = lexed.code.lines().filter_map(|line| {
                    let (word, rest) = line.trim().split_once(char::is_whitespace)?;
                    word.eq_ignore_ascii_case(instruction).then(|| rest.trim())
                });
                usize::from(values.next_back().is_some_and(|last| last == value))
            }
            Self::Pipe(program) => {
                lexed.code.replace("\\\n", " ").lines().filter(|line| is_piped(program, line)).count()
            }
        }
    }
}

/// Whether the arguments in the brackets at `open` have `argument` among them.
fn has_argument(argument: &[Token], lexed: &Lexed, open: usize, language: &Language) -> bool {
    let mut depth = 0_usize;
    let is_end = |token: &Token| {
        depth += usize::from(token.is('('));
        depth -= usize::from(token.is(')') && depth > 0);
        depth == 0
    };
    let length = lexed.tokens.iter().skip(open).position(is_end);
    let end = length.map_or(lexed.tokens.len(), |length| open + length);
    starts(argument, lexed, language).any(|at| (open + 1..end).contains(&at))
}

/// Whether a pattern of the short tag `<?` is at a full one: `<?php`, `<?xml`.
fn is_full_tag(pattern: &[Token], lexed: &Lexed, at: usize) -> bool {
    let is_tag = matches!(pattern, [Token::Mark('<'), Token::Mark('?'), ..]);
    let name = lexed.at(at + 2).and_then(Token::name);
    is_tag && name.is_some_and(|name| ["php", "xml"].contains(&name.to_lowercase().as_str()))
}

/// Splits a pattern into tokens.
fn tokens(text: &str) -> Vec<Token> {
    let language = Language { name: "", line: &[], block: &[], strings: &["\"", "`"], case: true };
    Lexed::new(text, &language).tokens
}

/// Returns the positions at which `pattern` matches.
fn starts<'l>(
    pattern: &'l [Token],
    lexed: &'l Lexed,
    language: &'l Language,
) -> impl Iterator<Item = usize> + 'l {
    let last = pattern.len().saturating_sub(1);
    (0..lexed.tokens.len()).filter(move |start| {
        !pattern.is_empty()
            && pattern.iter().enumerate().all(|(at, wanted)| {
                let Some(given) = lexed.at(start + at) else { return false };
                match (wanted, given) {
                    (Token::Name(wanted), Token::Name(_)) if wanted == "_" => true,
                    (Token::Name(wanted), Token::Name(given)) if !language.case => {
                        wanted.eq_ignore_ascii_case(given)
                    }
                    (Token::Text(wanted), Token::Text(given)) if at == last => {
                        given.starts_with(wanted.as_str())
                    }
                    (wanted, given) => wanted == given,
                }
            })
    })
}

fn mirrored(mark: char) -> char {
    match mark {
        '{' => '}',
        '[' => ']',
        '(' => ')',
        '<' => '>',
        other => other,
    }
}

/// Whether an operator stands alone: `==` is not a part of `===`.
fn is_whole_operator(pattern: &[Token], lexed: &Lexed, at: usize) -> bool {
    let (Some(Token::Mark(first)), Some(Token::Mark(last))) = (pattern.first(), pattern.last()) else {
        return true;
    };
    let is_operator =
        first == last && matches!(first, '=' | '&' | '|') && pattern.iter().all(|token| token.is(*first));
    !is_operator
        || !(lexed.before(at).is_some_and(|token| token.is(*first) || token.is('!'))
            || lexed.at(at + pattern.len()).is_some_and(|token| token.is(*first)))
}

/// Whether a single name is a use and not the name of something new, a key or a member.
fn stands_alone(pattern: &[Token], lexed: &Lexed, at: usize) -> bool {
    // `data-style="` is another attribute than `style="`.
    let is_attribute = matches!(pattern, [Token::Name(_), Token::Mark('='), ..]);
    if is_attribute && lexed.before(at).is_some_and(|token| token.is('-')) {
        return false;
    }
    let [Token::Name(_)] = pattern else { return true };
    let before = lexed.before(at);
    let declares = before.and_then(Token::name).is_some_and(|name| DECLARING.contains(&name));
    let is_key = lexed.at(at + 1).is_some_and(|token| token.is(':'))
        && !lexed.at(at + 2).is_some_and(|token| token.is(':'));
    !(declares || is_key)
}

fn is_call(pattern: &[Token], lexed: &Lexed, at: usize, language: &Language) -> bool {
    let behind = lexed.at(at + pattern.len());
    let is_macro = behind.is_some_and(|token| token.is('!')) && language.name == "rs";
    let opens = behind.is_some_and(|token| token.is('(')) || is_macro;
    let bare = matches!(language.name, "rb" | "ex" | "pl" | "ps" | "sh")
        && (lexed.first.get(at) == Some(&true) || pattern.len() > 1)
        && !behind.is_some_and(|token| token.is('='));
    // `os.system` is a use of the function also where it is not called at once.
    let is_member =
        pattern.len() > 2 && pattern.iter().any(|token| token.is('.') || token.is(':') || token.is('\\'));
    let before = lexed.before(at);
    let declared =
        before.and_then(Token::name).is_some_and(|name| DECLARING.contains(&name) && name != "async");
    let arrow = before.is_some_and(|token| token.is('>'))
        && at.checked_sub(2).and_then(|at| lexed.at(at)).is_some_and(|token| token.is('-'));
    let of_another = (arrow || before.is_some_and(|token| token.is('.') || token.is(':')))
        && pattern.first().is_some_and(|token| token.name().is_some())
        && !at
            .checked_sub(2)
            .and_then(|at| lexed.at(at))
            .and_then(Token::name)
            .is_some_and(|name| ROOTS.contains(&name))
        && !is_member
        && before.is_some_and(|token| {
            !token.is(':') || lexed.at(at.wrapping_sub(2)).is_some_and(|token| token.is(':'))
        });
    (opens || bare || is_member) && !declared && !of_another
}

/// Whether the name at `at` is a type: behind a colon, `as`, a bracket or an operator of types.
fn is_type(name: &str, lexed: &Lexed, at: usize) -> bool {
    if lexed.at(at).and_then(Token::name) != Some(name) {
        return false;
    }
    let (before, behind) = (lexed.before(at), lexed.at(at + 1));
    let is_before = |marks: &[char]| before.is_some_and(|token| marks.iter().any(|mark| token.is(*mark)));
    let is_behind = |marks: &[char]| behind.is_none_or(|token| marks.iter().any(|mark| token.is(*mark)));
    let follows = before
        .and_then(Token::name)
        .is_some_and(|word| ["as", "extends", "keyof", "satisfies", "is"].contains(&word));
    let arrow =
        is_before(&['>']) && at.checked_sub(2).and_then(|at| lexed.at(at)).is_some_and(|token| token.is('='));
    let alias = is_before(&['='])
        && at.checked_sub(3).and_then(|at| lexed.at(at)).and_then(Token::name) == Some("type");
    follows
        || alias
        || (is_before(&[':', '<', '|', '&']) && (behind.is_none() || !is_behind(&['(', '.'])))
        || (is_before(&[',']) && is_behind(&['>', '[']))
        || (arrow && is_behind(&[';', ',', ')', '}', '|']))
        || (is_before(&['(', ','])
            && behind.is_some_and(|token| token.is('['))
            && lexed.at(at + 2).is_some_and(|token| token.is(']')))
}

/// Returns the container images in the text of a Dockerfile, a compose file or a manifest.
pub(super) fn images(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("- ").trim_matches(['"', ',', ' ']);
        let from =
            line.get(..5).filter(|word| word.eq_ignore_ascii_case("from ")).and_then(|_| line.get(5..));
        let image = match from {
            Some(rest) => rest.split_whitespace().find(|word| !word.starts_with("--"))?,
            None => {
                let value = line
                    .strip_prefix("image:")
                    .or_else(|| line.strip_prefix("image\":"))
                    .or_else(|| line.strip_prefix("image ="))
                    .or_else(|| line.strip_prefix("repository:"))
                    .or_else(|| line.strip_prefix("COPY --from="))
                    .or_else(|| line.split_once(" image: ").map(|(_, rest)| rest))
                    .or_else(|| line.split_once("uses: docker://").map(|(_, rest)| rest))?;
                value.trim().trim_matches(['"', '\'']).split([' ', '"', '\'', ',', '}']).next()?
            }
        };
        (!image.is_empty()).then_some(image)
    })
}

fn is_untagged(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    !name.contains([':', '@', '$']) && name != "scratch" && image.contains('/')
}

pub(super) fn is_piped(program: &str, line: &str) -> bool {
    let mut parts = line.split('|').peekable();
    while let Some(part) = parts.next() {
        let runs = part.split_whitespace().any(|word| word == program);
        let shell = parts.peek().is_some_and(|next| {
            let mut words = next.split_whitespace().filter(|word| !["sudo", "env", "-E"].contains(word));
            words.next().is_some_and(|word| {
                ["sh", "bash", "zsh", "/bin/sh", "/bin/bash", "python", "python3", "perl", "node"]
                    .contains(&word)
            })
        });
        if runs && shell {
            return true;
        }
    }
    let in_shell = line.contains(&format!("$({program} ")) || line.contains(&format!("<({program} "));
    in_shell && ["sh -c", "bash -c", "eval", "bash <("].iter().any(|shell| line.contains(shell))
}

#[cfg(test)]
mod tests {
    use super::super::tables::language;
    use super::*;

    fn count(pattern: &str, path: &str, text: &str) -> usize {
        let language = language(path).unwrap();
        Pattern::parse(pattern).unwrap().count(text, &Lexed::new(text, &language), &language)
    }

    #[test]
    fn patterns_match_code_and_nothing_else() {
        for (pattern, path, text, wanted) in [
            (
                "CALL eval",
                "a.ts",
                "eval(x); window.eval(y); retrieval(z); m.eval(q); function eval() {} // eval()",
                2,
            ),
            ("TYPE any", "a.ts", "let a: any; f<any>(b as any); const any = 1; x: 'any'; type T = any;", 4),
            ("except :", "a.py", "except:\nexcept OSError:\n# except:", 1),
            ("from _ import *", "a.py", "from a import *\nfrom a import b", 1),
            ("SELECT *", "a.sql", "select * from t; -- SELECT *", 1),
            ("verify = False", "a.py", "get(u, verify=False)  # verify=False\n'verify=False'", 1),
            ("# ! [ feature (", "a.rs", "#![feature(x)]", 1),
            ("style={{...}}", "a.tsx", "<b style={{ a: 1 }} />", 1),
            ("STR md5", "a.js", "createHash('md5') // md5\n'the md5 sum'", 1),
            ("IMAGE :latest", "compose.yml", "    image: ghcr.io/acme/web:latest\n    x: ':latest'", 1),
            ("PIPE curl", "Dockerfile", "RUN curl -f https://x | sudo sh\nRUN curl -o a https://x", 1),
            ("unsafe", "a.rs", "unsafe { *p } // unsafe\nfn is_unsafe() {}", 1),
            ("CALL unwrap", "a.rs", "unwrap_or(1); unwrap(x)", 1),
        ] {
            assert_eq!(count(pattern, path, text), wanted, "{pattern} in {text}");
        }
    }
}

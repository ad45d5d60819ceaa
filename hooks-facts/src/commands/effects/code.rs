//! Reads the text of an interpreter to names, strings and signs: enough to find calls with literal arguments.
//!
//! Strings that are put together of literals are one string. Comments are left out. What is computed stays unknown.

use crate::commands::code::Language;
use crate::shell::escape;

/// Most tokens that are read: more than a text has that the analysis accepts.
const MAX_TOKENS: usize = 2 * 1024 * 1024;

/// Piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Token {
    /// A name or a number.
    Name(String),
    /// A string without its quotes.
    Text(String),
    /// A text between signs that run it: backticks, `%x(…)`, `qx(…)`.
    Command(String),
    /// Any other character.
    Sign(char),
}

impl Token {
    pub(in crate::commands) fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }

    pub(in crate::commands) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(in crate::commands) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a text of a language.
pub(in crate::commands) fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut reader = CodeLexer { rest: text, language, tokens: Vec::new() };
    while !reader.rest.is_empty() && reader.tokens.len() < MAX_TOKENS {
        reader.step();
    }
    joined(language, reader.tokens)
}

struct CodeLexer<'t> {
    rest: &'t str,
    language: Language,
    tokens: Vec<Token>,
}

impl CodeLexer<'_> {
    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        if self.skips_comment() {
            return;
        }
        if c == '\n' {
            self.tokens.push(Token::Sign('\n'));
        }
        if c.is_whitespace() {
            return self.pass(c.len_utf8());
        }
        if matches!(c, '"' | '\'' | '`') && !(c == '\'' && self.language.is_lisp()) {
            let triple: String = std::iter::repeat_n(c, 3).collect();
            let close = if self.rest.starts_with(&triple) { triple } else { c.to_string() };
            self.string(close.len(), &close);
            return self.is_command_if(c == '`' && self.language.has_backticks());
        }
        if let Some((open, close)) = self.marked() {
            let runs = self.rest.starts_with("%x") || self.rest.starts_with("qx");
            self.string(open, &close.to_string());
            return self.is_command_if(runs);
        }
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let is_own = |c: char| is_letter(c) || self.language.is_lisp() && "-!?*".contains(c);
        if is_letter(c) {
            let end = self.rest.find(|c| !is_own(c)).unwrap_or(self.rest.len());
            let name = self.rest.get(..end).unwrap_or_default().to_owned();
            self.pass(end);
            // `r"…"`, `b'…'`: the letters before a string belong to it.
            let is_prefix = name.len() <= 2 && name.chars().all(|c| "rbfuRBFU".contains(c));
            if !(is_prefix && self.rest.starts_with(['"', '\''])) {
                self.tokens.push(Token::Name(name));
            }
            return;
        }
        if let Some(length) =
            ["::", "->", "?."].iter().find(|it| self.rest.starts_with(**it)).map(|it| it.len())
        {
            self.tokens.push(Token::Sign('.'));
            return self.pass(length);
        }
        // In Clojure and Babashka, a slash is between a namespace and its name.
        let c = if c == '/' && self.language.is_lisp() { '.' } else { c };
        self.tokens.push(Token::Sign(c));
        self.pass(c.len_utf8());
    }

    fn is_command_if(&mut self, runs: bool) {
        if runs && let Some(Token::Text(text)) = self.tokens.pop() {
            self.tokens.push(Token::Command(text));
        }
    }

    fn pass(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn skips_comment(&mut self) -> bool {
        let (line, block): (&[&str], Option<(&str, &str)>) = match self.language {
            Language::JavaScript | Language::Java => (&["//"], Some(("/*", "*/"))),
            Language::Php => (&["//", "# "], Some(("/*", "*/"))),
            Language::Lua | Language::Haskell => (&["--"], None),
            Language::Lisp => (&[";"], None),
            Language::Vim => (&[], None),
            _ => (&["#"], None),
        };
        if line.iter().any(|mark| self.rest.starts_with(mark)) {
            self.pass(self.rest.find('\n').unwrap_or(self.rest.len()));
            return true;
        }
        match block {
            Some((open, close)) if self.rest.starts_with(open) => {
                self.pass(self.rest.find(close).map_or(self.rest.len(), |at| at + close.len()));
                true
            }
            _ => false,
        }
    }

    /// `q(…)`, `%q(…)`, `qw(…)`: the length before the text, and the character after it.
    fn marked(&self) -> Option<(usize, char)> {
        let starts: &[&str] = match self.language {
            Language::Perl => &["qq", "qw", "qx", "q"],
            Language::Ruby => &["%q", "%Q", "%w", "%W", "%i", "%x", "%"],
            _ => return None,
        };
        if self.tokens.last().is_some_and(|last| last.is('$') || last.is('@')) {
            return None;
        }
        let start = starts.iter().find(|start| self.rest.starts_with(**start))?;
        let open = self.rest.get(start.len()..)?.chars().next()?;
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            '/' | '!' | '|' | '~' if start.len() > 1 || self.language == Language::Perl => open,
            _ => return None,
        };
        Some((start.len() + open.len_utf8(), close))
    }

    fn string(&mut self, open: usize, close: &str) {
        let inner = self.rest.get(open..).unwrap_or_default();
        let mut text = String::new();
        let mut at = 0;
        while let Some(c) = inner.get(at..).and_then(|rest| rest.chars().next()) {
            if inner.get(at..).is_some_and(|rest| rest.starts_with(close)) {
                at += close.len();
                break;
            }
            at += c.len_utf8();
            if c == '\\' {
                let read = escape(inner.get(at..).unwrap_or_default());
                text.push_str(&read.text);
                at += read.length;
            } else {
                text.push(c);
            }
        }
        self.tokens.push(Token::Text(text));
        self.pass(open + at);
    }
}

/// Joins strings between which only a sign for joining is.
fn joined(language: Language, tokens: Vec<Token>) -> Vec<Token> {
    let joins_neighbours = matches!(language, Language::Python | Language::Awk);
    let is_sign = |token: &Token| ['+', '.', '&', '~'].iter().any(|sign| token.is(*sign));
    let mut result: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let Token::Text(text) = token else {
            result.push(token);
            continue;
        };
        let signs = result.iter().rev().take_while(|token| is_sign(token)).take(3).count();
        let before = result.len().checked_sub(signs + 1);
        match before.and_then(|before| result.get_mut(before)) {
            Some(Token::Text(first))
                if signs <= 2 && !language.is_lisp() && (signs > 0 || joins_neighbours) =>
            {
                first.push_str(&text);
                result.truncate(before.unwrap_or_default() + 1);
            }
            _ => result.push(Token::Text(text)),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_joined_and_comments_left_out() {
        let texts = |language, text| {
            tokens(language, text).iter().filter_map(Token::text).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(texts(Language::Python, "f('a' + \"b\") # 'c'"), ["ab"]);
        assert_eq!(texts(Language::Python, "f(r'a', \"\"\"b'c\"\"\")"), ["a", "b'c"]);
        assert_eq!(texts(Language::JavaScript, "f('a') // 'b'\n/* 'c' */ g(`d`)"), ["a", "d"]);
        assert_eq!(texts(Language::Perl, "f(q(rm x) . qq{y}, 'z')"), ["rm xy", "z"]);
        assert_eq!(texts(Language::Ruby, "f %w[a b], 'c'"), ["a b", "c"]);
    }

    #[test]
    fn any_text_ends() {
        for text in ["'", "\"\\", "%q(", "((((", "'''", "é'ü"] {
            for language in [Language::Python, Language::Perl, Language::Ruby, Language::Lisp] {
                tokens(language, text);
            }
        }
    }
}

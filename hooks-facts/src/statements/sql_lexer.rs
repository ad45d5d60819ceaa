//! Splits SQL into tokens: comments are left out, strings and quoted names are one token each.

use crate::globs::Gap;

/// Family of databases, as far as their texts are read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The standard, with dollar-quoted strings and nested comments.
    Postgres,
    /// `#` comments, backslashes in strings, and comments that run: `/*! … */`.
    Mysql,
    /// All other databases: names in square brackets.
    Other,
}

/// Part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Unquoted word in lower case, or a number.
    Word(String),
    /// Quoted name.
    Name(String),
    /// String, also a dollar-quoted one.
    Text(String),
    Symbol(char),
    /// Part that is not known before the text runs.
    Gap,
    /// Line for the client, such as `\! ls`.
    Client(String),
}

impl Token {
    /// Returns the unquoted word.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Returns whether the token is this word.
    pub(super) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    /// Returns the token as a word of a statement.
    pub(super) fn shown(&self) -> Option<String> {
        match self {
            Self::Word(text) | Self::Name(text) => Some(text.to_lowercase()),
            Self::Gap => Some("…".to_owned()),
            Self::Text(_) | Self::Symbol(_) | Self::Client(_) => None,
        }
    }
}

/// Returns the tokens of a text.
pub(super) fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    Lexer { rest: text, dialect, tokens: Vec::new(), runs_comment: false }.all()
}

struct Lexer<'t> {
    rest: &'t str,
    dialect: Dialect,
    tokens: Vec<Token>,
    /// Whether the text is inside of a comment that runs.
    runs_comment: bool,
}

impl Lexer<'_> {
    fn all(mut self) -> Vec<Token> {
        while let Some(c) = self.rest.chars().next() {
            self.next(c);
        }
        self.tokens
    }

    fn next(&mut self, c: char) {
        if self.skip_comment() {
            return;
        }
        match c {
            _ if c.is_whitespace() => self.skip(c.len_utf8()),
            '\'' => self.quoted(c, Token::Text),
            '"' if self.dialect == Dialect::Mysql => self.quoted(c, Token::Text),
            '"' | '`' => self.quoted(c, Token::Name),
            '[' if self.dialect == Dialect::Other => self.quoted(']', Token::Name),
            '$' => self.dollar(),
            '\\' | '.' if self.begins_line(c) => self.client_line(),
            _ if c.is_alphanumeric() || c == '_' || c == '@' => self.word(),
            _ => {
                self.tokens.push(if Gap::from_char(c).is_some() { Token::Gap } else { Token::Symbol(c) });
                self.skip(c.len_utf8());
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Skips a comment; returns whether there is one.
    fn skip_comment(&mut self) -> bool {
        let is_mysql = self.dialect == Dialect::Mysql;
        let is_line = match self.rest.strip_prefix("--") {
            Some(after) => !is_mysql || after.chars().next().is_none_or(char::is_whitespace),
            None => is_mysql && self.rest.starts_with('#'),
        };
        if is_line {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.skip(end);
            return true;
        }
        if self.runs_comment && self.rest.starts_with("*/") {
            self.runs_comment = false;
            self.skip(2);
            return true;
        }
        if !self.rest.starts_with("/*") {
            return false;
        }
        let running = ["/*!", "/*M!"].into_iter().find(|start| is_mysql && self.rest.starts_with(start));
        if let Some(start) = running {
            self.skip(start.len());
            let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            self.skip(digits);
            self.runs_comment = true;
        } else {
            self.block_comment();
        }
        true
    }

    /// Skips `/* … */`, with comments inside of it where the database nests them.
    fn block_comment(&mut self) {
        let nests = self.dialect == Dialect::Postgres;
        let mut depth = 0_usize;
        loop {
            if self.rest.starts_with("/*") && (nests || depth == 0) {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
                if depth == 0 {
                    return;
                }
            } else {
                let Some(c) = self.rest.chars().next() else { return };
                self.skip(c.len_utf8());
            }
        }
    }

    /// Reads up to a quote, which is doubled inside.
    fn quoted(&mut self, end: char, token: fn(String) -> Token) {
        let is_escaped = self.dialect == Dialect::Mysql || self.follows_escape_letter();
        self.skip(1);
        let mut text = String::new();
        let mut chars = self.rest.char_indices().peekable();
        let mut used = self.rest.len();
        while let Some((at, c)) = chars.next() {
            if c == '\\' && is_escaped && end != ']' {
                text.extend(chars.next().map(|(_, c)| c));
            } else if c != end {
                text.push(c);
            } else if chars.peek().is_some_and(|(_, next)| *next == end) {
                text.push(c);
                chars.next();
            } else {
                used = at + c.len_utf8();
                break;
            }
        }
        self.skip(used);
        self.tokens.push(token(text));
    }

    /// Returns whether the letter of `E'…'` stands directly before; it is no word of its own then.
    fn follows_escape_letter(&mut self) -> bool {
        let is_letter = |token: &Token| matches!(token.word(), Some("e" | "n" | "b" | "x" | "u"));
        if !self.tokens.last().is_some_and(is_letter) {
            return false;
        }
        let letter = self.tokens.pop();
        letter.is_some_and(|letter| letter.is("e"))
    }

    /// `$tag$ … $tag$`, or a placeholder such as `$1`.
    fn dollar(&mut self) {
        let after = self.rest.get(1..).unwrap_or_default();
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
        let is_tag =
            self.dialect == Dialect::Postgres && after.get(end..).is_some_and(|rest| rest.starts_with('$'));
        if !is_tag {
            self.skip(1 + end);
            self.tokens.push(Token::Symbol('$'));
            return;
        }
        let tag = self.rest.get(..end + 2).unwrap_or_default().to_owned();
        self.skip(tag.len());
        let close = self.rest.find(&tag);
        let text = self.rest.get(..close.unwrap_or(self.rest.len())).unwrap_or_default().to_owned();
        self.skip(text.len() + tag.len());
        self.tokens.push(Token::Text(text));
    }

    /// Returns whether the character begins a line for the client.
    fn begins_line(&self, c: char) -> bool {
        let at_start =
            self.tokens.last().is_none_or(|last| matches!(last, Token::Symbol(';') | Token::Client(_)));
        (c == '\\' || at_start && self.dialect == Dialect::Other)
            && self
                .rest
                .get(1..)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '!'))
    }

    fn client_line(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = self.rest.get(1..end).unwrap_or_default().trim().to_owned();
        // `\G` ends a statement and `\gexec` runs its result.
        self.skip(end);
        self.tokens.extend([Token::Symbol(';'), Token::Client(line), Token::Symbol(';')]);
    }

    fn word(&mut self) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '#');
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default().to_lowercase();
        self.skip(end);
        self.tokens.push(Token::Word(word));
    }
}

//! Splits a message into words and punctuation marks; a quotation is one token.

use super::material;
use super::words::CONTRACTIONS;

/// The longest quotation, in bytes.
const QUOTATION: usize = 400;

/// A word, a punctuation mark, or a part of the text that is not read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// The word in lower case; empty for all other kinds.
    pub(super) word: &'a str,
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Mark(char),
    /// A quotation or code.
    Quoted,
    /// End of a line that also ends a sentence.
    Line,
    /// Mark before an item of a list.
    Bullet,
}

struct TokenScanner<'a> {
    message: &'a str,
    lower: &'a str,
    at: usize,
    tokens: Vec<Token<'a>>,
    ahead: Ahead,
    /// Whether the line before is part of an indented block.
    is_code: bool,
}

/// Positions that were found by searching ahead, so that no byte is searched twice.
#[derive(Default)]
struct Ahead {
    double: Next,
    single: Next,
    curly_double: Next,
    curly_single: Next,
    angle: Next,
    corner: Next,
    white_corner: Next,
    code: Next,
    line: Next,
    paragraph: Next,
    /// End of a run of equal marks.
    row: Next,
}

/// Position of the next occurrence.
#[derive(Default)]
struct Next(usize);

impl Next {
    /// Returns the first occurrence from `from` on; `from` must not decrease between calls.
    fn next(&mut self, from: usize, find: impl FnOnce(usize) -> usize) -> usize {
        if self.0 < from {
            self.0 = find(from);
        }
        self.0
    }
}

/// Tokenizes `message`; `lower` is the same text in lower case.
pub(super) fn tokens<'a>(message: &'a str, lower: &'a str) -> Vec<Token<'a>> {
    let tokens = Vec::with_capacity(message.len() / 5 + 4);
    let mut reader = TokenScanner { message, lower, at: 0, tokens, ahead: Ahead::default(), is_code: false };
    reader.line_start();
    while let Some(c) = reader.next() {
        reader.read(c);
    }
    reader.tokens
}

impl<'a> TokenScanner<'a> {
    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        self.message.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> Option<char> {
        self.message.get(..self.at).and_then(|before| before.chars().next_back())
    }

    fn push(&mut self, kind: Kind, end: usize) {
        let end = end.min(self.message.len());
        self.tokens.push(Token { word: "", kind, start: self.at, end });
        self.at = end;
    }

    fn read(&mut self, c: char) {
        match c {
            '\n' => self.line_end(),
            _ if c.is_whitespace() => self.at += c.len_utf8(),
            '`' => self.code(),
            // Emphasis: "**Important:** always …".
            '*' => self.at += 1,
            '"' => self.quotation('"', c),
            '“' | '„' => self.quotation('”', c),
            '«' => self.quotation('»', c),
            '「' => self.quotation('」', c),
            '『' => self.quotation('』', c),
            '\'' | '‘' if !self.before().is_some_and(char::is_alphanumeric) => {
                self.quotation(if c == '‘' { '’' } else { '\'' }, c);
            }
            _ if c.is_alphanumeric()
                || (matches!(c, '-' | '_' | '@' | '#' | '/' | '$' | '.') && self.is_glued(c)) =>
            {
                self.word(c);
            }
            _ => self.push(Kind::Mark(c), self.at + c.len_utf8()),
        }
    }

    /// Whether the mark at the current position begins a word: an option, a path, a handle.
    fn is_glued(&mut self, c: char) -> bool {
        let message = self.message;
        // All marks of a run are equal, so the end that was found for the first one holds for all of them.
        let end = self.ahead.row.next(self.at + c.len_utf8(), |from| {
            let rest = message.get(from..).unwrap_or_default();
            from + rest.find(|next| next != c).unwrap_or(rest.len())
        });
        let next = message.get(end..).and_then(|rest| rest.chars().next());
        next.is_some_and(char::is_alphanumeric) && !self.before().is_some_and(char::is_alphanumeric)
    }

    /// Reads a word: letters and digits, and marks between them that join them.
    fn word(&mut self, first: char) {
        let mut end = self.at;
        let mut rest = self.rest().char_indices().peekable();
        let mut is_opening = !first.is_alphanumeric();
        while let Some((at, c)) = rest.next() {
            let is_joining =
                matches!(c, '-' | '_' | '.' | '/' | '\\' | '@' | ':' | '\'' | '’' | '+' | '#' | '=' | '$');
            let joins =
                is_joining && rest.peek().is_some_and(|(_, next)| next.is_alphanumeric() || *next == '_');
            let opens = is_opening && c == first;
            is_opening = opens;
            if !c.is_alphanumeric() && c != '_' && !joins && !opens {
                break;
            }
            end = self.at + at + c.len_utf8();
        }
        let mut end = end.max(self.at + first.len_utf8());
        // "e.g." does not end a sentence.
        let is_short = matches!(self.lower.get(self.at..end), Some("e.g" | "i.e" | "eg" | "vs" | "cf"));
        end += usize::from(is_short && self.message.get(end..).is_some_and(|rest| rest.starts_with('.')));
        let written = self.lower.get(self.at..end).unwrap_or_default();
        let word = if written.contains(['\'', '’']) { contraction(written) } else { written };
        self.tokens.push(Token { word, kind: Kind::Word, start: self.at, end });
        self.at = end;
    }

    fn code(&mut self) {
        let rest = self.rest();
        if rest.starts_with("```") {
            let inside = rest.get(3..).unwrap_or_default();
            let end = inside.find("```").map_or(rest.len(), |end| end + 6);
            return self.push(Kind::Quoted, self.at + end);
        }
        self.quotation('`', '`');
    }

    /// Reads a quotation within one paragraph. A quotation mark without a closing one is a plain mark.
    fn quotation(&mut self, closing: char, opening: char) {
        let (message, from) = (self.message, self.at + opening.len_utf8());
        let ahead = match closing {
            '"' => &mut self.ahead.double,
            '\'' => &mut self.ahead.single,
            '”' => &mut self.ahead.curly_double,
            '’' => &mut self.ahead.curly_single,
            '»' => &mut self.ahead.angle,
            '」' => &mut self.ahead.corner,
            '』' => &mut self.ahead.white_corner,
            _ => &mut self.ahead.code,
        };
        let closes = ahead.next(from, |from| closing_mark(message, from, closing));
        // An apostrophe may look like a quotation mark, so a single-quoted text ends with its line.
        let breaks = match closing {
            '\'' => self.ahead.line.next(from, |from| find(message, from, "\n")),
            _ => self.ahead.paragraph.next(from, |from| find(message, from, "\n\n")),
        };
        if closes < breaks && closes - from < QUOTATION {
            self.push(Kind::Quoted, closes + closing.len_utf8());
        } else {
            self.push(Kind::Mark(opening), from);
        }
    }

    /// Ends the sentence at a line break, unless the line was full and the next one goes on in lower case.
    fn line_end(&mut self) {
        let line =
            self.message.get(..self.at).and_then(|before| before.rsplit('\n').next()).map_or(0, str::len);
        let is_going_on = self.message.get(self.at + 1..).and_then(|next| next.chars().next());
        if line < FILLED || !is_going_on.is_some_and(char::is_lowercase) {
            self.push(Kind::Line, self.at + 1);
        } else {
            self.at += 1;
        }
        self.line_start();
    }

    /// Skips the start of a line: the mark of a list item or of quoted text.
    fn line_start(&mut self) {
        let line = self.rest();
        self.is_code = material::is_code(self.message, self.at, self.is_code);
        if self.is_code || material::is_log(line) {
            let end = line.find('\n').unwrap_or(line.len());
            return self.push(Kind::Quoted, self.at + end);
        }
        let indented = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - indented.len();
        let Some(first) = indented.chars().next() else { return };
        let after = |length: usize| indented.get(length..).unwrap_or_default();
        let begins = |text: &str| text.starts_with([' ', '\t']);
        let is_letter = |text: &str| text.starts_with(char::is_alphabetic);
        if first == '>' {
            let end = line.find('\n').unwrap_or(line.len());
            return self.push(Kind::Quoted, self.at + end);
        }
        let length = match first {
            '-' if begins(after(1)) || is_letter(after(1)) => 1,
            '*' | '+' | '•' | '–' | '—' | '·' if begins(after(first.len_utf8())) => first.len_utf8(),
            '0'..='9' | 'a'..='z' | 'A'..='Z' | '(' => numbering(indented),
            _ => 0,
        };
        if length > 0 {
            self.at += indent;
            let box_of = |text: &str| after(length).starts_with(text).then_some(text.len());
            let ticked = [" [ ]", " [x]", " [X]"].into_iter().find_map(box_of).unwrap_or_default();
            self.push(Kind::Bullet, self.at + length + ticked);
        }
    }
}

/// Returns the position of the closing mark: after a character that is not white space, and not within a
/// word.
fn closing_mark(message: &str, from: usize, closing: char) -> usize {
    let mut previous = message.get(..from).and_then(|before| before.chars().next_back()).unwrap_or(' ');
    let mut rest = message.get(from..).unwrap_or_default().char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let is_within =
            matches!(c, '\'' | '’') && rest.peek().is_some_and(|(_, after)| after.is_alphanumeric());
        if c == closing && !is_within && !previous.is_whitespace() {
            return from + at;
        }
        previous = c;
    }
    usize::MAX
}

fn find(message: &str, from: usize, what: &str) -> usize {
    message.get(from..).and_then(|rest| rest.find(what)).map_or(usize::MAX, |at| from + at)
}

/// Length from which a line break is taken for a wrapped line and not for the end of a sentence.
const FILLED: usize = 60;

/// Returns the length of an item's number: `1.`, `12)`, `(3)`, `a)`.
fn numbering(line: &str) -> usize {
    let body = line.strip_prefix('(').unwrap_or(line);
    let opened = line.len() - body.len();
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let length = match digits {
        0 if body.starts_with(|c: char| c.is_ascii_alphabetic()) => 1,
        1..=3 => digits,
        _ => return 0,
    };
    let mut after = body.chars().skip(length);
    let is_closed = match after.next() {
        Some(')') => true,
        Some('.' | ':') => digits > 0 && opened == 0,
        _ => false,
    };
    if is_closed && after.next().is_some_and(char::is_whitespace) { opened + length + 1 } else { 0 }
}

/// Returns the word with a plain apostrophe, if it is a contraction that the grammar uses.
fn contraction(written: &str) -> &str {
    let same = |known: &str| {
        let letters = |text: &str| text.chars().map(|c| if c == '’' { '\'' } else { c }).eq(known.chars());
        letters(written)
    };
    CONTRACTIONS.iter().find(|known| same(known)).copied().unwrap_or(written)
}

//! Text as a reader sees it: without invisible characters and terminal codes, with escapes decoded once.
//!
//! A view maps each of its bytes back to the text, so that a finding in the view is removed from the text with
//! everything that was hidden in it.

use super::escapes::{entity, escape, percent, terminal_code};
use super::joint;
use super::label::Labels;
use super::scan;
use super::span::Span;
use super::text::{byte, byte_before, floor, run_end, run_start};

/// A stretch of text with what hides in it made plain.
#[derive(Debug)]
pub(super) struct View {
    /// The plain text.
    pub(super) text: String,
    /// For each byte of the plain text, where it starts in the original; and the end of the original.
    starts: Vec<usize>,
    /// For each byte of the plain text, where it ends in the original.
    ends: Vec<usize>,
}

impl View {
    /// Makes `text[from..to]` plain; `None` if nothing is hidden there.
    pub(super) fn new(text: &str, from: usize, to: usize) -> Option<Self> {
        let inside = text.get(from..to)?;
        let mut view = Self {
            text: String::with_capacity(inside.len()),
            starts: Vec::with_capacity(inside.len()),
            ends: Vec::with_capacity(inside.len()),
        };
        let mut changed = false;
        let mut at = from;
        let mut dialect = Dialect::of_line(text.as_bytes(), from, to);
        while let Some(c) = text.get(at..to).and_then(|rest| rest.chars().next()) {
            match dialect.reading(text.as_bytes(), at, c) {
                Reading::Plain => {
                    view.push(c, at, at + c.len_utf8());
                    at += c.len_utf8();
                    if c == '\n' {
                        dialect = Dialect::of_line(text.as_bytes(), at, to);
                    }
                }
                Reading::Nothing(end) => {
                    changed = true;
                    let inside = text.as_bytes().get(at..end).unwrap_or_default();
                    if let Some(newline) = memchr::memrchr(b'\n', inside) {
                        dialect = Dialect::of_line(text.as_bytes(), at + newline + 1, to);
                    }
                    at = end;
                }
                Reading::Character(decoded, end) => {
                    changed = true;
                    view.push(decoded, at, end);
                    at = end;
                }
            }
        }
        changed.then_some(view)
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        self.text.push(c);
        for _byte in 0..c.len_utf8() {
            self.starts.push(start);
            self.ends.push(end);
        }
    }

    /// Returns the place in the original of `start..end` of the view, if something is hidden in it or shortly before or
    /// after it on its line, as in the name of a secret.
    fn original(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let from = *self.starts.get(start)?;
        let to = *self.ends.get(end.checked_sub(1)?)?;
        let bytes = self.text.as_bytes();
        let near = run_start(bytes, start, NAME_REACH, |b| b != b'\n');
        let far = run_end(bytes, end, MARK_REACH, |b| b != b'\n');
        let (first, last) = (self.starts.get(near)?, self.ends.get(far.checked_sub(1)?)?);
        (last - first > far - near).then_some((from, to))
    }
}

/// Bytes before a finding in which the name of a secret may be hidden.
const NAME_REACH: usize = 64;
/// Bytes after a finding in which the mark that ends it may be hidden.
const MARK_REACH: usize = 8;
/// Bytes on each side of a hidden character that are looked at first.
const SIDE: usize = 2048;
/// Most bytes after a hidden character that are looked at, for a finding that goes on.
const MAX_SIDE: usize = 64 * 1024;
/// Bytes at the end of a part of a long line that are looked at again with the next part.
const OVERLAP: usize = 1024;

/// Finds `labels` in `text` around the positions `hidden`, in order, of characters that hide something.
pub(super) fn find(text: &str, labels: Labels, hidden: &[usize], found: &mut Vec<Span>) {
    let mut done = 0;
    for at in hidden.iter().copied() {
        if at >= done {
            done = around(text, labels, hidden, at, found).max(at + 1);
        }
    }
}

/// Finds `labels` around `at`; returns the position before which everything that is hidden was seen.
fn around(text: &str, labels: Labels, hidden: &[usize], at: usize, found: &mut Vec<Span>) -> usize {
    let from = line_start(text, at);
    let mut side = SIDE;
    loop {
        let (end, is_line) = window_end(text, hidden, at, side);
        let done = if is_line { end } else { end - OVERLAP };
        let Some(view) = View::new(text, from, end) else { return done };
        let plain = scan::scan(&view.text, labels).spans;
        let goes_on = !is_line && plain.iter().any(|span| span.end >= view.text.len());
        if goes_on && side < MAX_SIDE {
            side *= 4;
            continue;
        }
        found.extend(plain.into_iter().filter_map(|span| {
            let (start, end) = view.original(span.start, span.end)?;
            Some(Span::new(start, end, span.label))
        }));
        return done;
    }
}

fn line_start(text: &str, at: usize) -> usize {
    let low = floor(text, at.saturating_sub(SIDE));
    let head = text.as_bytes().get(low..at).unwrap_or_default();
    memchr::memrchr(b'\n', head).map_or(low, |newline| low + newline + 1)
}

/// Returns the end of the lines around `at` that hide something, and whether it is the end of a line. A soft line break
/// of mail (`=`) does not end a line.
fn window_end(text: &str, hidden: &[usize], at: usize, side: usize) -> (usize, bool) {
    let high = floor(text, at.saturating_add(side));
    let tail = text.as_bytes().get(at..high).unwrap_or_default();
    for newline in memchr::memchr_iter(b'\n', tail) {
        let line = tail.get(..newline).unwrap_or_default();
        let next = at + newline + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let rest = tail.get(newline + 1..).unwrap_or_default();
        let next_end = memchr::memchr(b'\n', rest).map_or(high, |length| next + length);
        let below = rest.get(..next_end - next).unwrap_or_default();
        let last =
            line.get(line.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)..).unwrap_or_default();
        let soft = last.ends_with(b"=")
            || ends_in_backslash(text.as_bytes(), at + line.len())
            || joint::goes_on(last)
            || joint::goes_on_below(last, below);
        let first = hidden.partition_point(|place| *place < next);
        let goes_on = hidden.get(first).is_some_and(|place| *place < next_end) && newline < SIDE / 2;
        if !soft && !goes_on {
            return (next, true);
        }
    }
    (high, high == text.len())
}

/// Returns whether the line that ends at `end` has a backslash there that joins its last word with the first one of the next line.
fn ends_in_backslash(bytes: &[u8], end: usize) -> bool {
    let backslash = end.checked_sub(1).filter(|at| byte(bytes, *at) == b'\\');
    backslash.is_some_and(|at| is_word(byte_before(bytes, at)))
}

/// Returns whether a byte belongs to a word that a line end may cut.
fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/_-.=!@#$%^&*~".contains(&b)
}

/// Returns whether something is hidden at `at`.
pub(super) fn is_hidden(text: &str, at: usize) -> bool {
    let here = text.get(at..).and_then(|rest| rest.chars().next());
    here.is_some_and(|c| !matches!(reading(text.as_bytes(), at, c), Reading::Plain))
}

/// Reading of a place in a text.
pub(super) enum Reading {
    /// As it stands.
    Plain,
    /// As nothing, up to this position.
    Nothing(usize),
    /// As another character, up to this position.
    Character(char, usize),
}

/// Notations that only count where the rest of the line shows them. Other lines must not: a text may be cut between them.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    /// Mail in quoted-printable.
    is_mail: bool,
    /// Literals in a list that a call puts together.
    is_joined: bool,
}

impl Dialect {
    /// Returns those of the line that starts at `from`, at most up to `to`.
    fn of_line(bytes: &[u8], from: usize, to: usize) -> Self {
        let rest = bytes.get(from..to).unwrap_or_default();
        let line = rest.split_inclusive(|b| *b == b'\n').next().unwrap_or_default();
        Self { is_mail: joint::is_mail(line), is_joined: joint::is_joined(line) }
    }

    fn reading(self, bytes: &[u8], at: usize, c: char) -> Reading {
        if c == '=' && self.is_mail {
            return match joint::mail_character(bytes, at) {
                Some((c, end)) if is_invisible(c) => Reading::Nothing(end),
                Some((c, end)) => Reading::Character(plain(c).unwrap_or(c), end),
                None => reading(bytes, at, c),
            };
        }
        if matches!(c, '"' | '\'')
            && let Some(end) = joint::end(bytes, at, self.is_joined)
        {
            return Reading::Nothing(end);
        }
        reading(bytes, at, c)
    }
}

fn reading(bytes: &[u8], at: usize, c: char) -> Reading {
    let decoded = match c {
        '\u{1b}' => return terminal_code(bytes, at),
        '%' => percent(bytes, at),
        '&' => return entity(bytes, at),
        '\\' if b"\r\n".contains(&byte(bytes, at + 1)) => {
            return joined_line(bytes, at).map_or(Reading::Plain, Reading::Nothing);
        }
        '\\' => escape(bytes, at),
        // Soft line break of mail.
        '=' if byte(bytes, at + 1) == b'\n' => return Reading::Nothing(at + 2),
        '=' if bytes.get(at + 1..at + 3) == Some(b"\r\n") => return Reading::Nothing(at + 3),
        '\u{2012}' | '\u{2013}' if is_between_digits(bytes, at, c.len_utf8()) => {
            Some(('-', at + c.len_utf8()))
        }
        // Others stand in texts of East Asia.
        '\u{ff1a}' | '\u{ff1d}' if byte(bytes, at + c.len_utf8()).is_ascii_graphic() => {
            plain(c).map(|plain| (plain, at + c.len_utf8()))
        }
        '\u{ff1a}' | '\u{ff1d}' => None,
        '<' => return element(bytes, at).map_or(Reading::Plain, Reading::Nothing),
        _ if is_invisible(c) => return Reading::Nothing(at + c.len_utf8()),
        _ => plain(c).map(|plain| (plain, at + c.len_utf8())),
    };
    decoded.map_or(Reading::Plain, |(c, end)| Reading::Character(c, end))
}

/// Elements of a page that may stand inside a word and show nothing themselves.
const INLINE: &[&[u8]] =
    &[b"wbr", b"b", b"i", b"u", b"em", b"span", b"strong", b"mark", b"font", b"code", b"tt", b"small", b"a"];

/// Returns the end of an inline element at `at` that stands between two characters of a word.
pub(super) fn element(bytes: &[u8], at: usize) -> Option<usize> {
    let before = byte_before(bytes, at);
    if !(is_token(before) || before == b'>') {
        return None;
    }
    let start = at + 1 + usize::from(byte(bytes, at + 1) == b'/');
    let name = run_end(bytes, start, 8, |b| b.is_ascii_alphabetic());
    let word = bytes.get(start..name)?;
    INLINE.iter().find(|known| word.eq_ignore_ascii_case(known))?;
    let attributes = matches!(byte(bytes, name), b'>' | b' ' | b'/');
    let end = run_end(bytes, name, 96, |b| b != b'>' && b != b'<' && b != b'\n');
    let goes_on = is_token(byte(bytes, end + 1)) || byte(bytes, end + 1) == b'<';
    (attributes && goes_on && byte(bytes, end) == b'>').then_some(end + 1)
}

fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"_-.+/=@".contains(&b)
}

/// Returns the start of the line below a backslash at `at` that joins two parts of a word, as shells, C and `sed -n l` do.
fn joined_line(bytes: &[u8], at: usize) -> Option<usize> {
    let next = at + 1 + usize::from(byte(bytes, at + 1) == b'\r') + 1;
    (byte_before(bytes, next) == b'\n' && is_word(byte_before(bytes, at)) && is_word(byte(bytes, next)))
        .then_some(next)
}

fn is_between_digits(bytes: &[u8], at: usize, length: usize) -> bool {
    byte_before(bytes, at).is_ascii_digit() && byte(bytes, at + length).is_ascii_digit()
}

/// Returns whether a character is not seen: those that Unicode lists as ignorable by default (`DerivedCoreProperties`),
/// marks of annotations, and control characters other than tabulators and line ends.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{80}'..='\u{9f}'
            | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns the plain form of a blank that does not break a line, of a hyphen, and of letters and digits of full width.
fn plain(c: char) -> Option<char> {
    match c {
        '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' => Some(' '),
        '\u{2010}' | '\u{2011}' => Some('-'),
        '\u{fe6b}' => Some('@'),
        '\u{ff08}'..='\u{ff09}'
        | '\u{ff0b}'
        | '\u{ff0d}'..='\u{ff0e}'
        | '\u{ff10}'..='\u{ff1a}'
        | '\u{ff1d}'
        | '\u{ff20}'..='\u{ff3a}'
        | '\u{ff3f}'
        | '\u{ff41}'..='\u{ff5a}' => char::from_u32(u32::from(c) - 0xfee0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        View::new(text, 0, text.len()).map_or_else(|| text.to_owned(), |view| view.text)
    }

    #[test]
    fn hidden_text_is_made_plain() {
        for (text, wanted) in [
            ("a\u{200b}b\u{ad}c\u{2060}d\u{feff}e", "abcde"),
            ("\u{1b}[1;31mred\u{1b}[0m \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\", "red link"),
            ("%6a%2540%41", "j@A"),
            ("&#106;&#x40;&commat;&shy;&lowbar;&#8203;x", "j@@_x"),
            ("\\u0040\\x41\\u{42}\\U00000043\\104\\'45", "@ABCDE"),
            ("ab\\\ncd \\\nef", "abcd \\\nef"),
            ("ab<wbr>cd<b>e</b>f <b>g</b>", "abcdef <b>g</b>"),
            ("ab\\_cd \\_ e", "ab_cd \\_ e"),
            ("a：b，c： d", "a:b，c： d"),
            ("a=\nb=\r\nc", "abc"),
            ("caf=C3=A9 n=3D1=C2=A0x=\ny", "café n=1 xy"),
            ("x=3D1&y=2", "x=3D1&y=2"),
            ("'ab' + 'cd'", "'abcd'"),
            ("\"ab\" &\n  \"cd\" .. \"ef\"", "\"abcdef\""),
            ("A=\"ab\"\"cd\"", "A=\"abcd\""),
            ("[\"ab\", \"cd\"].join(\"\")", "[\"abcd\"].join(\"\")"),
            ("[\"ab\", \"cd\"]", "[\"ab\", \"cd\"]"),
            ("k\u{fe0f}e\u{2063}y\u{e0041}\u{1}\u{3164}", "key"),
            ("４１１１\u{a0}1111\u{2011}ａ＠ｂ", "4111 1111-a@b"),
            ("100% of AT&T, a & b, \\n \\u00e9", "100% of AT&T, a & b, \\n \\u00e9"),
        ] {
            assert_eq!(seen(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "é \u{200b}a%40b";
        let view = View::new(text, 0, text.len()).unwrap();
        assert_eq!(view.text, "é a@b");
        let at = view.text.find('a').unwrap();
        let (from, to) = view.original(at, view.text.len()).unwrap();
        assert_eq!(text.get(from..to).unwrap(), "a%40b");
        let far = format!("é {} \u{200b}a", "x".repeat(100));
        let view = View::new(&far, 0, far.len()).unwrap();
        assert_eq!(view.original(0, 2), None);
    }
}

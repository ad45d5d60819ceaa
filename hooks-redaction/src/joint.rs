//! Text that is put together from pieces: literals with a sign between them, and the escapes and line ends of mail.
//!
//! A token in two literals:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let text = "key = \"ghp_0123456789abcdef\" + \"ghijklmnopqrstuvwxyz\"";
//! assert!(!Scrubber::default().scrub(text).contains("ghijklmnopqrstuvwxyz"));
//! ```

use super::{
    span::Span,
    text::{byte, byte_before, line_before, run_end},
};

/// Most blanks on each side of the sign between two literals.
const MAX_BLANK: usize = 40;
/// Longest line of mail in quoted-printable (RFC 2045, section 6.7), with some room.
const MAX_MAIL_LINE: usize = 80;
/// The same, if its escapes are those of letters beyond ASCII.
const MAX_LONG_LINE: usize = 400;

/// Returns the start of the literal that goes on with the one whose quotation mark is at `at`: `"a" + "b"`, `"a" .. "b"`,
/// `"a""b"`; with `is_joined`, also the next one of a list.
pub(super) fn end(bytes: &[u8], at: usize, is_joined: bool) -> Option<usize> {
    let last = byte_before(bytes, at);
    if !(last.is_ascii_alphanumeric() || b"_-/+=.".contains(&last)) {
        return None;
    }
    let blank = |from: usize| run_end(bytes, from, MAX_BLANK, |b| b == b' ' || b == b'\t');
    let line = |from: usize| run_end(bytes, from, MAX_BLANK, |b| b.is_ascii_whitespace());
    let sign = blank(at + 1);
    let after = match (byte(bytes, sign), byte(bytes, sign + 1)) {
        (b'.', b'.') | (b'|', b'|') | (b'<', b'>') | (b'+', b'+') => line(sign + 2),
        (b'+' | b'.' | b'&', _) => after_sign(bytes, sign + 1),
        (b',', _) if is_joined => blank(sign + 1),
        (b'\\', b'\n') if sign > at + 1 => line(sign + 1),
        (b'\n' | b'\r', _) => indented(bytes, sign)?,
        _ if sign == at + 1 || is_prefixed(bytes, sign) => sign,
        _ => return None,
    };
    let after = after + usize::from(is_prefixed(bytes, after));
    let quote = byte(bytes, at);
    let next = byte(bytes, after + 1);
    // A shell joins what stands in different quotation marks.
    let same = byte(bytes, after) == quote || after == at + 1 && b"\"'".contains(&byte(bytes, after));
    (same && (next.is_ascii_alphanumeric() || b"_-/+=".contains(&next))).then_some(after + 1)
}

/// Returns whether a literal of Python with a prefix is at `at`: `f"…"`.
fn is_prefixed(bytes: &[u8], at: usize) -> bool {
    b"fFrRbBuU".contains(&byte(bytes, at)) && b"\"'".contains(&byte(bytes, at + 1))
}

/// Fewest blanks in front of a literal that goes on with the one at the end of the line above.
const LEAST_INDENT: usize = 3;

/// Returns the start of what the line below the line end at `at` has behind its blanks, which are some: in C and Python,
/// literals that follow each other are one.
fn indented(bytes: &[u8], at: usize) -> Option<usize> {
    let next = at + 1 + usize::from(byte(bytes, at) == b'\r' && byte(bytes, at + 1) == b'\n');
    let from = run_end(bytes, next, 2 * MAX_BLANK, |b| b == b' ' || b == b'\t');
    let is_indented = from >= next + LEAST_INDENT || byte(bytes, next) == b'\t';
    is_indented.then_some(from)
}

/// Returns the start of what follows a sign, which may be continued in the next line by `_` (Visual Basic).
fn after_sign(bytes: &[u8], from: usize) -> usize {
    let blank = run_end(bytes, from, MAX_BLANK, |b| b == b' ' || b == b'\t');
    let continued = byte(bytes, blank) == b'_' && blank > from;
    run_end(bytes, blank + usize::from(continued), MAX_BLANK, |b| b.is_ascii_whitespace())
}

/// Splits a finding where one literal ends and the next one starts, so that the signs between them stay.
pub(super) fn split(text: &str, span: &Span) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut at) = (span.start, span.start);
    while let Some(quote) = bytes.get(at..span.end).and_then(|rest| memchr::memchr2(b'"', b'\'', rest)) {
        let quote = at + quote;
        at = quote + 1;
        if let Some(next) = end(bytes, quote, true).filter(|next| *next < span.end && quote > start) {
            parts.push(Span::new(start, quote, span.label.clone()));
            (start, at) = (next, next);
        }
    }
    parts.push(Span::new(start, span.end, span.label.clone()));
    parts
}

/// Returns whether a line ends with a literal and a sign that puts another one behind it.
pub(super) fn goes_on(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let line = line.strip_suffix(b" _").unwrap_or(line).trim_ascii_end();
    let Some((sign, rest)) = line.split_last() else { return false };
    let first = if *sign == b'>' { b'<' } else { *sign };
    let rest = if b".+|>".contains(sign) { rest.strip_suffix(&[first]).unwrap_or(rest) } else { rest };
    b"+.&\\|>".contains(sign) && matches!(rest.trim_ascii_end().last(), Some(b'"' | b'\''))
}

/// Returns whether a line ends with a literal that one in the line below, `next`, may go on with.
pub(super) fn goes_on_below(line: &[u8], next: &[u8]) -> bool {
    let Some((quote, _)) = line.trim_ascii_end().split_last() else { return false };
    let rest = next.trim_ascii_start();
    b"\"'".contains(quote) && rest.first() == Some(quote) && next.len() > rest.len()
}

/// Returns whether a text has a call that puts the literals of a list together: `[…].join("")`, `concat!(…)`.
pub(super) fn is_joined(text: &[u8]) -> bool {
    [&b"join("[..], b"Join(", b"concat!(", b"concat(", b"CONCAT(", b"paste0("]
        .iter()
        .any(|call| memchr::memmem::find(text, call).is_some())
}

/// Bytes around a call in which the list of its literals is looked for.
const LIST_REACH: usize = 200;

/// Returns whether a list of literals is near the call at `at` that puts them together.
pub(super) fn has_list(bytes: &[u8], at: usize) -> bool {
    let from = at - line_before(bytes, at, LIST_REACH).len();
    let near = bytes.get(from..bytes.len().min(at + LIST_REACH)).unwrap_or_default();
    let literals = |comma: usize| {
        let next = run_end(near, comma + 1, 2, |b| b == b' ');
        let quotes = [byte_before(near, comma), byte(near, next)];
        let inside = [byte_before(near, comma.wrapping_sub(1)), byte(near, next + 1)];
        matches!(quotes, [b'"', b'"'] | [b'\'', b'\'']) && inside.iter().all(u8::is_ascii_alphanumeric)
    };
    is_joined(near) && memchr::memchr_iter(b',', near).any(literals)
}

/// Returns whether a text is mail in quoted-printable: each `=` starts an escape or ends its line.
pub(super) fn is_mail(text: &[u8]) -> bool {
    // A field of a visiting card names its encoding.
    let declared = memchr::memmem::find(text, b"QUOTED-PRINTABLE:").map(|at| at + b"QUOTED-PRINTABLE:".len());
    let text = declared.and_then(|at| text.get(at..)).unwrap_or(text);
    let longest = if text.windows(2).any(|two| matches!(two, b"=C" | b"=D" | b"=E" | b"=F")) {
        MAX_LONG_LINE
    } else {
        MAX_MAIL_LINE
    };
    let mut escapes = memchr::memchr_iter(b'=', text).peekable();
    escapes.peek().is_some()
        && escapes.all(|at| is_escape(text, at) || at + 1 >= text.len())
        && text.split(|b| *b == b'\n').all(|line| line.len() <= longest)
}

fn is_escape(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1..).unwrap_or_default();
    let sure = |b: u8| b >= 0x80 || matches!(b, b'=' | b' ' | b'\t');
    // Programs encode no letters and digits.
    let plausible = |b: u8| {
        let next = byte(bytes, at + 3);
        b.is_ascii_punctuation() && next.is_ascii_alphabetic() || b"_-".contains(&b) && next.is_ascii_digit()
    };
    next.starts_with(b"\n")
        || next.starts_with(b"\r\n")
        || escaped_byte(bytes, at).is_some_and(|b| sure(b) || plausible(b))
}

/// Returns whether the `=` at `at` is one of mail, by its line and the next one.
pub(super) fn is_in_mail(bytes: &[u8], at: usize) -> bool {
    // Most signs start no escape; this costs less than a look at their lines.
    if !is_escape(bytes, at) && at + 1 < bytes.len() {
        return false;
    }
    let head = line_before(bytes, at, MAX_LONG_LINE + 1);
    let tail = bytes.get(at..bytes.len().min(at + MAX_LONG_LINE)).unwrap_or_default();
    let tail = tail.split_inclusive(|b| *b == b'\n').next().unwrap_or_default();
    let text = bytes.get(at - head.len()..at + tail.len()).unwrap_or_default();
    is_mail(text)
}

/// Parses `=41`, in capital letters as mail programs write it.
fn escaped_byte(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| match byte(bytes, at) {
        b @ b'0'..=b'9' => Some(b - b'0'),
        b @ b'A'..=b'F' => Some(b - b'A' + 10),
        _ => None,
    };
    Some(digit(at + 1)? * 16 + digit(at + 2)?).filter(|_| byte(bytes, at) == b'=')
}

/// Parses the escapes of one character.
pub(super) fn mail_character(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let mut encoded = Vec::with_capacity(4);
    for length in 1..=4 {
        encoded.push(escaped_byte(bytes, at + (length - 1) * 3)?);
        if let Some(c) = std::str::from_utf8(&encoded).ok().and_then(|text| text.chars().next()) {
            return (!c.is_ascii_control()).then_some((c, at + length * 3));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_that_go_on() {
        for (text, wanted) in [
            ("a\" + \"b", Some(6)),
            ("a' . 'b", Some(6)),
            ("a\" .. \"b", Some(7)),
            ("a\" & _\n  \"b", Some(10)),
            ("a\"\"b", Some(3)),
            ("a\", \"b", None),
            ("a\" + 'b", None),
            ("a\" \"b", None),
            ("a\"\n    \"b", Some(8)),
            ("a\" || \"b", Some(7)),
            ("a'\"b", Some(3)),
            ("a' f'b", Some(5)),
            ("a\"\n\"b", None),
        ] {
            assert_eq!(end(text.as_bytes(), 1, false), wanted, "{text}");
        }
        assert_eq!(end(b"a\", \"b", 1, true), Some(5));
        assert!(goes_on(b"x = \"a\" +") && goes_on(b"x = 'a' .. ") && goes_on(b"\"a\" & _"));
        assert!(!goes_on(b"x = \"a\"") && !goes_on(b"a +") && !goes_on(b""));
    }

    #[test]
    fn mail_is_recognised_by_all_its_signs() {
        for text in ["a=3Db", "a=\nb=C3=BC", "x=20\n"] {
            assert!(is_mail(text.as_bytes()), "{text}");
        }
        for text in ["a=3Db&c=d", "no sign", "x = 3D", "c=4070%20", "id=41x"] {
            assert!(!is_mail(text.as_bytes()), "{text}");
        }
        // Lines of letters beyond ASCII may be long; the escape of `=` itself shows no such letter.
        for (escape, is_long) in [("=C3=BC", true), ("=D0=9F", true), ("=E2=82=AC", true), ("=3D", false)] {
            let line = |count: usize| format!("{}{escape}", "word ".repeat(count));
            assert!(is_mail(line(10).as_bytes()), "{escape}");
            assert_eq!(is_mail(line(40).as_bytes()), is_long, "{escape}");
        }
        assert_eq!(mail_character("=C3=BC".as_bytes(), 0), Some(('ü', 6)));
        assert_eq!(mail_character(b"=0A", 0), None);
    }
}

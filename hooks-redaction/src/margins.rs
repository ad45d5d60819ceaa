//! Reads what stands in front of each line of a text that a program shows: line numbers, the name of a file, the signs of a
//! difference, of a quotation or of a comment, the time of a log.
//!
//! A password in a block of YAML that a tool shows with the numbers of its lines:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("4\tpassword: |\n5\t  Xk7-qP2vRw\n"), "4\tpassword: |\n5\t  [PASSWORD_REDACTED]\n");
//! ```

use super::text::{byte, line_before, run_end};

/// Kind of margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The number of the line, or blanks in its place, and a sign.
    Number(u8),
    /// The name of a file and the number of the line.
    File,
    /// One sign, and perhaps a blank.
    Sign(u8),
}

/// Longest margin.
pub(super) const MAX_MARGIN: usize = 128;

/// Reads the margin of the line that starts at `start`; returns its kind and end.
fn read(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    number(bytes, start).or_else(|| file(bytes, start)).or_else(|| sign(bytes, start))
}

/// Reads `   12\t`, `12:`, `12 | `, `    →`.
fn number(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    let digits = run_end(bytes, start, 10, |b| b == b' ');
    let end = run_end(bytes, digits, 7, |b| b.is_ascii_digit());
    let sign = run_end(bytes, end, 2, |b| b == b' ');
    let arrow = "→".as_bytes();
    let line = "│".as_bytes();
    match byte(bytes, sign) {
        _ if bytes.get(sign..)?.starts_with(arrow) => Some((Kind::Number(b'>'), sign + arrow.len())),
        _ if end == digits => None,
        _ if bytes.get(sign..)?.starts_with(line) => Some((Kind::Number(b'|'), sign + line.len())),
        b'\t' | b'|' => Some((Kind::Number(byte(bytes, sign)), sign + 1)),
        b':' | b'-' if sign == end && digits == start => Some((Kind::Number(b':'), sign + 1)),
        _ => None,
    }
}

/// Reads `src/a.yml:12:` and `src/a.yml-12-`.
fn file(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    let end = run_end(bytes, start, MAX_MARGIN, |b| b.is_ascii_alphanumeric() || b"_./-".contains(&b));
    let marks = |at: usize| b":-".contains(&byte(bytes, at));
    let number = |colon: usize| {
        let to = run_end(bytes, colon + 1, 7, |b| b.is_ascii_digit());
        (to > colon + 1 && marks(colon) && byte(bytes, to) == byte(bytes, colon)).then_some(to + 1)
    };
    // The sign between the name and the number may also stand in the name.
    let behind = number(end).or_else(|| (start + 1..end).rev().find_map(number))?;
    bytes.get(start..end)?.contains(&b'.').then_some((Kind::File, behind))
}

/// Reads `+`, `-`, `> `, `# `, `// `, `| ` and `* `.
fn sign(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    let at = run_end(bytes, start, 4, |b| b == b' ');
    let (sign, next) = (byte(bytes, at), byte(bytes, at + 1));
    match sign {
        b'+' | b'-' if at == start && next != sign => Some((Kind::Sign(sign), at + 1)),
        b'>' | b'#' | b'|' | b'*' if next == b' ' => Some((Kind::Sign(sign), at + 2)),
        b'/' if next == b'/' => Some((Kind::Sign(sign), at + 2)),
        _ => None,
    }
}

/// Returns the start of the line around `at`, if it is near.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    at - line_before(bytes, at, 4 * MAX_MARGIN).len()
}

/// Returns where the texts of the line that starts at `first` and of the one that starts at `second` begin, behind margins of one
/// kind.
pub(super) fn behind_both(bytes: &[u8], first: usize, second: usize) -> Option<(usize, usize)> {
    log(bytes, first, second).or_else(|| {
        let same = read(bytes, first).zip(read(bytes, second)).filter(|((one, _), (other, _))| one == other);
        same.map(|((_, above), (_, below))| (above, below))
    })
}

/// Shortest time and name in front of the lines of a log.
const LEAST_LOG: usize = 15;

/// Reads what two lines of a log begin with, alike but for its digits, up to a blank: the time, and the name of a program.
fn log(bytes: &[u8], first: usize, second: usize) -> Option<(usize, usize)> {
    let of = |start: usize| bytes.get(start..bytes.len().min(start + MAX_MARGIN)).unwrap_or_default();
    let pairs = of(first).iter().zip(of(second));
    let alike = |(a, b): &(&u8, &u8)| **a != b'\n' && (a == b || a.is_ascii_digit() && b.is_ascii_digit());
    let length = pairs.take_while(alike).count();
    let common = of(first).get(..length)?;
    let end = common.iter().rposition(|b| *b == b' ')? + 1;
    let digits = common.get(..end)?.iter().filter(|b| b.is_ascii_digit()).count();
    (end >= LEAST_LOG && digits >= 6).then_some((first + end, second + end))
}

/// Returns where the text of the line that starts at `start` begins.
pub(super) fn behind(bytes: &[u8], start: usize) -> usize {
    read(bytes, start).map_or(start, |(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins() {
        for (line, text) in [
            ("    12\tkey", "key"),
            ("   12→key", "key"),
            ("     →key", "key"),
            ("12:key", "key"),
            ("12 | key", " key"),
            ("conf.yml:12:key", "key"),
            ("a/conf-x.yml-12-  key", "  key"),
            ("+  key", "  key"),
            ("> key", "key"),
            ("# key", "key"),
            ("  // key", " key"),
            ("key: 12", "key: 12"),
            ("---", "---"),
            ("12 keys", "12 keys"),
            ("", ""),
        ] {
            assert_eq!(line.get(behind(line.as_bytes(), 0)..), Some(text), "{line}");
        }
        assert_eq!(behind_both(b"+ a\n+  b", 0, 4), Some((1, 5)));
        assert_eq!(behind_both(b"+ a\n-  b", 0, 4), None);
        let log = b"2024-01-01 10:00:01 app: a\n2024-01-01 10:00:02 app: b";
        assert_eq!(behind_both(log, 0, 27), Some((25, 52)));
    }
}

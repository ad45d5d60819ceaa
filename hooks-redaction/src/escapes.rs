//! Reads the escapes of one character: terminal codes, percent signs, backslashes, and the names of HTML.

use std::sync::LazyLock;

use super::text::{byte, byte_before, run_end};
use super::view::{Reading, is_invisible};

/// Names of characters in HTML, from `data/entities.txt`.
static ENTITIES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = include_str!("../data/entities.txt").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once('\t')).collect()
});

/// Longest name or number of a character in HTML, with `&` and `;`.
const MAX_ENTITY: usize = 18;
/// Longest terminal code.
const MAX_CODE: usize = 256;

/// The first two letters of the names of characters, as bits.
static ENTITY_STARTS: LazyLock<[u64; 16]> = LazyLock::new(|| {
    let mut bits = [0; 16];
    for (name, _) in ENTITIES.iter() {
        let (word, bit) = entity_place(name.as_bytes());
        if let Some(word) = bits.get_mut(word) {
            *word |= 1 << bit;
        }
    }
    bits
});

fn entity_place(name: &[u8]) -> (usize, u32) {
    let (first, second) = (byte(name, 0) & 31, byte(name, 1) & 31);
    (usize::from(first >> 1), u32::from((first & 1) << 5 | second))
}

/// Returns whether the `&` at `at` may start the name or number of a character.
pub(super) fn may_be_entity(bytes: &[u8], at: usize) -> bool {
    let next = byte(bytes, at + 1);
    if !next.is_ascii_alphabetic() {
        return next == b'#';
    }
    let (word, bit) = entity_place(bytes.get(at + 1..).unwrap_or_default());
    ENTITY_STARTS.get(word).is_some_and(|word| word >> bit & 1 == 1)
}

/// Reads a code of a terminal (ECMA-48): a control sequence, or a command up to its terminator.
pub(super) fn terminal_code(bytes: &[u8], at: usize) -> Reading {
    match byte(bytes, at + 1) {
        b'[' => {
            let end = run_end(bytes, at + 2, MAX_CODE, |b| (0x20..0x40).contains(&b));
            Reading::Nothing(if (0x40..0x7f).contains(&byte(bytes, end)) { end + 1 } else { at + 1 })
        }
        b']' => {
            let end = run_end(bytes, at + 2, MAX_CODE, |b| b >= 0x20);
            match byte(bytes, end) {
                0x07 => Reading::Nothing(end + 1),
                0x1b if byte(bytes, end + 1) == b'\\' => Reading::Nothing(end + 2),
                _ => Reading::Nothing(at + 1),
            }
        }
        b'(' | b')' => Reading::Nothing(if byte(bytes, at + 2).is_ascii() { at + 3 } else { at + 1 }),
        _ => Reading::Nothing(at + 1),
    }
}

/// Reads `%41`, or `%2541`, which is encoded twice.
pub(super) fn percent(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let first = printable(hex(bytes, at + 1, 2)?)?;
    if first == '%'
        && let Some(second) = hex(bytes, at + 3, 2).and_then(printable)
    {
        return Some((second, at + 5));
    }
    Some((first, at + 3))
}

/// Reads `\u0041` and `\x41`.
pub(super) fn escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    match byte(bytes, at + 1) {
        b'u' if byte(bytes, at + 2) == b'{' => braced(bytes, at),
        b'u' => Some((printable(hex(bytes, at + 2, 4)?)?, at + 6)),
        b'x' => Some((printable(hex(bytes, at + 2, 2)?)?, at + 4)),
        // As some writers of JSON escape it.
        b'/' => Some(('/', at + 2)),
        b'0' | b'1' => Some((printable(octal(bytes, at + 1)?)?, at + 4)),
        b'U' => Some((printable(hex(bytes, at + 2, 8)?)?, at + 10)),
        // Marks of a text in Markdown.
        b'_' | b'-'
            if byte_before(bytes, at).is_ascii_alphanumeric()
                && byte(bytes, at + 2).is_ascii_alphanumeric() =>
        {
            Some((char::from(byte(bytes, at + 1)), at + 2))
        }
        // Rich text.
        b'\'' => Some((printable(hex(bytes, at + 2, 2)?)?, at + 4)),
        _ => None,
    }
}

/// Reads `\u{40}`.
fn braced(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let close = run_end(bytes, at + 3, 6, |b| b.is_ascii_hexdigit());
    let digits = std::str::from_utf8(bytes.get(at + 3..close)?).ok()?;
    let closed = byte(bytes, close) == b'}' && !digits.is_empty();
    closed.then_some((printable(u32::from_str_radix(digits, 16).ok()?)?, close + 1))
}

/// Parses three octal digits.
fn octal(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 3)?;
    digits.iter().try_fold(0, |value, b| Some(value * 8 + char::from(*b).to_digit(8)?))
}

/// Reads `&#65;`, `&#x41;` and `&lowbar;`.
pub(super) fn entity(bytes: &[u8], at: usize) -> Reading {
    let end = run_end(bytes, at + 1, MAX_ENTITY, |b| b.is_ascii_alphanumeric() || b == b'#');
    let name = std::str::from_utf8(bytes.get(at + 1..end).unwrap_or_default()).unwrap_or_default();
    let end = end + usize::from(byte(bytes, end) == b';');
    let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    });
    if let Some(c) = number.and_then(char::from_u32) {
        return if is_invisible(c) {
            Reading::Nothing(end)
        } else if c == '\u{a0}' || !c.is_control() {
            Reading::Character(if c == '\u{a0}' { ' ' } else { c }, end)
        } else {
            Reading::Plain
        };
    }
    if byte(bytes, end.saturating_sub(1)) != b';' {
        return Reading::Plain;
    }
    match ENTITIES.iter().find(|(known, _)| *known == name) {
        Some((_, "")) => Reading::Nothing(end),
        Some((_, text)) => text.chars().next().map_or(Reading::Plain, |c| Reading::Character(c, end)),
        None => Reading::Plain,
    }
}

/// Parses `count` hex digits.
fn hex(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let digits = bytes.get(at..at + count)?;
    digits.iter().try_fold(0, |value, b| Some(value * 16 + char::from(*b).to_digit(16)?))
}

fn printable(code: u32) -> Option<char> {
    char::from_u32(code).filter(|c| (' '..='~').contains(c))
}

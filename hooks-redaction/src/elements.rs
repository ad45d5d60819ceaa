//! Finds where the value starts that markup keeps in another element than its name: `<key>password</key><string>…`,
//! `<Password><Value>…`, `<td>password</td><td>…`.
//!
//! A property list:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("<key>password</key><string>Xk7-qP2vRw</string>"), "<key>password</key><string>[PASSWORD_REDACTED]</string>");
//! ```

use super::text::{byte, run_end};

/// Elements that hold a value, in small letters.
const VALUES: &[&[u8]] =
    &[b"value", b"string", b"stringprop", b"plaintext", b"val", b"data", b"defaultvalue", b"text"];
/// Elements of a page in which a value may stand beside its name.
const CELLS: &[&[u8]] =
    &[b"td", b"dd", b"th", b"code", b"b", b"strong", b"pre", b"span", b"kbd", b"tt", b"em", b"p", b"div"];

/// Most elements between a name and its value.
const MAX_ELEMENTS: usize = 4;
/// Longest element, with its attributes.
const MAX_ELEMENT: usize = 80;

/// Start of a section of text, in which `<` and blanks stand for themselves.
const SECTION: &[u8] = b"<![CDATA[";
/// Longest section that is read.
const MAX_SECTION: usize = 4096;

/// Element at a position.
struct Element<'t> {
    name: &'t [u8],
    is_end: bool,
    /// Position behind it.
    end: usize,
}

impl<'t> Element<'t> {
    fn read(bytes: &'t [u8], at: usize) -> Option<Self> {
        if byte(bytes, at) != b'<' {
            return None;
        }
        let is_end = byte(bytes, at + 1) == b'/';
        let start = at + 1 + usize::from(is_end);
        let name = run_end(bytes, start, 24, |b| b.is_ascii_alphanumeric());
        let close = run_end(bytes, name, MAX_ELEMENT, |b| b != b'>' && b != b'<' && b != b'\n');
        let known = name > start && byte(bytes, close) == b'>';
        known.then(|| Self { name: bytes.get(start..name).unwrap_or_default(), is_end, end: close + 1 })
    }

    fn is_one_of(&self, names: &[&[u8]]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }
}

/// Returns the position behind the blanks at `from`; with `lines`, also those of a line end.
fn blank(bytes: &[u8], from: usize, lines: bool) -> usize {
    run_end(bytes, from, 64, |b| b == b' ' || b == b'\t' || lines && (b == b'\n' || b == b'\r'))
}

/// Returns where the value of the element starts whose content is at `from`: there, or in an element that holds the value.
pub(super) fn inside(bytes: &[u8], from: usize, lines: bool) -> usize {
    let at = blank(bytes, from, lines);
    if bytes.get(at..).is_some_and(|rest| rest.starts_with(SECTION)) {
        return at;
    }
    match Element::read(bytes, at) {
        Some(element) if !element.is_end && element.is_one_of(VALUES) => element.end,
        _ => from,
    }
}

/// Returns the extent of the text in the section that starts at `from`, if it ends in its line.
pub(super) fn section(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(from..bytes.len().min(from + MAX_SECTION))?.strip_prefix(SECTION)?;
    let length = memchr::memmem::find(rest.split(|b| *b == b'\n').next()?, b"]]>")?;
    let start = from + SECTION.len();
    Some((start, start + length))
}

/// Returns where the value starts in the element beside the one that ends at `from`, and whether that element holds values only.
pub(super) fn beside(bytes: &[u8], from: usize, lines: bool) -> Option<(usize, bool)> {
    let (mut at, mut is_open, mut is_value) = (from, false, false);
    for _element in 0..MAX_ELEMENTS {
        let next = if at == from { at } else { blank(bytes, at, lines) };
        let Some(element) = Element::read(bytes, next) else { break };
        if element.is_end {
            if is_open {
                return None;
            }
        } else if element.is_one_of(VALUES) || element.is_one_of(CELLS) {
            is_open = true;
            is_value |= element.is_one_of(VALUES);
        } else {
            return None;
        }
        at = element.end;
    }
    is_open.then_some((at, is_value))
}

/// Returns whether the value of a name in this line may stand in an element of the next one.
pub(super) fn is_open(line: &str) -> bool {
    line.trim_end().ends_with('>') && names_secret(line)
}

/// Returns whether a line may have the name of a secret.
pub(super) fn names_secret(line: &str) -> bool {
    let words = ["assword", "asswd", "assphrase", "ecret", "pwd", "Pwd", "oken", "ey", "redential"];
    words.iter().any(|word| line.contains(word))
}

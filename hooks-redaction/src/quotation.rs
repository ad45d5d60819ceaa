//! Finds where a value ends: at its quotation mark, or where the next field starts.

use super::{
    separators::Separator,
    text::{byte, byte_before, run_end},
    value,
};

/// Longest value, with or without quotation marks.
const MAX_VALUE: usize = 4096;

/// Returns the inside of the quotation that starts at `from`.
pub(super) fn quotation(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let prefix = b"bBrRuUfF@N$".contains(&byte(bytes, from)) && b"\"'".contains(&byte(bytes, from + 1));
    let from = if prefix { from + 1 } else { from };
    if let Some(extent) = tripled(bytes, from) {
        return Some(extent);
    }
    if let Some(extent) = doubled(bytes, from) {
        return Some(extent);
    }
    // A text in a text in a text has more of them.
    let depth = run_end(bytes, from, 7, |b| b == b'\\') - from;
    let open = from + depth;
    let quote = byte(bytes, open);
    if !b"\"'`".contains(&quote) {
        return None;
    }
    let start = open + 1;
    let rest = bytes.get(start..bytes.len().min(start + MAX_VALUE))?;
    let mut backslashes = 0_usize;
    let mut doubled = false;
    for (length, b) in rest.iter().enumerate() {
        // YAML and SQL double an apostrophe to write one.
        if doubled || (*b == b'\'' && quote == b'\'' && length > 0 && byte(rest, length + 1) == b'\'') {
            doubled = !doubled;
            continue;
        }
        if *b == b'\n' {
            return None;
        }
        if *b == quote && (backslashes.is_multiple_of(2) || backslashes == depth) {
            let end = start + length - if backslashes == depth { depth } else { 0 };
            return Some((start, end));
        }
        backslashes = if *b == b'\\' { backslashes + 1 } else { 0 };
    }
    None
}

/// Returns the inside of a quotation whose marks are doubled, as in a field of comma-separated values: `""text""`.
fn doubled(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let start = from + 2;
    let first = byte(bytes, start);
    let opens =
        bytes.get(from..start)? == b"\"\"" && first.is_ascii_graphic() && !b"\",;:)]}>.+&".contains(&first);
    let line =
        if opens { run_end(bytes, start, MAX_VALUE, |b| b != b'\n' && b != b'"') } else { return None };
    (bytes.get(line..line + 2)? == b"\"\"").then_some((start, line))
}

/// Returns whether a value may stand behind a text, also one that begins in the line below: streams hold back a line that ends so.
pub(super) fn takes_value(before: &[u8]) -> bool {
    before.trim_ascii_end().last().is_some_and(|last| b"(,=:".contains(last))
}

/// Returns the inside of a quotation in three quotation marks: in one line, or alone in the line below, whose line end does not
/// count (TOML, also behind a backslash).
fn tripled(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let marks = bytes.get(from..from + 3)?;
    if !matches!(marks, b"\"\"\"" | b"'''") {
        return None;
    }
    let blank = |from: usize| run_end(bytes, from, 64, |b| b == b' ' || b == b'\t');
    let sign = run_end(bytes, from + 3, 1, |b| b == b'\\');
    let newline = run_end(bytes, sign, 1, |b| b == b'\r');
    let is_below = byte(bytes, newline) == b'\n'
        && takes_value(bytes.get(from.saturating_sub(16)..from).unwrap_or_default());
    let start = if is_below { blank(newline + 1) } else { from + 3 };
    let line = run_end(bytes, start, MAX_VALUE, |b| b != b'\n');
    let inside = bytes.get(start..line)?;
    let alone = || {
        let text = inside.trim_ascii_end();
        let text = text.strip_suffix(b"\\").unwrap_or(text).trim_ascii_end();
        let closes = is_below && bytes.get(blank(line + 1)..)?.starts_with(marks);
        closes.then_some(text.len())
    };
    let length = memchr::memmem::find(inside, marks).or_else(alone)?;
    (length > 0).then_some((start, start + length))
}

/// Returns the end of the literals that go on with the one which ends at `close`: `"a" & "b"`, and the new value of a plan of
/// Terraform, `"a" -> "b"`.
pub(super) fn literals_end(bytes: &[u8], close: usize) -> usize {
    let mut end = close;
    for _literal in 0..8 {
        let blank = run_end(bytes, end + 1, 4, |b| b == b' ');
        let sign = bytes.get(blank..).unwrap_or_default();
        let length = [&b"->"[..], b"..", b"+", b"&", b"."]
            .iter()
            .find(|known| sign.starts_with(known))
            .map_or(0, |sign| sign.len());
        let from = run_end(bytes, blank + length, 4, |b| b == b' ');
        let quote = byte(bytes, from);
        let joined = length > 0 || from == end + 1 && byte(bytes, from + 1).is_ascii_alphanumeric();
        let Some((_, next)) =
            quotation(bytes, from).filter(|_| joined && quote == byte(bytes, end) && b"\"'".contains(&quote))
        else {
            break;
        };
        end = next;
    }
    end
}

/// Returns the value after a type: `password: str = "…"`.
pub(super) fn typed_value(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let end = run_end(bytes, from, 32, |b| b.is_ascii_alphanumeric() || b"&_<>[]| ':.?".contains(&b));
    let equals = byte(bytes, end) == b'=' && end > from;
    equals.then(|| quotation(bytes, run_end(bytes, end + 1, 4, |b| b == b' '))).flatten()
}

/// Functions that make the digest of a password, in small letters and without `_`.
const HASHES: &[&str] = &[
    "hash",
    "hashsync",
    "hashpw",
    "make",
    "makepassword",
    "hashpassword",
    "generatepasswordhash",
    "passwordhash",
    "encode",
    "encrypt",
    "bcrypt",
    "crypt",
    "argon2",
    "create",
];

/// Returns the text whose digest is the value: `await hash("…", 10)`, `Hash::make('…')`.
pub(super) fn hashed(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let from = if bytes.get(from..)?.starts_with(b"await ") { from + b"await ".len() } else { from };
    let open = run_end(bytes, from, 48, |b| b.is_ascii_alphanumeric() || b"_.:$\\>-".contains(&b));
    let called = bytes.get(from..open).filter(|_| byte(bytes, open) == b'(')?;
    let last = called.rsplit(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).next()?;
    let plain = last.iter().filter(|b| **b != b'_').map(u8::to_ascii_lowercase);
    let known = HASHES.iter().any(|hash| plain.clone().eq(hash.bytes()));
    known.then(|| quotation(bytes, open + 1)).flatten()
}

/// Returns the end of a value without quotation marks.
pub(super) fn plain_end(bytes: &[u8], from: usize, separator: Separator) -> usize {
    // A template or a call is not a secret, so its end is not worth a long search.
    let limit = if b"${(<".contains(&byte(bytes, from)) { value::HEAD } else { MAX_VALUE };
    let rest = bytes.get(from..bytes.len().min(from + limit)).unwrap_or_default();
    let mut depth = 0_usize;
    let is_element = matches!(separator, Separator::Element | Separator::Cell);
    let length = rest.iter().enumerate().position(|(i, b)| {
        let at = from + i;
        match b {
            _ if is_element => *b == b'<' || b.is_ascii_whitespace() || *b == 0,
            b'\n' => true,
            _ if b.is_ascii_whitespace() => depth == 0,
            // A template or a call may contain spaces.
            b'{' | b'(' if i < 4 => {
                depth += 1;
                false
            }
            b'}' | b')' if depth > 0 => {
                depth -= 1;
                false
            }
            b'"' | b'\'' | b'`' => depth == 0 && i > 0,
            b'&' | b',' | b';' | b'|' => depth == 0 && ends_field(bytes, at + 1),
            b'}' | b')' | b']' => i > 0 && ends_field(bytes, at + 1),
            b'\\' => b"nrt\"".contains(&byte(bytes, at + 1)),
            0 => true,
            _ => false,
        }
    });
    let mut end = from + length.unwrap_or(rest.len());
    if depth > 0 && length.is_none() {
        end = run_end(bytes, from, MAX_VALUE, |b| !b.is_ascii_whitespace());
    }
    if matches!(separator, Separator::Prose | Separator::Colon | Separator::Option) {
        while end > from && b".,;:!?)".contains(&byte_before(bytes, end)) && separator == Separator::Prose {
            end -= 1;
        }
    }
    end
}

/// Returns whether the character at `at - 1` ends a field: the text ends there, or the next field starts.
fn ends_field(bytes: &[u8], at: usize) -> bool {
    let next = byte(bytes, at);
    if next == 0 || next.is_ascii_whitespace() || b"\"'`}]),;".contains(&next) {
        return true;
    }
    let name = run_end(bytes, at, 48, |b| b.is_ascii_alphanumeric() || b"_- .".contains(&b));
    name > at && b"=:".contains(&byte(bytes, name))
}

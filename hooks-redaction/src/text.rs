//! Reads bytes and words around a position without leaving the text.

/// Returns the byte at `at`, or NUL outside the text: NUL belongs to no word.
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Returns the byte before `at`, or NUL.
pub(super) fn byte_before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |at| byte(bytes, at))
}

/// Returns whether a word may start at `at`: not after a letter or digit, except after an escape such as `\n`
/// or `%3D`.
pub(super) fn starts_word(bytes: &[u8], at: usize) -> bool {
    let last = byte_before(bytes, at);
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let back = |n: usize| at.checked_sub(n).map_or(0, |at| byte(bytes, at));
    (back(2) == b'\\' && b"nrt".contains(&last))
        || (back(3) == b'%' && back(2).is_ascii_hexdigit() && last.is_ascii_hexdigit())
}

/// Returns the end of the run of `class` bytes that starts at `from`, at most `limit` bytes long.
pub(super) fn run_end(bytes: &[u8], from: usize, limit: usize, mut class: impl FnMut(u8) -> bool) -> usize {
    let run = bytes.iter().skip(from).take(limit).take_while(|b| class(**b)).count();
    from + run
}

/// Returns the start of the run of `class` bytes that ends at `to`, at most `limit` bytes long.
pub(super) fn run_start(bytes: &[u8], to: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
    let head = bytes.get(..to).unwrap_or_default();
    to - head.iter().rev().take(limit).take_while(|b| class(**b)).count()
}

/// Returns up to `limit` bytes before `at` that are on the same line.
pub(super) fn line_before(bytes: &[u8], at: usize, limit: usize) -> &[u8] {
    let line = bytes.get(at.saturating_sub(limit)..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', line).map_or(0, |newline| newline + 1);
    line.get(start..).unwrap_or_default()
}

/// Returns whether one of `words` (lower case) occurs in `bytes` as a whole word.
pub(super) fn has_word(bytes: &[u8], words: &[&str]) -> bool {
    bytes
        .split(|b| !b.is_ascii_alphabetic())
        .any(|word| words.iter().any(|wanted| word.eq_ignore_ascii_case(wanted.as_bytes())))
}

/// Returns the last position at or before `at` where a character starts.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns whether a byte belongs to an identifier.
pub(super) fn is_ident(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_behind_escapes() {
        for (text, at) in [("x", 0), (" x", 1), (r"\nx", 2), ("%3Dx", 3), ("_x", 1)] {
            assert!(starts_word(text.as_bytes(), at), "{text}");
        }
        for (text, at) in [("nx", 1), ("3Dx", 2), ("9", 9)] {
            assert_eq!(starts_word(text.as_bytes(), at), at > text.len(), "{text}");
        }
    }

    #[test]
    fn runs_stay_inside() {
        assert_eq!(run_end(b"abc", 1, 9, |b| b.is_ascii_alphabetic()), 3);
        assert_eq!(run_end(b"abc", 7, 9, |_| true), 7);
        assert_eq!(run_start(b"abc", 3, 2, |_| true), 1);
        assert_eq!(line_before(b"a\nbc d", 6, 9), b"bc d");
        assert!(has_word(b"my Phone:", &["phone"]) && !has_word(b"phones", &["phone"]));
    }
}

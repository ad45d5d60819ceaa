//! Private keys in textual encoding (RFC 7468, OpenPGP, OpenSSH): from the BEGIN line to the END line.

use super::text::{byte, run_end};

/// Start of the first line of a key.
pub(super) const BEGIN: &[u8] = b"-----BEGIN ";
/// Start of the last line of a key.
pub(super) const END: &[u8] = b"-----END ";

/// Position of the next END line, cached so that many BEGIN lines do not each search the rest of the text.
#[derive(Debug, Default)]
pub(super) struct Ends {
    searched_from: usize,
    next: Option<usize>,
    known: bool,
}

impl Ends {
    fn after(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let fresh = self.known && from >= self.searched_from && self.next.is_none_or(|next| from <= next);
        if !fresh {
            let rest = bytes.get(from..).unwrap_or_default();
            self.next = memchr::memmem::find(rest, END).map(|at| from + at);
            self.searched_from = from;
            self.known = true;
        }
        self.next
    }
}

/// Parses the key whose `-----BEGIN ` is at `at`.
pub(super) fn read(bytes: &[u8], at: usize, ends: &mut Ends) -> Option<(usize, usize)> {
    let title_end = title(bytes, at + BEGIN.len())?;
    if !has_body(bytes, title_end) {
        return None;
    }
    let cut_off = || body_end(bytes, title_end);
    let Some(end) = ends.after(bytes, title_end) else { return Some((at, cut_off())) };
    // After a key that was cut off, the END line of another block closes nothing.
    let closed = title(bytes, end + END.len());
    let between = bytes.get(title_end..end)?;
    let one_block = between.len() <= MAX_KEY && memchr::memmem::find(between, BEGIN).is_none();
    Some((at, closed.filter(|_| one_block).unwrap_or_else(cut_off)))
}

/// Longest private key in text form.
const MAX_KEY: usize = 64 * 1024;

/// Returns whether the `-----BEGIN ` at `at` may start a key that is cut off at the end of `bytes`.
pub(super) fn may_start(bytes: &[u8], at: usize) -> bool {
    let Some(title_end) = title(bytes, at + BEGIN.len()) else { return false };
    // Few bytes do not yet show whether key material follows.
    bytes.len() < title_end + 48 || has_body(bytes, title_end)
}

/// Returns whether the material of the key whose BEGIN line is at `at` goes on behind `end`.
pub(super) fn goes_on(bytes: &[u8], at: usize, end: usize) -> bool {
    title(bytes, at + BEGIN.len()).is_some_and(|from| has_body(bytes, from) && body_end(bytes, from) > end)
}

/// Returns the end of the key material that `bytes` go on with, and whether the key ends there.
pub(super) fn rest(bytes: &[u8]) -> (usize, bool) {
    let end = body_end(bytes, 0);
    let tail = bytes.get(end..).unwrap_or_default();
    if end >= MAX_KEY || tail.len() < END.len() && END.starts_with(tail) {
        return (end, false);
    }
    if !tail.starts_with(END) {
        return (end, true);
    }
    match title(bytes, end + END.len()) {
        Some(title_end) => (title_end, true),
        // The title may be cut off.
        None => (end, tail.len() >= 64),
    }
}

/// Returns the end of a line's title that names a private key, after its dashes.
fn title(bytes: &[u8], from: usize) -> Option<usize> {
    let end = run_end(bytes, from, 48, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let name = bytes.get(from..end)?;
    let private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    let dashes = run_end(bytes, end, 5, |b| b == b'-');
    (private && dashes - end == 5).then_some(dashes)
}

/// Returns whether key material follows; a mere mention of a BEGIN line has none.
fn has_body(bytes: &[u8], from: usize) -> bool {
    let start = run_end(bytes, from, 16, |b| b.is_ascii_whitespace() || b == b'\\' || b == b'r');
    let start = if byte(bytes, start) == b'n' && byte(bytes, start.saturating_sub(1)) == b'\\' {
        start + 1
    } else {
        start
    };
    let end = run_end(bytes, start, 24, |b| b.is_ascii_alphanumeric() || b"+/=-:".contains(&b));
    start > from && end - start >= 8 && byte(bytes, start) != b'-'
}

/// Returns the end of the key material of a key without an END line.
fn body_end(bytes: &[u8], from: usize) -> usize {
    run_end(bytes, from, MAX_KEY, |b| b.is_ascii_alphanumeric() || b"+/=\r\n\\".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        read(text.as_bytes(), text.find("-----BEGIN ")?, &mut Ends::default())
            .map(|(start, end)| text.get(start..end).unwrap())
    }

    #[test]
    fn keys() {
        let key = "-----BEGIN EC PRIVATE KEY-----\nhqkwXATS8x2J9/Gk\n-----END EC PRIVATE KEY-----";
        assert_eq!(found(&format!("a {key} b")), Some(key));
        let escaped = key.replace('\n', "\\n");
        assert_eq!(found(&format!("\"{escaped}\"")), Some(escaped.as_str()));
        let headed = key.replace("KEY-----\nhqk", "KEY-----\nProc-Type: 4,ENCRYPTED\n\nhqk");
        assert_eq!(found(&headed), Some(headed.as_str()));
        let cut = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B";
        assert_eq!(found(&format!("{cut}... ok")), Some(cut));
    }

    #[test]
    fn not_keys() {
        assert_eq!(found("-----BEGIN CERTIFICATE-----\nMIIBFAKE1234\n-----END CERTIFICATE-----"), None);
        assert_eq!(found("-----BEGIN PUBLIC KEY-----\nMIIBFAKE1234\n-----END PUBLIC KEY-----"), None);
        assert_eq!(found("looks for \"-----BEGIN PRIVATE KEY-----\" in it"), None);
    }
}

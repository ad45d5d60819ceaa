//! Finds secrets in base64 (RFC 4648), decoded once.

use super::{
    anchors::ENCODED,
    body::MAX_RUN,
    label::{Label, Labels},
    scan,
    span::Span,
    text::{byte, byte_before, run_end, run_start},
    value,
};

/// Bytes of a run that are decoded first.
const HEAD: usize = 16;
/// Shortest line that may go on in the next one.
const FULL_LINE: usize = 60;
/// Longest base64 that is removed whole: it has little else than the secret.
const SHORT: usize = 256;
/// Most bytes that are decoded together.
const MAX_BLOCK: usize = 64 * 1024;

/// Base64 over one or more lines: where each of its characters stands.
struct Block {
    characters: Vec<u8>,
    /// Position of the first character of each line, and its number.
    lines: Vec<(usize, usize)>,
    end: usize,
}

/// Returns the end of the base64 around `at`, which starts at `floor` or later. Adds the part of it whose content is a
/// secret of `labels`.
pub(super) fn read(bytes: &[u8], at: usize, floor: usize, labels: Labels, found: &mut Vec<Span>) -> usize {
    if labels == Labels::default() {
        return usize::MAX;
    }
    let start = run_start(bytes, at, (at - floor).min(MAX_RUN), is_base64);
    let end = run_end(bytes, at, MAX_RUN, is_base64);
    if end - start < ENCODED || byte(bytes, end) == b'.' || byte_before(bytes, start) == b'.' {
        return end;
    }
    let run = bytes.get(start..end).unwrap_or_default();
    // Most runs are digests, keys and paths, whose first bytes already are no text. A path may stand before a run.
    let aligned = (0..4).find(|skipped| run.get(*skipped..skipped + HEAD).is_some_and(has_text));
    let Some(skipped) = aligned else { return end };
    let block = Block::read(bytes, start + skipped, end);
    let content = decode(&block.characters).collect::<Vec<_>>();
    let printable = content.iter().filter(|b| is_text(**b)).count();
    let Ok(text) = std::str::from_utf8(&content) else { return block.end };
    if printable * 20 >= content.len() * 19 {
        if is_user(text) && labels.contains(&Label::Password) {
            found.push(block.span(bytes, &Span::new(0, text.len(), Label::Password)));
        }
        found.extend(scan::scan(text, labels).spans.into_iter().map(|span| block.span(bytes, &span)));
    }
    block.end
}

impl Block {
    /// Reads the run `start..end`, and the lines after it that belong to the same base64.
    fn read(bytes: &[u8], start: usize, end: usize) -> Self {
        let mut block = Self { characters: Vec::new(), lines: Vec::new(), end };
        let mut from = start;
        loop {
            block.lines.push((from, block.characters.len()));
            block.characters.extend_from_slice(bytes.get(from..block.end).unwrap_or_default());
            let full = block.end - from >= FULL_LINE && block.characters.len() < MAX_BLOCK;
            let Some(next) = super::wrap::next_line(bytes, block.end).filter(|_| full) else { return block };
            let end = run_end(bytes, next, MAX_RUN, is_base64);
            if end == next {
                return block;
            }
            (from, block.end) = (next, end);
        }
    }

    /// Returns the groups of characters that a span of the content was decoded from; of a short text, all.
    fn span(&self, bytes: &[u8], span: &Span) -> Span {
        if self.characters.len() <= SHORT {
            return Span::new(self.place(0), run_end(bytes, self.end, 2, |b| b == b'='), span.label.clone());
        }
        let first = span.start / 3 * 4;
        let last = (span.end.div_ceil(3) * 4).min(self.characters.len());
        let end = self.place(last.saturating_sub(1)) + 1;
        let end = if last == self.characters.len() { run_end(bytes, end, 2, |b| b == b'=') } else { end };
        Span::new(self.place(first), end, span.label.clone())
    }

    /// Returns where a character stands.
    fn place(&self, number: usize) -> usize {
        let line = self.lines.partition_point(|(_, first)| *first <= number).checked_sub(1);
        line.and_then(|line| self.lines.get(line)).map_or(0, |(start, first)| start + number - first)
    }
}

/// Returns whether a text is a user and a password, `user:password`, and nothing else.
fn is_user(text: &str) -> bool {
    text.split_once(':').is_some_and(|(user, password)| {
        let name = (2..=40).contains(&user.len())
            && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(&b));
        let plain = password.bytes().all(|b| b.is_ascii_graphic()) && (6..=128).contains(&password.len());
        name && plain
            && !password.starts_with('/')
            && value::is_mixed(password, 6)
            && value::is_password(password, value::Style::Attached)
    })
}

/// Finds the user and password in base64 behind the name `auth` that ends at `end`: `{"auth": "…"}` of Docker, `_auth=…` of npm.
pub(super) fn user(text: &str, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let blank = |from: usize| run_end(bytes, from, 4, |b| b == b' ');
    let sign = blank(end + usize::from(byte(bytes, end) == b'"'));
    let quote = blank(sign + 1);
    let from = quote + usize::from(byte(bytes, quote) == b'"');
    let to = run_end(bytes, from, 1024, |b| is_base64(b) || b == b'=');
    let run = bytes.get(from..to)?;
    let known =
        b":=".contains(&byte(bytes, sign)) && (from == quote || byte(bytes, to) == b'"') && run.len() >= 8;
    let content: Vec<u8> = decode(run.split(|b| *b == b'=').next()?).collect();
    (known && content.contains(&b':') && content.iter().all(|b| is_text(*b))).then_some((from, to))
}

/// Finds the password in base64 that a command at `from` decodes: `$(echo … | base64 -d)`.
pub(super) fn echoed(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let quote = |from: usize| run_end(bytes, from, 1, |b| b"\"'".contains(&b));
    let command = bytes.get(quote(from)..)?;
    let command = command.strip_prefix(b"$(").or_else(|| command.strip_prefix(b"`"))?;
    let echo = [&b"echo -n "[..], b"echo ", b"printf %s ", b"base64 -d <<< "].into_iter();
    let rest = echo.filter_map(|echo| command.strip_prefix(echo)).next()?;
    let start = quote(bytes.len() - rest.len());
    let end = run_end(bytes, start, 1024, |b| is_base64(b) || b == b'=');
    let behind = bytes.get(end..bytes.len().min(end + 40))?;
    let decoded = command.starts_with(b"base64")
        || memchr::memmem::find(behind, b"base64 -d").is_some()
        || memchr::memmem::find(behind, b"base64 --decode").is_some()
        || memchr::memmem::find(behind, b"base64 -D").is_some();
    let run = bytes.get(start..end)?.split(|b| *b == b'=').next()?;
    (decoded && run.len() >= 6 && decode(run).all(is_text)).then_some((start, end))
}

/// Returns the secrets among `labels`: personal data is rarely encoded, and chance matches are not.
pub(super) fn secrets(labels: Labels) -> Labels {
    Label::built_in().filter(|label| !label.is_personal() && labels.contains(label)).collect()
}

/// Returns whether a byte is in either base64 alphabet.
#[inline]
fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() | (b == b'+') | (b == b'/') | (b == b'-') | (b == b'_')
}

fn is_text(b: u8) -> bool {
    (0x20..0x7f).contains(&b) || matches!(b, b'\n' | b'\r' | b'\t')
}

/// Returns whether the first bytes of base64 are text.
fn has_text(head: &[u8]) -> bool {
    decode(head).all(is_text)
}

/// Decodes a run of either alphabet; what is left of the last group is dropped.
fn decode(run: &[u8]) -> impl Iterator<Item = u8> {
    let (mut bits, mut count) = (0_u32, 0);
    run.iter().filter_map(move |b| {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count = (count + 6) % 8;
        // Each character but the first of four ends a byte.
        (count < 6).then(|| (bits >> count & 0xff) as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;
    use super::*;

    #[test]
    fn base64_is_decoded() {
        assert!(decode(b"aGVsbG8gd29ybGQ").eq(*b"hello world"));
    }

    #[test]
    fn a_secret_in_base64_is_removed() {
        // `token: ghp_0123456789abcdefghijklmnopqrstuvwxyz`
        let run = "dG9rZW46IGdocF8wMTIzNDU2Nzg5YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo";
        for text in [format!("data: {run}="), format!("\"{run}=\""), run.to_owned()] {
            let scrubbed = Scrubber::all().scrub(&text);
            assert!(
                !scrubbed.contains("Z2hwX") && scrubbed.contains("[GITHUB_TOKEN_REDACTED]"),
                "{text}: {scrubbed}"
            );
            assert!(!scrubbed.contains("dnd4eXo"), "{text}: {scrubbed}");
        }
        // `admin:hunter2hunter2xyz9`
        let user = "YWRtaW46aHVudGVyMmh1bnRlcjJ4eXo5";
        assert_eq!(Scrubber::all().scrub(&format!("d(\"{user}\")")), "d(\"[PASSWORD_REDACTED]\")");
        let docker = "{\"auth\": \"am9lOmh1bnRlcjI=\"}";
        assert_eq!(Scrubber::all().scrub(docker), "{\"auth\": \"[AUTH_HEADER_REDACTED]\"}");
        let npm = "//npm.example.com/:_auth=am9lOmh1bnRlcjI=";
        assert_eq!(Scrubber::all().scrub(npm), "//npm.example.com/:_auth=[AUTH_HEADER_REDACTED]");
        let shell = "DB_PASSWORD=$(echo aHVudGVyMg== | base64 -d)";
        assert_eq!(Scrubber::all().scrub(shell), "DB_PASSWORD=$(echo [PASSWORD_REDACTED] | base64 -d)");
        // `the quick brown fox jumps over the lazy dog`, and random bytes.
        for text in [
            "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
            "sha512-kfGEpYrWM8gsHzVkEwTdQnzWnBk3yQpN6Tpl1sVFMwbdVlDVVsJKRLJDhfVRSUz7dpBM7QpZ5zA==",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}

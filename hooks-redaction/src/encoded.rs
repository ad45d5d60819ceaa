//! Finds secrets in base64 (RFC 4648), decoded once.

use super::{
    body::MAX_RUN,
    label::{Label, Labels},
    scan,
    span::Span,
    text::{byte, byte_before, run_end, run_start},
};

/// Size of the blocks that are looked at. A run that is long enough fills at least one.
const BLOCK: usize = 16;
/// Shortest run that may hold a secret.
const LEAST_RUN: usize = 2 * BLOCK - 1;

/// Finds the runs of base64 in `text` whose content has a secret of `labels`.
pub(super) fn find(text: &str, labels: Labels, found: &mut Vec<Span>) {
    let labels = secrets(labels);
    if labels == Labels::default() {
        return;
    }
    let bytes = text.as_bytes();
    let mut after = 0;
    let mut at = 0;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        if at >= after && block.iter().fold(true, |all, b| all & is_base64(*b)) {
            let start = run_start(bytes, at, (at - after).min(MAX_RUN), is_base64);
            let end = run_end(bytes, at, MAX_RUN, is_base64);
            after = end;
            found.extend(secret_in(bytes, start, end, labels));
        }
        at += BLOCK;
    }
}

/// Returns the secrets among `labels`: personal data is rarely encoded, and chance matches are not.
fn secrets(labels: Labels) -> Labels {
    Label::built_in().filter(|label| !label.is_personal() && labels.contains(label)).collect()
}

/// Returns the run `start..end` as a finding if its content has a secret.
fn secret_in(bytes: &[u8], start: usize, end: usize, labels: Labels) -> Option<Span> {
    let padded = run_end(bytes, end, 2, |b| b == b'=');
    let run = bytes.get(start..end)?;
    if run.len() < LEAST_RUN || byte(bytes, padded) == b'.' || byte_before(bytes, start) == b'.' {
        return None;
    }
    // Most runs are digests and keys, whose first bytes already are no text.
    let head = decoded(run.get(..BLOCK)?);
    if !head.iter().all(|b| is_text(*b)) {
        return None;
    }
    let content = decoded(run);
    let text = std::str::from_utf8(&content).ok()?;
    let printable = content.iter().filter(|b| is_text(**b)).count();
    if printable * 20 < content.len() * 19 {
        return None;
    }
    let secret = scan::scan(text, labels).spans.into_iter().max_by_key(|span| span.label.precision())?;
    Some(Span::new(start, padded, secret.label))
}

/// Returns whether a byte is in either base64 alphabet.
#[inline]
fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() | (b == b'+') | (b == b'/') | (b == b'-') | (b == b'_')
}

fn is_text(b: u8) -> bool {
    (0x20..0x7f).contains(&b) || matches!(b, b'\n' | b'\r' | b'\t')
}

/// Decodes a run of either alphabet; what is left of the last group is dropped.
fn decoded(run: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(run.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0);
    for b in run {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;
    use super::*;

    #[test]
    fn base64_is_decoded() {
        assert_eq!(decoded(b"aGVsbG8gd29ybGQ"), b"hello world");
    }

    #[test]
    fn a_secret_in_base64_is_removed() {
        // `token: ghp_0123456789abcdefghijklmnopqrstuvwxyz`
        let run = "dG9rZW46IGdocF8wMTIzNDU2Nzg5YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo";
        for text in [format!("data: {run}="), format!("\"{run}=\""), run.to_owned()] {
            let scrubbed = Scrubber::all().scrub(&text);
            assert!(!scrubbed.contains("dG9r") && scrubbed.contains("_REDACTED]"), "{text}: {scrubbed}");
        }
        // `the quick brown fox jumps over the lazy dog`, and random bytes.
        for text in [
            "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
            "sha512-kfGEpYrWM8gsHzVkEwTdQnzWnBk3yQpN6Tpl1sVFMwbdVlDVVsJKRLJDhfVRSUz7dpBM7QpZ5zA==",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}

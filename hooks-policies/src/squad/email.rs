//! Finds e-mail addresses as Squad defines them, in linear time.
//!
//! The expression is `[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}`, all matches, leftmost and greedy. A
//! backtracking engine tries every start in a run of letters, which is quadratic. Every match holds exactly
//! one at sign, so it is enough to search around each at sign: the runs to their right are disjoint, and so
//! are those to their left.

use std::ops::Range;

use memchr::memchr;

use super::rewrite::Rewrite;

const MARK: &str = "[EMAIL_REDACTED]";

/// Replaces each address; returns whether there was one.
pub(super) fn scrub(text: &mut String) -> bool {
    let Some(mut found) = next_address(text.as_bytes(), 0) else { return false };
    let mut rewrite = Rewrite::new(text);
    loop {
        rewrite.replace(found, MARK);
        match next_address(rewrite.bytes(), rewrite.read()) {
            Some(next) => found = next,
            None => break,
        }
    }
    rewrite.finish();
    true
}

/// Returns the first address that starts at `from` or later.
#[inline]
fn next_address(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut behind = from;
    while let Some(at) = memchr(b'@', text.get(behind..)?).map(|found| behind + found) {
        let before = text.get(behind..at)?;
        if before.last().is_some_and(|byte| is_local(*byte))
            && let Some(length) = domain_length(text.get(at + 1..)?)
        {
            let local = before.iter().rev().take_while(|byte| is_local(**byte)).count();
            return Some(at - local..at + 1 + length);
        }
        behind = at + 1;
    }
    None
}

/// Returns the length of the domain after an at sign: the longest prefix that ends in a point and at least
/// two letters, with something before the point.
fn domain_length(text: &[u8]) -> Option<usize> {
    let run = text.iter().take_while(|byte| is(**byte, DOMAIN)).count();
    let run = text.get(..run)?;
    let mut letters_end = run.len();
    let mut letters = 0;
    for (place, byte) in run.iter().enumerate().rev() {
        match byte {
            b'.' if letters >= 2 && place > 0 => return Some(letters_end),
            byte if is(*byte, LETTER) => letters += 1,
            _ => {
                letters_end = place;
                letters = 0;
            }
        }
    }
    None
}

const LETTER: u8 = 1;
const DOMAIN: u8 = 2;
const LOCAL: u8 = 4;

/// Parts of an address that each byte may belong to.
static PARTS: [u8; 256] = parts();

#[expect(clippy::indexing_slicing, reason = "evaluated while it is compiled: a wrong index does not build")]
const fn parts() -> [u8; 256] {
    let mut parts = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let ascii = byte as u8;
        parts[byte] = match ascii {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER | DOMAIN | LOCAL,
            b'0'..=b'9' | b'.' | b'-' => DOMAIN | LOCAL,
            b'_' | b'%' | b'+' => LOCAL,
            _ => 0,
        };
        byte += 1;
    }
    parts
}

fn is(byte: u8, part: u8) -> bool {
    PARTS.get(usize::from(byte)).is_some_and(|parts| parts & part != 0)
}

fn is_local(byte: u8) -> bool {
    is(byte, LOCAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(text: &str) -> String {
        let mut clean = text.to_owned();
        let changed = scrub(&mut clean);
        assert_eq!(changed, clean != text);
        clean
    }

    #[test]
    fn addresses_in_text() {
        let cases = [
            ("a@b.org", "[EMAIL_REDACTED]"),
            ("to <a.b+c@d-e.co.uk>, x", "to <[EMAIL_REDACTED]>, x"),
            ("a@b.co,c@d.org.", "[EMAIL_REDACTED],[EMAIL_REDACTED]."),
            ("jö_x%y@z.io", "jö[EMAIL_REDACTED]"),
            ("é@b.org ü", "é@b.org ü"),
        ];
        for (text, want) in cases {
            assert_eq!(scrubbed(text), want);
        }
    }

    #[test]
    fn the_domain_gives_back_what_does_not_fit() {
        let cases = [
            ("a@b.com-", "[EMAIL_REDACTED]-"),
            ("a@b.com.1", "[EMAIL_REDACTED].1"),
            ("a@b.com.c", "[EMAIL_REDACTED].c"),
            ("a@b.co1m.net2", "[EMAIL_REDACTED]2"),
            ("a@b.c-d.ef--g", "[EMAIL_REDACTED]--g"),
            ("a@..com", "[EMAIL_REDACTED]"),
            ("a@-.com", "[EMAIL_REDACTED]"),
            ("a@.com", "a@.com"),
            ("a@b.c", "a@b.c"),
            ("a@b.c1", "a@b.c1"),
            ("a@b", "a@b"),
        ];
        for (text, want) in cases {
            assert_eq!(scrubbed(text), want);
        }
    }

    /// The oracle is a regular expression engine: the same expression, with the same leftmost and greedy
    /// choice.
    #[test]
    fn every_short_text_as_the_expression_has_it() {
        let oracle = regex::Regex::new(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}").unwrap();
        let letters = ['a', '@', '.', '-', '_', 'é'];
        let mut texts = vec![String::new()];
        for length in 0..7 {
            for text in &texts {
                let text = format!("a@a.{text}");
                assert_eq!(scrubbed(&text), oracle.replace_all(&text, MARK), "{text}");
            }
            if length < 6 {
                let longer = |text: &String| letters.map(|letter| format!("{text}{letter}"));
                texts = texts.iter().flat_map(longer).collect();
            }
        }
    }

    #[test]
    fn longer_and_shorter_than_the_mark_in_turn() {
        let oracle = regex::Regex::new(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}").unwrap();
        let pieces = ["a@b.co ", "jane.doe@mail.example.org", "ü, ", "x@y.zz-@c.de;", "no address @ all "];
        for seed in 0..2_000_usize {
            let text: String =
                (0..seed % 40).filter_map(|n| pieces.get((seed >> (n % 11)) % 5)).copied().collect();
            assert_eq!(scrubbed(&text), oracle.replace_all(&text, MARK), "{text}");
        }
    }

    /// In quadratic time, each of these would take minutes.
    #[test]
    fn hostile_texts_take_linear_time() {
        let count = 100_000;
        for piece in ["@", "a", "a@", "a@.", ".@", "a@b.", "a@b.c1", "a.-"] {
            let text = piece.repeat(count);
            assert_eq!(scrubbed(&text), text);
        }
        assert_eq!(scrubbed(&"a@b.co ".repeat(count)), format!("{MARK} ").repeat(count));
        assert_eq!(scrubbed(&"a@b.co-@c.de,".repeat(count)), format!("{MARK}{MARK},").repeat(count));
        assert_eq!(scrubbed(&"jane.doe@example.com ".repeat(count)), format!("{MARK} ").repeat(count));
    }

    #[test]
    fn at_signs_in_a_row() {
        let cases = [
            ("a@b.com@c.org", "[EMAIL_REDACTED]@c.org"),
            ("a@b@c.org", "a@[EMAIL_REDACTED]"),
            ("a@@b.com", "a@@b.com"),
            ("a@b.com-@c.org", "[EMAIL_REDACTED][EMAIL_REDACTED]"),
            ("@@@", "@@@"),
            ("", ""),
        ];
        for (text, want) in cases {
            assert_eq!(scrubbed(text), want);
        }
    }
}

//! Secrets and personal data that are written so that a plain search does not see them: each way of hiding, with each kind of
//! value, in the middle of a text.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::fmt::Write as _;

use hooks_redaction::Scrubber;

/// Values of several kinds.
const VALUES: [&str; 6] = [
    "ghp_0123456789abcdefghijKLMNOPqrstuvwxyz",
    "AKIAQ3EGRIUZVXNPHKTR",
    "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6kL9nP2rS5uV8xZ",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
    "jane.miller@example.com",
    "4111 1111 1111 1111",
];

/// A way to hide a value.
type Hide = fn(&str) -> String;

fn between(text: &str, sign: &str) -> String {
    text.chars().map(String::from).collect::<Vec<_>>().join(sign)
}

fn at(text: &str, share: usize, sign: &str) -> String {
    let (head, tail) = text.split_at(text.len() * share / 8);
    format!("{head}{sign}{tail}")
}

fn each(text: &str, write: impl Fn(u32) -> String) -> String {
    text.chars().map(|c| write(u32::from(c))).collect()
}

fn signs(text: &str, write: impl Fn(u32) -> String) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { write(u32::from(c)) })
        .collect()
}

fn base64(text: &str, alphabet: &[u8; 64]) -> String {
    let mut out = String::new();
    for group in text.as_bytes().chunks(3) {
        let all = group.iter().chain([&0, &0]).take(3).fold(0_u32, |all, b| all << 8 | u32::from(*b));
        for place in 0..4 {
            let index = (all >> (18 - 6 * place) & 63) as usize;
            out.push(if place <= group.len() { char::from(alphabet[index]) } else { '=' });
        }
    }
    out
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn in_lines(text: &str, width: usize, end: &str) -> String {
    text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>().join(end)
}

/// Invisible characters between all characters, and in the middle.
const INVISIBLE: [(&str, &str); 14] = [
    ("zero-width space", "\u{200b}"),
    ("zero-width joiner", "\u{200d}"),
    ("zero-width non-joiner", "\u{200c}"),
    ("word joiner", "\u{2060}"),
    ("invisible times", "\u{2062}"),
    ("invisible plus", "\u{2064}"),
    ("soft hyphen", "\u{ad}"),
    ("variation selector 16", "\u{fe0f}"),
    ("variation selector 17", "\u{e0100}"),
    ("tag character", "\u{e0041}"),
    ("byte order mark", "\u{feff}"),
    ("right-to-left mark", "\u{200f}"),
    ("Hangul filler", "\u{3164}"),
    ("zero byte", "\0"),
];

/// Breaks in the middle: terminal codes, references, line ends.
const BREAKS: [(&str, &str); 17] = [
    ("colour", "\u{1b}[31m"),
    ("colour of 24 bits", "\u{1b}[38;2;10;20;30m"),
    ("end of colour", "\u{1b}[0m\u{1b}[1;4m"),
    ("link", "\u{1b}]8;;http://x\u{7}"),
    ("title with terminator", "\u{1b}]0;t\u{1b}\\"),
    ("erased line", "\u{1b}[K"),
    ("character set", "\u{1b}(B"),
    ("bell", "\u{7}"),
    ("HTML soft hyphen", "&shy;"),
    ("HTML zero-width space", "&#8203;"),
    ("HTML zero-width joiner in hex", "&#x200d;"),
    ("HTML word joiner", "&NoBreak;"),
    ("encoded line end of mail", "=\n"),
    ("the same with carriage return", "=\r\n"),
    ("continued line", "\\\n"),
    ("line end", "\n"),
    ("line end and indent", "\n    "),
];

const ENCODINGS: [(&str, Hide); 20] = [
    ("all percent", |v| each(v, |c| format!("%{c:02x}"))),
    ("all percent, large", |v| each(v, |c| format!("%{c:02X}"))),
    ("percent of signs", |v| signs(v, |c| format!("%{c:02X}"))),
    ("percent twice", |v| signs(v, |c| format!("%25{c:02X}"))),
    ("all HTML decimal", |v| each(v, |c| format!("&#{c};"))),
    ("all HTML hex", |v| each(v, |c| format!("&#x{c:x};"))),
    ("HTML with zeros", |v| each(v, |c| format!("&#{c:07};"))),
    ("HTML of signs", |v| signs(v, |c| format!("&#{c};"))),
    ("HTML names", |v| {
        v.replace('_', "&lowbar;").replace('-', "&hyphen;").replace('.', "&period;").replace('@', "&commat;")
    }),
    ("all JSON escapes", |v| each(v, |c| format!("\\u{c:04x}"))),
    ("JSON escapes of signs", |v| signs(v, |c| format!("\\u{c:04X}"))),
    ("all hex escapes", |v| each(v, |c| format!("\\x{c:02x}"))),
    ("base64", |v| base64(&format!("the secret is {v}"), STANDARD)),
    ("base64 for URLs", |v| base64(&format!("the secret is {v}"), FOR_URLS)),
    ("base64 without padding", |v| base64(&format!("a {v} b"), STANDARD).trim_end_matches('=').to_owned()),
    ("base64 in lines", |v| {
        in_lines(
            &base64(&format!("{} {v} {}", "some words ".repeat(8), "more words ".repeat(9)), STANDARD),
            76,
            "\n",
        )
    }),
    ("base64 in lines of 64", |v| {
        in_lines(
            &base64(&format!("{} {v} {}", "some words ".repeat(7), "more words ".repeat(9)), STANDARD),
            64,
            "\r\n",
        )
    }),
    ("base64 of an assignment", |v| base64(&format!("{{\"token\": \"{v}\"}}"), STANDARD)),
    ("full width", |v| {
        v.chars()
            .map(|c| if c.is_ascii_digit() { char::from_u32(u32::from(c) + 0xfee0).unwrap() } else { c })
            .collect()
    }),
    ("hard blanks", |v| v.replace(' ', "\u{a0}").replace('-', "\u{2011}")),
];

/// Returns whether more than a few characters in a row of the value are left.
fn is_left(value: &str, hidden: &str, out: &str) -> bool {
    out.contains(value)
        || out.contains(hidden)
        || hidden.lines().any(|line| line.len() > 12 && out.contains(line))
}

fn cases() -> Vec<(String, &'static str, String)> {
    let mut cases = Vec::new();
    for value in VALUES {
        for (name, sign) in INVISIBLE {
            cases.push((format!("{name} everywhere"), value, between(value, sign)));
            cases.push((format!("{name} once"), value, at(value, 4, sign)));
        }
        for (name, sign) in BREAKS {
            for share in [3, 6] {
                cases.push((format!("{name} at {share} of 8"), value, at(value, share, sign)));
            }
        }
        for (name, sign) in [("colour everywhere", "\u{1b}[32m"), ("HTML soft hyphens", "&#173;")] {
            cases.push((name.to_owned(), value, between(value, sign)));
        }
        for (name, hide) in ENCODINGS {
            cases.push((name.to_owned(), value, hide(value)));
        }
    }
    cases
}

/// Returns the share of cases in which the value is removed, and the others.
fn removed(cases: &[(String, &'static str, String)]) -> (f64, String) {
    let scrubber = Scrubber::all();
    let mut left = String::new();
    let mut count = 0_u32;
    for (name, value, hidden) in cases {
        let text = format!("first line\nthe value is {hidden} and more\nlast line\n");
        let out = scrubber.scrub(&text);
        if is_left(value, hidden, &out) {
            writeln!(left, "{name}: {out:?}").unwrap();
            count += 1;
        }
    }
    let share = 1.0 - f64::from(count) / f64::from(u32::try_from(cases.len()).unwrap());
    (share, left)
}

#[test]
fn values_that_are_hidden_once_are_removed() {
    let (all, personal): (Vec<_>, Vec<_>) =
        (cases(), cases().into_iter().filter(|(_, v, _)| v.contains([' ', '@'])).collect());
    // Personal data in base64 stays: chance matches in it are not rare.
    let secrets: Vec<_> = all.into_iter().filter(|(_, v, _)| !v.contains([' ', '@'])).collect();
    let (share, left) = removed(&secrets);
    assert!(secrets.len() > 300 && share >= 0.95, "{share} of {} secrets; left:\n{left}", secrets.len());
    let (share, left) = removed(&personal);
    assert!(share >= 0.8, "{share} of {} addresses and cards; left:\n{left}", personal.len());
}

/// The same ways to write a text in which nothing is hidden change nothing.
#[test]
fn hidden_words_stay() {
    let scrubber = Scrubber::all();
    for words in ["an ordinary sentence", "release-notes_2024.md", "call_the_function(x, y)"] {
        for (name, sign) in INVISIBLE.into_iter().chain(BREAKS) {
            let text = format!("first line\nthe value is {} and more\n", between(words, sign));
            assert_eq!(scrubber.scrub(&text), text, "{name}");
        }
        // What is named a token is one.
        for (name, hide) in ENCODINGS.into_iter().filter(|(name, _)| !name.ends_with("assignment")) {
            let text = format!("first line\nthe value is {} and more\n", hide(words));
            assert_eq!(scrubber.scrub(&text), text, "{name}");
        }
    }
}

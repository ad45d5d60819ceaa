//! Cost of scrubbing with every label: text without findings, text full of them, text that was made to be slow; and,
//! beside it, what `memchr` and `regex` take for the same text.

use hooks_redaction::Scrubber;
use regex::bytes::{RegexBuilder, RegexSetBuilder};

use crate::{Bar, Case, SetupError};

/// Length of each text.
const LENGTH: usize = 64 * 1024;
/// The alternation is allowed to be five times as fast: it knows the vendors' keys only.
const BAR: Bar = Bar::Times(5.0, "redaction/beside: one alternation of regex, prose");

const VENDORS: &str = include_str!("../../hooks-redaction/data/vendors.txt");
const SOURCE: &str = include_str!("case.rs");
const PROSE: &str = include_str!("../../docs/events.md");

/// The cases.
///
/// # Errors
/// Returns an error if a pattern cannot be built.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let patterns = patterns();
    let one = RegexBuilder::new(&patterns.join("|")).unicode(false).size_limit(1 << 28).build()?;
    let set = RegexSetBuilder::new(&patterns).unicode(false).size_limit(1 << 28).build()?;
    let (prose, again, third) = (text(PROSE), text(PROSE), text(PROSE));
    let line = "2026-01-02T03:04:05Z level=info msg=\"the request took 31 ms\" route=/orders/list status=200 \
                user=jane@example.com agent=\"curl\" note=\"nothing else happened here, so the line is long\"\n";
    Ok(vec![
        scrub("redaction/64 KiB of prose", PROSE).at_most(BAR),
        scrub("redaction/64 KiB of source", SOURCE),
        scrub("redaction/64 KiB of a log, a finding every 200 bytes", line),
        scrub("redaction/64 KiB of hex digits", "0f9d4c1be7a2458d"),
        scrub("redaction/64 KiB of base64", "bm90aGluZyBzZWNyZXQ"),
        scrub("redaction/64 KiB of @", "@"),
        scrub("redaction/64 KiB of digits", "4111"),
        scrub("redaction/64 KiB of nested JSON", "{\"a\":["),
        Case::new("redaction/beside: one alternation of regex, prose", move || one.find_iter(&prose).count()),
        Case::new("redaction/beside: a set of regex line by line, prose", move || {
            again.split(|b| *b == b'\n').filter(|line| set.is_match(line)).count()
        }),
        Case::new("redaction/beside: memchr for @, prose", move || memchr::memchr_iter(b'@', &third).count()),
    ])
}

fn scrub(name: &'static str, piece: &str) -> Case {
    let text = String::from_utf8_lossy(&text(piece)).into_owned();
    let scrubber = Scrubber::all();
    Case::new(name, move || scrubber.scrub(&text).len())
}

fn text(piece: &str) -> Vec<u8> {
    piece.bytes().cycle().take(LENGTH).collect()
}

/// The vendors' forms as patterns.
fn patterns() -> Vec<String> {
    let rows = VENDORS.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let mut columns = row.split('\t');
        let (prefix, alphabet, length) = (columns.next()?, columns.next()?, columns.next()?);
        let class = match alphabet {
            "hex" | "lowhex" => "[0-9a-fA-F]",
            "upper" => "[A-Z0-9]",
            "alnum" => "[0-9A-Za-z]",
            "word" => "[0-9A-Za-z_]",
            "url" => "[0-9A-Za-z_-]",
            "uuid" => "[0-9a-f-]",
            "asana" => "[0-9a-f/:]",
            _ => "[0-9A-Za-z_+/=.@%$-]",
        };
        let least = length.trim_end_matches('+').split('-').next()?;
        Some(format!(r"\b{}{class}{{{least}}}", regex::escape(prefix)))
    })
    .collect()
}

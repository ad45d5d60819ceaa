//! Cost of scrubbing with every label: text without findings, text full of them, text that was made to be slow; and,
//! beside it, what `memchr`, `regex`, Squad's function and LangChain's detectors take for the same text.

use hooks_redaction::Scrubber;
use regex::bytes::{RegexBuilder, RegexSetBuilder};

use crate::{Bar, Case, SetupError};

/// Length of each text.
const LENGTH: usize = 64 * 1024;
/// Length of a long text, in texts of that length.
const LONG: usize = 128;

const PROSE_CASE: &str = "redaction/64 KiB of prose";
const ALTERNATION: &str = "redaction/beside: one alternation of regex, prose";

const VENDORS: &str = include_str!("../../hooks-redaction/data/vendors.txt");
const SOURCE: &str = include_str!("case.rs");
const PROSE: &str = include_str!("../../docs/events.md");
const LINE: &str = "2026-01-02T03:04:05Z level=info msg=\"the request took 31 ms\" route=/orders/list status=200 \
                    user=jane@example.com agent=\"curl\" note=\"nothing else happened here, so the line is long\"\n";

/// An address as Squad's `scrubPii` and LangChain's `detect_email` find it.
const EMAIL: &str = r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b";
/// The other four detectors that LangChain's PII middleware has: cards, addresses of networks and cards of networks, URLs.
const DETECTORS: [&str; 4] = [
    r"\b\d{4}[\s-]?\d{4}[\s-]?\d{4}[\s-]?\d{4}\b",
    r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b",
    r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b",
    r"https?://[^\s<>{}|\\^`\[\]]+",
];

/// The cases.
///
/// # Errors
/// Returns an error if a pattern cannot be built.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let mut cases = vec![
        // The alternation knows the vendors' keys only.
        scrub(PROSE_CASE, PROSE, 1).at_most(Bar::Times(5.0, ALTERNATION)),
        scrub("redaction/64 KiB of source", SOURCE, 1).at_most(Bar::Times(5.0, ALTERNATION)),
        scrub("redaction/8 MiB of prose", PROSE, LONG).at_most(Bar::Times(1.2 * LONG as f64, PROSE_CASE)),
        scrub("redaction/64 KiB of a log, a finding every 200 bytes", LINE, 1),
        scrub("redaction/64 KiB of hex digits", "0f9d4c1be7a2458d", 1).at_most(Bar::Times(2.0, PROSE_CASE)),
        scrub("redaction/64 KiB of base64", "bm90aGluZyBzZWNyZXQ", 1).at_most(Bar::Times(4.0, PROSE_CASE)),
        scrub("redaction/64 KiB of @", "@", 1).at_most(Bar::Times(10.0, PROSE_CASE)),
        scrub("redaction/64 KiB of digits", "4111", 1).at_most(Bar::Times(4.0, PROSE_CASE)),
        scrub("redaction/64 KiB of nested JSON", "{\"a\":[", 1).at_most(Bar::Times(10.0, PROSE_CASE)),
        scrub("redaction/64 KiB of BEGIN lines", "-----BEGIN PRIVATE KEY-----\n", 1),
    ];
    cases.extend(peers()?);
    Ok(cases)
}

/// Cases of other libraries for the same prose.
fn peers() -> Result<Vec<Case>, SetupError> {
    let patterns = patterns();
    let build = |pattern: &str| RegexBuilder::new(pattern).unicode(false).size_limit(1 << 28).build();
    let (one, email) = (build(&patterns.join("|"))?, build(EMAIL)?);
    let five = std::iter::once(EMAIL).chain(DETECTORS).map(build).collect::<Result<Vec<_>, _>>()?;
    let set = RegexSetBuilder::new(&patterns).unicode(false).size_limit(1 << 28).build()?;
    let prose = || text(PROSE, 1);
    let (for_one, for_set, for_lines, for_at, for_email, for_five) =
        (prose(), prose(), prose(), prose(), prose(), prose());
    let lines = set.clone();
    Ok(vec![
        Case::new(ALTERNATION, move || one.find_iter(&for_one).count()),
        Case::new("redaction/beside: a set of regex, prose", move || set.matches(&for_set).iter().count()),
        Case::new("redaction/beside: a set of regex line by line, prose", move || {
            for_lines.split(|b| *b == b'\n').filter(|line| lines.is_match(line)).count()
        }),
        Case::new("redaction/beside: memchr for @, prose", move || {
            memchr::memchr_iter(b'@', &for_at).count()
        }),
        Case::new("redaction/beside: Squad's function in Rust, prose", move || {
            email.replace_all(&for_email, &b"[EMAIL_REDACTED]"[..]).len()
        }),
        Case::new("redaction/beside: LangChain's five detectors in Rust, prose", move || {
            five.iter().map(|detector| detector.find_iter(&for_five).count()).sum::<usize>()
        }),
    ])
}

fn scrub(name: &'static str, piece: &str, times: usize) -> Case {
    let text = String::from_utf8_lossy(&text(piece, times)).into_owned();
    let scrubber = Scrubber::all();
    Case::new(name, move || scrubber.scrub(&text).len())
}

fn text(piece: &str, times: usize) -> Vec<u8> {
    piece.bytes().cycle().take(LENGTH * times).collect()
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

//! Cost of scrubbing with every label: text without findings, text full of them, text that was made to be slow; and,
//! beside it, what `memchr`, `regex`, Squad's function and LangChain's detectors take for the same text.

use hooks_redaction::Scrubber;
use regex::RegexSetBuilder;
use regex::bytes;

use crate::{Bar, Case, SetupError};

/// Length of each text.
const LENGTH: usize = 64 * 1024;
/// Length of a long text, in texts of that length: 64 MiB.
const LONG: usize = 1024;
/// Nanoseconds for a text at 1.5 GB/s, and at 300 MB/s.
const FAST: Bar = Bar::Nanoseconds(LENGTH as f64 / 1.5);
const WITH_FINDINGS: Bar = Bar::Nanoseconds(LENGTH as f64 / 0.3);

const PROSE_CASE: &str = "redaction/64 KiB of prose";
const ALTERNATION: &str = "redaction/beside: one alternation of regex, prose";
const SET: &str = "redaction/beside: a set of regex as `RegexSet::new` makes it, prose";

const VENDORS: &str = include_str!("../../hooks-redaction/data/vendors.txt");
const SOURCE: &str = include_str!("case.rs");
const PROSE: &str = include_str!("../../docs/events.md");
const LINE: &str = "2026-01-02T03:04:05Z level=info msg=\"the request took 31 ms\" route=/orders/list status=200 \
                    user=jane@example.com agent=\"curl\" note=\"nothing else happened here, so the line is long\"\n";

/// An address as Squad's `scrubPii` and LangChain's `detect_email` find it.
const EMAIL: &str = r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b";
/// The other four detectors that LangChain's PII middleware has: cards, addresses of networks and cards of networks, URLs.
const DETECTORS: [&str; 4] =
    [CARD, IPV4, r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b", r"https?://[^\s<>{}|\\^`\[\]]+"];
const CARD: &str = r"\b\d{4}[\s-]?\d{4}[\s-]?\d{4}[\s-]?\d{4}\b";
const IPV4: &str = r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b";
/// The labels that are no vendor's, in usual patterns.
const OTHERS: [&str; 12] = [
    EMAIL,
    CARD,
    IPV4,
    r"\b(?:[0-9A-Fa-f]{1,4}:){2,7}:?[0-9A-Fa-f]{1,4}\b",
    r"\b\d{3}-\d{2}-\d{4}\b",
    r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)|\b\d{2,4})[ .-]\d{3,4}[ .-]\d{3,4}\b",
    r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){3,7}\b",
    r"\beyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    r"[a-z][a-z0-9+.-]*://[^\s:/@]+:[^\s@/]+@",
    r"(?i:authorization|cookie|bearer)[:=]?\s+\S+",
    r#"(?i:[a-z0-9_-]*(?:password|passwd|secret|token|api_?key))["']?\s*[:=]\s*["']?[^\s"',;]+"#,
];

/// The cases.
///
/// # Errors
/// Returns an error if a pattern cannot be built.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let mut cases = vec![
        scrub(PROSE_CASE, PROSE, 1).at_most(FAST),
        scrub("redaction/64 KiB of prose, compared with the alternation", PROSE, 1)
            .at_most(Bar::Times(5.0, ALTERNATION)),
        scrub("redaction/64 KiB of prose, compared with the set", PROSE, 1).at_most(Bar::Times(0.1, SET)),
        scrub("redaction/64 KiB of source", SOURCE, 1).at_most(FAST),
    ];
    cases.extend(KINDS.map(|kind| {
        let case = scrub(kind.name, kind.piece, 1);
        if kind.piece == LINE { case.at_most(WITH_FINDINGS) } else { case }
    }));
    cases.extend(peers()?);
    Ok(cases)
}

/// Text that repeats a piece, with the names of its cases.
struct Kind {
    name: &'static str,
    /// A long text.
    long: &'static str,
    /// The same bytes as many short texts.
    many: &'static str,
    piece: &'static str,
}

macro_rules! kinds {
    ($($name:literal $piece:expr;)*) => { [$(Kind {
        name: concat!("redaction/64 KiB of ", $name),
        long: concat!("redaction/64 MiB of ", $name),
        many: concat!("redaction/1,024 times 64 KiB of ", $name),
        piece: $piece,
    }),*] };
}

const KINDS: [Kind; 7] = kinds! {
    "a log, a finding every 200 bytes" LINE;
    "hex digits" "0f9d4c1be7a2458d";
    "base64" "bm90aGluZyBzZWNyZXQ";
    "@" "@";
    "digits" "4111";
    "nested JSON" "{\"a\":[";
    "BEGIN lines" "-----BEGIN PRIVATE KEY-----\n";
};
const CLEAN: [Kind; 1] = kinds! { "prose" PROSE; };

/// Long texts, each of which may cost a fifth more than its bytes in short texts, which no cache holds either. They are
/// not among the [`cases`]: their instructions take minutes to count.
///
/// # Errors
/// Returns an error if a pattern cannot be built.
pub fn long() -> Result<Vec<Case>, SetupError> {
    let of_kind = |kind: Kind| {
        let texts: Vec<String> = (0..LONG).map(|_| words(kind.piece, 1)).collect();
        let scrubber = Scrubber::all();
        let many = move || texts.iter().map(|text| scrubber.scrub(text).len()).sum::<usize>();
        [Case::new(kind.many, many), scrub(kind.long, kind.piece, LONG).at_most(Bar::Times(1.2, kind.many))]
    };
    let set = RegexSetBuilder::new(patterns()).size_limit(1 << 28).build()?;
    let prose = words(PROSE, 1);
    let slow = Case::new(SET, move || set.matches(&prose).iter().count());
    Ok(CLEAN.into_iter().chain(KINDS).flat_map(of_kind).chain([slow]).collect())
}

/// Cases of other libraries for the same prose.
fn peers() -> Result<Vec<Case>, SetupError> {
    let patterns = patterns();
    let build = |pattern: &str| bytes::RegexBuilder::new(pattern).unicode(false).size_limit(1 << 28).build();
    let (one, email) = (build(&patterns.join("|"))?, build(EMAIL)?);
    let five = std::iter::once(EMAIL).chain(DETECTORS).map(build).collect::<Result<Vec<_>, _>>()?;
    let set = bytes::RegexSetBuilder::new(&patterns).unicode(false).size_limit(1 << 28).build()?;
    let prose = || text(PROSE, 1);
    let (for_one, for_set, for_lines, for_at, for_email, for_five) =
        (prose(), prose(), prose(), prose(), prose(), prose());
    let lines = set.clone();
    Ok(vec![
        Case::new(ALTERNATION, move || one.find_iter(&for_one).count()),
        Case::new("redaction/beside: a set of regex without Unicode, prose", move || {
            set.matches(&for_set).iter().count()
        }),
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
    let text = words(piece, times);
    let scrubber = Scrubber::all();
    Case::new(name, move || scrubber.scrub(&text).len())
}

fn words(piece: &str, times: usize) -> String {
    String::from_utf8_lossy(&text(piece, times)).into_owned()
}

fn text(piece: &str, times: usize) -> Vec<u8> {
    piece.bytes().cycle().take(LENGTH * times).collect()
}

/// Patterns of all labels.
fn patterns() -> Vec<String> {
    let rows = VENDORS.lines().filter(|line| !line.starts_with('#'));
    let vendors = rows.filter_map(|row| {
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
    });
    vendors.chain(OTHERS.map(str::to_owned)).collect()
}

//! Phone numbers: international (ITU-T E.164), North American (NANP), national with a trunk zero, and any
//! number after a word such as "phone". Versions, dates, identifiers and addresses are not phone numbers.
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("call +49 30 901820, version 1.2.3.4"), "call [PHONE_REDACTED], version 1.2.3.4");
//! ```

use super::{
    digits::{Group, Sequence},
    text::{byte, byte_before, has_word, line_before},
};

/// Words that announce a phone number.
const CONTEXT: &[&str] = &[
    "phone",
    "phones",
    "telephone",
    "tel",
    "mobile",
    "mob",
    "cell",
    "call",
    "called",
    "caller",
    "fax",
    "sms",
    "dial",
    "whatsapp",
    "hotline",
    "phonenumber",
    "mobilenumber",
    "telefon",
    "handy",
    "mobil",
    "msisdn",
    "callback",
    "voicemail",
];

/// E.164 allows fifteen digits.
const MAX_DIGITS: usize = 15;

/// Parses a phone number from the start of `sequence`.
pub(super) fn read(sequence: &Sequence<'_>) -> Option<(usize, usize)> {
    let first = *sequence.groups().first()?;
    let (start, end) = match byte_before(sequence.bytes, first.start) {
        b'+' => (first.start - 1, international(sequence, 8)?),
        b'(' => (
            first.start - 1,
            north_american(sequence).or_else(|| trunk_zero(sequence)).or_else(|| announced(sequence))?,
        ),
        _ => (
            first.start,
            north_american(sequence).or_else(|| trunk_zero(sequence)).or_else(|| announced(sequence))?,
        ),
    };
    let start = if start < first.start
        && byte_before(sequence.bytes, start) == b'('
        && byte(sequence.bytes, start) == b'+'
    {
        start - 1
    } else {
        start
    };
    sequence.stands_alone(start, end).then_some((start, end))
}

/// Parses `+` and eight to fifteen digits; a number in one piece needs ten, since `+` also means "added".
fn international(sequence: &Sequence<'_>, least: usize) -> Option<usize> {
    let groups = sequence.groups();
    let first = groups.first()?;
    if byte(sequence.bytes, first.start) == b'0' {
        return None;
    }
    // A sum in a program; a place as ISO 6709 writes it; a date.
    let before = first.start.checked_sub(2).map_or(0, |at| byte(sequence.bytes, at));
    let lengths = || groups.iter().map(|group| group.len());
    let place = lengths().eq([4, 5]) || lengths().eq([6, 7]);
    let date = lengths().take(3).eq([4, 2, 2]);
    let fraction = lengths().eq([1, 8]) && sequence.separators(2).all(|separator| separator == b".");
    if fraction || before.is_ascii_alphanumeric() || b")]_".contains(&before) || place || date {
        return None;
    }
    let american = first.len() == 1 && byte(sequence.bytes, first.start) == b'1';
    let most = if american { 11 } else { MAX_DIGITS };
    let (count, total) = take(groups, most);
    // `+1441497364.649` is a time, `+12345-03-04` a year.
    let time = first.len() >= 5 && groups.len() > 1;
    let least = if count == 1 { 10 } else { least };
    if time || total < least || sequence.separators(count).any(|s| s.len() > 2 || s == b".." || s == b"/-") {
        return None;
    }
    groups.get(count - 1).map(|last| last.end)
}

/// Counts the groups, and their digits, that fit into `most` digits.
fn take(groups: &[Group], most: usize) -> (usize, usize) {
    let mut taken = (0, 0);
    for group in groups {
        if taken.1 + group.len() > most {
            break;
        }
        taken = (taken.0 + 1, taken.1 + group.len());
    }
    taken
}

/// Parses `NXX-NXX-XXXX` with an optional `1` in front.
fn north_american(sequence: &Sequence<'_>) -> Option<usize> {
    let groups = sequence.groups();
    let one = groups.first().is_some_and(|g| g.len() == 1 && byte(sequence.bytes, g.start) == b'1');
    let skip = usize::from(one);
    let (area, exchange, line) = (*groups.get(skip)?, *groups.get(skip + 1)?, *groups.get(skip + 2)?);
    let high = |group: Group| matches!(byte(sequence.bytes, group.start), b'2'..=b'9');
    if (area.len(), exchange.len(), line.len()) != (3, 3, 4) || !high(area) || !high(exchange) {
        return None;
    }
    let (left, right) = (sequence.separator(area, exchange), sequence.separator(exchange, line));
    let opened = byte_before(sequence.bytes, area.start) == b'(';
    let fits = match left {
        b") " | b")" | b")-" | b")." => opened && right.len() == 1,
        b"-" | b"." => right == left,
        b" " => right == b"-" || (right == b" " && groups.len() == skip + 3),
        _ => false,
    };
    fits.then_some(line.end)
}

/// Parses a national number in groups that starts with a trunk zero, or with an area code in parentheses.
fn trunk_zero(sequence: &Sequence<'_>) -> Option<usize> {
    let groups = sequence.groups();
    let first = groups.first()?;
    let (count, total) = take(groups, 11);
    let last = groups.get(count.checked_sub(1)?)?;
    let opened = byte_before(sequence.bytes, first.start) == b'(';
    let zero = byte(sequence.bytes, first.start) == b'0'
        && !matches!(byte(sequence.bytes, first.start + 1), b'0' | b'x');
    let mut separators = sequence.separators(count);
    let left = separators.next()?;
    let same = separators.all(|other| other == left);
    let sizes = |wanted: &[usize]| groups.iter().take(count).map(|g| g.len()).eq(wanted.iter().copied());
    if opened {
        // `(11) 91234-5678`, `(020) 7946 0958`
        let closed = matches!(left, b") " | b")") && !is_year(sequence, first);
        return (closed && (2..=5).contains(&first.len()) && (9..=11).contains(&total) && count <= 4)
            .then_some(last.end);
    }
    if !zero
        || !same
        || groups.len() > count
        || !(10..=11).contains(&total)
        || !matches!(left, b" " | b"-" | b"." | b"/")
    {
        return None;
    }
    let pairs = sizes(&[2, 2, 2, 2, 2]) && left != b"-" && !in_hex_dump(sequence, first.start, last.end);
    let grouped = (2..=4).contains(&count)
        && left != b"."
        && (2..=5).contains(&first.len())
        && groups.iter().take(count).skip(1).all(|g| (3..=8).contains(&g.len()));
    (pairs || grouped).then_some(last.end)
}

/// Returns whether a group may be a year: `Physica A 388 (2009) 764-774`.
fn is_year(sequence: &Sequence<'_>, group: &Group) -> bool {
    let digits = sequence.bytes.get(group.start..group.end).unwrap_or_default();
    group.len() == 4 && (digits.starts_with(b"19") || digits.starts_with(b"20"))
}

/// Returns whether more pairs of hex digits surround the number, as in a dump.
fn in_hex_dump(sequence: &Sequence<'_>, start: usize, end: usize) -> bool {
    let bytes = sequence.bytes;
    let hex = |at: usize| byte(bytes, at).is_ascii_hexdigit();
    let behind = byte(bytes, end) == b' ' && hex(end + 1) && hex(end + 2);
    let before = start >= 3 && byte_before(bytes, start) == b' ' && hex(start - 2) && hex(start - 3);
    behind || before || line_before(bytes, start, 6).ends_with(b"hex!(\"")
}

/// Parses seven to fifteen digits after a word that announces them.
fn announced(sequence: &Sequence<'_>) -> Option<usize> {
    let groups = sequence.groups();
    let first = groups.first()?;
    let (count, total) = take(groups, MAX_DIGITS);
    let last = groups.get(count.checked_sub(1)?)?;
    let day = sequence.bytes.get(first.start..first.end).unwrap_or_default();
    let compact = first.len() == 8 && (day.starts_with(b"19") || day.starts_with(b"20"));
    let date = compact
        || first.len() == 4
            && groups.get(1).is_some_and(|g| g.len() == 2)
            && groups.get(2).is_some_and(|g| g.len() == 2);
    let dotted = sequence.separators(count).filter(|s| *s == b".").count() > 2;
    let short = |separator: &[u8]| separator.len() <= 2;
    let fits = (7..=MAX_DIGITS).contains(&total)
        && count <= 6
        && !date
        && !dotted
        && sequence.separators(count).all(short);
    let words = line_before(sequence.bytes, first.start, 24);
    let counted = has_word(words, &["count", "id", "len", "size", "index"]);
    (fits && has_word(words, CONTEXT) && !counted && !is_constant(words)).then_some(last.end)
}

/// Returns whether the number is the value of a constant: `VHOST_SET_VRING_CALL: u32 = `.
fn is_constant(words: &[u8]) -> bool {
    let words = words.trim_ascii_end();
    let name = words.strip_suffix(b"=").map_or(words, |name| name.trim_ascii_end());
    let typed = [
        ": u32",
        ": i32",
        ": u64",
        ": i64",
        ": usize",
        ": c_ulong",
        ": c_int",
        ": c_uint",
        ": int",
        ": number",
    ];
    let upper = name.rsplit(|b| *b == b' ').next().unwrap_or_default();
    let constant = upper.contains(&b'_') && !upper.iter().any(u8::is_ascii_lowercase);
    name.len() < words.len() && (constant || typed.iter().any(|kind| name.ends_with(kind.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::super::{digits::testing::found, label::Label};

    #[test]
    fn numbers() {
        for (text, wanted) in [
            ("303-555-0110 | Denver", "303-555-0110"),
            ("fax 415.555.0132 / office", "415.555.0132"),
            ("contact_phone='(646) 555-0129'", "(646) 555-0129"),
            ("call +1 (555) 010-9999", "+1 (555) 010-9999"),
            ("+1 (312) 555-0188 ext. 12", "+1 (312) 555-0188"),
            ("mobile +33 6 39 98 12 34", "+33 6 39 98 12 34"),
            ("sms to +12025550176 queued", "+12025550176"),
            ("1-800-555-0100", "1-800-555-0100"),
            ("London 020 7946 0958", "020 7946 0958"),
            ("Paris 01 42 68 53 00", "01 42 68 53 00"),
            ("Tokyo 03-1234-5678", "03-1234-5678"),
            ("Rio (11) 91234-5678", "(11) 91234-5678"),
            ("phone: 5550199", "5550199"),
            ("tel 9876543210", "9876543210"),
        ] {
            assert_eq!(found(text, &[Label::Phone]), [wanted], "{text}");
        }
    }

    #[test]
    fn not_numbers() {
        for text in [
            "2024-01-15 to 2024-02-20",
            "upgraded 2.4.1 -> 2.5.0",
            "550e8400-e29b-41d4-a716-446655440000",
            "ISBN 978-3-16-148410-0",
            "@@ -100,7 +100,9 @@",
            "id 9876543210",
            "+0100",
            "00000010: 01 23 45 67 89 0a bc",
            "x303-555-0110",
            "1.6180339887498948",
            "build.1+20240115123",
            "10.1.2.3",
            "const VHOST_SET_VRING_CALL: u32 = 1074310945;",
            "+1441497364.649",
            "+12345-03-04",
            "phone build 20240115-1530",
            "CA\t+4734-05243\tAmerica/St_Johns",
            "f[1]+2240044497&4294967295",
            "(+9999-12-31 23:59)",
            "phone_count=5551234 region=5",
            "Timeticks: (12345678) 1 day",
        ] {
            assert!(found(text, &[Label::Phone]).is_empty(), "{text}: {:?}", found(text, &[Label::Phone]));
        }
    }
}

//! Payment card numbers: an issuer's range and length, a valid check digit (ISO/IEC 7812), in groups or in one
//! piece.
//!
//! Identifiers that consist of digits pass the check digit once in ten times. A number in one piece therefore
//! needs the usual length of its issuer, and no word before it that names an identifier, unless a word such as
//! "card" does.

use std::sync::LazyLock;

use super::digits::Sequence;
use super::text::{byte, byte_before, has_word, line_before, run_end, run_start};

/// Range of numbers of an issuer.
struct Issuer {
    first: u32,
    last: u32,
    /// Number of digits in the prefixes.
    digits: usize,
    lengths: Vec<usize>,
}

static ISSUERS: LazyLock<Vec<Issuer>> =
    LazyLock::new(|| include_str!("../data/cards.txt").lines().filter_map(issuer).collect());

/// Words that announce a card.
const CARD: &[&str] = &[
    "card",
    "cards",
    "cc",
    "ccnum",
    "pan",
    "credit",
    "debit",
    "visa",
    "mastercard",
    "mc",
    "amex",
    "discover",
    "diners",
    "jcb",
    "maestro",
    "unionpay",
    "cardnumber",
    "ccnumber",
    "creditcard",
    "kreditkarte",
    "payment",
];

/// Words that announce an identifier.
const IDENTIFIER: &[&str] = &[
    "id",
    "ids",
    "uid",
    "gid",
    "pid",
    "tid",
    "order",
    "ticket",
    "tracking",
    "ref",
    "reference",
    "request",
    "trace",
    "span",
    "message",
    "msg",
    "timestamp",
    "time",
    "ts",
    "date",
    "nonce",
    "serial",
    "seq",
    "sequence",
    "sku",
    "isbn",
    "ean",
    "upc",
    "gtin",
    "imei",
    "iccid",
    "job",
    "build",
    "run",
    "snowflake",
    "invoice",
    "hash",
    "offset",
    "size",
    "bytes",
    "count",
    "seed",
    "counter",
    "epoch",
    "version",
    "barcode",
    "tweet",
    "status",
    "channel",
    "guild",
    "user",
    "transaction",
    "txn",
    "batch",
    "block",
    "height",
];

fn issuer(line: &str) -> Option<Issuer> {
    let mut columns = line.split('\t');
    let (first, last) = (columns.next()?, columns.next()?);
    let lengths = columns.next()?.split(',').filter_map(|length| length.parse().ok()).collect();
    Some(Issuer { first: first.parse().ok()?, last: last.parse().ok()?, digits: first.len(), lengths })
}

/// Parses a card number from the start of `sequence`.
pub(super) fn read(sequence: &Sequence<'_>) -> Option<(usize, usize)> {
    let groups = sequence.groups();
    let first = groups.first()?;
    if !matches!(sequence.bytes.get(first.start)?, b'2'..=b'6') {
        return None;
    }
    let mut total = 0;
    for (count, group) in (1..).zip(groups.iter().take(5)) {
        total += group.len();
        let fits = (13..=19).contains(&total) && has_layout(sequence, count);
        let inside = sequence.bytes.get(first.start..group.end)?;
        if fits
            && sequence.stands_alone(first.start, group.end)
            && luhn(inside)
            && is_issued(inside, total)
            && (count > 1 || is_named(sequence.bytes, first.start, group.end))
        {
            return Some((first.start, group.end));
        }
    }
    None
}

/// Returns whether the first `count` groups have the layout of a card: groups of four, or 4-6-5 and 4-6-4.
fn has_layout(sequence: &Sequence<'_>, count: usize) -> bool {
    let groups = sequence.groups();
    // One line end may stand between two groups.
    let wrapped = |separator: &[u8]| separator.ends_with(b"\n") && !separator.starts_with(b"\n\n");
    let separator = sequence.separators(count).find(|s| !wrapped(s)).unwrap_or_default();
    let same = sequence.separators(count).all(|other| other == separator || wrapped(other));
    let wraps = sequence.separators(count).filter(|s| wrapped(s)).count();
    let sizes = |wanted: &[usize]| groups.iter().take(count).map(|g| g.len()).eq(wanted.iter().copied());
    let fours = groups.iter().take(count.saturating_sub(1)).all(|group| group.len() == 4)
        && groups.get(count.saturating_sub(1)).is_some_and(|last| last.len() <= 4);
    let laid_out = fours || sizes(&[4, 6, 5]) || sizes(&[4, 6, 4]) || sizes(&[4, 4, 5]) || sizes(&[6, 13]);
    count == 1 || (laid_out && same && wraps <= 1 && matches!(separator, b" " | b"-" | b"." | b"\xc2\xa0"))
}

/// Returns whether an issuer has numbers with this prefix and length.
fn is_issued(number: &[u8], length: usize) -> bool {
    let digits: Vec<u32> =
        number.iter().filter(|b| b.is_ascii_digit()).take(6).map(|b| u32::from(b - b'0')).collect();
    ISSUERS.iter().any(|issuer| {
        let prefix = digits.iter().take(issuer.digits).fold(0, |prefix, digit| prefix * 10 + digit);
        (issuer.first..=issuer.last).contains(&prefix) && issuer.lengths.contains(&length)
    })
}

/// Returns whether the text around a number in one piece allows a card.
fn is_named(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = line_before(bytes, start, 40);
    if has_word(before, CARD) {
        return true;
    }
    let usual = matches!(end - start, 14..=16);
    let name = run_start(bytes, start, 24, |b| b.is_ascii_alphanumeric() || b"_- \"'=:.#".contains(&b));
    let identifier = has_word(bytes.get(name..start).unwrap_or_default(), IDENTIFIER);
    usual && !identifier && !ends_in_identifier(before) && !is_listed(bytes, start, end)
}

/// Returns whether the name in front of the value ends with `Id`, as in `orderId: `.
fn ends_in_identifier(before: &[u8]) -> bool {
    let name = before.trim_ascii_end();
    let name = name.strip_suffix(b":").or(name.strip_suffix(b"=")).unwrap_or(name).trim_ascii_end();
    let name = name.strip_suffix(b"\"").or(name.strip_suffix(b"'")).unwrap_or(name);
    name.ends_with(b"Id") || name.ends_with(b"ID") || name.ends_with(b"_id")
}

/// Returns whether the number is an element of a list of numbers, as in a table of constants.
fn is_listed(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = line_before(bytes, start, 24);
    let indented = !before.is_empty() && before.iter().all(|b| b" \t([".contains(b));
    let comma = b",)]".contains(&byte(bytes, end));
    // Another long number after the comma, or before it.
    let next = run_end(bytes, end, 12, |b| b", \t([".contains(&b));
    let long_next = next > end + 1 && run_end(bytes, next, 9, |b| b.is_ascii_digit()) - next >= 9;
    let last = run_start(bytes, start, 12, |b| b", \t([".contains(&b));
    let long_last = last < start
        && byte_before(bytes, last).is_ascii_digit()
        && last - run_start(bytes, last, 9, |b| b.is_ascii_digit()) >= 9;
    (comma && (indented || long_next)) || (long_last && byte(bytes, last) == b',')
}

/// Returns whether the digits in `bytes` pass the Luhn check.
pub(super) fn luhn(bytes: &[u8]) -> bool {
    let digits = bytes.iter().rev().filter(|b| b.is_ascii_digit()).map(|b| u32::from(b - b'0'));
    let sum: u32 = digits
        .zip([false, true].into_iter().cycle())
        .map(|(digit, double)| if double { digit * 2 / 10 + digit * 2 % 10 } else { digit })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::super::{digits::testing::found, label::Label};
    use super::*;

    #[test]
    fn each_issuer_has_a_range_and_lengths() {
        assert!(ISSUERS.len() >= 18);
        for issuer in ISSUERS.iter() {
            assert!(issuer.first <= issuer.last && issuer.lengths.iter().all(|n| (13..=19).contains(n)));
        }
    }

    #[test]
    fn cards() {
        for (text, wanted) in [
            ("card 4111 1111 1111 1111 12/30", "4111 1111 1111 1111"),
            ("card 4111 1111\n1111 1111 12/30", "4111 1111\n1111 1111"),
            ("5555-5555-5555-4444.", "5555-5555-5555-4444"),
            ("amex 3782 822463 10005", "3782 822463 10005"),
            ("diners 30569309025904", "30569309025904"),
            ("2223003122003222", "2223003122003222"),
            ("card:4000-0566-5566-5556", "4000-0566-5566-5556"),
            ("6011000990139424", "6011000990139424"),
            ("jane,4111111111111111,12/30", "4111111111111111"),
            ("{\"card_id\": \"x\", \"number\": 1, \"card\": 4111111111111111}", "4111111111111111"),
        ] {
            assert_eq!(found(text, &[Label::CreditCard]), [wanted], "{text}");
        }
    }

    #[test]
    fn not_cards() {
        for text in [
            "4111111111111112",
            "1234567812345670",
            "0000000000000000",
            "0.4111111111111111",
            "a4111111111111111",
            "x-4111111111111111",
            "4111111111111111f",
            "41111111111111111111111",
            "order_id=4111111111111111",
            "{\"messageId\": 4111111111111111}",
            "trace: 4111111111111111",
            "        4111111111111111,\n        5555555555554444,",
            "(4111111111111111, 5555555555554444)",
            "4111 1111 11 111111",
        ] {
            assert!(found(text, &[Label::CreditCard]).is_empty(), "{text}");
        }
    }
}

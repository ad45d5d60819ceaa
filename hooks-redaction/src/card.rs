//! Payment card numbers: 13 to 19 digits, a valid check digit (ISO/IEC 7812), written in one piece or in groups.

use super::digits::Sequence;

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
        if fits
            && sequence.stands_alone(first.start, group.end)
            && luhn(sequence.bytes.get(first.start..group.end)?)
        {
            return Some((first.start, group.end));
        }
    }
    None
}

/// Returns whether the first `count` groups have the layout of a card: a group of four, then groups of three
/// to six.
fn has_layout(sequence: &Sequence<'_>, count: usize) -> bool {
    let groups = sequence.groups();
    let separator = sequence.separators(count).next().unwrap_or_default();
    let same = sequence.separators(count).all(|other| other == separator);
    let four = groups.first().is_some_and(|first| first.len() == 4);
    let sizes = groups.iter().take(count).skip(1).all(|group| (1..=6).contains(&group.len()));
    count == 1 || (four && same && sizes && matches!(separator, b" " | b"-" | b"."))
}

/// Returns whether the digits in `bytes` pass the Luhn check.
fn luhn(bytes: &[u8]) -> bool {
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

    #[test]
    fn cards() {
        for (text, wanted) in [
            ("card 4111 1111 1111 1111 12/30", "4111 1111 1111 1111"),
            ("5555-5555-5555-4444.", "5555-5555-5555-4444"),
            ("amex 3782 822463 10005", "3782 822463 10005"),
            ("diners 30569309025904", "30569309025904"),
            ("2223003122003222", "2223003122003222"),
            ("card:4000-0566-5566-5556", "4000-0566-5566-5556"),
            ("6011000990139424", "6011000990139424"),
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
        ] {
            assert!(found(text, &[Label::CreditCard]).is_empty(), "{text}");
        }
    }
}

//! International bank account numbers: length by country and check digits (ISO 13616, ISO 7064 mod 97-10).

use super::text::{byte, byte_before, starts_word};

/// Lengths by country, from the SWIFT IBAN registry.
const LENGTHS: &[(&str, u8)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HN", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
    ("YE", 30),
];

/// Parses an account number whose check digits are at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if !byte_before(bytes, at).is_ascii_alphabetic() {
        return None;
    }
    let start = at.checked_sub(2)?;
    let country = text.get(start..at)?;
    if !byte(bytes, start).is_ascii_alphabetic() || !starts_word(bytes, start) {
        return None;
    }
    let known = LENGTHS.iter().find(|(code, _)| code.eq_ignore_ascii_case(country));
    let length = usize::from(known?.1);
    let (mut end, mut taken) = (start, 0);
    let mut number = Vec::with_capacity(length);
    while taken < length {
        let b = byte(bytes, end);
        if b.is_ascii_alphanumeric() {
            number.push(b.to_ascii_uppercase());
            taken += 1;
        } else if !(b == b' ' || b == b'-') || !byte_before(bytes, end).is_ascii_alphanumeric() {
            return None;
        }
        end += 1;
    }
    (!byte(bytes, end).is_ascii_alphanumeric() && is_valid(&number)).then_some((start, end))
}

fn is_valid(number: &[u8]) -> bool {
    let (head, tail) = number.split_at(number.len().min(4));
    let rest = tail.iter().chain(head).fold(0_u32, |rest, b| match b {
        b'0'..=b'9' => (rest * 10 + u32::from(b - b'0')) % 97,
        _ => (rest * 100 + u32::from(b.saturating_sub(b'A')) + 10) % 97,
    });
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::super::{digits::testing::found, label::Label};

    #[test]
    fn accounts() {
        for (text, wanted) in [
            ("IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
            ("\"GB29NWBK60161331926819\"", "GB29NWBK60161331926819"),
            ("FR1420041010050500013M02606,", "FR1420041010050500013M02606"),
            ("nl91abna0417164300", "nl91abna0417164300"),
        ] {
            assert_eq!(found(text, &[Label::Iban]), [wanted], "{text}");
        }
    }

    #[test]
    fn not_accounts() {
        for text in [
            "DE88370400440532013000",
            "XDE89370400440532013000",
            "DE8937040044053201300",
            "DE893704004405320130001",
            "ZZ8937040044",
        ] {
            assert!(found(text, &[Label::Iban]).is_empty(), "{text}");
        }
    }
}

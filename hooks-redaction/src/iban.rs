//! International bank account numbers in their two written forms (ISO 13616, ISO 7064 mod 97-10).
//!
//! The electronic form is one word of capital letters and digits. The printed form has groups of four
//! characters, all with the same separator. Small letters count only after the word "IBAN", because identifiers
//! in hexadecimal often pass the check digits.

use std::sync::LazyLock;

use super::text::{byte, byte_before, has_word, line_before};

/// Account numbers of a country.
struct Country {
    code: [u8; 2],
    length: usize,
    /// Class of each character after the check digits: `n`, `a` or `c`.
    structure: Vec<u8>,
}

/// The countries of `data/iban.txt`, sorted by code.
static COUNTRIES: LazyLock<Vec<Country>> =
    LazyLock::new(|| include_str!("../data/iban.txt").lines().filter_map(country).collect());

/// Longest account number of any country, with room for separators.
const REACH: usize = 48;

fn country(line: &str) -> Option<Country> {
    let mut columns = line.split('\t');
    let code: [u8; 2] = columns.next()?.as_bytes().try_into().ok()?;
    let length = columns.next()?.parse().ok()?;
    let mut structure = Vec::with_capacity(length);
    let mut count = 0_usize;
    for b in columns.next()?.bytes() {
        if b.is_ascii_digit() {
            count = count * 10 + usize::from(b - b'0');
        } else {
            structure.extend(std::iter::repeat_n(b, count));
            count = 0;
        }
    }
    Some(Country { code, length, structure })
}

/// Parses an account number whose check digits are at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = at.checked_sub(2)?;
    let head = bytes.get(start..at)?;
    if !head.iter().all(u8::is_ascii_alphabetic) || !byte(bytes, at + 1).is_ascii_digit() {
        return None;
    }
    let code: [u8; 2] = head.to_ascii_uppercase().try_into().ok()?;
    let country = COUNTRIES.binary_search_by_key(&code, |country| country.code).ok();
    let country = COUNTRIES.get(country?)?;
    if !opens(bytes, start) {
        return None;
    }
    let (number, end) = written(bytes, start, country.length)?;
    let small = number.iter().any(u8::is_ascii_lowercase);
    if small && !has_word(line_before(bytes, start, 32), &["iban"]) {
        return None;
    }
    let number = number.to_ascii_uppercase();
    (fits(country, &number) && is_valid(&number)).then_some((start, end))
}

/// Returns whether the number does not continue a word, a path or a base64 text.
fn opens(bytes: &[u8], start: usize) -> bool {
    let before = byte_before(bytes, start);
    let escape = start.checked_sub(2).is_some_and(|at| byte(bytes, at) == b'\\') && b"nrt".contains(&before);
    escape
        || is_field(bytes, start)
        || !(before.is_ascii_alphanumeric() || b"_-+/.%".contains(&before) || before >= 0x80)
}

/// Returns whether a field of a statement of account with the word "IBAN" starts at `start`: `/IBAN/…/`, `IBAN+…+`.
fn is_field(bytes: &[u8], start: usize) -> bool {
    b"/+".contains(&byte_before(bytes, start))
        && line_before(bytes, start, 5)
            .strip_suffix(b"IBAN+")
            .or(line_before(bytes, start, 5).strip_suffix(b"IBAN/"))
            .is_some()
}

/// Returns the characters of the number and its end, if it is in one of the two written forms.
fn written(bytes: &[u8], start: usize, length: usize) -> Option<(Vec<u8>, usize)> {
    let mut number = Vec::with_capacity(length);
    let mut at = start;
    let mut separator: Option<&[u8]> = None;
    while number.len() < length && at < start + REACH {
        let b = byte(bytes, at);
        if b.is_ascii_alphanumeric() {
            number.push(b);
            at += 1;
            continue;
        }
        // The printed form begins with a group of four; a form in one piece has no separator at all.
        if number.is_empty() || number.len() % 4 != 0 {
            return None;
        }
        let found = gap(bytes, at)?;
        let wrapped = found.ends_with(b"\n");
        if separator.is_some_and(|first| first != found && !wrapped)
            || (separator.is_none() && number.len() != 4)
        {
            return None;
        }
        if !wrapped {
            separator = Some(found);
        }
        at += found.len();
    }
    let next = byte(bytes, at);
    let joined = next.is_ascii_alphanumeric()
        || b"_+/=".contains(&next) && !(is_field(bytes, start) && b"+/".contains(&next))
        || next >= 0x80;
    let hyphen = next == b'-' && byte(bytes, at + 1).is_ascii_alphanumeric();
    (number.len() == length && !joined && !hyphen).then_some((number, at))
}

/// Returns the separator at `at`: a blank, a hyphen, a no-break space, or a line end between two groups.
fn gap(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let known: [&[u8]; 7] = [b" ", b"-", b"\xc2\xa0", b"\xe2\x80\xaf", b"\n", b"\r\n", b" \n"];
    let rest = bytes.get(at..)?;
    known.iter().rev().find(|gap| rest.starts_with(gap)).copied()
}

fn fits(country: &Country, number: &[u8]) -> bool {
    let tail = number.get(4..).unwrap_or_default();
    let class = |(b, class): (&u8, &u8)| match class {
        b'n' => b.is_ascii_digit(),
        b'a' => b.is_ascii_alphabetic(),
        _ => b.is_ascii_alphanumeric(),
    };
    let checked = number.get(2..4).is_some_and(|check| check.iter().all(u8::is_ascii_digit));
    checked && tail.len() == country.structure.len() && tail.iter().zip(&country.structure).all(class)
}

pub(super) fn is_valid(number: &[u8]) -> bool {
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
    use super::*;

    #[test]
    fn the_table_is_sorted_and_each_structure_has_its_length() {
        assert!(COUNTRIES.len() >= 80, "{}", COUNTRIES.len());
        assert!(COUNTRIES.is_sorted_by_key(|country| country.code));
        for country in COUNTRIES.iter() {
            assert_eq!(country.structure.len() + 4, country.length, "{:?}", country.code);
        }
    }

    #[test]
    fn accounts() {
        for (text, wanted) in [
            ("IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
            ("DE89-3704-0044-0532-0130-00 paid", "DE89-3704-0044-0532-0130-00"),
            ("DE89 3704 0044\n0532 0130 00", "DE89 3704 0044\n0532 0130 00"),
            ("\"GB29NWBK60161331926819\"", "GB29NWBK60161331926819"),
            ("FR1420041010050500013M02606,", "FR1420041010050500013M02606"),
            ("iban: nl91abna0417164300", "nl91abna0417164300"),
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
            "nl91abna0417164300",
            "DE8 9370400440532013000",
            "DE8937 0400 4405 3201 3000",
            "x-DE89370400440532013000",
            "DE89370400440532013000-1",
            "NL91ABNA041716430A",
        ] {
            assert!(found(text, &[Label::Iban]).is_empty(), "{text}");
        }
    }

    /// Hexadecimal identifiers of every length, of which one in 97 passes the check digits.
    #[test]
    fn hexadecimal_identifiers_are_not_accounts() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut id = String::new();
            while id.len() < 40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                id.push_str(&format!("{state:016x}"));
            }
            for length in [16, 18, 20, 22, 24, 28, 32, 40] {
                let id = format!("commit {} by", id.get(..length).unwrap());
                assert!(found(&id, &[Label::Iban]).is_empty(), "{id}");
            }
        }
    }
}

//! United States social security numbers: valid area, group and serial (SSA, "Meaning of the Social Security number").

use super::{
    digits::Sequence,
    text::{has_word, line_before},
};

/// Words that announce a social security number.
const CONTEXT: &[&str] = &["ssn", "social", "socialsecurity", "socialsecuritynumber", "ssnumber"];

/// Parses a social security number from the start of `sequence`.
pub(super) fn read(sequence: &Sequence<'_>) -> Option<(usize, usize)> {
    let groups = sequence.groups();
    let first = *groups.first()?;
    let named = || has_word(line_before(sequence.bytes, first.start, 40), CONTEXT);
    let end = match (first.len(), groups.get(1).map(|g| g.len()), groups.get(2).map(|g| g.len())) {
        (9, _, _) if named() => first.end,
        (3, Some(2), Some(4)) => {
            let mut separators = sequence.separators(3);
            let (left, right) = (separators.next()?, separators.next()?);
            if left != right || !(left == b"-" || ((left == b" " || left == b".") && named())) {
                return None;
            }
            groups.get(2)?.end
        }
        _ => return None,
    };
    let digits = sequence.bytes.get(first.start..end)?.iter().filter(|b| b.is_ascii_digit());
    let number = digits.fold(0_u32, |number, digit| number * 10 + u32::from(digit - b'0'));
    let (area, group, serial) = (number / 1_000_000, number / 10_000 % 100, number % 10_000);
    let valid = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    (valid && sequence.stands_alone(first.start, end)).then_some((first.start, end))
}

#[cfg(test)]
mod tests {
    use super::super::{digits::testing::found, label::Label};

    #[test]
    fn numbers() {
        for (text, wanted) in [
            ("ssn 078-05-1120", "078-05-1120"),
            ("{\"ssn\":\"222-33-4444\"}", "222-33-4444"),
            ("SSN: 222334444", "222334444"),
            ("social security 222 33 4444.", "222 33 4444"),
        ] {
            assert_eq!(found(text, &[Label::Ssn]), [wanted], "{text}");
        }
    }

    #[test]
    fn not_numbers() {
        for text in [
            "000-12-3456",
            "666-12-3456",
            "900-12-3456",
            "123-00-4567",
            "123-45-0000",
            "x-123-45-6789",
            "123-45-6789-1",
            "222 33 4444",
            "222334444",
        ] {
            assert!(found(text, &[Label::Ssn]).is_empty(), "{text}");
        }
    }
}

//! Names in records: agents and their clients choose them, and none is longer than a name has to be.

use std::borrow::Cow;

/// The bytes that a name has at most.
const MOST: usize = 256;
/// The bytes that it keeps where it had more: what says how many were cut has room behind them.
const KEPT: usize = MOST - 40;

/// `name` as a record has it: of one that is longer than 256 bytes, the beginning, and how many more there were. What a
/// record has stays as it is, so that it can be looked for by either.
pub fn kept_name(name: &str) -> Cow<'_, str> {
    if name.len() <= MOST {
        return Cow::Borrowed(name);
    }
    let mut kept = name.to_owned();
    super::shorten::shorten_text(&mut kept, KEPT);
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_and_says_so() {
        let fits = "é".repeat(MOST / 2);
        assert_eq!(kept_name(&fits), fits);
        let long = kept_name(&(fits + "é")).into_owned();
        assert_eq!(long, format!("{}… (42 more bytes)", "é".repeat(KEPT / 2)));
        assert_eq!(kept_name(&long), long);
    }

    #[test]
    fn no_name_is_longer_and_what_is_kept_stays() {
        for length in (MOST - 2..MOST + 50).chain([1 << 20]) {
            for shift in 0..4 {
                let name = "a".repeat(shift) + &"\u{1f600}".repeat(length / 4);
                let kept = kept_name(&name);
                assert!(kept.len() <= MOST && kept_name(&kept) == kept, "{length}: {kept}");
            }
        }
    }
}

//! Names in records: agents and clients choose them, so their length is limited.

use std::borrow::Cow;

/// Limit on the length of a name, in bytes.
const MOST: usize = 256;
/// Bytes kept of a longer name; the rest of the limit is for the note about its length.
const KEPT: usize = MOST - 40;

/// Returns `name` as a record has it: of a name longer than 256 bytes, the beginning and the number of
/// further bytes. Applied to such a result it changes nothing, so that a search works with either form.
///
/// ```
/// use hooks_audit::record::kept_name;
///
/// assert_eq!(kept_name("bash"), "bash");
/// let long = kept_name(&"x".repeat(300)).into_owned();
/// assert!(long.ends_with("… (84 more bytes)") && long.len() <= 256);
/// assert_eq!(kept_name(&long), long);
/// ```
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

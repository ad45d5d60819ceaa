//! Knows the top-level domains in use, so that `logo@2x.png` is no address.
//!
//! `tlds.txt` holds the top-level names of the IANA root zone as the Public Suffix List has them, with the names that
//! RFC 2606, RFC 6762 and RFC 8375 reserve and the private ones that mail systems use. Sorted by bytes.

use std::sync::LazyLock;

static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("tlds.txt").lines().collect());

/// Names that people do write in capitals of every kind, and that no program uses for a type or a file.
const COMMON: &[&str] = &["com", "org", "net", "edu", "gov", "int", "mil"];

/// Tells whether `name` is a top-level domain; `xn--` names are taken at their word.
pub(super) fn is_tld(name: &str) -> bool {
    let name = name.to_lowercase();
    (name.starts_with("xn--") && name.len() > 5) || NAMES.binary_search(&name.as_str()).is_ok()
}

/// Tells whether `name` is one of the few that are hardly ever anything else.
pub(super) fn is_common(name: &str) -> bool {
    COMMON.iter().any(|common| name.eq_ignore_ascii_case(common))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_real_names() {
        assert!(["com", "DE", "museum", "рф", "xn--p1ai", "example"].iter().all(|name| is_tld(name)));
        assert!(!["png", "service", "js", "x", "xn--", ""].iter().any(|name| is_tld(name)));
        assert!(NAMES.is_sorted(), "the search needs a sorted list");
    }
}

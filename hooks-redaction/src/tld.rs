//! Top-level domains in use, so that `logo@2x.png` is not an address.
//!
//! `tlds.txt` holds the top-level names of the IANA root zone as listed by the Public Suffix List, and
//! private names that mail systems use. It also holds the names that RFC 2606, RFC 6762 and RFC 8375 reserve.
//! Sorted by bytes.

use std::sync::LazyLock;

static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("tlds.txt").lines().collect());

/// Names that are written in any mix of capitals, and that no program uses for a type or a file.
const COMMON: &[&str] = &["com", "org", "net", "edu", "gov", "int", "mil"];

/// Returns whether `name` is a top-level domain; every `xn--` name counts as one.
pub(super) fn is_tld(name: &str) -> bool {
    if is_common(name) {
        return true;
    }
    let name = name.to_lowercase();
    (name.starts_with("xn--") && name.len() > 5) || NAMES.binary_search(&name.as_str()).is_ok()
}

/// Returns whether `name` is one of the few that are hardly ever anything else.
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

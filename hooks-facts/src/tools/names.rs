//! Compares names without regard to case and to how their words are joined: `write_file`, `WriteFile`
//! and `write-file` are one name.

use std::cmp::Ordering;

/// The letters that count, in lower case.
fn folded(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase)
}

/// The order of a name among folded ones.
pub(super) fn compare(folded_name: &str, name: &str) -> Ordering {
    folded_name.chars().cmp(folded(name))
}

/// Whether a name is one of the folded names.
pub(super) fn is_one_of(name: &str, folded_names: &[&str]) -> bool {
    folded_names.iter().any(|known| compare(known, name) == Ordering::Equal)
}

/// The name as it is compared.
pub(super) fn fold(name: &str) -> String {
    folded(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_count() {
        for name in ["write_file", "WriteFile", "write-file", "WRITE_FILE"] {
            assert_eq!(compare("writefile", name), Ordering::Equal);
        }
        assert_ne!(compare("writefile", "writefiles"), Ordering::Equal);
        assert!(is_one_of("filePath", &["path", "filepath"]));
    }
}

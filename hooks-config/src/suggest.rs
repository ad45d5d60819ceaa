//! "Did you mean": finds the known word that is nearest to an unknown one.

/// Longer words are not compared: a word of that length is not a misspelt option.
const LONGEST: usize = 64;

/// The word of `known` that `word` probably misspells. A third of its letters may differ (at least one); case
/// and separators do not count. Returns `None` if no word is that near, or if `word` has more than 64
/// letters.
///
/// ```
/// use hooks_config::nearest;
///
/// let commands = ["check", "eval", "doctor", "init"];
/// assert_eq!(nearest("docter", commands), Some("doctor"));
/// assert_eq!(nearest("deploy", commands), None);
/// ```
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let given = letters(word)?;
    known
        .into_iter()
        .filter_map(|candidate| {
            let wanted = letters(candidate)?;
            // A swap of neighbours counts as one difference.
            let distance = strsim::osa_distance(&given, &wanted);
            // A third of the word may differ; of a short word, one letter.
            (distance <= (wanted.chars().count() / 3).max(1)).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The letters that count: case and separators do not.
fn letters(word: &str) -> Option<String> {
    let letters: String = word
        .chars()
        .take(LONGEST.saturating_add(1))
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    (!letters.is_empty() && letters.chars().count() <= LONGEST).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_recognised() {
        let known = ["write_guard", "command_guard", "allow", "deny", "rules", "version"];
        for (word, want) in [
            ("writeGuard", Some("write_guard")),
            ("wirte_guard", Some("write_guard")),
            ("comand_guard", Some("command_guard")),
            ("alow", Some("allow")),
            ("dney", Some("deny")),
            ("rule", Some("rules")),
            ("VERSION", Some("version")),
            ("budget", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), want, "{word}");
        }
    }
}

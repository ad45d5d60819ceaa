//! "Did you mean": finds the known word that is nearest to an unknown one.

/// Longer words are not compared: a word of that length is not a misspelt option.
const LONGEST: usize = 64;

/// The word of `known` that `word` probably misspells. A third of its letters may differ (at least one); case
/// and separators do not count. Returns `None` if no word is that near, or if `word` has more than 64
/// letters.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let given = letters(word)?;
    known
        .into_iter()
        .filter_map(|candidate| {
            let wanted = letters(candidate)?;
            let distance = distance(&given, &wanted);
            // A third of the word may differ; of a short word, one letter.
            (distance <= (wanted.len() / 3).max(1)).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The letters that count: case and separators do not.
fn letters(word: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = word
        .chars()
        .take(LONGEST.saturating_add(1))
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    (!letters.is_empty() && letters.len() <= LONGEST).then_some(letters)
}

/// Number of letters to add, remove, replace, or swap with their neighbour (optimal string alignment).
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    let mut last = None;
    for (row, a) in from.iter().enumerate() {
        let mut current = vec![row.saturating_add(1)];
        let mut left_letter = None;
        for (column, b) in to.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let right = column.saturating_add(1);
            let mut best = at(&above, column) + usize::from(a != b);
            best = best.min(at(&above, right) + 1).min(at(&current, column) + 1);
            if last == Some(b) && left_letter == Some(a) {
                best = best.min(at(&before, column.wrapping_sub(1)) + 1);
            }
            current.push(best);
            left_letter = Some(b);
        }
        before = std::mem::replace(&mut above, current);
        last = Some(a);
    }
    above.last().copied().unwrap_or_default()
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

    #[test]
    fn a_swap_is_one_mistake() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("dney"), &chars("deny")), 1);
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
    }
}

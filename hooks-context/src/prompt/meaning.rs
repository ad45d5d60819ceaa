//! Compares two rules: whether they mean the same, or contradict each other.

use std::collections::BTreeSet;

/// Content of a rule, without the words that most rules have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    about: BTreeSet<String>,
    /// Whether the rule forbids.
    forbids: bool,
    /// The preferred thing and the thing it replaces.
    rather: Option<(String, String)>,
}

/// Relation between two rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Both mean the same.
    Same,
    /// The rules contradict each other.
    Contrary,
    /// No relation was found.
    Apart,
}

/// Words that forbid.
const FORBIDDING: [&str; 18] = [
    "never",
    "not",
    "don't",
    "dont",
    "no",
    "stop",
    "quit",
    "cease",
    "avoid",
    "ban",
    "banned",
    "forbid",
    "forbidden",
    "prohibited",
    "mustn't",
    "shouldn't",
    "anymore",
    "without",
];

/// Words that do not identify the subject of a rule.
const EMPTY: [&str; 60] = [
    "a", "an", "the", "to", "for", "in", "of", "on", "at", "and", "or", "is", "are", "be", "it", "its",
    "this", "that", "we", "you", "i", "our", "your", "my", "please", "always", "from", "now", "going",
    "forward", "future", "must", "should", "need", "have", "do", "does", "use", "using", "used", "prefer",
    "remember", "make", "sure", "every", "each", "all", "any", "more", "ever", "when", "if", "with", "as",
    "by", "there", "will", "so", "will", "then",
];

impl Meaning {
    /// Parses a rule.
    pub(super) fn parse(text: &str) -> Self {
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-' | '_' | '.' | '/' | '’'))
            .map(|word| word.trim_matches(['.', '-', '\'', '’']).to_lowercase().replace('’', "'"))
            .filter(|word| !word.is_empty())
            .collect();
        let forbids = words.iter().any(|word| FORBIDDING.contains(&&**word));
        let at = words.iter().position(|word| matches!(&**word, "over" | "instead" | "rather"));
        let rather = at.and_then(|at| {
            let first = words.get(at.checked_sub(1)?)?;
            let skipped = usize::from(words.get(at).is_some_and(|word| word != "over"));
            Some((stem(first).to_owned(), stem(words.get(at + 1 + skipped)?).to_owned()))
        });
        let about = words
            .iter()
            .filter(|word| !EMPTY.contains(&&***word) && !FORBIDDING.contains(&&***word))
            .map(|word| stem(word).to_owned())
            .collect();
        Self { about, forbids, rather }
    }

    /// Compares the rule with `other`.
    pub(super) fn to(&self, other: &Self) -> Relation {
        if let (Some((wanted, left)), Some((others_wanted, others_left))) = (&self.rather, &other.rather)
            && wanted == others_left
            && left == others_wanted
        {
            return Relation::Contrary;
        }
        let common = self.about.intersection(&other.about).count();
        let (smaller, larger) = {
            let (one, two) = (self.about.len(), other.about.len());
            (one.min(two), one.max(two))
        };
        // At least four of five words agree, and at least one.
        let is_close = common > 0 && common * 5 >= larger * 4;
        let is_part = common > 1 && common * 5 >= smaller * 4;
        match (self.forbids == other.forbids, is_close, is_part) {
            (true, true, _) => Relation::Same,
            (false, true, _) | (false, _, true) => Relation::Contrary,
            _ => Relation::Apart,
        }
    }
}

/// Removes the ending of a word: "tests", "testing", "tested" become "test".
fn stem(word: &str) -> &str {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() > 2
            && !stem.ends_with('s')
        {
            return stem;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(one: &str, other: &str) -> Relation {
        assert_eq!(
            Meaning::parse(one).to(&Meaning::parse(other)),
            Meaning::parse(other).to(&Meaning::parse(one))
        );
        Meaning::parse(one).to(&Meaning::parse(other))
    }

    #[test]
    fn the_same_in_other_words() {
        assert_eq!(relation("Never push to main.", "never push to main"), Relation::Same);
        assert_eq!(
            relation("Always run the linter before pushing", "From now on run the linter before you push"),
            Relation::Same
        );
        assert_eq!(relation("Stop using moment.js", "Don't use moment.js anymore."), Relation::Same);
    }

    #[test]
    fn the_contrary() {
        assert_eq!(relation("Always push to main", "Never push to main"), Relation::Contrary);
        assert_eq!(
            relation("use pnpm instead of npm", "From now on use npm instead of pnpm."),
            Relation::Contrary
        );
        assert_eq!(relation("Prefer tabs over spaces", "prefer spaces over tabs"), Relation::Contrary);
    }

    #[test]
    fn nothing_to_do_with_each_other() {
        assert_eq!(relation("Never push to main", "Never log passwords"), Relation::Apart);
        assert_eq!(relation("Always", "Never"), Relation::Apart);
        assert_eq!(relation("", ""), Relation::Apart);
        assert_eq!(relation("Use Postgres for billing", "Never use floats for money"), Relation::Apart);
    }
}

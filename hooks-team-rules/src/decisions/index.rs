//! Finds the rules that a call may break, so that the others cost nothing.
//!
//! Each part of a rule has a key: a text that a call contains if it breaks that part. One search over the texts of a call
//! finds all keys.

use aho_corasick::AhoCorasick;

use super::change::{Changes, Effect};
use super::matcher::{Matcher, Text};

/// The keys of all rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    keys: Option<AhoCorasick>,
    /// For each key, the rules that have it.
    rules: Vec<Vec<usize>>,
    /// Rules that have a part without a key.
    always: Vec<usize>,
    /// Rules that protect files: removing a folder may remove such a file, and does not name it.
    of_files: Vec<usize>,
    count: usize,
}

impl Index {
    /// Collects the keys of `rules`.
    pub(super) fn new<'m>(rules: impl Iterator<Item = &'m Matcher>) -> Self {
        let mut index = Self::default();
        let mut known = std::collections::HashMap::new();
        let mut texts: Vec<String> = Vec::new();
        for (number, rule) in rules.enumerate() {
            index.count = number + 1;
            if rule.protects_files() {
                index.of_files.push(number);
            }
            let Some(keys) = rule.keys() else {
                index.always.push(number);
                continue;
            };
            for key in keys {
                let at = *known.entry(key.clone()).or_insert_with(|| {
                    texts.push(key);
                    index.rules.push(Vec::new());
                    texts.len() - 1
                });
                if let Some(list) = index.rules.get_mut(at).filter(|list| list.last() != Some(&number)) {
                    list.push(number);
                }
            }
        }
        // Without an automaton, which fails for an absurd number of keys only, each rule is tried.
        match AhoCorasick::new(&texts) {
            Ok(keys) => index.keys = Some(keys),
            Err(_) => index.always = (0..index.count).collect(),
        }
        index
    }

    /// An index that leaves out no rule.
    #[cfg(test)]
    pub(super) fn of_all(count: usize) -> Self {
        Self { always: (0..count).collect(), count, ..Self::default() }
    }

    /// Returns the rules that a call may break, in order.
    pub(super) fn find(&self, changes: &Changes, texts: &[Text<'_>]) -> Vec<usize> {
        // A word that is not known before running may be anything.
        if changes.runs.iter().any(|run| !run.open.is_empty()) {
            return (0..self.count).collect();
        }
        let mut found = self.always.clone();
        if changes.touches.iter().any(|touch| touch.effect == Effect::Removed) {
            found.extend(&self.of_files);
        }
        if let Some(keys) = &self.keys {
            let mut seen = vec![false; self.rules.len()];
            let mut search = |text: &str| {
                let text = folded(text);
                for key in keys.find_overlapping_iter(&text) {
                    let number = key.pattern().as_usize();
                    if let Some(seen) = seen.get_mut(number).filter(|seen| !**seen) {
                        *seen = true;
                        found.extend(self.rules.get(number).into_iter().flatten());
                    }
                }
            };
            for edit in &changes.edits {
                search(&edit.new);
            }
            texts.iter().flat_map(Text::names).for_each(&mut search);
            for touch in &changes.touches {
                search(&touch.given);
                touch.paths.iter().for_each(|path| search(path));
            }
            for run in &changes.runs {
                search(&run.program);
                run.words.iter().chain(run.full.iter().flatten()).for_each(|word| search(word));
            }
            changes.unread.iter().for_each(|text| search(text));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Returns a text as keys are compared.
fn folded(text: &str) -> String {
    text.to_lowercase().replace('_', "-")
}

/// Returns the longest part of a pattern that it has in every text, as a key; `None` if it has none.
pub(super) fn key(pattern: &str) -> Option<String> {
    let folded = folded(pattern);
    let mut depth = 0_usize;
    let plain: String = folded
        .chars()
        .map(|c| {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                c if depth == 0 && c.is_ascii() && !matches!(c, '*' | '?' | '\\' | ',') => return c,
                _ => {}
            }
            '\0'
        })
        .collect();
    let longest = plain.split('\0').map(|part| part.trim_matches('/')).max_by_key(|part| part.len())?;
    (!longest.is_empty()).then(|| longest.to_owned())
}

/// Returns a text that a call contains as it is, as a key; `None` if it is empty.
pub(super) fn literal(text: &str) -> Option<String> {
    let folded = folded(text);
    let longest = folded.split(|c: char| !c.is_ascii()).max_by_key(|part| part.len())?;
    (!longest.is_empty()).then(|| longest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_longest_literal_parts() {
        assert_eq!(key("**/Legacy/*.js").as_deref(), Some("legacy"));
        assert_eq!(key("src/{a,b}/gen_x/**").as_deref(), Some("gen-x"));
        assert_eq!(key("**"), None);
        assert_eq!(literal("console.log").as_deref(), Some("console.log"));
    }
}

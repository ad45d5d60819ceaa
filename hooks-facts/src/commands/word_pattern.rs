//! One word of a command pattern: a text, alternatives between braces, and `*` for any part.

use super::argument::Argument;

/// Most texts that one word of a pattern stands for.
const MOST_TEXTS: usize = 128;

/// Word of a pattern: `{ns,namespace}`, `delete-*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WordPattern {
    /// The alternatives, each with `*` for any part.
    texts: Vec<String>,
}

impl WordPattern {
    /// Parses a word. A word with too many alternatives is taken literally.
    pub(super) fn parse(word: &str) -> Self {
        let mut texts = Vec::new();
        if !expand(word, "", &mut texts) || texts.is_empty() {
            texts = vec![word.to_owned()];
        }
        Self { texts }
    }

    /// Returns the alternatives.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Returns whether a word is one of the alternatives.
    pub(super) fn is(&self, word: &str) -> bool {
        self.texts.iter().any(|text| matches(text, word))
    }

    /// Returns whether a word is one of the alternatives, without regard to case.
    pub(super) fn is_ignoring_case(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.texts.iter().any(|text| matches(&text.to_lowercase(), &word))
    }

    /// Returns whether a partly known word may be one of the alternatives.
    pub(super) fn may_be(&self, word: &Argument) -> bool {
        let Argument::Dynamic { pieces, .. } = word else {
            return word.literal().is_some_and(|word| self.is(word));
        };
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
        self.texts.iter().any(|text| match text.split_once('*') {
            Some((start, _)) => start.starts_with(first.as_str()) || first.starts_with(start),
            None => {
                text.len() >= first.len() + last.len()
                    && text.starts_with(first.as_str())
                    && text.ends_with(last.as_str())
            }
        })
    }
}

/// Expands the braces of a word; returns `false` if there are too many alternatives.
fn expand(word: &str, before: &str, texts: &mut Vec<String>) -> bool {
    let group = word.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?)));
    let Some((start, (inner, rest))) = group.filter(|(_, (inner, _))| inner.contains(',')) else {
        texts.push([before, word].concat());
        return texts.len() <= MOST_TEXTS;
    };
    inner.split(',').all(|one| expand(rest, &[before, start, one].concat(), texts))
}

/// Returns whether a text matches a pattern in which `*` stands for any part. Linear in the text for each part.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        match text.split_once(part) {
            Some((_, after)) => text = after,
            None => return false,
        }
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_stars() {
        for (pattern, yes, no) in [
            ("delete-*", &["delete-table", "delete-"][..], &["delete", "undelete-x"][..]),
            ("{ns,namespace,namespaces}", &["ns", "namespaces"], &["names"]),
            ("a{b,c}d{e,f}", &["abde", "acdf"], &["abd", "abcde"]),
            ("*api*/repos/*", &["https://api.x/repos/a"], &["https://api.x/repos"]),
            ("*a", &["a", "ba"], &["ab"]),
            ("a*a", &["aa", "aba"], &["a"]),
            ("HEAD@{1}", &["HEAD@{1}"], &["HEAD@1"]),
            ("*", &["", "x"], &[]),
        ] {
            let word = WordPattern::parse(pattern);
            assert!(yes.iter().all(|text| word.is(text)), "{pattern}");
            assert!(!no.iter().any(|text| word.is(text)), "{pattern}");
        }
    }

    #[test]
    fn many_alternatives_are_bounded() {
        let word = "{a,b}".repeat(40);
        assert_eq!(WordPattern::parse(&word).texts().len(), 1);
    }
}

//! Placeholders for an item in the template of a program: `{}` of `find`, and those of `fd` and `parallel`.

use super::argument::Argument;
use crate::globs::Gap;

/// Longest text between the braces of a placeholder.
const MAX_NAME: usize = 8;

/// Item that fills a template.
#[derive(Clone, Debug)]
pub(super) struct Item {
    outline: String,
    /// Number of its list among several; a placeholder with another number is unknown here.
    list: Option<usize>,
}

impl Item {
    pub(super) fn new(item: &Argument) -> Self {
        Self { outline: item.outline(), list: None }
    }

    pub(super) fn of_list(self, list: usize) -> Self {
        Self { list: Some(list), ..self }
    }

    /// Returns what the words may grow by when the item is inserted.
    pub(super) fn cost(&self, words: &[Argument]) -> usize {
        let holes: usize = words.iter().map(|word| word.outline().matches('{').count()).sum();
        holes.saturating_mul(self.outline.len() + 1)
    }

    /// Returns the words with the item inserted; `None` if none of them has a placeholder. Linear in the
    /// words.
    pub(super) fn in_words(&self, words: &[Argument]) -> Option<Vec<Argument>> {
        let mut is_filled = false;
        let mut fill = |word: &Argument| match self.filled(&word.outline(), str::to_owned) {
            Some(outline) => {
                is_filled = true;
                Argument::of_outline(&outline)
            }
            None => word.clone(),
        };
        let words = words.iter().map(&mut fill).collect();
        is_filled.then_some(words)
    }

    /// Returns a text for a shell with the item inserted, or appended if it has no placeholder; quoted as
    /// `parallel` does.
    pub(super) fn in_text(&self, text: &str) -> String {
        if self.outline.contains(is_gap) {
            // A variable stands for the unknown parts; single quotes would hide it.
            let bare = text.replace("'{}'", "{}");
            return self
                .filled(&bare, escaped)
                .unwrap_or_else(|| format!("{bare} {}", escaped(&self.outline)));
        }
        self.filled(text, escaped).unwrap_or_else(|| format!("{text} {}", escaped(&self.outline)))
    }

    fn filled(&self, text: &str, write: impl Fn(&str) -> String) -> Option<String> {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        let mut is_filled = false;
        while let Some((before, after)) = rest.split_once('{') {
            result.push_str(before);
            let end = after.char_indices().take(MAX_NAME).find(|(_, c)| *c == '}');
            let name = end.and_then(|(end, _)| after.get(..end));
            match name.and_then(|name| Some((name, self.part(name)?))) {
                Some((name, part)) => {
                    is_filled = true;
                    result.push_str(&write(&part));
                    rest = after.get(name.len() + 1..).unwrap_or_default();
                }
                None => {
                    result.push('{');
                    rest = after;
                }
            }
        }
        result.push_str(rest);
        is_filled.then_some(result)
    }

    /// Returns the part of the item that a placeholder stands for: `{}`, `{.}`, `{/}`, `{//}`, `{/.}`, each
    /// with or without a number; `{#}` and `{%}` are numbers.
    fn part(&self, name: &str) -> Option<String> {
        let kind = name.trim_start_matches('-').trim_start_matches(|c: char| c.is_ascii_digit());
        let number: Option<usize> = name.get(..name.len() - kind.len())?.parse().ok();
        let is_slash = |c: char| c == '/' || Gap::from_char(c) == Some(Gap::Folders);
        let last = self.outline.rsplit(is_slash).next().unwrap_or_default();
        let folder = self.outline.get(..self.outline.len() - last.len()).unwrap_or_default();
        let stem =
            |name: &str| name.rsplit_once('.').map_or_else(|| name.to_owned(), |(stem, _)| stem.to_owned());
        let part = match kind {
            "" => self.outline.clone(),
            "." => format!("{folder}{}", stem(last)),
            "/" => last.to_owned(),
            "/." => stem(last),
            "//" if folder.is_empty() => ".".to_owned(),
            "//" if folder == "/" => folder.to_owned(),
            "//" => folder.trim_end_matches('/').to_owned(),
            "#" | "%" if name.len() == 1 => Gap::Name.stand_in().to_string(),
            _ => return None,
        };
        let is_of_another = self.list.is_some() && number.is_some() && number != self.list;
        Some(if is_of_another { Gap::Any.stand_in().to_string() } else { part })
    }
}

/// Quotes a word for a shell.
fn escaped(outline: &str) -> String {
    let mut text = String::with_capacity(outline.len());
    for c in outline.chars() {
        if is_gap(c) {
            text.push_str("${_}");
            continue;
        }
        let is_plain = !c.is_ascii() || c.is_ascii_alphanumeric() || "_-./,:@%+=".contains(c);
        match c {
            '\n' => text.push_str("'\n'"),
            _ if is_plain => text.push(c),
            _ => text.extend(['\\', c]),
        }
    }
    text
}

fn is_gap(c: char) -> bool {
    Gap::from_char(c).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_item() {
        let item = Item::new(&"a/b.c".into());
        for (template, expected) in [
            ("rm {}", "rm a/b.c"),
            ("rm {1} {.}x", "rm a/b.c a/bx"),
            ("rm {/} {//} {/.}", "rm b.c a b"),
            ("rm {x} {a", "rm {x} {a a/b.c"),
            ("rm", "rm a/b.c"),
        ] {
            assert_eq!(item.in_text(template), expected);
        }
        assert_eq!(Item::new(&"a b;c".into()).in_text("rm {}"), "rm a\\ b\\;c");
        assert_eq!(item.of_list(1).in_text("cp {1} {2}"), "cp a/b.c ${_}");
    }

    #[test]
    fn many_braces_end() {
        assert!(Item::new(&"a".into()).in_text(&"{".repeat(200_000)).ends_with(" a"));
    }
}

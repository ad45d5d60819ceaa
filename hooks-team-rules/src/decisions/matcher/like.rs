//! Texts and words with `*` for any.

/// Whether `words` begin as `wanted`, in which `*` stands for any words. Each part is looked for from where the one
/// before it ended, so the time is bounded by the product of both lengths.
pub(super) fn fits(wanted: &[String], words: &[&str]) -> bool {
    let mut rest = words;
    wanted.split(|word| word == "*").enumerate().all(|(number, part)| {
        let last = if number == 0 { 0 } else { rest.len() };
        let begins = |words: &[&str]| {
            part.len() <= words.len() && part.iter().zip(words).all(|(wanted, word)| is_like(wanted, word))
        };
        let Some(at) = (0..=last).find(|at| rest.get(*at..).is_some_and(begins)) else { return false };
        rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default();
        true
    })
}

/// Whether `text` is as `pattern`, in which `*` stands for any text.
pub(in super::super) fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut rest = rest;
    let parts: Vec<&str> = parts.collect();
    let (last, middle) = parts.split_last().unwrap_or((&"", &[]));
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

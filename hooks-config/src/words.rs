//! Formats names and lists for messages.

/// Most characters that a message shows of a text.
const LONGEST: usize = 60;

/// `text` in backticks, shortened if it is long.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}

/// The words in backticks: `` `a`, `b` or `c` ``.
pub(super) fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let quoted: Vec<_> = words.into_iter().map(quoted).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// The path of `key` under `path`.
pub(super) fn join(path: &str, key: &str) -> String {
    let key = shortened(key);
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

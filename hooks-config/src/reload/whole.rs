//! Recognises files that were cut off: a program was killed while it wrote, or writes still.

use crate::error::{ConfigErrors, Mistakes, TextPosition};

use super::files::ReadFile;

/// Line that ends a YAML document.
const END: &str = "...";

/// Returns the error for a file of `now` that was cut off; `before` are the files that were read last.
pub(super) fn cut_off(before: &[ReadFile], now: &[ReadFile]) -> Option<ConfigErrors> {
    now.iter().find_map(|file| {
        let text = file.content.as_deref().filter(|_| !file.path.is_dir())?;
        let earlier = before.iter().find(|earlier| earlier.path == file.path);
        let earlier = earlier.and_then(|earlier| earlier.content.as_deref());
        let (problem, hint) = problem(earlier, text)?;
        let mut mistakes = Mistakes::default();
        mistakes.add_with_hint(&end_of(text), "", problem, hint);
        Some(ConfigErrors::new(&file.path.to_string_lossy(), text, mistakes.into_errors()))
    })
}

/// The reason for which `text` may be cut off, and the way out.
fn problem(earlier: Option<&str>, text: &str) -> Option<(&'static str, &'static str)> {
    if earlier == Some(text) {
        return None;
    }
    if earlier.is_some_and(has_end) && !has_end(text) {
        let problem =
            "the last line is not `...`, which the rules in force end with, so the file may be cut off";
        return Some((problem, "end the file with `...`; to leave it out, start the host again"));
    }
    let is_json = text.trim_start().starts_with('{') && text.trim_end().ends_with('}');
    if !is_json && !text.ends_with('\n') {
        return Some((
            "the last line has no line break, so the file may be cut off",
            "end it with a line break",
        ));
    }
    None
}

fn has_end(text: &str) -> bool {
    text.ends_with('\n')
        && text.lines().rfind(|line| !line.trim().is_empty()).is_some_and(|line| line.trim_end() == END)
}

/// The last character of a text.
fn end_of(text: &str) -> TextPosition {
    let last = text.lines().last().unwrap_or_default();
    let line = text.lines().count().max(1);
    TextPosition { line, column: last.chars().count().max(1), span: text.len()..text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_may_be_cut_off_are_recognised() {
        for (earlier, text, is_cut) in [
            ("a: 1\n", "a: 2\n", false),
            ("a: 1\n", "a: 2\r\n", false),
            ("a: 1\n", "a: 2", true),
            ("a: 1\n", "", true),
            ("a: 1", "a: 1", false),
            ("{\"a\": 1}", "{\"a\": 2}", false),
            ("{\"a\": 1}", "{\"a\": 2", true),
            ("a: 1\n...\n", "a: 2\n", true),
            ("a: 1\n...\n", "a: 2\n...", true),
            ("a: 1\n...\n", "a: 2\n...\n\n", false),
            ("a: 1\n", "a: 2\n...\n", false),
        ] {
            assert_eq!(problem(Some(earlier), text).is_some(), is_cut, "{earlier:?} {text:?}");
        }
    }
}

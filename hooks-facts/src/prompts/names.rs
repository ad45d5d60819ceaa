//! Texts in a prompt that may be names of files, in each form of a client.

use std::collections::HashSet;

use crate::paths::MAX_LENGTH;

/// Beginnings of a name.
const MARKS: [&str; 2] = ["@", "#file:"];

/// Characters at which Gemini CLI ends a name.
const ENDS: &[char] = &[',', ';', '!', '?', '(', ')', '[', ']', '{', '}'];

/// Characters of a sentence that may follow a name.
const TRAILING: &[char] =
    &['.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '*', '_', '|'];

/// Most bytes that are read behind the marks of a prompt. A line of marks alone would take its length squared.
const MAX_READ: usize = 16 * 1024 * 1024;

/// Returns the different texts in a prompt that may be names of files; `None` if there are more than `most`, or if the prompt
/// takes too long to read.
pub(super) fn find_names(prompt: &str, most: usize) -> Option<Vec<String>> {
    let (mut names, mut seen, mut read) = (Vec::new(), HashSet::new(), 0_usize);
    for mark in MARKS {
        for (at, _) in prompt.match_indices(mark) {
            let rest = prompt.get(at + mark.len()..).unwrap_or_default();
            let readings = readings(rest, &mut read);
            if read > MAX_READ {
                return None;
            }
            for name in readings.into_iter().filter(|name| !name.is_empty()) {
                if seen.insert(name.clone()) {
                    names.push(name);
                }
            }
            if names.len() > most {
                return None;
            }
        }
    }
    Some(names)
}

/// Returns every text that a client may take for the name at the beginning of `rest`, and adds the bytes that it read.
fn readings(rest: &str, read: &mut usize) -> Vec<String> {
    let mut readings = Vec::new();
    let mut upto = |text: &str, is_end: &dyn Fn(char) -> bool| {
        let mut letters = text.char_indices().take(MAX_LENGTH);
        let end = letters.find(|(_, letter)| is_end(*letter)).map(|(at, _)| at);
        *read += end.unwrap_or(text.len().min(MAX_LENGTH));
        end.or((text.len() <= MAX_LENGTH).then_some(text.len()))
    };
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let inner = rest.get(1..).unwrap_or_default();
        let end = upto(inner, &|letter| letter == quote);
        // A file whose name has `#`, or lines of the file before it.
        let quoted = end.and_then(|end| inner.get(..end));
        readings.extend(quoted.into_iter().flat_map(|text| [text, without_lines(text)]).map(str::to_owned));
    }
    // Up to a space. Some clients take a backslash for part of the name, others for an escape.
    let written = upto(rest, &char::is_whitespace).and_then(|end| rest.get(..end));
    let (escaped, cut) = unescaped(rest);
    *read += escaped.len();
    for text in written.into_iter().chain([&*escaped, &*cut]).filter(|text| text.len() <= MAX_LENGTH) {
        readings.extend([without_lines(text), text].map(|text| text.trim_end_matches(TRAILING).to_owned()));
        // Claude Code ends a name with its last letter: a sentence may go on with any sign.
        readings.push(text.trim_end_matches(|letter: char| !letter.is_alphanumeric()).to_owned());
        readings.push(text.to_owned());
    }
    readings
}

/// The name without the lines of the file (`#L1-2`).
fn without_lines(name: &str) -> &str {
    name.split('#').next().unwrap_or_default()
}

/// Returns the name up to a space that is not escaped, without its backslashes; and the part of it before a character at which
/// Gemini CLI ends a name.
fn unescaped(rest: &str) -> (String, String) {
    let (mut name, mut end) = (String::new(), None);
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter.is_whitespace() || name.len() > MAX_LENGTH => break,
            '\\' => name.extend(letters.next()),
            letter => {
                if ENDS.contains(&letter) {
                    end = end.or(Some(name.len()));
                }
                name.push(letter);
            }
        }
    }
    let cut = end.and_then(|end| name.get(..end)).unwrap_or(&name).to_owned();
    (name, cut)
}

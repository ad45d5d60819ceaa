//! Files with a command in some of their lines: images, databases, editors, debuggers, tables of times, units.

use super::super::walk::{Stream, Walk};
use crate::shell::Span;

/// Beginnings of a line whose rest is left to a shell.
const ESCAPES: &[&str] = table!("runner_words_escapes");

/// Keys of a unit whose value is a command.
const UNIT_KEYS: &[&str] = table!("runner_words_unit_keys");

/// Programs that read lines with escapes from their input.
const READS_ESCAPES: &[&str] = table!("runner_words_escape_readers");

/// Walks the escapes in the input of a program.
pub(super) fn note_input(walk: &mut Walk, name: &str, input: &Stream, span: Span) {
    if let Stream::Known(text) = input {
        if READS_ESCAPES.contains(&name) {
            escapes(walk, &text.clone(), span);
        }
        if name == "crontab" {
            times(walk, &text.clone(), span);
        }
    }
}

/// `RUN`, `CMD` and `ENTRYPOINT` of an image. What they read and write is in the image.
pub(super) fn image(walk: &mut Walk, text: &str, span: Span) {
    walk.in_container(|walk| image_lines(walk, text, span));
}

fn image_lines(walk: &mut Walk, text: &str, span: Span) {
    let joined = text.replace("\\\n", " ");
    for line in joined.lines().map(str::trim) {
        let Some((word, rest)) = line.split_once(char::is_whitespace) else { continue };
        if !["run", "cmd", "entrypoint", "shell"].contains(&&*word.to_lowercase()) {
            continue;
        }
        let mut rest = rest.trim_start();
        while let Some(behind) = rest.strip_prefix("--") {
            rest = behind.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
        }
        match serde_json::from_str::<Vec<String>>(rest) {
            Ok(words) => {
                let words: Vec<_> = words.iter().map(|word| word.as_str().into()).collect();
                walk.run_some(&words, &Stream::Empty, span);
            }
            Err(_) => walk.maybe_text(rest, span),
        }
    }
}

/// Lines such as `\! COMMAND` of a client of a database, or `:!COMMAND` of an editor.
pub(super) fn escapes(walk: &mut Walk, text: &str, span: Span) {
    for line in text.lines().map(str::trim) {
        // A word is the whole command of the program, a mark only its beginning.
        let rest_of = |start: &&str| {
            let rest = line.strip_prefix(*start)?;
            (!start.ends_with(char::is_alphanumeric) || rest.starts_with(char::is_whitespace)).then_some(rest)
        };
        let Some(command) = ESCAPES.iter().find_map(rest_of) else { continue };
        walk.maybe_text(command.trim().trim_end_matches(';'), span);
    }
}

/// Lines of a crontab: five fields or a word such as `@daily`, and a command.
pub(super) fn times(walk: &mut Walk, text: &str, span: Span) {
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line;
        for _ in 0..fields {
            rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
        }
        // A `%` ends the command, unless a backslash is before it.
        let command = rest.replace("\\%", "\u{1}");
        let command = command.split('%').next().unwrap_or_default().replace('\u{1}', "%");
        walk.maybe_text(&command, span);
        let is_setting = line.split_once('=').is_some_and(|(name, _)| !name.trim().contains(' '));
        if fields == 5 && command.is_empty() && !is_setting {
            // A list of plain commands, as `at` reads it.
            walk.maybe_text(line, span);
        }
    }
}

/// Lines such as `ExecStart=COMMAND` of a unit, and the words of `ProgramArguments`.
pub(super) fn unit(walk: &mut Walk, text: &str, span: Span) {
    for line in text.replace("\\\n", " ").lines().map(str::trim) {
        let Some((key, command)) = line.split_once('=').or_else(|| line.split_once(char::is_whitespace))
        else {
            continue;
        };
        if UNIT_KEYS.contains(&key.trim()) {
            walk.maybe_text(command.trim_start_matches(['-', '@', ':', '+', '!', ' ']), span);
        }
    }
    if let Some((_, list)) = text.split_once("ProgramArguments") {
        let list = list.split("</array>").next().unwrap_or_default();
        let words = list.split("<string>").skip(1).filter_map(|word| word.split("</string>").next());
        let words: Vec<_> = words.map(Into::into).collect();
        walk.run_some(&words, &Stream::Empty, span);
    }
}

/// `//go:generate COMMAND` lines.
pub(super) fn generate(walk: &mut Walk, text: &str, span: Span) {
    for command in text.lines().filter_map(|line| line.trim().strip_prefix("//go:generate ")) {
        walk.maybe_text(command, span);
    }
}

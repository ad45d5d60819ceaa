//! Files that a program reads when it starts: settings of shells, modules of interpreters, configurations with commands.

use super::super::argument::Argument;
use super::super::code::{self, Language};
use super::super::walk::{Variable, Walk};
use super::runners::{self, FileReader};
use crate::shell::Span;

/// Programs with the condition under which they read a file, its names and its reader.
static STARTUP: &[(&[&str], When, &[&str], FileReader)] = table!("startup_files");

/// Variables with files that programs of a family read or load.
static VARIABLES: &[(&str, &[&str], FileReader, &[&str])] = table!("startup_variables");

/// Condition under which a program reads a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Always.
    Always,
    /// In an interactive shell.
    Interactive,
    /// In a login shell.
    Login,
}

/// Returns whether a variable names a file that some program runs when it starts.
pub(in super::super) fn is_variable(name: &str) -> bool {
    name == "PATH" || VARIABLES.iter().any(|(variable, ..)| *variable == name)
}

/// Walks the files that a program reads when it starts, of those which the command or the session wrote.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], span: Span) {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    for (programs, when, files, reader) in STARTUP {
        if programs.contains(&plain) && is_now(*when, words) {
            for file in *files {
                read(walk, *reader, file, span);
            }
        }
    }
    for (variable, programs, reader, files) in VARIABLES {
        if !programs.contains(&plain) {
            continue;
        }
        let Some(Variable::Text(value)) = walk.variables.get(*variable) else { continue };
        let Some(value) = value.literal().map(str::to_owned) else { continue };
        for part in value.split([':', ' ', '=']).filter(|part| !part.is_empty()) {
            let part = part.trim_start_matches("-r").trim_start_matches("-M");
            if files.is_empty() {
                read(walk, *reader, part, span);
            }
            for file in *files {
                read(walk, *reader, &format!("{}/{file}", part.trim_end_matches('/')), span);
            }
        }
    }
    for file in options(plain, words) {
        let reader = if code::language(plain).is_some() { FileReader::JavaScript } else { FileReader::Shell };
        read(walk, reader, &file, span);
    }
}

fn read(walk: &mut Walk, reader: FileReader, file: &str, span: Span) {
    let Some(text) = walk.written_text(file, span) else { return };
    // A startup file may start its own program.
    if walk.loaded.insert(format!("startup:{file}")) {
        walk.deeper(span, |walk| runners::read(walk, reader, file, &text, "", &[], span));
        walk.loaded.remove(&format!("startup:{file}"));
    }
}

fn is_now(when: When, words: &[Argument]) -> bool {
    let asks = |letter: char, long: &str| {
        words.iter().map(Argument::prefix).take_while(|word| word.starts_with('-')).any(|word| {
            word == long
                || word
                    .strip_prefix('-')
                    .is_some_and(|bundle| !bundle.starts_with('-') && bundle.contains(letter))
        })
    };
    match when {
        When::Always => true,
        // A shell without a text and a file is interactive.
        When::Interactive => {
            asks('i', "--interactive")
                || words.iter().all(|word| word.prefix().starts_with('-')) && !asks('c', "-c")
        }
        When::Login => asks('l', "--login"),
    }
}

/// Returns the files that options name: `bash --rcfile FILE`, `node --require FILE`.
fn options(name: &str, words: &[Argument]) -> Vec<String> {
    let wanted: &[&str] = match code::language(name) {
        Some(Language::JavaScript) => &["-r", "--require", "--import", "--loader", "--experimental-loader"],
        Some(_) => &[],
        None if matches!(name, "bash" | "sh" | "zsh" | "dash" | "ksh") => &["--rcfile", "--init-file"],
        None => &[],
    };
    let mut files = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.prefix();
        let attached = wanted.iter().find_map(|option| text.strip_prefix(option)?.strip_prefix('='));
        let next = || words.get(at + 1).and_then(Argument::literal);
        files.extend(attached.or_else(|| wanted.contains(&text).then(next)?).map(str::to_owned));
    }
    files
}

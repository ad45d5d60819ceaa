//! Programs that run a file of their own: task runners, builds, tests, linters, schedulers.

use std::sync::Arc;

use super::super::argument::Argument;
use super::super::code::Language;
use super::super::walk::{Stream, Walk};
use super::{lines, make, package, startup, tasks};
use crate::shell::Span;

/// Programs, the words of which one must be among theirs, the files that they run, their reader, and its place in a tree.
type Runner =
    (&'static [&'static str], &'static [&'static str], &'static [&'static str], FileReader, &'static str);

static RUNNERS: &[Runner] = table!("runners");

/// Reader of a file that a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileReader {
    /// A text for a shell.
    Shell,
    /// Code of a language.
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    /// Code in a language of which only calls with literal words are known.
    Other,
    /// Code with a block for each task.
    Blocks,
    /// A tree with commands: YAML, TOML, JSON or INI.
    Tasks,
    /// `RUN` lines.
    Image,
    /// Lines that leave to a shell.
    Escapes,
    /// A table of times and commands.
    Times,
    /// Sections with lines such as `ExecStart=`.
    Unit,
    /// `//go:generate` lines.
    Generate,
}

/// Walks the files that a program runs, of those which the command or the session wrote.
pub(in super::super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    if !walk.follows_files() {
        return;
    }
    make::note(walk, name, words, span);
    package::note(walk, name, words, span);
    startup::note(walk, name, words, span);
    lines::note_input(walk, name, input, span);
    for (programs, needed, files, reader, place) in RUNNERS {
        if !programs.contains(&name) || !has_one(words, needed) {
            continue;
        }
        for (file, text) in files_of(walk, files, words, *reader, span) {
            walk.deeper(span, |walk| read(walk, *reader, &file, &text, place, words, span));
        }
    }
}

/// Returns whether one of the words is needed and given; without needed words, any call runs the files.
fn has_one(words: &[Argument], needed: &[&str]) -> bool {
    needed.is_empty() || words.iter().filter_map(Argument::literal).any(|word| needed.contains(&word))
}

/// Returns the files that a program runs: those with usual names, and those that its words name.
fn files_of(
    walk: &mut Walk,
    usual: &[&str],
    words: &[Argument],
    reader: FileReader,
    span: Span,
) -> Vec<(String, Arc<str>)> {
    let mut names: Vec<String> = Vec::new();
    for usual in usual {
        match usual.split_once('*') {
            // The name of the file is a word, with this start and ending.
            Some((start, ending)) => {
                for word in words.iter().filter_map(Argument::literal).filter(|word| !word.starts_with('-')) {
                    let word = word.strip_suffix(ending).unwrap_or(word);
                    names.push(format!("{start}{word}{ending}"));
                }
            }
            None => names.push((*usual).to_owned()),
        }
    }
    let ending_of = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let endings: Vec<_> = usual.iter().filter_map(|name| ending_of(name)).collect();
    for word in words.iter().filter_map(Argument::literal) {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        let attached = word.strip_prefix("-f").filter(|attached| !attached.is_empty()).unwrap_or(value);
        let is_like = ending_of(attached).is_some_and(|ending| endings.contains(&ending));
        let is_free =
            matches!(reader, FileReader::Image | FileReader::Escapes | FileReader::Times | FileReader::Unit);
        if (is_like || is_free) && !names.iter().any(|name| name == attached) {
            names.push(attached.to_owned());
        }
    }
    let found = names.into_iter().filter_map(|name| {
        let text = walk.written_text(&name, span)?;
        Some((name, text))
    });
    found.collect()
}

pub(super) fn read(
    walk: &mut Walk,
    reader: FileReader,
    file: &str,
    text: &str,
    place: &str,
    words: &[Argument],
    span: Span,
) {
    let language = match reader {
        FileReader::Shell => {
            walk.text(text, &walk.inherited_input(), span);
            return;
        }
        FileReader::Tasks => return tasks::run(walk, file, text, place, words, span),
        FileReader::Blocks => return tasks::blocks(walk, file, text, words, span),
        FileReader::Image => return lines::image(walk, text, span),
        FileReader::Escapes => return lines::escapes(walk, text, span),
        FileReader::Times => return lines::times(walk, text, span),
        FileReader::Unit => return lines::unit(walk, text, span),
        FileReader::Generate => return lines::generate(walk, text, span),
        FileReader::Python => Language::Python,
        FileReader::Ruby => Language::Ruby,
        FileReader::Perl => Language::Perl,
        FileReader::Php => Language::Php,
        FileReader::JavaScript | FileReader::Other => Language::JavaScript,
    };
    walk.code_file(language, file, text, span);
}

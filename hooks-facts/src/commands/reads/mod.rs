//! Files that programs read, as far as their words show.
//!
//! A row of `data/readers.tsv` lists which words of a program are files. Programs without a row read all of their operands if
//! `data/known_programs.tsv` has them as readers or changers, and no file if it has them as talkers or starters. Of any other
//! program each word that may be a path *may* be a file that it reads, and that its reads are not known is recorded.
//!
//! `forms` has programs whose files stand in forms of their own (`curl -d @FILE`), `tracked` has git, `code` finds the files that
//! the text of an interpreter opens.

mod code;
mod fetched;
mod forms;
mod interpreters;
mod late;
mod listed;
mod listings;
mod possible;
mod rows;
mod tracked;

use super::access::{AccessKind, UnknownReadsReason};
use super::analysis::{Invocation, Options};
use super::argument::Argument;
use super::code as languages;
use super::file_programs::{has, inside, operands, value, wildcards};
use super::network;
use super::told;
use super::walk::{Stream, Walk};
use super::windows;
use super::wrappers;
use crate::by_key::ByKey;
use crate::globs::Gap;
use crate::shell::Span;

pub(crate) use fetched::{is_address, paths_of_address};
pub(super) use late::{LateReads, Note, ReadsAndHosts, Recorder, Shows, What, Words, is_filter};

/// Files among the words of some programs.
struct ReaderProgram {
    operands: Operands,
    /// Number of operands before the files.
    skip: usize,
    /// Options that stand in for these operands.
    unless: &'static [&'static str],
    /// Letters that take a value.
    values: &'static str,
    /// Long options that take the next word.
    long: &'static [&'static str],
    /// Options whose value is a file that is read.
    files: &'static [&'static str],
    /// Words with which nothing of the content is shown.
    hides: &'static [&'static str],
    /// Options with which everything below a folder is read.
    deep: &'static [&'static str],
}

/// Operands that are files which a program reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Each operand.
    Files,
    /// Each operand but the last.
    Sources,
    /// None; options may name files.
    Words,
    /// Each word that may be a path.
    Possible,
    /// None; names, rights and digests are shown or changed.
    Names,
}

static READERS: ByKey<ReaderProgram> = table!("readers");

/// Commands that show a file which their words do not name.
const SHOWN: &[(&str, &str, &[&str])] = table!("shown_files");

/// Options whose value is a file that a program uses for itself.
const USED: &[&str] = table!("read_words_used");

/// Words by which a program with such an option shows the content.
const SHOWS: &[&str] = table!("read_words_shows");

/// Options whose value is a text.
const TEXTS: &[&str] = table!("read_words_texts");

/// Programs whose words are texts, or names of packages.
const TEXT_PROGRAMS: &[&str] = table!("text_programs");

/// Text programs that read files all the same.
const READING_TEXT_PROGRAMS: &[&str] =
    &["gh", "glab", "go", "mail", "wget", "curl", "npm", "pnpm", "yarn", "cargo"];

/// Editors, whose options may hold commands that open files.
const EDITORS: &[&str] = &["vim", "vi", "nvim", "ex", "view", "emacs"];

/// Programs that load the file of their option `-e` or `-f` into the environment of another.
const LOADERS: &[&str] = table!("read_words_loaders");

/// Modules of Python that pack folders.
const PACKS: &[&str] = table!("read_words_packs");

/// Modules of Python that serve a folder.
const SERVERS: &[&str] = table!("read_words_serves");

/// Programs that read commands from their input.
const COMMANDED: &[&str] =
    &["sftp", "ftp", "lftp", "m4", "sqlite3", "gdb", "curl", "wget", "psql", "mysql", "mariadb", "ed", "ex"];

/// Most parts of the words of one program that are recorded as files which it may read.
const MAX_PARTS: usize = 512;

/// Notes that a program reads files and connects to hosts.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    // No program has such a name; code that starts one from a list of words may look like it.
    let is_cmdlet = walk.options.windows && windows::is_cmdlet(name);
    if !matches!(name, "source" | ".") && !name.starts_with('-') && !is_cmdlet {
        let words = walk.noted(words);
        walk.note(What::Program { name: name.to_owned(), words, input: input.clone() }, span);
    }
}

/// Notes the files whose names a program reads in a list.
pub(super) fn note_listed(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    listed::note(walk, name, words, input, span);
}

/// Notes that the text of an interpreter reads files and connects to hosts.
pub(super) fn note_code(walk: &mut Walk, program: &'static str, text: &str, span: Span) {
    walk.note(What::Code { program, text: text.to_owned() }, span);
}

/// Notes that a program may read each file that its words name, and more.
pub(super) fn note_unknown(walk: &mut Walk, words: &[Argument], span: Span) {
    let words = walk.noted(words);
    walk.note(What::Unknown(words), span);
}

/// Records the files that a program reads.
fn of_program(walk: &mut Recorder, name: &str, words: &[Argument], input: &Stream, span: Span) {
    walk.left_out.clear();
    let mut reads = Reads { walk, name, span };
    reads.shown(words);
    if matches!(name, "rg" | "ag" | "ack") {
        reads.searches(words);
    } else if let Some(row) = READERS.get(name) {
        reads.by_row(row, words);
        reads.scripted(words);
    } else if name == "git" {
        reads.tracked(words);
    } else if LOADERS.contains(&name) {
        reads.possible(words);
    } else if wrappers::wrapper(name).is_some() || told::has(told::STARTERS, name) {
        // The program that it starts is among the invocations.
    } else if told::has(told::READERS, name) || told::has(told::CHANGERS, name) {
        reads.operands(words, "", &[], AccessKind::Read);
    } else if told::has(told::TALKERS, name) && !reads.walk.options.windows {
    } else if reads.walk.options.windows && told::has(told::WINDOWS, name) {
        if !matches!(
            name,
            "dir" | "gci" | "get-childitem" | "get-item" | "test-path" | "write-host" | "write-output"
        ) {
            reads.operands(words, "", &[], AccessKind::Read);
        }
    } else if let Some(rest) = wrappers::started(name, words).filter(|rest| !rest.is_empty()) {
        // The words of the program that it starts are those of another invocation.
        reads.possible(words.get(..words.len() - rest.len()).unwrap_or_default());
    } else if TEXT_PROGRAMS.contains(&name) && !READING_TEXT_PROGRAMS.contains(&name) {
    } else if languages::language(name).is_some() {
        reads.interpreted(words);
    } else {
        if let (Stream::Known(text), false) = (input, matches!(name, "docker" | "podman" | "kubectl")) {
            let lines: Vec<Argument> = text.lines().take(MAX_PARTS).map(Argument::from).collect();
            reads.possible(&lines);
        }
        reads.walk.reads_unknown(name, UnknownReadsReason::Program, span);
        reads.possible(words);
    }
    if let (Stream::Known(text), true) = (input, COMMANDED.contains(&name)) {
        let lines: Vec<Argument> = text.lines().take(MAX_PARTS).map(Argument::from).collect();
        Reads { walk, name, span }.possible(&lines);
    }
}

/// Returns whether a program shows nothing of its input.
pub(super) fn hides_input(name: &str) -> bool {
    READERS.get(name).is_some_and(|row| row.operands == Operands::Names)
        && !matches!(name, "tee" | "command")
        && !network::connects(name)
        || name == "wc"
}

/// Returns whether a program prints variables of the shell: all of them, or those in its words. A program that reads or shows
/// files prints the name of one that does not exist.
pub(super) fn shows_variables(invocation: &Invocation, options: Options) -> bool {
    let Some(name) = invocation.argv.first().and_then(|program| options.program_name(program)) else {
        return true;
    };
    let words = invocation.argv.get(1..).unwrap_or_default();
    match name.as_str() {
        "printenv" | "compgen" => true,
        // `bash -x` prints each command with its values.
        "bash" | "sh" | "dash" | "ksh" | "zsh" => words.iter().any(|word| {
            let bundle = word.prefix().strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
            bundle.is_some_and(|bundle| bundle.contains(['x', 'v']))
        }),
        "env" => words.is_empty(),
        "set" => words.is_empty() || words.iter().any(|word| word.prefix().contains(['x', 'v'])),
        "curl" | "wget" => {
            let is_data =
                |word: &Argument| matches!(word.prefix(), "-d" | "-F" | "--data" | "--data-raw" | "--form");
            let is_sent = |pair: &[Argument]| matches!(pair, [option, value] if is_data(option) && value.literal().is_none());
            let is_address = |word: &Argument| word.literal().is_none() && word.prefix().contains("://");
            words.windows(2).any(is_sent) || words.iter().any(is_address)
        }
        "export" | "declare" | "typeset" if words.is_empty() => true,
        "export" | "declare" | "typeset" => words.iter().any(|word| word.prefix().starts_with("-p")),
        // A test prints nothing, and so does a list of words for another program.
        "test" | "[" | "[[" | ":" | "true" | "false" | "cd" | "read" | "local" | "readonly" | "unset"
        | "mkdir" | "return" | "exit" => false,
        name => {
            let is_known = told::has(told::READERS, name)
                || told::has(told::TALKERS, name)
                || READERS.get(name).is_some_and(|row| row.operands == Operands::Files);
            // A number, or a wildcard, shows no value.
            is_known && words.iter().any(|word| word.outline().contains(Gap::is_anything_at))
        }
    }
}

struct Reads<'w> {
    walk: &'w mut Recorder,
    name: &'w str,
    span: Span,
}

impl Reads<'_> {
    fn one(&mut self, file: &Argument, kind: AccessKind) {
        if file.literal() != Some("-") {
            self.walk.reads(self.name, file, kind, false, self.span);
        }
    }

    fn maybe(&mut self, file: &Argument) {
        self.walk.reads(self.name, file, AccessKind::Read, true, self.span);
    }

    fn operands(&mut self, words: &[Argument], short: &str, long: &[&str], kind: AccessKind) {
        for file in operands(words, short, long) {
            self.one(file, kind);
        }
        self.attached(words, long);
    }

    /// `--option=FILE`: the value may be a file, whatever the option is.
    fn attached(&mut self, words: &[Argument], long: &[&str]) {
        for word in words.iter().take_while(|word| word.literal() != Some("--")) {
            let Some(option) = word.prefix().strip_prefix("--") else { continue };
            let name = option.split('=').next().unwrap_or(option);
            let is_text =
                long.contains(&name) || TEXTS.iter().any(|text| text.strip_prefix("--") == Some(name));
            if let Some(file) = word.strip_prefix(&format!("--{name}=")).filter(|_| !is_text) {
                self.maybe(&file);
            }
        }
    }

    /// Notes the file that a command shows without naming it.
    fn shown(&mut self, given: &[Argument]) {
        for (command, file, hides) in SHOWN {
            let mut wanted = command.split(' ');
            if wanted.next() != Some(self.name) {
                continue;
            }
            let mut words = given.iter();
            let is_there = |wanted: &str| {
                words.any(|word| {
                    word.prefix() == wanted
                        || [':', '.'].iter().any(|mark| word.prefix().ends_with(&format!("{mark}{wanted}")))
                })
            };
            if wanted.all(is_there) && !given.iter().any(|word| hides.contains(&word.prefix())) {
                // A file of the project need not be there; a secret of the user may be kept elsewhere.
                let kind = if file.starts_with('~') { AccessKind::Read } else { AccessKind::Implied };
                self.one(&Argument::from(*file), kind);
            }
        }
    }
}

/// Returns the name of the files that a search finds below a folder.
pub(super) fn found_below(folder: &Argument, name: &str) -> Argument {
    inside(folder, &Argument::of_outline(&format!("{}{name}", Gap::Folders.stand_in())))
}

/// Returns whether an option is given: a whole word, or a letter in a bundle.
fn is_given(words: &[Argument], option: &str) -> bool {
    match option.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => has(words, letter.chars().next().unwrap_or_default(), ""),
        _ => words.iter().any(|word| word.prefix().split('=').next() == Some(option)),
    }
}

/// Returns the values of an option: the next word, the text after `=`, or the text after its letter.
fn values<'w>(words: &'w [Argument], option: &'w str) -> impl Iterator<Item = Argument> + 'w {
    let letter =
        option.strip_prefix('-').filter(|letter| letter.len() == 1).and_then(|letter| letter.chars().next());
    words.iter().enumerate().filter_map(move |(at, word)| {
        if word.prefix() == option {
            return words.get(at + 1).cloned();
        }
        match letter {
            Some(letter) => value(std::slice::from_ref(word), letter, "").or_else(|| {
                let bundle = word.literal()?.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'))?;
                bundle.ends_with(letter).then(|| words.get(at + 1).cloned()).flatten()
            }),
            None => word.strip_prefix(&format!("{option}=")),
        }
    })
}

/// Returns the outline of the files that a search for names finds anywhere below the working folder.
pub(crate) fn found_anywhere(pattern: &str) -> String {
    let last = pattern.rsplit('/').next().unwrap_or(pattern);
    found_below(&Argument::from("."), &wildcards(last)).outline()
}

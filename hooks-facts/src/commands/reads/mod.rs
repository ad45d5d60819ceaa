//! Files that programs read, as far as their words show.
//!
//! A row of `data/readers.tsv` lists which words of a program are files. Programs without a row read all of their operands if
//! `data/known_programs.tsv` has them as readers or changers, and no file if it has them as talkers or starters. Of any other
//! program each word that may be a path *may* be a file that it reads, and that its reads are not known is recorded.
//!
//! `forms` has programs whose files stand in forms of their own (`curl -d @FILE`), `tracked` has git, `code` finds the files that
//! the text of an interpreter opens.

mod code;
mod forms;
mod tracked;

use super::access::{AccessKind, UnknownReadsReason};
use super::analysis::{Invocation, Options};
use super::argument::Argument;
use super::code as languages;
use super::file_programs::{has, inside, operands, value, wildcards};
use super::told;
use super::walk::{Stream, Walk};
use super::wrappers;
use crate::globs::Gap;
use crate::shell::Span;

pub(super) use code::note as note_code;

/// Files among the words of some programs.
struct ReaderProgram {
    programs: &'static [&'static str],
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
    /// None; names, rights and digests are shown or changed.
    Names,
}

const READERS: &[ReaderProgram] = table!("readers");

/// Commands that show a file which their words do not name.
const SHOWN: &[(&str, &str)] = table!("shown_files");

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
const LOADERS: &[&str] =
    &["dotenv", "dotenvx", "env-cmd", "foreman", "honcho", "godotenv", "overmind", "hivemind", "forego"];

/// Most parts of the words of one program that are recorded as files which it may read.
const MAX_PARTS: usize = 512;

/// Notes the files that a program reads.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    if matches!(name, "source" | ".") {
        return;
    }
    let mut reads = Reads { walk, name, span };
    reads.shown(words);
    if matches!(name, "rg" | "ag" | "ack") {
        reads.searches(words);
    } else if let Some(row) = READERS.iter().find(|row| row.programs.contains(&name)) {
        reads.by_row(row, words);
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
    } else if TEXT_PROGRAMS.contains(&name) && !READING_TEXT_PROGRAMS.contains(&name) {
    } else if languages::language(name).is_some() {
        reads.interpreted(words);
    } else {
        if let (Stream::Known(text), false) = (input, matches!(name, "docker" | "podman" | "kubectl")) {
            let lines: Vec<Argument> = text.lines().take(MAX_PARTS).map(Argument::from).collect();
            reads.possible(&lines);
        }
        note_unknown(reads.walk, name, words, span);
    }
    if let (Stream::Known(text), "sftp" | "ftp" | "lftp" | "m4" | "sqlite3" | "gdb") = (input, name) {
        let lines: Vec<Argument> = text.lines().take(MAX_PARTS).map(Argument::from).collect();
        Reads { walk, name, span }.possible(&lines);
    }
    if let (Stream::Names(names), "cpio" | "pax") = (input, name) {
        let mut reads = Reads { walk, name, span };
        for file in names.iter() {
            reads.one(file, AccessKind::ReadBelow);
        }
    }
}

/// Returns whether a program shows nothing of its input.
pub(super) fn hides_input(name: &str) -> bool {
    READERS.iter().any(|row| row.operands == Operands::Names && row.programs.contains(&name))
        && !matches!(name, "tee" | "command")
        || name == "wc"
}

/// Returns whether a program prints variables of the shell.
pub(super) fn shows_variables(invocation: &Invocation, options: Options) -> bool {
    let Some(name) = invocation.argv.first().and_then(|program| options.program_name(program)) else {
        return true;
    };
    let words = invocation.argv.get(1..).unwrap_or_default();
    match name.as_str() {
        "printenv" | "compgen" => true,
        "env" => words.is_empty(),
        "set" => words.is_empty() || words.iter().any(|word| word.prefix().contains(['x', 'v'])),
        "curl" | "wget" => {
            let is_data =
                |word: &Argument| matches!(word.prefix(), "-d" | "-F" | "--data" | "--data-raw" | "--form");
            words
                .windows(2)
                .any(|pair| matches!(pair, [option, value] if is_data(option) && value.literal().is_none()))
        }
        "export" | "declare" | "typeset" => {
            words.is_empty() || words.iter().any(|word| word.prefix().starts_with("-p"))
        }
        "echo" | "printf" => words.iter().any(|word| word.literal().is_none()),
        _ => false,
    }
}

/// Notes that a program may read each file that its words name, and more.
pub(super) fn note_unknown(walk: &mut Walk, name: &str, words: &[Argument], span: Span) {
    walk.reads_unknown(name, UnknownReadsReason::Program, span);
    let mut reads = Reads { walk, name, span };
    reads.possible(words);
}

struct Reads<'w> {
    walk: &'w mut Walk,
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

    fn by_row(&mut self, row: &ReaderProgram, words: &[Argument]) {
        if row.hides.iter().any(|hide| is_given(words, hide)) {
            return;
        }
        for option in row.files {
            for file in values(words, option) {
                self.one(&file, AccessKind::Read);
            }
        }
        let mut kind = AccessKind::Read;
        if row.deep.iter().any(|deep| is_given(words, deep))
            || matches!(self.name, "7z" | "7za" | "7zr" | "7zz" | "rgrep")
        {
            kind = AccessKind::ReadBelow;
        }
        match row.operands {
            Operands::Files => {
                // `zip x FILES -x NAMES` leaves out the names.
                let end =
                    words.iter().position(|word| self.name == "zip" && matches!(word.prefix(), "-x" | "-i"));
                let words = words.get(..end.unwrap_or(words.len())).unwrap_or_default();
                let files = operands(words, row.values, row.long);
                let skip = if row.unless.iter().any(|option| is_given(words, option)) { 0 } else { row.skip };
                let files: Vec<Argument> = files.into_iter().skip(skip).cloned().collect();
                if kind == AccessKind::ReadBelow && self.name.ends_with("grep") {
                    self.searched_below(words, &files);
                    return;
                }
                for file in &files {
                    self.one(file, kind);
                }
                self.attached(words, row.long);
                if EDITORS.contains(&self.name) {
                    self.possible(words);
                }
            }
            Operands::Sources => self.sources(words),
            Operands::Words => self.in_forms(words),
            Operands::Names => {}
        }
    }

    /// `grep -r PATTERN FOLDERS`: with `--include`, only files with such names.
    fn searched_below(&mut self, words: &[Argument], folders: &[Argument]) {
        let here = [Argument::from(".")];
        let folders = if folders.is_empty() { &here } else { folders };
        let names: Vec<Argument> = values(words, "--include").collect();
        for folder in folders {
            if names.is_empty() {
                self.one(folder, AccessKind::ReadBelow);
            }
            for name in &names {
                self.one(&found_below(folder, &wildcards(&name.outline())), AccessKind::Read);
            }
        }
    }

    /// `rg PATTERN FOLDERS` and similar programs, which leave out hidden files unless an option includes them.
    fn searches(&mut self, words: &[Argument]) {
        let is_listing = ["-c", "-l", "-q", "--count", "--files", "--quiet", "--files-with-matches"];
        if is_listing.iter().any(|option| is_given(words, option)) {
            return;
        }
        let files =
            operands(words, "ABCDEMTdefgjmrt", &["glob", "iglob", "type", "regexp", "file", "max-count"]);
        let skip =
            usize::from(!is_given(words, "-e") && !is_given(words, "-f") && !is_given(words, "--regexp"));
        let mut folders: Vec<Argument> = files.into_iter().skip(skip).cloned().collect();
        if folders.is_empty() {
            folders.push(Argument::from("."));
        }
        let hidden = ["--hidden", "-.", "-uu", "-uuu", "--unrestricted", "-u", "--no-ignore"];
        let is_hidden = hidden.iter().any(|option| words.iter().any(|word| word.literal() == Some(option)));
        let globs = values(words, "-g").chain(values(words, "--glob")).chain(values(words, "--iglob"));
        let globs: Vec<Argument> = globs.filter(|glob| !glob.prefix().starts_with('!')).collect();
        for folder in &folders {
            if !globs.is_empty() {
                for glob in &globs {
                    self.one(&found_below(folder, &wildcards(&glob.outline())), AccessKind::Read);
                }
            } else if is_hidden {
                self.one(folder, AccessKind::ReadBelow);
            } else {
                // The folder may be a file.
                self.one(folder, AccessKind::Read);
                let visible = [Gap::One.stand_in(), Gap::Name.stand_in()].iter().collect::<String>();
                self.one(&found_below(folder, &visible), AccessKind::Read);
            }
        }
    }

    /// Words of a program whose effect is not known: each part that may be a path may be a file that it reads.
    fn possible(&mut self, words: &[Argument]) {
        // The words after it are a command in a container, which is among the invocations.
        let is_engine = matches!(self.name, "docker" | "podman" | "nerdctl" | "kubectl" | "oc");
        if is_engine && words.iter().any(|word| word.literal() == Some("exec")) {
            return;
        }
        let mut left = MAX_PARTS;
        // `npx dotenv -e FILE -- …`.
        let first = words.iter().find_map(|word| word.literal().filter(|word| !word.starts_with('-')));
        let is_loader = LOADERS.contains(&self.name) || first.is_some_and(|first| LOADERS.contains(&first));
        let is_script = languages::language(self.name).is_some();
        let shows = |word: &str| {
            SHOWS.contains(&word)
                || (is_script && matches!(word, "-p" | "-e" | "-pe"))
                || (is_loader && matches!(word, "list" | "get" | "print"))
        };
        let shows = words.iter().any(|word| word.literal().is_some_and(shows));
        let mut before: Option<&Argument> = None;
        for word in words {
            let option = before.replace(word).map(Argument::prefix).unwrap_or_default();
            let own = word.prefix().split('=').next().unwrap_or_default();
            let is_of_forge =
                matches!(self.name, "gh" | "glab" | "hub") && matches!(option, "-t" | "-b" | "--body" | "-n");
            if is_of_forge || TEXTS.contains(&option) || (TEXTS.contains(&own) && own != word.prefix()) {
                continue;
            }
            let loads = is_loader && matches!(option, "-e" | "-f");
            let is_used = loads || USED.contains(&option) || (USED.contains(&own) && own != word.prefix());
            for part in forms::parts(word) {
                let Some(next) = left.checked_sub(1) else {
                    return self.walk.reads_unknown("", UnknownReadsReason::TooMany, self.span);
                };
                left = next;
                match is_used && !shows {
                    true => self.one(&part, AccessKind::Used),
                    false => self.maybe(&part),
                }
            }
        }
    }

    /// `python FILE WORDS`: the script runs, and may read the files that its words name. With `-n` or `-p`, Perl and Ruby
    /// read all of their operands.
    fn interpreted(&mut self, words: &[Argument]) {
        let Some(language) = languages::language(self.name) else { return };
        let found = languages::arguments(language, words);
        let is_used = |file: &Argument| {
            let at = words.iter().position(|word| word == file);
            let before = at.and_then(|at| at.checked_sub(1)).and_then(|at| words.get(at));
            before.is_some_and(|option| USED.contains(&option.prefix()))
        };
        if let Some(file) = found.file.as_ref().filter(|file| !is_used(file))
            && !words.iter().any(|word| word.literal() == Some("-m"))
        {
            self.one(file, AccessKind::Executed);
            self.walk.reads_unknown(self.name, UnknownReadsReason::Text, self.span);
        }
        // The files that its text opens are found in the text.
        let is_text =
            |word: &Argument| found.texts.iter().any(|text| word.outline().ends_with(&text.outline()));
        let words: Vec<Argument> = words.iter().filter(|word| !is_text(word)).cloned().collect();
        self.possible(&words);
    }

    /// Notes the file that a command shows without naming it.
    fn shown(&mut self, words: &[Argument]) {
        for (command, file) in SHOWN {
            let mut wanted = command.split(' ');
            if wanted.next() != Some(self.name) {
                continue;
            }
            let mut words = words.iter();
            let is_there = |wanted: &str| {
                words.any(|word| word.prefix() == wanted || word.prefix().ends_with(&format!(":{wanted}")))
            };
            if wanted.all(is_there) {
                self.one(&Argument::from(*file), AccessKind::Read);
            }
        }
    }
}

/// Returns the name of the files that a search finds below a folder.
fn found_below(folder: &Argument, name: &str) -> Argument {
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

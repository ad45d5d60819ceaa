//! Files among the operands of programs that the table of readers has.

use super::{EDITORS, Operands, ReaderProgram, Reads, found_below, is_given, languages, values};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::file_programs::{operands, wildcards};

/// Options of `rg` and similar programs with which they look into hidden files.
const HIDDEN: &[&str] = &["--hidden", "-.", "-uu", "-uuu", "--unrestricted", "-u"];

/// Options with which they look into files that `.gitignore` lists.
const IGNORED: &[&str] =
    &["--no-ignore", "--no-ignore-vcs", "-u", "-uu", "-uuu", "--unrestricted", "-U", "-I"];

/// Commands of `openssl` that print a private key.
const KEYS: &[&str] = &["rsa", "ec", "pkey", "dsa", "pkcs8"];

impl Reads<'_> {
    pub(super) fn by_row(&mut self, row: &ReaderProgram, words: &[Argument]) {
        // `openssl rsa -text -noout` prints the key all the same.
        let is_printed = self.name == "openssl"
            && words.iter().any(|word| word.literal() == Some("-text"))
            && words.first().and_then(Argument::literal).is_some_and(|kind| KEYS.contains(&kind));
        if !is_printed && row.hides.iter().any(|hide| is_given(words, hide)) || self.counts_lines(words) {
            return;
        }
        for option in row.files {
            for file in values(words, option) {
                self.one(&file, AccessKind::Read);
            }
        }
        let is_deep = row.deep.iter().any(|deep| is_given(words, deep))
            || matches!(self.name, "7z" | "7za" | "7zr" | "7zz" | "rgrep");
        let kind = if is_deep { AccessKind::ReadBelow } else { AccessKind::Read };
        if is_deep {
            self.leaves_out(words);
        }
        match row.operands {
            Operands::Files => self.files_of_row(row, words, kind),
            Operands::Sources => self.sources(words),
            Operands::Words => self.in_forms(words),
            Operands::Possible if is_deep => {
                for folder in operands(words, row.values, row.long) {
                    self.walk.reads(self.name, folder, AccessKind::ReadBelow, true, self.span);
                }
                self.possible(words);
            }
            Operands::Possible => self.possible(words),
            Operands::Names => {}
        }
    }

    /// `awk 'END {print NR}' FILE`: nothing of a line is shown.
    fn counts_lines(&self, words: &[Argument]) -> bool {
        if languages::language(self.name) != Some(languages::Language::Awk) {
            return false;
        }
        let texts = languages::arguments(languages::Language::Awk, words).texts;
        let prints_a_line = |text: &str| {
            text.match_indices("print").any(|(at, _)| {
                let behind = text.get(at + "print".len()..).unwrap_or_default().trim_start();
                behind.is_empty() || behind.starts_with(['}', ';', '>', '|'])
            })
        };
        let is_counter = |text: &Argument| {
            let text = text.literal().unwrap_or_default().trim();
            text.starts_with("END")
                && text.matches('{').count() == 1
                && !text.contains(['$', '<'])
                && !prints_a_line(text)
        };
        !texts.is_empty() && texts.iter().all(is_counter)
    }

    fn files_of_row(&mut self, row: &ReaderProgram, words: &[Argument], kind: AccessKind) {
        // `zip x FILES -x NAMES` leaves out the names.
        let end = words.iter().position(|word| self.name == "zip" && matches!(word.prefix(), "-x" | "-i"));
        let words = words.get(..end.unwrap_or(words.len())).unwrap_or_default();
        let files = operands(words, row.values, row.long);
        let skip = if row.unless.iter().any(|option| is_given(words, option)) { 0 } else { row.skip };
        let files: Vec<Argument> = files.into_iter().skip(skip).cloned().collect();
        if kind == AccessKind::ReadBelow && self.name.ends_with("grep") {
            return self.searched_below(words, &files);
        }
        for file in &files {
            self.one(file, kind);
        }
        self.attached(words, row.long);
        if EDITORS.contains(&self.name) {
            self.possible(words);
        }
    }

    /// Keeps the names that options of a program leave out of folders: `grep -r --exclude=.env`, `zip -r x . -x .env`.
    pub(super) fn leaves_out(&mut self, words: &[Argument]) {
        let mut names: Vec<Argument> = ["--exclude", "--exclude-dir"]
            .into_iter()
            .flat_map(|option| values(words, option).collect::<Vec<_>>())
            .collect();
        if self.name == "zip"
            && let Some(at) = words.iter().position(|word| word.literal() == Some("-x"))
        {
            names.extend(
                words.iter().skip(at + 1).take_while(|word| !word.prefix().starts_with('-')).cloned(),
            );
        }
        // A name that is not known leaves out nothing for certain.
        let is_certain =
            |name: &Argument| name.literal().is_some_and(|name| !name.contains(['[', '{', '\\']));
        let known = names.iter().filter(|name| is_certain(name));
        self.walk.left_out = known.map(|name| Argument::of_outline(&wildcards(&name.outline()))).collect();
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

    /// `rg PATTERN FOLDERS` and similar programs, which leave out hidden files and those that `.gitignore` lists, unless an option
    /// includes them.
    pub(super) fn searches(&mut self, words: &[Argument]) {
        let is_listing = ["-c", "-l", "-q", "--count", "--files", "--quiet", "--files-with-matches"];
        if is_listing.iter().any(|option| is_given(words, option)) {
            return;
        }
        let files =
            operands(words, "ABCDEMTdefgjmrt", &["glob", "iglob", "type", "regexp", "file", "max-count"]);
        let skip =
            usize::from(!is_given(words, "-e") && !is_given(words, "-f") && !is_given(words, "--regexp"));
        for file in values(words, "-f").chain(values(words, "--file")) {
            self.one(&file, AccessKind::Read);
        }
        let mut folders: Vec<Argument> = files.into_iter().skip(skip).cloned().collect();
        if folders.is_empty() {
            folders.push(Argument::from("."));
        }
        let has = |options: &[&str]| {
            options.iter().any(|option| words.iter().any(|word| word.literal() == Some(option)))
        };
        let kind = match (has(HIDDEN), has(IGNORED)) {
            (false, false) => AccessKind::Searched,
            (true, false) if self.name == "rg" => AccessKind::Stored,
            _ => AccessKind::ReadBelow,
        };
        let globs = values(words, "-g").chain(values(words, "--glob")).chain(values(words, "--iglob"));
        let (left_out, globs): (Vec<Argument>, Vec<Argument>) =
            globs.partition(|glob| glob.prefix().starts_with('!'));
        self.leaves_out(words);
        let left_out = left_out.iter().filter_map(|glob| glob.literal()?.strip_prefix('!'));
        let left_out = left_out.filter(|glob| !glob.contains(['[', '{', '\\', '/']));
        self.walk.left_out.extend(left_out.map(|glob| Argument::of_outline(&wildcards(glob))));
        for folder in &folders {
            for glob in &globs {
                self.one(&found_below(folder, &wildcards(&glob.outline())), AccessKind::Read);
            }
            if globs.is_empty() {
                self.one(folder, kind);
            }
        }
    }
}

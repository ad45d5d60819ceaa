//! Files among the words of interpreters, and in the scripts of `sed` and `awk`.

use super::{PACKS, Reads, SERVERS, USED, code, languages, values};
use crate::commands::access::{AccessKind, UnknownReadsReason};
use crate::commands::argument::Argument;
use crate::commands::file_programs::{operands, sed_files};

/// Returns whether a text is a replacement: `s/A/B/g`, `tr/a/b/`.
fn replaces(text: &str) -> bool {
    let rest = ["s", "y", "tr"].iter().find_map(|start| text.strip_prefix(start));
    let mark = rest
        .and_then(|rest| rest.chars().next())
        .filter(|mark| mark.is_ascii_punctuation() && !".-_".contains(*mark));
    mark.is_some_and(|mark| text.matches(mark).count() == 3 && !text.ends_with("ee"))
}

impl Reads<'_> {
    /// `python FILE WORDS`: the script runs, and may read the files that its words name. With `-n` or `-p`, Perl and Ruby
    /// read all of their operands.
    pub(super) fn interpreted(&mut self, words: &[Argument]) {
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
        // The files that its text opens are found in the text. A text that is one plain word may be an operand all the same,
        // as the options of interpreters differ: `perl -pe1 FILE`.
        let is_code = |text: &Argument| {
            let outline = text.outline();
            outline.contains(|c: char| " \t\n()'\";=".contains(c)) || replaces(&outline)
        };
        let is_text = |word: &Argument| {
            found.texts.iter().any(|text| is_code(text) && word.outline().ends_with(&text.outline()))
        };
        let others: Vec<Argument> = words.iter().filter(|word| !is_text(word)).cloned().collect();
        self.possible(&others);
        if language == languages::Language::Tcl {
            self.possible(&found.texts);
        }
        if let Some(at) = words.iter().position(|word| word.literal() == Some("-m"))
            && let Some(module) = words.get(at + 1).and_then(Argument::literal)
        {
            self.of_module(module, words.get(at + 2..).unwrap_or_default());
        }
    }

    /// `python -m MODULE WORDS`: everything below a folder may be packed or served.
    fn of_module(&mut self, module: &str, words: &[Argument]) {
        let has = |wanted: [&str; 2]| words.iter().any(|word| wanted.contains(&word.prefix()));
        if PACKS.contains(&module) && has(["-c", "--create"]) {
            for folder in operands(words, "", &[]).into_iter().skip(1) {
                self.one(folder, AccessKind::ReadBelow);
            }
        }
        if SERVERS.contains(&module) && !has(["-h", "--help"]) {
            // The last option counts.
            let named = values(words, "-d").chain(values(words, "--directory")).last();
            self.one(&named.unwrap_or_else(|| Argument::from(".")), AccessKind::ReadBelow);
        }
    }

    /// Files that the script of `sed` or `awk` reads: `r FILE`, `getline < FILE`.
    pub(super) fn scripted(&mut self, words: &[Argument]) {
        let Some(language) = languages::language(self.name) else { return };
        if language == languages::Language::Sed {
            for file in sed_files(words, &['r', 'R']) {
                self.one(&file, AccessKind::Read);
            }
        }
        if language != languages::Language::Awk {
            return;
        }
        let texts = languages::arguments(language, words).texts;
        for text in &texts {
            code::of_text(self.walk, "awk", &text.outline(), self.span);
        }
        if texts.iter().any(|text| ["getline", "ARGV"].iter().any(|call| text.outline().contains(call))) {
            let given: Vec<Argument> = values(words, "-v").collect();
            self.possible(&given);
        }
    }
}

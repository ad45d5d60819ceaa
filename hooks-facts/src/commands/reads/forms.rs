//! Files in words of forms that programs have for themselves: `curl -d @FILE`, `dd if=FILE`, the sources of copies, archives.

use super::{Reads, is_given, values};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::file_programs::{
    LONG_VALUES, has, inside, is_remote, operands, short_values, target_folder, value,
};

/// Options of `curl` whose value may begin with `@FILE`.
const CURL_DATA: &[&str] = &[
    "-d",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "-H",
    "--header",
    "--proxy-header",
    "--url-query",
    "-w",
    "--write-out",
];

/// Options of `curl` whose value is a file that is sent or shown.
const CURL_FILES: &[&str] = &["-T", "--upload-file", "-K", "--config"];

impl Reads<'_> {
    pub(super) fn in_forms(&mut self, words: &[Argument]) {
        match self.name {
            "dd" => {
                for file in words.iter().filter_map(|word| word.strip_prefix("if=")) {
                    self.one(&file, AccessKind::Read);
                }
            }
            "curl" => self.sent_by_curl(words),
            "tar" | "gtar" | "bsdtar" => self.packed(words),
            "wget" => self.local_addresses(words),
            "openssl" if words.first().is_some_and(|word| word.literal() == Some("pkcs12")) => {
                for file in values(words, "-inkey") {
                    self.one(&file, AccessKind::Read);
                }
            }
            _ => {}
        }
    }

    /// `cp A… TO`, `scp A… HOST:TO`, and each with `-t TO`.
    pub(super) fn sources(&mut self, words: &[Argument]) {
        let mut sources = operands(words, short_values(self.name), LONG_VALUES);
        if self.name == "install" && has(words, 'd', "--directory") {
            return;
        }
        if target_folder(self.name, words).is_none() && !(self.name == "ln" && sources.len() == 1) {
            sources.pop();
        }
        let is_deep = match self.name {
            "mv" | "ln" | "ditto" => true,
            _ => {
                has(words, 'r', "--recursive")
                    || has(words, 'R', "--recursive")
                    || has(words, 'a', "--archive")
            }
        };
        let kind = if is_deep { AccessKind::ReadBelow } else { AccessKind::Read };
        let sources: Vec<Argument> = sources.into_iter().cloned().collect();
        for source in &sources {
            // The file of another machine has a name as well.
            let outline = source.outline();
            match outline.split_once(':').filter(|_| is_remote(self.name, source)) {
                Some((_, path)) => self.one(&Argument::of_outline(path), kind),
                None => self.one(source, kind),
            }
        }
        for list in ["--files-from", "--include-from", "--exclude-from", "--password-file"] {
            for file in values(words, list) {
                self.one(&file, AccessKind::Used);
            }
        }
    }

    /// `curl -d @FILE`, `-F name=@FILE`, `-T FILE`, and `file://` addresses.
    fn sent_by_curl(&mut self, words: &[Argument]) {
        for option in CURL_DATA {
            for value in values(words, option) {
                let file = value.strip_prefix("@").or_else(|| after_mark(&value, "@"));
                if let Some(file) = file {
                    self.one(&file, AccessKind::Read);
                }
            }
        }
        for option in ["-F", "--form"] {
            for value in values(words, option) {
                if let Some(file) = after_mark(&value, "=@").or_else(|| after_mark(&value, "=<")) {
                    let outline = file.outline();
                    let file = outline.split(';').next().unwrap_or_default().trim_matches('"');
                    self.one(&Argument::of_outline(file), AccessKind::Read);
                }
            }
        }
        for option in CURL_FILES {
            for file in values(words, option) {
                self.one(&file, AccessKind::Read);
            }
        }
        for option in ["-b", "--cookie"] {
            for file in values(words, option).filter(|value| !value.outline().contains('=')) {
                self.one(&file, AccessKind::Read);
            }
        }
        for option in ["-E", "--cert", "--key", "--cacert", "--netrc-file"] {
            for file in values(words, option) {
                self.one(&file, AccessKind::Used);
            }
        }
        self.local_addresses(words);
    }

    /// `file:///FILE`.
    fn local_addresses(&mut self, words: &[Argument]) {
        for word in words {
            let outline = word.outline();
            if let Some((_, file)) = outline.split_once("file://") {
                let file = file.strip_prefix("localhost").unwrap_or(file);
                self.one(&Argument::of_outline(file), AccessKind::Read);
            }
        }
        for option in ["-i", "--input-file", "--post-file", "--body-file"] {
            if self.name == "wget" {
                for file in values(words, option) {
                    self.one(&file, AccessKind::Read);
                }
            }
        }
    }

    /// `tar cf ARCHIVE FILES`: everything below the files is packed.
    fn packed(&mut self, words: &[Argument]) {
        let Some(first) = words.first() else { return };
        let old = first.literal().filter(|text| !text.starts_with('-')).unwrap_or_default();
        let mode = |letter: char, long: &str| old.contains(letter) || has(words, letter, long);
        if !(mode('c', "--create") || mode('r', "--append") || mode('u', "--update")) {
            return;
        }
        let long = [
            "directory",
            "exclude",
            "exclude-from",
            "file",
            "files-from",
            "group",
            "mode",
            "owner",
            "transform",
        ];
        let values_of_old =
            if old.is_empty() { 0 } else { 1 + old.matches(['C', 'T', 'X', 'b', 'f', 'g']).count() };
        let files: Vec<Argument> =
            operands(words, "CFHIKLNTVXbfg", &long).into_iter().skip(values_of_old).cloned().collect();
        let folder = value(words, 'C', "--directory");
        for file in files {
            if self.walk.is_spent() {
                return;
            }
            if let Some(folder) = &folder {
                self.one(&inside(folder, &file), AccessKind::ReadBelow);
            }
            self.one(&file, AccessKind::ReadBelow);
        }
        for list in ["-T", "--files-from"] {
            if is_given(words, list) {
                let program = self.name;
                self.walk.reads_unknown(program, super::UnknownReadsReason::Name, self.span);
            }
        }
    }
}

/// Returns the text after a mark in a value: `name=@FILE`.
fn after_mark(value: &Argument, mark: &str) -> Option<Argument> {
    let outline = value.outline();
    let (_, file) = outline.split_once(mark)?;
    Some(Argument::of_outline(file))
}

/// Returns the parts of a word that may be paths: itself, values after `=`, sides of `:`, the text after `@`.
pub(super) fn parts(word: &Argument) -> Vec<Argument> {
    let outline = word.outline();
    let mut names: Vec<&str> = Vec::new();
    let is_mark = |c: char| c.is_whitespace() || "'\"`()[]{}<>|&;,=@".contains(c);
    let letters = outline.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let attached = letters.and_then(|rest| rest.char_indices().nth(1).and_then(|(at, _)| rest.get(at..)));
    // A text with blanks is not a path, but it may name one.
    let whole = (!outline.contains(char::is_whitespace)).then_some(outline.as_str());
    names.extend(outline.split(is_mark).filter(|_| whole.is_none()));
    for text in whole.into_iter().chain(attached) {
        // An address on the network is no file.
        let is_file = |text: &&str| !text.contains("://") || text.contains("file://");
        names.extend(std::iter::once(text).chain(text.split(is_mark)).filter(is_file));
    }
    let sides: Vec<&str> =
        names.iter().filter(|name| name.contains(':')).flat_map(|name| name.split(':')).collect();
    names.extend(sides);
    let names = names.into_iter().filter(|name| !name.starts_with(['-', '!']) && may_be_path(name));
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    let as_argument = |text: &str| match word {
        Argument::Literal(_) => Argument::from(text),
        Argument::Dynamic { .. } => Argument::of_outline(text),
    };
    found.into_iter().map(as_argument).collect()
}

/// Longest part that is compared with names of files.
const LONGEST: usize = 4_096;

fn may_be_path(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST
        && name.contains(|c: char| c.is_alphanumeric())
        && !name.contains('\n')
}

//! Files in words of forms that programs have for themselves: `dd if=FILE`, the sources of copies, archives.

use super::{Reads, is_given, values};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::file_programs::{
    LONG_VALUES, has, is_remote, operands, packed_in_folders, short_values, tar_mode, target_folder,
    wildcards,
};

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
            "wget" => self.sent_by_wget(words),
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
        if self.name == "rsync" {
            self.leaves_out(words);
            for pattern in values(words, "--include") {
                self.one(&super::found_below(&Argument::from("."), &wildcards(&pattern.outline())), kind);
            }
        }
        let sources: Vec<Argument> = sources.into_iter().cloned().collect();
        // Only the names of a list are copied.
        let is_listed = self.name == "rsync" && is_given(words, "--files-from");
        for source in sources.iter().filter(|_| !is_listed) {
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

    /// `tar cf ARCHIVE FILES`: everything below the files is packed.
    fn packed(&mut self, words: &[Argument]) {
        if !tar_mode(words, 'c', "--create")
            && !tar_mode(words, 'r', "--append")
            && !tar_mode(words, 'u', "--update")
        {
            return;
        }
        self.leaves_out(words);
        for file in packed_in_folders(words) {
            if self.walk.is_spent() {
                return;
            }
            self.one(&file, AccessKind::ReadBelow);
        }
    }
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

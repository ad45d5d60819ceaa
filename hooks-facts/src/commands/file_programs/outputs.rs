//! Programs with an option for a file that they write: `curl -D FILE`, `openssl x509 -out FILE`.

use super::Changes;
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;

/// Options of some programs that name a file to write.
struct Outputs {
    programs: &'static [&'static str],
    /// Letters that take a value; the text after one in a bundle is its value. A letter without a value must
    /// not be listed, otherwise the option after it is not found.
    values: &'static str,
    /// Letters of `values` whose value is the file.
    short: &'static str,
    /// Whole words whose value is the file: the next word, or the text after `=`.
    long: &'static [&'static str],
    /// Whole words whose value is a folder that is filled.
    folders: &'static [&'static str],
    /// Whether the first operand is another program, whose options are not checked.
    runs: bool,
}

/// Length of the shortest abbreviation of an option; shorter ones are ambiguous.
const SHORTEST: usize = "--o".len();

const TABLE: &[Outputs] = table!("output_options");

impl Changes<'_> {
    /// Notes the files of the options of a program in the table.
    pub(super) fn outputs(&mut self, name: &str, words: &[Argument]) {
        for outputs in TABLE.iter().filter(|outputs| outputs.programs.contains(&name)) {
            for (file, kind) in outputs.files(words) {
                if file.literal() != Some("-") {
                    self.one(&file, kind);
                }
            }
        }
    }
}

impl Outputs {
    fn files(&self, words: &[Argument]) -> Vec<(Argument, AccessKind)> {
        let mut found = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.prefix();
            let (name, attached) = match text.split_once('=') {
                Some((name, _)) => (name, word.strip_prefix(&format!("{name}="))),
                None => (text, None),
            };
            let has = |names: &[&str]| names.iter().any(|long| is_short_for(name, long));
            let kind = match () {
                () if has(self.long) => Some(AccessKind::Changed),
                () if has(self.folders) => Some(AccessKind::Filled),
                () => None,
            };
            if let Some(kind) = kind {
                found.extend(attached.or_else(|| words.next().cloned()).map(|file| (file, kind)));
            } else if let Some(bundle) = text.strip_prefix('-').filter(|bundle| !bundle.starts_with('-')) {
                let Some(letter) = bundle.chars().find(|letter| self.values.contains(*letter)) else {
                    continue;
                };
                let (before, _) = bundle.split_once(letter).unwrap_or((bundle, ""));
                let attached = word.strip_prefix(&format!("-{before}{letter}"));
                let value = attached.filter(|value| value.len() > 0).or_else(|| words.next().cloned());
                let file = value.filter(|_| self.short.contains(letter));
                found.extend(file.map(|file| (file, AccessKind::Changed)));
            } else if self.runs && !text.starts_with("--") {
                break;
            }
        }
        found
    }
}

/// Returns whether a word is the name of an option, or an abbreviation with two dashes.
fn is_short_for(word: &str, name: &str) -> bool {
    word == name || (word.len() > SHORTEST && word.starts_with("--") && name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_same_letters_in_both_tables() {
        for (programs, values, ..) in super::super::downloads::DOWNLOADS {
            for name in *programs {
                let own = TABLE.iter().find(|outputs| outputs.programs.contains(name));
                assert!(own.is_none_or(|outputs| outputs.values == *values), "{name}");
            }
        }
    }
}

//! Programs with an option for a file that they write: `curl -D FILE`, `openssl x509 -out FILE`; and options with the same meaning
//! in most programs: `--output-file FILE`.
//!
//! The program need not be known for such an option, but a format is no file:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let analysis = Analysis::of_text("report --out-dir dist --output json --log-file=run.log", &Options::default());
//! let written: Vec<_> = analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
//! assert_eq!(written, ["dist", "run.log"]);
//! ```

use super::Changes;
use crate::by_key::ByKey;
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::settings::ELSEWHERE;
use crate::commands::told;
use crate::commands::wrappers;

/// Options of some programs that name a file to write.
struct Outputs {
    /// Letters that take a value; the text after one in a bundle is its value. A letter without a value must
    /// not be listed, otherwise the option after it is not found.
    values: &'static str,
    /// Letters of `values` whose value is the file.
    short: &'static str,
    /// Whole words whose value is the file: the next word, or the text after `=`.
    long: &'static [&'static str],
    /// Whole words whose value is a folder that is filled.
    folders: &'static [&'static str],
    /// Whether these folders get files of the program's own kinds alone.
    own: bool,
    /// Whether the first operand is another program, whose options are not checked.
    runs: bool,
}

/// Length of the shortest abbreviation of an option; shorter ones are ambiguous.
const SHORTEST: usize = "--o".len();

static TABLE: ByKey<Outputs> = table!("output_options");

impl Changes<'_> {
    /// Notes the files of the options of a program in the table.
    pub(super) fn outputs(&mut self, name: &str, words: &[Argument]) {
        self.common_outputs(name, words);
        let Some(outputs) = TABLE.get(name) else { return };
        for (file, kind) in outputs.files(words) {
            if file.literal() != Some("-") {
                self.one(&file, kind);
            }
        }
    }
}

/// Options of any program, by what they name.
const FILES: &[&str] = table!("common_outputs_files");
const OUTPUTS: &[&str] = table!("common_outputs_outputs");
const FOLDERS: &[&str] = table!("common_outputs_folders");

impl Changes<'_> {
    /// Notes the files of options that most programs have in common, for one that is in no table.
    fn common_outputs(&mut self, name: &str, words: &[Argument]) {
        // The words of programs that start others are read for those, and some files are another machine's.
        let is_known = [told::TALKERS, told::READERS, told::CHANGERS, told::STARTERS];
        if is_known.iter().any(|list| told::has(list, name))
            || wrappers::wrapper(name).is_some()
            || ELSEWHERE.contains(&name)
        {
            return;
        }
        let own = TABLE.get(name);
        for (at, word) in words.iter().enumerate() {
            let text = word.prefix();
            if text == "--" {
                return;
            }
            let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else { continue };
            let option = option.strip_prefix('-').unwrap_or(option);
            let (option, value) = match option.split_once('=') {
                Some((option, _)) => {
                    let start = text.find('=').map_or(text.len(), |at| at + 1);
                    (option, word.strip_prefix(text.get(..start).unwrap_or_default()))
                }
                None => (option, words.get(at + 1).filter(|next| !next.prefix().starts_with('-')).cloned()),
            };
            let Some(value) = value else { continue };
            let is_own = own.is_some_and(|own| {
                [own.long, own.folders]
                    .iter()
                    .any(|names| names.contains(&text.split('=').next().unwrap_or(text)))
            });
            if is_own {
                continue;
            }
            let is_short = text == "-o" && own.is_none();
            if told::has(FOLDERS, option) {
                self.fills(&value);
            } else if told::has(FILES, option)
                || (is_short || told::has(OUTPUTS, option)) && looks_like_file(&value)
            {
                self.one(&value, AccessKind::Changed);
            }
        }
    }
}

/// Returns whether a value is a path, has an ending, or is named like a file without one: `-o json` and `-o jsonpath={.x}` name
/// formats.
fn looks_like_file(value: &Argument) -> bool {
    let text = value.outline();
    let name = text.rsplit('/').next().unwrap_or(&text);
    let is_named = name.trim_start_matches('.').contains('.') || name.ends_with("file");
    let is_hidden = name.starts_with('.') && !name.trim_start_matches('.').is_empty();
    !text.contains(['=', '{', ':', ' ', ',']) && (text.contains('/') || is_named || is_hidden)
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
                () if has(self.folders) && self.own => Some(AccessKind::Generated),
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
    use super::super::downloads::DOWNLOADS;
    use super::*;

    #[test]
    fn programs_have_the_same_letters_in_both_tables() {
        for (name, _) in DOWNLOADS.keys {
            let (own, other) = (TABLE.get(name), DOWNLOADS.get(name));
            assert!(own.is_none_or(|own| other.is_some_and(|other| own.values == other.values)), "{name}");
        }
    }
}

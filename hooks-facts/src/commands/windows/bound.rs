//! Words of a Windows command, bound to its parameters, and from there to the words of the program with the same effect.
//!
//! Parameters may be shortened, and stand in any order:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let options = Options { windows: true, ..Options::default() };
//! let analysis = Analysis::of_text("Set-Content -Val x -Pa notes.md", &options);
//! assert_eq!(analysis.writes()[0].target.literal(), Some("notes.md"));
//! ```

use super::super::argument::Argument;
use crate::globs::Gap;

/// A command, and the program that it is compared with: a row of `windows_programs.tsv`.
pub(super) struct Row {
    pub(super) becomes: &'static str,
    pub(super) options: &'static [(&'static str, &'static str)],
    pub(super) parameters: &'static [&'static str],
    pub(super) words: &'static [&'static str],
}

/// Divides the items of a list, which is one word: `a.txt, b.txt`.
pub(super) const DIVIDER: char = '\u{1f}';

/// Stands for a part of a word that is computed.
pub(super) const COMPUTED: &str = "?";

/// Parameters without a value that many commands of PowerShell have.
const SWITCHES: &[&str] = &[
    "allmatches",
    "append",
    "asbytestream",
    "casesensitive",
    "confirm",
    "container",
    "debug",
    "directory",
    "file",
    "force",
    "hidden",
    "includetypeinformation",
    "list",
    "noclobber",
    "noheader",
    "nonewline",
    "notmatch",
    "notypeinformation",
    "parents",
    "passthru",
    "quiet",
    "raw",
    "recurse",
    "resume",
    "simplematch",
    "skipcertificatecheck",
    "update",
    "usebasicparsing",
    "verbose",
];

/// Providers of PowerShell whose items are no files.
const NO_FILES: &[&str] =
    &["alias", "cert", "env", "function", "hkcu", "hklm", "registry", "variable", "wsman"];

/// Values of the parameters of one command.
#[derive(Default)]
pub(super) struct Bound {
    values: Vec<(&'static str, String)>,
    options: Vec<&'static str>,
}

impl Row {
    /// Creates a row of a command that is compared with no program.
    pub(super) const fn plain(parameters: &'static [&'static str], words: &'static [&'static str]) -> Self {
        Self { becomes: "", options: &[], parameters, words }
    }

    /// Returns the words of the program that the command is compared with, without its name; `None` if the command only
    /// shows what it would do.
    ///
    /// `piped` is what a pipe hands to the command, for its first parameter.
    pub(super) fn argv(&self, words: &[String], piped: Option<&str>) -> Option<Vec<Argument>> {
        let is_whatif = |word: &String| word.len() > 2 && "-whatif".starts_with(&*word.to_lowercase());
        if words.iter().any(is_whatif) {
            return None;
        }
        if self.parameters.is_empty() {
            return Some(self.unbound(words));
        }
        let mut bound = self.bind(words);
        let first = self.parameters.first().copied().unwrap_or_default();
        // Other commands get their content through a pipe.
        let takes_files = self.becomes != "tee" || bound.value("value").is_some();
        if let Some(piped) = piped.filter(|_| takes_files)
            && !self.names_of_first().any(|name| bound.value(name).is_some())
        {
            bound.values.push((first.trim_end_matches('*'), piped.to_owned()));
        }
        let mut argv: Vec<Argument> = bound.options.iter().copied().map(Argument::from).collect();
        let mut before: Option<&str> = None;
        for word in self.words {
            let Some(names) = word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) else {
                before = Some(word);
                continue;
            };
            let value = names.split('|').find_map(|name| bound.value(name));
            if let Some(value) = value {
                argv.extend(before.map(Argument::from));
                argv.extend(value.split(DIVIDER).filter(|item| !is_no_file(item)).map(word_of));
            }
            before = None;
        }
        Some(argv)
    }

    /// Returns the words with the options of the program.
    fn unbound(&self, words: &[String]) -> Vec<Argument> {
        let mut argv = Vec::new();
        for word in words {
            let found = self.options_in(word);
            if found.is_empty() {
                argv.extend(word.split(DIVIDER).map(Argument::from));
            }
            argv.extend(found.into_iter().map(Argument::from));
        }
        argv
    }

    /// Returns the options of the program that a word has.
    fn options_in(&self, word: &str) -> Vec<&'static str> {
        let lower = word.to_lowercase();
        let (option, _) = lower.split_once(':').unwrap_or((&lower, ""));
        match lower.chars().next() {
            Some('-') => self
                .options
                .iter()
                .filter(|(name, _)| option.len() > 1 && name.starts_with(option))
                .map(|(_, to)| *to)
                .collect(),
            // `/s/q` are two options.
            Some('/') => option
                .split('/')
                .filter_map(|part| self.options.iter().find(|(name, _)| name.get(1..) == Some(part)))
                .map(|(_, to)| *to)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Binds the words with a name first, and the others in order to the parameters that are left, as PowerShell does.
    pub(super) fn bind(&self, words: &[String]) -> Bound {
        let mut bound = Bound::default();
        let mut others = Vec::new();
        let mut words = words.iter().peekable();
        let is_of_cmd = self.options.iter().any(|(name, _)| name.starts_with('/'));
        while let Some(word) = words.next() {
            let options = self.options_in(word);
            let name =
                word.strip_prefix('-').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
            match name {
                _ if !options.is_empty() => bound.options.extend(options),
                _ if is_of_cmd && word.starts_with('/') => {}
                Some(name) => {
                    let (name, attached) = match name.split_once(':') {
                        Some((name, value)) if !value.is_empty() => (name, Some(value.to_owned())),
                        _ => (name.trim_end_matches(':'), None),
                    };
                    let name = name.to_lowercase();
                    let parameter = self.names().find(|known| known.starts_with(&*name));
                    let is_switch = SWITCHES.iter().any(|switch| switch.starts_with(&*name));
                    if parameter.is_none() && is_switch {
                        continue;
                    }
                    let is_value = |next: &&String| !is_name(next);
                    let value = attached.or_else(|| words.next_if(|next| is_value(next)).cloned());
                    bound.values.extend(parameter.zip(value));
                }
                None => others.push(word.clone()),
            }
        }
        let mut others = others.into_iter();
        for parameter in self.parameters {
            let name = parameter.trim_end_matches('*');
            let is_bound = bound.value(name).is_some()
                || Some(parameter) == self.parameters.first()
                    && self.names_of_first().any(|name| bound.value(name).is_some());
            if is_bound {
                continue;
            }
            if name.len() < parameter.len() {
                let all: Vec<String> = others.by_ref().collect();
                if !all.is_empty() {
                    bound.values.push((name, all.join(&DIVIDER.to_string())));
                }
            } else if let Some(value) = others.next() {
                bound.values.push((name, value));
            }
        }
        bound
    }

    /// Returns the names of all parameters with a value.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let of_words = self.words.iter().filter_map(|word| word.strip_prefix('{')?.strip_suffix('}'));
        let positions = self.parameters.iter().map(|name| name.trim_end_matches('*'));
        of_words.flat_map(|names| names.split('|')).chain(positions)
    }

    /// Returns the names of the first parameter: `-Path` and `-LiteralPath`.
    fn names_of_first(&self) -> impl Iterator<Item = &'static str> {
        let first = self.parameters.first().copied().unwrap_or_default().trim_end_matches('*');
        let of_words = self.words.iter().filter_map(|word| word.strip_prefix('{')?.strip_suffix('}'));
        of_words
            .filter(move |names| names.split('|').any(|name| name == first))
            .flat_map(|names| names.split('|'))
    }
}

impl Bound {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

fn is_name(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Returns whether an item is in the environment, the registry or the like.
fn is_no_file(item: &str) -> bool {
    item.split_once(':').is_some_and(|(provider, _)| NO_FILES.contains(&&*provider.to_lowercase()))
}

/// Returns a word for a program, with wildcards and computed parts as gaps. Both separators of folders are one.
pub(super) fn word_of(text: &str) -> Argument {
    let stand_in = |c| match c {
        '?' => Gap::Any.stand_in(),
        '*' => Gap::Name.stand_in(),
        '\\' => '/',
        c => c,
    };
    Argument::of_outline(&text.chars().map(stand_in).collect::<String>())
}

//! Words of an invocation, split into operands and options.

use super::argument::Argument;
use super::git;
use super::word_pattern::WordPattern;

/// Option of a pattern or an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opt {
    Short(char),
    Long(String),
    /// `-delete`: one dash, and more than one letter.
    Word(String),
}

/// Programs whose long options start with one dash.
const WORD_OPTIONS: &[&str] = table!("program_words_word_options");

/// Values with which an option is switched off: `--dry-run=none`.
const OFF: &[&str] = &["false", "none", "no", "off", "never", "0"];

/// Words of an invocation, split into operands and options.
pub(super) struct CallWords<'w> {
    pub(super) operands: Vec<Operand>,
    pub(super) options: Vec<Opt>,
    /// Known parts of options whose end is unknown.
    pub(super) partial_options: Vec<String>,
    words: &'w [Argument],
    /// Words of git before its subcommand: `-c core.pager=cat`.
    globals: &'w [Argument],
    one_dash: bool,
}

/// Word that is not an option.
pub(super) struct Operand {
    /// The word up to its first unknown part.
    pub(super) text: String,
    /// The word with stand-ins for its unknown parts, if it has some.
    outline: Option<String>,
    /// Whether an option without a value of its own comes directly before.
    pub(super) follows_option: bool,
}

impl Operand {
    fn new(word: &Argument, follows_option: bool) -> Self {
        let outline = word.literal().is_none().then(|| word.outline());
        Self { text: word.prefix().to_owned(), outline, follows_option }
    }

    /// Returns whether the word is one of the pattern.
    pub(super) fn is(&self, pattern: &WordPattern) -> bool {
        pattern.is(&self.text) || self.outline.as_ref().is_some_and(|outline| pattern.is(outline))
    }
}

impl<'w> CallWords<'w> {
    pub(super) fn new(name: &str, words: &'w [Argument]) -> Self {
        let (globals, words) = if name == "git" { git::split(words) } else { (&[][..], words) };
        let one_dash = has_word_options(name);
        let mut call = Self {
            operands: Vec::new(),
            options: Vec::new(),
            partial_options: Vec::new(),
            words,
            globals,
            one_dash,
        };
        let subcommand = if name == "git" { words.first().map_or("", Argument::prefix) } else { "" };
        let (short, long) = value_options(name, subcommand);
        let mut follows_option = false;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.prefix();
            if text == "--" && word.literal().is_some() {
                call.operands.extend(words.map(|word| Operand::new(word, false)));
                break;
            }
            let is_partial = word.literal().is_none() && text.starts_with('-');
            if is_partial && text.len() < 2 {
                call.partial_options.push(text.to_owned());
                continue;
            }
            if text.len() < 2 || !text.starts_with('-') {
                // `cargo +nightly publish` selects a toolchain.
                if !(name == "cargo" && text.starts_with('+')) {
                    call.operands.push(Operand::new(word, follows_option));
                }
                follows_option = false;
                continue;
            }
            let mut letters = text.char_indices().skip(1);
            let value = letters.find(|(_, c)| !text.starts_with("--") && !one_dash && short.contains(*c));
            let end = value.map_or(text.len(), |(at, c)| at + c.len_utf8());
            call.options.extend(opts(text.get(..end).unwrap_or(text), one_dash));
            if is_partial && value.is_none() && !text.contains('=') {
                call.partial_options.push(text.to_owned());
                follows_option = true;
                continue;
            }
            let takes_next = match value {
                Some(_) => end == text.len(),
                None => {
                    let name =
                        text.strip_prefix("--").or_else(|| text.strip_prefix('-').filter(|_| one_dash));
                    name.is_some_and(|name| long.contains(&name))
                }
            };
            if takes_next {
                words.next();
            }
            follows_option = !takes_next && !text.contains('=');
        }
        call
    }

    /// Returns whether an option is given and switched on, in its full spelling.
    pub(super) fn has_exactly(&self, option: &Opt) -> bool {
        let (Opt::Long(name) | Opt::Word(name)) = option else { return self.options.contains(option) };
        let next = self.texts().skip(1).chain(std::iter::once(""));
        self.options.iter().any(|given| matches!(given, Opt::Long(given) | Opt::Word(given) if given == name))
            && !self.texts().zip(next).any(|(text, next)| is_switched_off(text, next, name))
    }

    /// Returns whether one of the options has a value that the pattern names.
    pub(super) fn has_value(&self, options: &[Opt], pattern: &WordPattern) -> bool {
        self.values(options).any(|value| pattern.is_ignoring_case(&value))
    }

    /// Returns whether one of the options is given, and each value that it has is one that the pattern names.
    pub(super) fn has_only_values(&self, options: &[Opt], pattern: &WordPattern) -> bool {
        let mut values = self.values(options).peekable();
        values.peek().is_some() && values.all(|value| pattern.is_ignoring_case(&value))
    }

    /// Returns the values of options.
    fn values(&self, options: &[Opt]) -> impl Iterator<Item = String> {
        [self.globals, self.words].into_iter().flat_map(move |words| {
            words.iter().enumerate().flat_map(move |(at, word)| {
                let next = || words.get(at + 1).map(Argument::outline);
                options.iter().filter_map(|option| self.value(option, word, &next)).collect::<Vec<_>>()
            })
        })
    }

    /// Returns the value of an option in a word, or in the word after it.
    fn value(&self, option: &Opt, word: &Argument, next: &dyn Fn() -> Option<String>) -> Option<String> {
        let outline = word.outline();
        match option {
            Opt::Long(name) | Opt::Word(name) => {
                let text = outline.strip_prefix("--").or_else(|| {
                    let is_word = matches!(option, Opt::Word(_)) || self.one_dash;
                    outline.strip_prefix('-').filter(|_| is_word)
                })?;
                match text.strip_prefix(name.as_str())? {
                    "" => next(),
                    rest => rest.strip_prefix('=').map(str::to_owned),
                }
            }
            Opt::Short(letter) => {
                let bundle = outline.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'))?;
                match bundle.split_once(*letter)? {
                    (before, _) if !before.chars().all(char::is_alphanumeric) => None,
                    (_, "") => next(),
                    (_, rest) => Some(rest.strip_prefix('=').unwrap_or(rest).to_owned()),
                }
            }
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(Argument::prefix)
    }
}

/// Returns whether a word, with the one after it, switches an option off: `--no-dry-run`, `--dry-run=none`, and `--dry-run false`,
/// which npm reads so.
fn is_switched_off(text: &str, next: &str, name: &str) -> bool {
    let Some(text) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else { return false };
    let is_off = |value: &str| OFF.iter().any(|off| value.eq_ignore_ascii_case(off));
    match text.strip_prefix(name) {
        Some("") => is_off(next),
        Some(rest) => rest.strip_prefix('=').is_some_and(is_off),
        None => text.strip_prefix("no-") == Some(name),
    }
}

/// Returns whether the long options of a program start with one dash.
pub(super) fn has_word_options(name: &str) -> bool {
    WORD_OPTIONS.contains(&name)
}

/// Returns the options in one word.
pub(super) fn opts(word: &str, one_dash: bool) -> Vec<Opt> {
    if let Some(long) = word.strip_prefix("--") {
        return vec![Opt::Long(long.split('=').next().unwrap_or(long).to_owned())];
    }
    let letters = word.strip_prefix('-').unwrap_or(word);
    if one_dash && letters.len() > 1 {
        return vec![Opt::Word(letters.split('=').next().unwrap_or(letters).to_owned())];
    }
    letters.chars().map(Opt::Short).collect()
}

/// Returns the options of a program that take a value: letters, and long names.
pub(super) fn value_options(name: &str, subcommand: &str) -> (&'static str, &'static [&'static str]) {
    match (name, subcommand) {
        ("git", "commit") => (
            "mFCctS",
            &["message", "file", "author", "date", "template", "fixup", "squash", "reuse-message", "trailer"],
        ),
        ("git", "push") => ("o", &["push-option", "repo", "receive-pack", "exec"]),
        ("git", "rebase") => ("xsXC", &["exec", "onto", "strategy", "strategy-option"]),
        ("git", "clean") => ("e", &["exclude"]),
        ("git", "checkout" | "switch") => ("bBcC", &["orphan", "conflict"]),
        ("git", "tag" | "merge" | "notes") => ("mFu", &["message", "file"]),
        ("git", _) => ("", &["message", "format", "author"]),
        ("chmod" | "chown", _) => ("", &["reference"]),
        _ => listed_value_options(name).unwrap_or(("", &[])),
    }
}

/// Returns the options of a program in the table that take a value.
fn listed_value_options(name: &str) -> Option<(&'static str, &'static [&'static str])> {
    table!("value_options")
}

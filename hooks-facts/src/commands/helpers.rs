//! Options that name a helper: a program that another program starts, or a file of instructions that it
//! follows: `sort --compress-program=…`, `man -P …`, `awk -f …`.
//!
//! A plain reader with such an option has more effects than it is known for. Linear in the words.

use super::argument::Argument;
use super::git;
use super::walk::Walk;
use super::wrappers;
use crate::shell::Span;

/// Options of some programs.
struct Helper {
    /// The programs; `git grep` is one of them.
    programs: &'static [&'static str],
    /// Short options.
    short: &'static str,
    /// Long options, which may be abbreviated.
    long: &'static [&'static str],
    /// Short options that take the rest of their word: letters after them are not options.
    values: &'static str,
    /// Whether the value is a command, which is analysed for the programs it starts.
    is_command: bool,
}

const HELPERS: &[Helper] = table!("helper_options");

/// Collects the programs that the named helpers would start.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], span: Span) {
    let (name, words) = own_words(name, words);
    for helper in of_program(&name).filter(|helper| helper.is_command) {
        for (at, word) in words.iter().enumerate() {
            let Some(attached) = helper.value(word) else { continue };
            if let Some(value) = attached.as_ref().or_else(|| words.get(at + 1)) {
                walk.maybe_text(&value.as_shell_text(), span);
            }
        }
    }
}

/// Returns whether the words name a helper.
pub(super) fn are_named(name: &str, words: &[Argument]) -> bool {
    let (name, words) = own_words(name, words);
    let is_old_bundle = |at: usize, word: &Argument| {
        // `tar cIf zstd …`.
        at == 0
            && name.ends_with("tar")
            && word
                .literal()
                .is_some_and(|word| word.chars().all(char::is_alphabetic) && word.contains(['I', 'F']))
    };
    let helpers: Vec<_> = of_program(&name).collect();
    words.iter().enumerate().any(|(at, word)| {
        helpers.iter().any(|helper| helper.value(word).is_some())
            || is_old_bundle(at, word)
            || is_command_of_its_own(&name, word)
    })
}

/// Returns the program (for git, with its command) and its own words: those of a wrapper end where its
/// program starts.
fn own_words<'w>(name: &str, words: &'w [Argument]) -> (String, &'w [Argument]) {
    if name == "git" {
        let rest = git::subcommand(words);
        let Some((command, words)) = rest.split_first() else { return (name.to_owned(), rest) };
        return (format!("git {}", command.prefix()), words);
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    let words = wrappers::wrapper(name).map_or(words, |wrapper| {
        let rest = super::run::operands_from(words, wrapper.short, wrapper.long, wrapper.operands);
        words.get(..words.len() - rest.len()).unwrap_or_default()
    });
    (plain, words)
}

fn of_program(name: &str) -> impl Iterator<Item = &'static Helper> {
    HELPERS.iter().filter(move |helper| helper.programs.contains(&name))
}

impl Helper {
    /// Returns `Some` if a word is one of the options, with the value attached to it, if any.
    fn value(&self, word: &Argument) -> Option<Option<Argument>> {
        let text = word.prefix();
        if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or_default();
            // The rest of a partly known option may be anything.
            let is_one = !name.is_empty() || word.literal().is_none();
            if !(is_one && self.long.iter().any(|option| option.starts_with(name))) {
                return None;
            }
            return Some(word.strip_prefix(&format!("--{name}=")));
        }
        let letters = text.strip_prefix('-')?;
        let (at, letter) =
            letters.char_indices().find(|(_, c)| self.short.contains(*c) || self.values.contains(*c))?;
        if !self.short.contains(letter) {
            return None;
        }
        let before = text.get(..1 + at + letter.len_utf8()).unwrap_or(text);
        Some(word.strip_prefix(before).filter(|rest| rest.len() > 0))
    }
}

/// Returns whether a word contains a command in the program's own syntax: `less +!…`,
/// `ssh -o ProxyCommand=…`, `strace -o '|…'`.
fn is_command_of_its_own(name: &str, word: &Argument) -> bool {
    let text = word.prefix();
    match name {
        "less" | "zless" | "more" => text.strip_prefix('+').is_some_and(|command| {
            let command = command.trim_start_matches('+');
            let searches = command.starts_with(['/', '?']) && !command.contains(char::is_control);
            !(searches || command.chars().all(|c| c.is_ascii_digit() || "gGFp%".contains(c)))
        }),
        "ssh" | "scp" => {
            let text = text.to_ascii_lowercase();
            let is_option = |option: &str| text.trim_start_matches("-o").trim_start().starts_with(option);
            [
                "proxycommand",
                "localcommand",
                "knownhostscommand",
                "pkcs11provider",
                "securitykeyprovider",
                "include",
            ]
            .into_iter()
            .any(is_option)
        }
        "strace" => text.trim_start_matches("-o").trim_start_matches("--output=").starts_with(['|', '!']),
        _ => false,
    }
}

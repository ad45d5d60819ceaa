//! Words that may name files, of programs that are not known.

use super::{LOADERS, MAX_PARTS, Reads, SHOWS, TEXTS, USED, forms, languages};
use crate::commands::access::{AccessKind, UnknownReadsReason};
use crate::commands::argument::Argument;

impl Reads<'_> {
    /// Words of a program whose effect is not known: each part that may be a path may be a file that it reads.
    pub(super) fn possible(&mut self, words: &[Argument]) {
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
            // The name of a test, or a pattern for names.
            let is_phrase = matches!(option, "-t" | "-g" | "-n") && word.prefix().contains(' ');
            if is_phrase
                || is_of_forge
                || TEXTS.contains(&option) && !(is_letter(option) && is_name(word))
                || (TEXTS.contains(&own) && own != word.prefix())
            {
                continue;
            }
            let loads = is_loader && matches!(option, "-e" | "-f");
            // Some programs write a long option with one dash: `-var-file=FILE`.
            let is_of_use = |option: &str| {
                USED.contains(&option) || USED.iter().any(|used| used.get(1..) == Some(option))
            };
            let is_used = loads || is_of_use(option) || (is_of_use(own) && own != word.prefix());
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
}

/// Whether an option is one letter, which has another meaning in each program: `-m` takes a message, or a module, or a file.
fn is_letter(option: &str) -> bool {
    option.len() == "-m".len()
}

/// Whether a word is written like the name of a file, and not like a text or an expression.
fn is_name(word: &Argument) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-/~".contains(c);
    word.literal().is_some_and(|text| text.contains('.') && text.chars().all(is_part))
}

//! Commands after which programs find other settings than the user's: `HOME=…`, `unset CODEX_HOME`, `sudo`.

use super::argument::Argument;
use super::walk::Walk;

/// Variables that name the folder of the user's settings, of all programs or of an agent client.
const VARIABLES: &[&str] = table!("variables_settings");

/// Prefixes of variables that change what an agent client does.
const FAMILIES: &[&str] = table!("variables_clients");

/// Builtins that set or remove the variables in their words.
const SETTERS: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
];

/// Programs that run another as a user of their choice, or in another file system.
pub(super) const ELSEWHERE: &[&str] = table!("program_words_elsewhere");

/// Builtins before which an assignment stays in force, in a POSIX shell.
const SPECIAL: &[&str] =
    &[".", ":", "break", "continue", "eval", "exec", "exit", "return", "set", "shift", "times", "trap"];

/// Whether programs find other settings if this variable changes.
pub(super) fn moves(variable: &str) -> bool {
    VARIABLES.contains(&variable) || FAMILIES.iter().any(|family| variable.starts_with(family))
}

/// Notes that a builtin changes such a variable.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument]) {
    let is_set = |word: &Argument| {
        let name = word.prefix().split('=').next().unwrap_or_default();
        moves(name.trim_end_matches('+'))
    };
    walk.settings_moved |= match name {
        "printf" => match words {
            [option, variable, ..] if option.literal() == Some("-v") => is_set(variable),
            [option, ..] => option.strip_prefix("-v").is_some_and(|variable| is_set(&variable)),
            [] => false,
        },
        _ => SETTERS.contains(&name) && words.iter().any(is_set),
    };
}

/// Whether an assignment before this command stays in force after it.
pub(super) fn keeps_assignments(command: Option<&Argument>) -> bool {
    command.and_then(Argument::literal).is_none_or(|name| SPECIAL.contains(&name) || SETTERS.contains(&name))
}

/// Whether what a program starts finds other settings.
pub(super) fn starts_elsewhere(name: &str, words: &[Argument]) -> bool {
    match name {
        "env" => removes(words),
        _ => ELSEWHERE.contains(&name),
    }
}

/// Whether the options of `env` remove such a variable.
fn removes(words: &[Argument]) -> bool {
    let options =
        words.iter().take_while(|word| word.prefix().starts_with('-') || word.prefix().contains('='));
    let is_ignoring = |word: &Argument| {
        let text = word.prefix();
        let bundle = text.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
        bundle.is_some_and(|bundle| {
            bundle.is_empty() || bundle.split(['u', 'C', 'S']).next().unwrap_or_default().contains('i')
        }) || text.len() > 2 && "--ignore-environment".starts_with(text)
    };
    let is_removed = |(at, word): (usize, &Argument)| {
        let attached = word.strip_prefix("-u").or_else(|| word.strip_prefix("--unset="));
        let name = match attached.filter(|name| name.len() > 0) {
            Some(name) => Some(name),
            None if matches!(word.prefix(), "-u" | "--unset") => words.get(at + 1).cloned(),
            None => None,
        };
        name.is_some_and(|name| name.literal().is_none_or(moves))
    };
    options.clone().any(is_ignoring) || words.iter().enumerate().take(words.len().min(64)).any(is_removed)
}

impl Walk {
    /// Calls `visit` for what a program starts, which finds other settings if `is_elsewhere`.
    pub(super) fn with_settings<T>(&mut self, is_elsewhere: bool, visit: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.settings_lent;
        self.settings_lent |= is_elsewhere;
        let result = visit(self);
        self.settings_lent = outer;
        result
    }

    /// Takes back that settings moved since `before`; returns whether they did.
    pub(super) fn take_moved(&mut self, before: bool) -> bool {
        let is_moved = self.settings_moved && !before;
        self.settings_moved = before;
        is_moved
    }
}

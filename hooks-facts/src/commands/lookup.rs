//! Commands after which a name stands for another program than the system's, or a program loads foreign code:
//! `PATH=…`, `LD_PRELOAD=…`, `hash -p`, `enable -f`.

use super::argument::Argument;
use super::walk::Walk;
use super::wrappers::COMMAND_VARIABLES;

/// Variables that determine the programs that others find, load or follow.
const VARIABLES: &[&str] = table!("variables_lookup");

/// Prefixes of such names.
const FAMILIES: &[&str] = table!("variables_families");

/// Variables of git for authors, dates and output.
const HARMLESS: &[&str] = table!("variables_harmless");

/// Variables for builds, which no reader uses.
const COMPILERS: &[&str] = table!("variables_compilers");

/// Builtins that set the variables in their words.
const SETTERS: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
];

/// Variables of bash and zsh whose elements determine what a name stands for. The module `zsh/parameter` has those in lower case.
pub(super) const NAME_TABLES: &[&str] =
    &["BASH_ALIASES", "BASH_CMDS", "aliases", "commands", "functions", "galiases", "path", "saliases"];

/// Those of them whose elements are commands.
pub(super) const TEXT_TABLES: &[&str] = &["BASH_ALIASES", "aliases", "functions", "galiases", "saliases"];

/// Notes the effect of a command on the look-up of programs.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument]) {
    let has = |letters: [char; 1]| {
        words.iter().any(|word| {
            let bundle = word.prefix().strip_prefix('-');
            bundle.is_some_and(|bundle| !bundle.starts_with('-') && bundle.contains(letters))
        })
    };
    let changes = match name {
        // `hash NAME=FILE` in zsh.
        "hash" => has(['p']) || words.iter().any(|word| word.literal().is_none_or(|word| word.contains('='))),
        "enable" => has(['f']),
        "alias" => words.iter().any(|word| word.literal().is_none() && !word.prefix().contains('=')),
        // `declare -n` makes one name stand for another.
        "declare" | "typeset" | "local" if has(['n']) => true,
        _ if SETTERS.contains(&name) => words.iter().any(|word| is_set_by(name, word)),
        _ => false,
    };
    walk.lookup_changed |= changes;
}

/// Returns whether a word of a builtin sets such a variable.
fn is_set_by(builtin: &str, word: &Argument) -> bool {
    let text = word.prefix();
    match text.split_once('=') {
        Some((variable, _)) => {
            let value = word.strip_prefix(&format!("{variable}=")).unwrap_or_else(Argument::unknown);
            changes(variable.trim_end_matches('+'), &value)
        }
        // `export PATH` sets nothing; an unknown word may have any name.
        None if matches!(builtin, "declare" | "export" | "local" | "readonly" | "typeset") => {
            word.literal().is_none()
        }
        // The printed words are texts, and `-vPATH` is a name.
        None if builtin == "printf" => changes(text.strip_prefix("-v").unwrap_or(text), &Argument::unknown()),
        None => changes(text, &Argument::unknown()),
    }
}

/// Returns whether a function makes names stand for other programs: a shell calls it for a name that it does not find.
pub(super) fn changes_by_function(name: &str) -> bool {
    matches!(name, "command_not_found_handle" | "command_not_found_handler")
}

/// Returns whether arithmetic, or a test, may set such a variable: `((PATH=1))`.
pub(super) fn changes_in_number(text: &str) -> bool {
    let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    names.into_iter().any(|name| changes(name, &Argument::unknown()))
}

/// Returns whether setting a variable makes names stand for other programs.
pub(super) fn changes(variable: &str, value: &Argument) -> bool {
    let is_plain = |value: &str| matches!(value, "" | "cat" | "less" | "more" | "true");
    let is_pager = variable.ends_with("PAGER") || variable.ends_with("EDITOR");
    if is_pager && value.literal().is_some_and(is_plain) {
        return false;
    }
    if variable == "LESS" {
        return value.literal().is_none_or(|value| value.contains(['+', 'k']));
    }
    VARIABLES.binary_search(&variable).is_ok()
        || COMMAND_VARIABLES.contains(&variable) && !COMPILERS.contains(&variable)
        || FAMILIES.iter().any(|family| variable.starts_with(family))
            && !HARMLESS.iter().any(|harmless| variable.starts_with(harmless))
}

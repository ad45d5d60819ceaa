//! The tables of the folder `data`, and look-ups in them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A library or technology with its packages, images, programs, files and hosts.
pub(super) struct Technology {
    pub(super) packages: &'static [&'static str],
    pub(super) images: &'static [&'static str],
    pub(super) commands: &'static [&'static str],
    pub(super) files: &'static [&'static str],
    pub(super) hosts: &'static [&'static str],
}

/// A pattern of code that has a name.
pub(super) struct Concept {
    pub(super) languages: &'static [&'static str],
    pub(super) patterns: &'static str,
}

/// Delimiters of the comments and strings of a language.
pub(super) struct Language {
    pub(super) name: &'static str,
    pub(super) line: &'static [&'static str],
    pub(super) block: &'static [&'static str],
    pub(super) strings: &'static [&'static str],
    /// Whether the case of letters counts.
    pub(super) case: bool,
}

/// A program that installs packages.
pub(super) struct Installer {
    pub(super) verbs: &'static [&'static str],
}

type Words = &'static [&'static str];

const NAMES: &[(Words, Words, Words, Words, Words, Words)] = table!("names");
const CONCEPTS: &[(Words, Words, &str)] = table!("concepts");
const LANGUAGES: &[(&str, Words, Words, Words, Words, bool)] = table!("languages");
const INSTALLERS: &[(&str, Words)] = table!("installers");
const AREAS: &[(Words, Words)] = table!("areas");

pub(super) const BANNED: Words = table!("words_banned");
pub(super) const USED: Words = table!("words_used");
pub(super) const VERB: Words = table!("words_verb");
pub(super) const STAY_AWAY: Words = table!("words_stay_away");
pub(super) const ORDER: Words = table!("words_order");
pub(super) const CHOOSE: Words = table!("words_choose");
pub(super) const BE: Words = table!("words_be");
pub(super) const AUXILIARY: Words = table!("words_auxiliary");
pub(super) const NEGATION: Words = table!("words_negation");
pub(super) const PERMIT: Words = table!("words_permit");
pub(super) const ADJECTIVE: Words = table!("words_adjective");
pub(super) const ACTOR: Words = table!("words_actor");
pub(super) const HEDGE: Words = table!("words_hedge");
pub(super) const VOID: Words = table!("words_void");
pub(super) const SIDE_SECTION: Words = table!("words_side_section");
pub(super) const SKIP_SECTION: Words = table!("words_skip_section");
pub(super) const PLACE_WORD: Words = table!("words_place_word");
pub(super) const OUTSIDE: Words = table!("words_outside");
pub(super) const FILLER: Words = table!("words_filler");
pub(super) const ENGLISH: Words = table!("words_english");
pub(super) const BANNED_PHRASE: Words = table!("words_banned_phrase");
pub(super) const ONLY_PHRASE: Words = table!("words_only_phrase");
pub(super) const REVERSE: Words = table!("words_reverse");
pub(super) const HEDGE_PHRASE: Words = table!("words_hedge_phrase");
pub(super) const BACK_PHRASE: Words = table!("words_back_phrase");
pub(super) const PRONOUN: Words = table!("words_pronoun");
pub(super) const ORDER_PHRASE: Words = table!("words_order_phrase");
pub(super) const IDLE_VERB: Words = table!("words_idle_verb");
pub(super) const BOUNDARY: Words = table!("words_boundary");

static TECHNOLOGIES: LazyLock<HashMap<&str, Technology>> = LazyLock::new(|| {
    let rows = NAMES.iter().flat_map(|(names, packages, images, commands, files, hosts)| {
        names.iter().map(|name| {
            let (packages, images, commands, files, hosts) = (*packages, *images, *commands, *files, *hosts);
            (*name, Technology { packages, images, commands, files, hosts })
        })
    });
    rows.collect()
});

static CODE: LazyLock<HashMap<&str, Concept>> = LazyLock::new(|| {
    let rows = CONCEPTS.iter().flat_map(|(names, languages, patterns)| {
        names.iter().map(|name| (*name, Concept { languages, patterns }))
    });
    rows.collect()
});

static GLOBS: LazyLock<HashMap<&str, Words>> = LazyLock::new(|| {
    AREAS.iter().flat_map(|(names, globs)| names.iter().map(|name| (*name, *globs))).collect()
});

/// Returns the technology called `name`, in lower case.
pub(super) fn technology(name: &str) -> Option<&'static Technology> {
    TECHNOLOGIES.get(name)
}

/// Returns the pattern of code called `name`, in lower case.
pub(super) fn concept(name: &str) -> Option<&'static Concept> {
    CODE.get(name)
}

/// Returns the globs of the part of a project called `name`, in lower case.
pub(super) fn area(name: &str) -> Option<Words> {
    GLOBS.get(name).copied()
}

/// Returns how the program `name` installs packages.
pub(super) fn installer(name: &str) -> Option<Installer> {
    INSTALLERS.iter().find(|row| row.0 == name).map(|(_, verbs)| Installer { verbs })
}

/// Whether `name` is a program that some table lists.
pub(super) fn is_program(name: &str) -> bool {
    installer(name).is_some() || NAMES.iter().any(|row| row.3.contains(&name))
}

/// Returns the language of a file by its name.
pub(super) fn language(path: &str) -> Option<Language> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let fits = |ending: &&str| {
        if ending.starts_with('.') {
            file.ends_with(*ending)
        } else {
            file == *ending || file.strip_prefix(*ending).is_some_and(|rest| rest.starts_with('.'))
        }
    };
    let row = LANGUAGES.iter().find(|row| row.1.iter().any(&fits))?;
    Some(Language { name: row.0, line: row.2, block: row.3, strings: row.4, case: row.5 })
}

/// Returns the language called `name`.
pub(super) fn language_called(name: &str) -> Option<Language> {
    let row = LANGUAGES.iter().find(|row| row.0 == name)?;
    Some(Language { name: row.0, line: row.2, block: row.3, strings: row.4, case: row.5 })
}

//! The tables of the folder `data`, and look-ups in them.

use std::collections::{HashMap, HashSet};
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
    /// Endings of the files that its packages are for.
    pub(super) files: &'static [&'static str],
}

type Words = &'static [&'static str];

const NAMES: &[(Words, Words, Words, Words, Words, Words)] = table!("names");
const CONCEPTS: &[(Words, Words, &str)] = table!("concepts");
const LANGUAGES: &[(&str, Words, Words, Words, Words, bool)] = table!("languages");
const INSTALLERS: &[(&str, Words, Words)] = table!("installers");
const GERMAN: &[(&str, &str)] = table!("german");
const ALIASES: &[(&str, &str)] = table!("aliases");
const QUERY_CLIENTS: Words = table!("programs_query_client");
const PROGRAMS: Words = table!("programs_named");

/// Packages whose names have a capital.
static CAPITAL_PACKAGES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let packages = NAMES.iter().flat_map(|row| row.1).copied();
    packages.filter(|name| name.contains(|c: char| c.is_ascii_uppercase())).collect()
});
static NAMED_PROGRAMS: LazyLock<HashSet<&str>> = LazyLock::new(|| PROGRAMS.iter().copied().collect());

/// First words of the names of all technologies and patterns.
static FIRST_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    TECHNOLOGIES.keys().chain(CODE.keys()).filter_map(|name| name.split(' ').next()).collect()
});
const AREAS: &[(Words, Words)] = table!("areas");

pub(super) const BANNED_PHRASE: Words = table!("words_banned_phrase");
pub(super) const ONLY_PHRASE: Words = table!("words_only_phrase");
pub(super) const HEDGE_PHRASE: Words = table!("words_hedge_phrase");
/// Words of a title that bans what is listed below it.
pub(super) const LIST_TITLE: Words = table!("words_list_title");
/// Marks in a title of a decision that does not count.
pub(super) const VOID_MARK: Words = table!("words_void_mark");
/// Beginnings of a line of a decision that does not count.
pub(super) const VOID_START: Words = table!("words_void_start");
/// Titles of parts with things that were not decided.
pub(super) const VOID_TITLE: Words = table!("words_void_title");
pub(super) const PERMIT_PHRASE: Words = table!("words_permit_phrase");
pub(super) const BACK_PHRASE: Words = table!("words_back_phrase");
/// Words between something old and what it became, if nothing else is named.
pub(super) const BECOMES: Words = table!("words_becomes");
/// Words between something old and what is new.
pub(super) const BEFORE_NEW: Words = table!("words_before_new");
/// Words before something old.
pub(super) const BEFORE_OLD: Words = table!("words_before_old");
/// Words that state together that their object is needed.
pub(super) const NEEDED_PHRASE: Words = table!("words_needed_phrase");
/// Words that take the sentence before back.
pub(super) const RETRACTION: Words = table!("words_retraction");
pub(super) const ORDER_PHRASE: Words = table!("words_order_phrase");

/// A list of words; each has a bit in the class of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct List(u64);

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $table:literal;)*) => {
        $(pub(super) const $name: List = List(1 << $bit);)*

        /// Words of the lists, each with the lists that it is in.
        static CLASSES: LazyLock<HashMap<&str, u64>> = LazyLock::new(|| {
            let mut classes = HashMap::new();
            $(for word in (table!($table) as Words) {
                *classes.entry(*word).or_default() |= $name.0;
            })*
            classes
        });
    };
}

lists! {
    BANNED = 0, "words_banned";
    USED = 1, "words_used";
    VERB = 2, "words_verb";
    STAY_AWAY = 3, "words_stay_away";
    ORDER = 4, "words_order";
    CHOOSE = 5, "words_choose";
    BE = 6, "words_be";
    AUXILIARY = 7, "words_auxiliary";
    NEGATION = 8, "words_negation";
    PERMIT = 9, "words_permit";
    ADJECTIVE = 10, "words_adjective";
    ACTOR = 11, "words_actor";
    HEDGE = 12, "words_hedge";
    VOID = 13, "words_void";
    SIDE_SECTION = 14, "words_side_section";
    SKIP_SECTION = 15, "words_skip_section";
    PLACE_WORD = 16, "words_place_word";
    OUTSIDE = 17, "words_outside";
    FILLER = 18, "words_filler";
    ENGLISH = 19, "words_english";
    REVERSE = 20, "words_reverse";
    PRONOUN = 21, "words_pronoun";
    IDLE_VERB = 22, "words_idle_verb";
    BOUNDARY = 23, "words_boundary";
    FILE_VERB = 24, "words_file_verb";
    ABOUT_FILES = 25, "words_about_files";
    FAULTY = 26, "words_faulty";
    ORDER_START = 27, "words_order_start";
    PROTOCOL = 28, "words_protocol";
    KEYWORD = 29, "words_keyword";
    COMMON = 30, "words_common";
    /// Statuses with which a decision does not count, wherever they stand.
    ENDED = 31, "words_ended";
    /// Words that end a ban: "the ban is void".
    LIFTED = 32, "words_lifted";
    /// Statuses with which a decision counts.
    ACCEPTED = 33, "words_accepted";
    /// Words of refusal, whatever stands around them.
    NEGATIVE = 34, "words_negative";
    /// Verbs that harm their object: who forbids them wants it.
    PROTECTIVE = 35, "words_protective";
    /// Words that join a sentence to its reason, and qualify nothing.
    ADVERB = 36, "words_adverb";
    /// Nouns for a kind of thing, of which the word before them is no member.
    KIND = 37, "words_kind";
    /// Languages and formats of data, which name a kind of library before a noun.
    FORMAT = 38, "words_format";
    /// Nouns for the leave to do something: who has none must not do it.
    LEAVE = 39, "words_leave";
    /// Nouns for parts of a product or of the work on it, which no guess at a name is.
    NOUN = 40, "words_noun";
}

impl List {
    /// Whether a word, in lower case, is in the list.
    pub(super) fn contains(self, word: &str) -> bool {
        class(word) & self.0 != 0
    }

    /// Whether a word of this class is in the list.
    pub(super) fn has(self, class: u64) -> bool {
        class & self.0 != 0
    }
}

/// Returns the lists that a word, in lower case, is in.
pub(super) fn class(word: &str) -> u64 {
    CLASSES.get(word).copied().unwrap_or_default()
}

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

/// Whether `name` is that of a package with a capital in it: `FreeRTOS`.
pub(super) fn is_capital_package(name: &str) -> bool {
    CAPITAL_PACKAGES.contains(name)
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
    INSTALLERS.iter().find(|row| row.0 == name).map(|(_, verbs, files)| Installer { verbs, files })
}

/// Returns the full name of the subcommand of `program`: `npm i` is `npm install`.
pub(super) fn full_command(program: &str, subcommand: Option<&str>) -> Option<&'static str> {
    let is_named = |command: &str| match subcommand {
        Some(subcommand) => command.split_once(' ') == Some((program, subcommand)),
        None => command == program,
    };
    ALIASES.iter().find(|(command, _)| is_named(command)).map(|(_, full)| *full)
}

static GERMAN_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| GERMAN.iter().copied().collect());

/// Returns the English words for a word of German, in lower case.
pub(super) fn from_german(word: &str) -> Option<&'static str> {
    GERMAN_WORDS.get(word).copied()
}

/// Whether decisions name the commands of `program`.
pub(super) fn is_named_program(program: &str) -> bool {
    NAMED_PROGRAMS.contains(program)
}

/// Whether a technology or a pattern of code has a name that begins with `word`, in lower case.
pub(super) fn begins_name(word: &str) -> bool {
    FIRST_WORDS.contains(word)
}

/// Whether `program` runs the SQL in its words.
pub(super) fn is_query_client(program: &str) -> bool {
    QUERY_CLIENTS.contains(&program)
}

static PACKAGE_PARTS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| (table!("words_package_part") as Words).iter().copied().collect());

/// Whether a word at the end of a package's name makes it a part of the library before it, as in `lodash-es`.
pub(super) fn is_package_part(word: &str) -> bool {
    PACKAGE_PARTS.contains(word)
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

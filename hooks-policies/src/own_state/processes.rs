//! Commands that end the processes of the hooks: by their name, by a pattern, or by numbers that a search for the name gives.

use hooks_facts::commands::{Argument, Invocation};
use regex::RegexBuilder;

/// Name of the process.
const NAME: &str = "hooks";

/// A command line of the process, in which patterns of `-f` are searched.
const LINE: &str = "/bin/hooks run";

/// Place of the name in the line.
const PLACE: std::ops::Range<usize> = 5..10;

/// Programs that end the processes which a pattern names, or only list them.
const BY_PATTERN: &[&str] = &["pkill", "pgrep"];

/// Programs that end processes by their names, or only list them.
const BY_NAME: &[&str] = &["killall", "skill", "pidof"];

/// Programs whose lines are searched for a process.
const LISTS: &[&str] = &["ps", "top", "htop"];

/// Programs that search lines.
const SEARCHES: &[&str] = &["grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk", "sed"];

/// Most patterns of one command that are compiled. With more, one of them counts as the name.
const MAX_PATTERNS: usize = 64;

/// Longest pattern that is compiled.
const LONGEST: usize = 256;

/// Facts about the processes that one command finds and ends.
#[derive(Default)]
pub(super) struct Processes<'a> {
    /// Invocation that ends the hooks by their name.
    ended: Option<&'a Invocation>,
    /// Invocation that ends processes by their numbers.
    by_number: Option<&'a Invocation>,
    /// Whether the numbers of the hooks are searched.
    is_searched: bool,
    lists: bool,
    /// Words of the programs that search lines. Most search no list of processes, so their patterns are compiled at the end.
    searches: Vec<&'a [Argument]>,
    compiled: usize,
}

impl<'a> Processes<'a> {
    /// Adds an invocation of a program.
    pub(super) fn add(&mut self, name: &str, invocation: &'a Invocation) {
        let words = invocation.argv.get(1..).unwrap_or_default();
        if name == "kill" {
            self.by_number.get_or_insert(invocation);
            // `-1` behind a signal stands for all processes.
            if words.iter().skip(1).any(|word| word.literal() == Some("-1")) {
                self.ended.get_or_insert(invocation);
            }
        } else if BY_PATTERN.contains(&name) {
            // Without a pattern, all processes of a user are meant.
            let is_named = self.names_by_pattern(words) || is_inverted(words) || names_user_only(words);
            self.found(name == "pkill" && is_named, is_named, invocation);
        } else if BY_NAME.contains(&name) {
            let is_named = match has(words, 'r', "--regexp") && name == "killall" {
                true => self.names_by_pattern(words),
                false => operands(words)
                    .any(|word| word.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(NAME))),
            } || name != "pidof" && names_user_only(words);
            self.found(name != "pidof" && is_named, is_named, invocation);
        } else if name == "killall5" {
            self.ended.get_or_insert(invocation);
        } else if LISTS.contains(&name) {
            self.lists = true;
        } else if SEARCHES.contains(&name) {
            self.searches.push(words);
        }
    }

    /// Returns the invocation that ends the hooks.
    pub(super) fn ended(mut self) -> Option<&'a Invocation> {
        if self.ended.is_some() || self.by_number.is_none() {
            return self.ended;
        }
        let searches = std::mem::take(&mut self.searches);
        let is_searched = self.is_searched
            || self.lists
                && searches
                    .into_iter()
                    .flat_map(operands)
                    .any(|word| word.contains(NAME) || self.is_name(word, false, false));
        self.by_number.filter(|_| is_searched)
    }

    fn found(&mut self, ends: bool, is_named: bool, invocation: &'a Invocation) {
        if ends {
            self.ended.get_or_insert(invocation);
        }
        self.is_searched |= is_named;
    }

    fn names_by_pattern(&mut self, words: &[Argument]) -> bool {
        let (is_line, is_exact) = (has(words, 'f', "--full"), has(words, 'x', "--exact"));
        operands(words).any(|word| is_line && names_program(word) || self.is_name(word, is_line, is_exact))
    }

    /// Returns whether a pattern matches the name of the process, or a part of its line that overlaps the name.
    fn is_name(&mut self, pattern: &str, is_line: bool, is_exact: bool) -> bool {
        let (text, place) = if is_line { (LINE, PLACE) } else { (NAME, 0..NAME.len()) };
        let is_plain = pattern
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'/' | b'-' | b'_'));
        // An option may have it match in any case; few other processes have such a name.
        if is_plain {
            let found = text.find(&pattern.to_ascii_lowercase()).map(|at| at..at + pattern.len());
            return found.is_some_and(|found| overlaps(&found, &place) && (!is_exact || found == place));
        }
        self.compiled += 1;
        if self.compiled > MAX_PATTERNS || pattern.len() > LONGEST {
            return true;
        }
        let regex = RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 18).build();
        let Ok(regex) = regex else { return pattern.contains(NAME) };
        regex
            .find_iter(text)
            .any(|found| overlaps(&found.range(), &place) && (!is_exact || found.range() == place))
    }
}

/// Returns whether a pattern of a whole line begins with the program, wherever that is.
fn names_program(pattern: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    let program = pattern.trim_start_matches('^').split(' ').next().unwrap_or_default();
    program.match_indices(NAME).any(|(at, name)| {
        let (before, behind) = (program.get(..at), program.get(at + name.len()..));
        // A dot alone begins the ending of another name.
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
            && behind.is_some_and(|behind| match behind.strip_prefix('.') {
                Some(rest) => rest.starts_with(['*', '+']),
                None => {
                    !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/'))
                }
            })
    })
}

/// Returns whether all processes but those of a pattern are meant.
fn is_inverted(words: &[Argument]) -> bool {
    words.iter().filter_map(Argument::literal).any(|word| word == "--inverse" || word == "-v")
}

/// Returns whether an option names a user, and nothing else a process.
fn names_user_only(words: &[Argument]) -> bool {
    let is_apart =
        |word: &Argument| matches!(word.literal(), Some("-u" | "-U" | "--euid" | "--uid" | "--user"));
    let is_joined = |word: &Argument| {
        let starts =
            |text: &str| ["-u", "--euid=", "--uid=", "--user="].iter().any(|option| text.starts_with(option));
        !is_apart(word) && word.literal().is_some_and(starts)
    };
    let is_option = |word: &Argument| word.literal().is_some_and(|text| text.starts_with('-'));
    let value = words.iter().position(is_apart).map(|at| at + 1).filter(|at| *at < words.len());
    let has_other = words.iter().enumerate().any(|(at, word)| Some(at) != value && !is_option(word));
    !has_other && (value.is_some() || words.iter().any(is_joined))
}

fn overlaps(one: &std::ops::Range<usize>, other: &std::ops::Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Returns the known words that are not options. The value of an option counts too: few of them are a pattern of the name.
fn operands(words: &[Argument]) -> impl Iterator<Item = &str> {
    words.iter().filter_map(Argument::literal).filter(|word| !word.is_empty() && !word.starts_with('-'))
}

/// Returns whether an option is given, also in a bundle.
fn has(words: &[Argument], letter: char, long: &str) -> bool {
    words.iter().filter_map(Argument::literal).any(|word| match word.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => {
            letters.contains(letter) && letters.to_uppercase() != letters
        }
        _ => word == long,
    })
}

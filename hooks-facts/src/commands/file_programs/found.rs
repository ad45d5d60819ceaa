//! Files found by a search, for the programs that it starts: `find src -name '*.o' -exec rm {} ;`.

use super::Changes;
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::walk::Stream;
use crate::globs::{Gap, may_be};

/// Options of `fd` that are followed by a program.
pub(in crate::commands) const FD_STARTS: &[&str] = &["-x", "-X", "--exec", "--exec-batch"];

/// Options of `fd` that take a value.
const FD_SHORT: &str = "CESTcdejot";
const FD_LONG: &[&str] = &[
    "and",
    "base-directory",
    "batch-size",
    "changed-before",
    "changed-within",
    "color",
    "exact-depth",
    "exclude",
    "extension",
    "format",
    "ignore-file",
    "max-depth",
    "max-results",
    "min-depth",
    "owner",
    "path-separator",
    "search-path",
    "size",
    "threads",
    "type",
];

/// Most pairs of a place and a name that are kept apart. Of more, any name counts as found.
const MAX_PAIRS: usize = 1_024;

/// Names that a search may find.
pub(in crate::commands) struct Search {
    /// Places at which it starts.
    starts: Vec<Argument>,
    /// Outlines of the names it looks for.
    names: Vec<String>,
}

impl Search {
    /// Parses the words of `find`.
    pub(in crate::commands) fn of_find(words: &[Argument]) -> Self {
        let words: Vec<&Argument> = words
            .iter()
            .skip_while(|word| matches!(word.prefix(), "-H" | "-L" | "-P") || word.prefix().starts_with("-O"))
            .collect();
        let is_start = |word: &&&Argument| !word.prefix().starts_with(['-', '(', '!', ',']);
        let mut starts: Vec<_> = words.iter().take_while(is_start).map(|word| (*word).clone()).collect();
        if starts.is_empty() {
            starts.push(Argument::from("."));
        }
        let mut names = names_of_find(&words);
        if starts.len().saturating_mul(names.len()) > MAX_PAIRS {
            names = vec![any_name()];
        }
        Self { starts, names }
    }

    /// Parses the words of `fd`: a pattern, and the places at which it starts.
    pub(in crate::commands) fn of_fd(words: &[Argument]) -> Self {
        let words = without_programs(words);
        let operands = super::operands(&words, FD_SHORT, FD_LONG);
        let base = super::value(&words, 'C', "--base-directory");
        let given = operands.iter().skip(1).map(|start| (*start).clone());
        let mut starts: Vec<Argument> = given.chain(search_paths(&words)).collect();
        if starts.is_empty() {
            starts.push(Argument::from("."));
        }
        if let Some(base) = base {
            let from_base = |start: &Argument| match start.prefix() {
                "." => base.clone(),
                prefix if prefix.starts_with('/') => start.clone(),
                _ => super::copies::inside(&base, start),
            };
            starts = starts.iter().map(from_base).collect();
        }
        let name = match operands.first() {
            _ if super::has(&words, 'p', "--full-path") => any_name(),
            Some(pattern) if super::has(&words, 'g', "--glob") => wildcards(&pattern.outline()),
            Some(pattern) => plain_expression(&pattern.outline()),
            None => any_name(),
        };
        let endings = words.iter().filter(|word| is_ending(word.prefix())).count();
        let ending = super::value(&words, 'e', "--extension").filter(|_| endings == 1 && name == any_name());
        let name = ending.map(|ending| format!("{}.{}", any_name(), ending.outline())).unwrap_or(name);
        Self { starts, names: vec![name] }
    }

    /// Returns the names that may be found below each of the places.
    pub(in crate::commands) fn below(&self) -> impl Iterator<Item = Argument> {
        self.starts.iter().flat_map(|start| {
            let (start, folders) = (start.outline(), Gap::Folders.stand_in());
            let start = start.trim_end_matches('/').to_owned();
            self.names.iter().map(move |name| Argument::of_outline(&format!("{start}/{folders}{name}")))
        })
    }

    /// Returns the places at which it starts, which it finds only if they are files of the right kind.
    pub(in crate::commands) fn starts(&self) -> impl Iterator<Item = &Argument> {
        let is_name = |start: &str| {
            let last = start.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            self.names.iter().any(|name| may_be(name, last))
        };
        let may_be_found = move |start: &&Argument| match start.literal() {
            Some("." | ".." | "/") => false,
            Some(start) => is_name(start),
            None => true,
        };
        self.starts.iter().filter(may_be_found)
    }

    /// Returns the output of `find`: names, unless an option changes the output.
    pub(in crate::commands) fn printed(&self, words: &[Argument]) -> Stream {
        const OTHERS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-ls", "-printf", "-files0-from"];
        if words.iter().any(|word| OTHERS.contains(&word.prefix())) {
            return Stream::Unknown;
        }
        Stream::Names(self.below().chain(self.starts().cloned()).collect())
    }

    /// Returns the output of `fd`: names, unless an option changes the output.
    pub(in crate::commands) fn printed_by_fd(&self, words: &[Argument]) -> Stream {
        let is_other = |word: &Argument| {
            FD_STARTS.contains(&word.prefix())
                || word.prefix().starts_with("--format")
                || matches!(word.prefix(), "-l" | "--list-details")
        };
        if words.iter().any(is_other) {
            return Stream::Unknown;
        }
        Stream::Names(self.below().chain(self.starts().cloned()).collect())
    }

    /// Returns a found name, as seen from its folder.
    pub(in crate::commands) fn own_name(&self) -> Argument {
        match self.names.as_slice() {
            [name] => Argument::of_outline(&format!("./{name}")),
            _ => Argument::of_outline(&format!("./{}", any_name())),
        }
    }
}

impl Changes<'_> {
    /// `find … -delete`, `find … -fprint FILE`.
    pub(super) fn found(&mut self, words: &[Argument]) {
        // Of folders, only empty ones are removed.
        if words.iter().any(|word| word.literal() == Some("-delete")) && !finds_folders(words) {
            let search = Search::of_find(words);
            search.below().for_each(|item| self.one(&item, AccessKind::Removed));
            search.starts().for_each(|start| self.maybe(start, AccessKind::Removed));
        }
        for (at, word) in words.iter().enumerate() {
            if let Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") = word.literal()
                && let Some(file) = words.get(at + 1)
            {
                self.one(file, AccessKind::Changed);
            }
        }
    }
}

/// Returns whether a search is for folders alone.
fn finds_folders(words: &[Argument]) -> bool {
    let is_type = |pair: &[Argument]| matches!(pair, [kind, d] if kind.literal() == Some("-type") && d.literal() == Some("d"));
    words.windows(2).any(is_type)
        && !words.iter().any(|word| matches!(word.prefix(), "-o" | "-or" | "!" | "-not" | ","))
}

/// Returns the words of `fd` without the programs that it starts, each up to `;`.
fn without_programs(words: &[Argument]) -> Vec<Argument> {
    let mut is_program = false;
    let is_own = |word: &&Argument| {
        let ends = is_program && word.literal() == Some(";");
        is_program = (is_program && !ends) || word.literal().is_some_and(|word| FD_STARTS.contains(&word));
        !(is_program || ends)
    };
    words.iter().filter(is_own).cloned().collect()
}

/// Returns the values of `--search-path`.
fn search_paths(words: &[Argument]) -> impl Iterator<Item = Argument> {
    words.iter().enumerate().filter_map(|(at, word)| match word.prefix() {
        "--search-path" => words.get(at + 1).cloned(),
        _ => word.strip_prefix("--search-path="),
    })
}

/// Returns whether an option of `fd` names a file extension, of which there may be several.
fn is_ending(option: &str) -> bool {
    option.starts_with("--e") || option.starts_with('-') && !option.starts_with("--") && option.contains('e')
}

/// Returns an outline of the names that contain a match of a regular expression, if the expression is plain
/// text except for its ends.
fn plain_expression(expression: &str) -> String {
    let (begin, text) =
        expression.strip_prefix('^').map_or((any_name(), expression), |text| (String::new(), text));
    let (end, text) = text.strip_suffix('$').map_or((any_name(), text), |text| (String::new(), text));
    let is_special = |c: char| ".*+?()|[]{}^$\\".contains(c);
    if text.is_empty() || text.replace("\\.", "").contains(is_special) {
        return any_name();
    }
    format!("{begin}{}{end}", text.replace("\\.", "."))
}

/// Returns the names that `find` looks for: one for each alternative, or any name if an alternative has none. Tests that are
/// negated, and all others, only make fewer files match.
fn names_of_find(words: &[&Argument]) -> Vec<String> {
    let mut names = Vec::new();
    if words.iter().any(|word| word.prefix() == ",") {
        return vec![any_name()];
    }
    for alternative in words.split(|word| matches!(word.prefix(), "-o" | "-or")) {
        let is_negated = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| alternative.get(at)).map(|word| word.prefix());
            matches!(before, Some("!" | "-not"))
        };
        let mut tests = alternative.iter().enumerate();
        let name = tests.find(|(at, word)| word.prefix() == "-name" && !is_negated(*at));
        let name = name.and_then(|(at, _)| alternative.get(at + 1));
        names.push(name.map_or_else(any_name, |name| wildcards(&name.outline())));
    }
    if names.contains(&any_name()) { vec![any_name()] } else { names }
}

fn any_name() -> String {
    Gap::Name.stand_in().into()
}

/// Returns the outline of a pattern that the program itself expands.
pub(in crate::commands) fn wildcards(pattern: &str) -> String {
    let mut outline = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    let last_bracket = pattern.rfind(']').unwrap_or(0);
    while let Some(c) = rest.next() {
        match c {
            '?' => outline.push(Gap::One.stand_in()),
            '*' => outline.push(Gap::Name.stand_in()),
            '[' if pattern.len() - rest.as_str().len() <= last_bracket => {
                outline.push(Gap::One.stand_in());
                rest = rest.as_str().split_once(']').map_or("", |(_, behind)| behind).chars();
            }
            '\\' => outline.extend(rest.next()),
            c => outline.push(c),
        }
    }
    outline
}

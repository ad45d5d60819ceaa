//! Places that a sentence names: where a rule holds, and where it does not.

use super::names::is_path;
use super::tables;
use super::words::Word;

/// Places of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) within: Vec<String>,
    pub(super) except: Vec<String>,
    /// Words that a command must have, such as the name of a context.
    pub(super) with: Vec<String>,
}

impl Scope {
    /// Adds places. Paths are more exact than a kind of place: "in libraries … under `crates/`" is about the crates.
    pub(super) fn narrow(&mut self, places: impl IntoIterator<Item = String>) {
        let places: Vec<String> = places.into_iter().collect();
        let is_kind =
            |globs: &[String]| !globs.is_empty() && globs.iter().any(|glob| glob.starts_with("**/"));
        match (is_kind(&self.within), is_kind(&places)) {
            (true, false) if !places.is_empty() => self.within = places,
            (false, true) if !self.within.is_empty() => {}
            _ => self.within.extend(places),
        }
    }
}

/// Words before an exception that consist of several words.
const OUTSIDE_PHRASES: &[&[&str]] = &[
    &["other", "than"],
    &["apart", "from"],
    &["but", "not", "in"],
    &["anywhere", "but"],
    &["everywhere", "but"],
    &["everywhere", "but", "in"],
    &["unless", "you", "are", "in"],
    &["unless", "it", "is", "in"],
    &["unless", "inside"],
    &["aside", "from"],
    &["save", "for"],
    &["save", "in"],
    &["unless", "in"],
    &["but", "in"],
    &["with", "the", "exception", "of"],
    &["exception"],
    &["exceptions"],
    &["not", "in"],
];

/// Removes the places from `words` and returns them.
pub(super) fn scope(words: &[Word]) -> (Scope, Vec<Word>) {
    let mut scope = Scope::default();
    let mut rest: Vec<Word> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if is_path(word)
            && words
                .get(at + 1)
                .is_some_and(|next| next.is_in(&["excepted", "exempt", "exempted", "excluded"]))
        {
            scope.except.push(glob(&word.text));
            at += 2;
            continue;
        }
        let tail = words.get(at..).unwrap_or_default();
        let outside = if word.is_in(tables::OUTSIDE) { 1 } else { phrase(tail) };
        if outside > 0 {
            let (places, length) = places(tail.get(outside..).unwrap_or_default(), true);
            if !places.is_empty() {
                scope.except.extend(places);
                at += outside + length;
                continue;
            }
        }
        if word.is_in(&["context", "namespace", "cluster"])
            && let Some(next) = tail.get(1).filter(|next| next.is_code)
        {
            scope.with.push(next.text.clone());
            at += 2;
            continue;
        }
        if word.is("with")
            && tail.get(1..4).unwrap_or_default().iter().any(|word| word.is_in(&["variable", "variables"]))
        {
            scope.with.push("$VARIABLE".to_owned());
        }
        if let Some((places, length)) = left(tail) {
            scope.narrow(places);
            at += length;
            continue;
        }
        if word.is_in(tables::PLACE_WORD)
            || word.is("against")
            || word.is("into")
            || word.is("to") && tail.get(1).is_some_and(is_path)
        {
            let (places, length) = places(tail.get(1..).unwrap_or_default(), false);
            // "not even in tests" and "in tests too" restrict nothing.
            let is_added =
                rest.last().is_some_and(|word| word.is_in(&["even", "also", "including", "included"]))
                    || tail.get(1 + length).is_some_and(|word| word.is_in(&["too", "included"]));
            if !places.is_empty() && is_added {
                at += 1 + length;
                at += usize::from(words.get(at).is_some_and(|word| word.is_in(&["too", "included"])));
                continue;
            }
            if !places.is_empty()
                && tail
                    .get(1..=length)
                    .is_some_and(|own| own.iter().any(|word| word.is_in(&["production", "product"])))
                && !tail.get(1..=length).is_some_and(|own| own.iter().any(is_path))
            {
                let others = ["tests", "scripts", "benches", "examples", "docs", "notebooks"];
                scope.except.extend(
                    others
                        .iter()
                        .filter_map(|name| tables::area(name))
                        .flatten()
                        .map(|glob| (*glob).to_owned()),
                );
                at += 1 + length;
                continue;
            }
            if !places.is_empty() {
                if rest.last().is_some_and(|word| word.is_in(&["and", "or", "nor", ","])) {
                    scope.within.extend(places);
                } else {
                    scope.narrow(places);
                }
                at += 1 + length;
                continue;
            }
            let host = tail
                .get(1)
                .filter(|next| word.is("against") && (next.is_code || next.text.contains(['.', '-'])));
            if let Some(host) = host {
                // "Do not run `psql` against `db.example.org`"
                scope.with.push(format!("*{}*", host.text));
                at += 2;
                continue;
            }
        }
        rest.push(word.clone());
        at += 1;
    }
    // "In scripts and commands" is everywhere.
    if scope.within.iter().any(|glob| glob == EVERYWHERE) {
        scope.within.clear();
    }
    (scope, rest)
}

/// Returns the names behind the beginning of an exception, which are no places: "apart from `@acme/client`".
pub(super) fn excepted(words: &[Word]) -> Vec<String> {
    let at = (0..words.len()).find_map(|at| {
        let tail = words.get(at..)?;
        let length = if tail.first()?.is_in(tables::OUTSIDE) { 1 } else { phrase(tail) };
        (length > 0).then_some(at + length)
    });
    let behind = at.and_then(|at| words.get(at..)).unwrap_or_default();
    let is_place = behind.iter().take(2).any(|word| word.is_in(tables::PLACE_WORD) && !word.is("for"));
    let named = super::names::names(behind.get(..behind.len().min(12)).unwrap_or_default());
    let is_clear = |name: &super::names::Name| {
        let is_path = is_path(&Word::new(&name.text, name.is_code));
        let is_known = tables::technology(&name.text.to_lowercase()).is_some();
        !is_path && (is_known || name.is_code && !name.text.contains([' ', '(']))
    };
    if is_place { Vec::new() } else { named.into_iter().filter(is_clear).map(|name| name.text).collect() }
}

/// The glob of all files and commands.
const EVERYWHERE: &str = "**";
/// Words for what is typed into a shell.
const COMMANDS: &[&str] =
    &["command", "commands", "shell", "shells", "terminal", "terminals", "one-liners", "command-lines"];

/// Returns the length of a phrase for an exception that `words` begin with.
fn phrase(words: &[Word]) -> usize {
    let fits = |phrase: &&&[&str]| {
        phrase.iter().enumerate().all(|(at, wanted)| words.get(at).is_some_and(|word| word.is(wanted)))
    };
    let found = OUTSIDE_PHRASES.iter().filter(|phrase| fits(phrase)).max_by_key(|phrase| phrase.len());
    // `not in` is an exception only before a path: "it is not in use".
    found.map_or(0, |phrase| phrase.len())
}

/// Reads a list of places; returns their globs and the number of words.
fn places(words: &[Word], is_exception: bool) -> (Vec<String>, usize) {
    let mut globs: Vec<String> = Vec::new();
    let (mut at, mut end) = (0, 0);
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1);
        if is_path(word)
            && next.is_some_and(|next| next.is_in(&["excepted", "exempt", "exempted", "excluded"]))
        {
            break;
        }
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_definite = before.is_some_and(|word| word.is_in(&["the", "our"]));
        let found = words.get(at..).unwrap_or_default();
        let found = place(found, is_exception || end > 0).or_else(|| unit(found).filter(|_| is_definite));
        if let Some((own, length)) = found {
            // "Except in tests and in `a.py`" names two places.
            let is_listed = at.checked_sub(2).and_then(|at| words.get(at)).is_some_and(is_link);
            let is_inner = |word: &Word| word.is_in(&["under", "below", "in", "inside", "of", "within"]);
            if before.is_some_and(is_inner) && !is_listed {
                // "Production code under `services/`" is in that folder only.
                let mut all = Scope { within: std::mem::take(&mut globs), ..Scope::default() };
                all.narrow(own);
                globs = all.within;
            } else {
                globs.extend(own);
            }
            at += length;
            end = at;
            // Nouns behind a place name its kind.
            while words.get(at).is_some_and(|word| {
                word.is_in(tables::FILLER) || word.is_in(&["service", "app", "tree", "group", "folder"])
            }) {
                at += 1;
                end = at;
            }
        } else if word.is_in(COMMANDS) && !is_exception {
            globs.push(EVERYWHERE.to_owned());
            at += 1;
            end = at;
        } else if word.is_in(&[
            "in",
            "of",
            "for",
            "the",
            "any",
            "all",
            "under",
            "below",
            "inside",
            "our",
            ",",
            "and",
            "or",
            "nor",
            "from",
            "a",
            "an",
            "new",
            "file",
            "files",
            "anything",
            "code",
            "within",
            "everything",
            ":",
            "service",
            "services",
            "repo",
            "package",
            "module",
            "crate",
            "folder",
            "directory",
            "generated",
            "existing",
            "other",
            "matching",
        ]) {
            at += 1;
        } else {
            break;
        }
        if at > end + 4 {
            break;
        }
    }
    (globs, end)
}

/// Returns the places that something is to be kept out of, and the number of words: "out of `a/`".
fn left(words: &[Word]) -> Option<(Vec<String>, usize)> {
    let is_link = matches!(words, [out, of, ..] if out.is_in(&["out", "away"]) && of.is_in(&["of", "from"]));
    let (globs, length) = places(words.get(2..).filter(|_| is_link)?, false);
    (!globs.is_empty()).then_some((globs, length + 2))
}

/// Whether a word joins the items of a list.
fn is_link(word: &Word) -> bool {
    word.is_in(&["and", "or", "nor", ","])
}

/// Nouns for a part of a project that lies in a folder of its name.
const UNITS: &[&str] = &["service", "app", "package", "module", "crate", "worker", "component", "project"];

/// Returns the globs of a part of the project with a common name: "the api service".
fn unit(words: &[Word]) -> Option<(Vec<String>, usize)> {
    let (first, second) = (words.first()?, words.get(1)?);
    let is_name = !first.is_code
        && !first.is_in(tables::ADJECTIVE)
        && !first.is_in(tables::PRONOUN)
        && !first.is_in(&["first", "last", "next", "right", "left", "whole", "entire", "main"])
        && first.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (is_name && second.is_in(UNITS)).then(|| (vec![format!("**/{}/**", first.text)], 2))
}

/// Returns the globs of the place that `words` begin with, and its length.
pub(super) fn place(words: &[Word], is_list: bool) -> Option<(Vec<String>, usize)> {
    let first = words.first()?;
    if let Some(glob) = words
        .get(1)
        .filter(|_| first.is_in(&["package", "packages", "namespace", "namespaces"]))
        .and_then(folder_of)
    {
        // "The package `shop.legacy`" is the folder of that package.
        return Some((vec![glob], 2));
    }
    if is_path(first)
        || (first.is_code && first.text.contains('/') && !first.text.contains([' ', '(', '@', ':']))
    {
        return Some((vec![glob(&first.text)], 1));
    }
    let is_folder = |text: &str| {
        let parts = text.split('/').count();
        (2..6).contains(&parts)
            && text.split('/').all(|part| {
                !part.is_empty()
                    && part
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '*'))
            })
    };
    if is_list && !first.is_code && !first.is("and/or") && is_folder(&first.text) {
        return Some((vec![glob(&format!("{}/", first.text))], 1));
    }
    if first.is_code
        && is_list
        && first.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !first.text.contains('.')
    {
        let next = words.get(1);
        let is_folder =
            next.is_some_and(|word| word.is_in(&["folder", "directory", "service", "app", "tree"]));
        return is_folder.then(|| (vec![glob(&format!("{}/", first.text))], 1));
    }
    let is_unit = words.get(1).is_some_and(|word| word.is_in(UNITS));
    if is_unit
        && !first.is_code
        && super::names::is_unknown(first)
        && tables::technology(&first.lower).is_none()
    {
        // "The billing service" is in a folder of that name.
        return Some((vec![format!("**/{}/**", first.text)], 2));
    }
    (1..=3.min(words.len())).rev().find_map(|length| {
        let part = words.get(..length)?;
        if part.iter().any(|word| word.is_code) {
            return None;
        }
        let text = part.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
        Some((tables::area(&text)?.iter().map(|glob| (*glob).to_owned()).collect(), length))
    })
}

/// Returns the glob of the folder of a namespace: `shop.legacy`.
fn folder_of(word: &Word) -> Option<String> {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let name = word.text.trim_end_matches(".*");
    let is_namespace =
        word.is_code && name.contains('.') && !super::names::is_file(name) && name.split('.').all(is_part);
    is_namespace.then(|| format!("**/{}/**", name.replace('.', "/")))
}

/// Returns all places in `words`, wherever they are.
pub(super) fn all(words: &[Word]) -> Vec<String> {
    let mut globs = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match place(words.get(at..).unwrap_or_default(), !globs.is_empty()) {
            Some((own, length)) => {
                globs.extend(own);
                at += length;
            }
            None => at += 1,
        }
    }
    globs
}

/// Returns a path as a glob of everything in it.
fn glob(path: &str) -> String {
    let path = path.trim_start_matches("./");
    // Each module of a build has these folders.
    if path.starts_with("src/main") || path.starts_with("src/test") {
        return glob(&format!("**/{path}"));
    }
    match path.strip_suffix('/') {
        Some(folder) => format!("{folder}/**"),
        None => path.to_owned(),
    }
}

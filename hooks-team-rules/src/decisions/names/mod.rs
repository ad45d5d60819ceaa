//! Names of things in prose: libraries, calls, patterns, commands and files.

use super::tables;
use super::words::Word;

mod code;
mod forbid;
mod kinds;
mod path;
mod shape;

pub(super) use self::kinds::without_guesses;
use self::kinds::{is_kind, is_version, members};
pub(super) use self::path::{is_file, is_path};
pub(super) use self::shape::is_unknown;
use self::shape::{is_word_form, looks_like_name};

/// Something that prose names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) is_code: bool,
    /// Word behind the name for the kind of thing, such as `package`.
    pub(super) noun: String,
    /// Whether a word before the name restricts it to new ones.
    pub(super) is_new: bool,
}

/// Use of a name in the sentence around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// Verb of the sentence.
    pub(super) verb: String,
    /// Whether another name of the sentence is a call.
    pub(super) is_call: bool,
    /// Whether the sentence is about files that exist.
    pub(super) is_existing: bool,
}

/// Longest name of a table, in words.
const LONGEST: usize = 6;

/// Nouns for something that source text names.
pub(super) const CODE_NOUNS: &[&str] = &[
    "type",
    "types",
    "keyword",
    "keywords",
    "attribute",
    "attributes",
    "annotation",
    "annotations",
    "decorator",
    "decorators",
    "directive",
    "directives",
    "resource",
    "resources",
    "property",
    "properties",
    "instruction",
    "instructions",
    "statement",
    "statements",
    "operator",
    "operators",
    "macro",
    "macros",
    "pragma",
    "pragmas",
];

/// Words before a thing, which no name of a library has.
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "our", "your", "my", "their", "its", "this", "that", "these", "those", "each", "every",
];

impl Name {
    /// Whether it is a mark such as "A" before an answer, or a guess.
    pub(super) fn is_guess_or_short(&self) -> bool {
        self.text.len() < 3 || self.text.eq_ignore_ascii_case("answer") || self.is_guess()
    }

    /// Whether nothing but its place in the sentence shows that this is the name of a library.
    pub(super) fn is_guess(&self) -> bool {
        let lower = self.text.to_lowercase();
        !self.is_code
            && self.noun.is_empty()
            && tables::technology(&lower).is_none()
            && tables::concept(&lower).is_none()
            && !tables::is_named_program(&lower)
            && !looks_like_name(&Word::new(&self.text, false))
            && !self.text.starts_with(char::is_uppercase)
    }
}

/// Returns the names in `words`.
pub(super) fn names(words: &[Word]) -> Vec<Name> {
    if let Some(members) = members(words) {
        return names(&members);
    }
    let mut found = Vec::new();
    // "paramiko-based SFTP" names paramiko.
    let bare = |word: &Word| {
        let stem =
            ["-based", "-backed", "-powered", "-driven"].iter().find_map(|end| word.lower.strip_suffix(end));
        let stem = stem.filter(|stem| !word.is_code && tables::technology(stem).is_some())?;
        Some(Word::new(word.text.get(..stem.len())?, false))
    };
    let mut words: Vec<Word> = words.iter().map(|word| bare(word).unwrap_or_else(|| word.clone())).collect();
    // Some names have a conjunction in them.
    for at in 0..words.len() {
        let phrase = known(words.get(at..).unwrap_or_default()).filter(|(_, length)| *length > 2);
        if let Some((text, length)) =
            phrase.filter(|_| words.get(at + 1).is_some_and(|word| word.is_in(&["&", "and"])))
        {
            found.push(Name { text, is_code: false, noun: String::new(), is_new: false });
            words.drain(at..(at + length).min(words.len()));
        }
    }
    for item in words.split(|word| {
        word.is_in(&[
            "and", "or", "nor", ",", "/", "&", "neither", "both", "either", "plus", "also", ";", "as",
            "well", "\u{2014}",
        ])
    }) {
        in_item(item, &mut found);
    }
    // "malloc, realloc and free": among functions, a word of English is one as well.
    let is_call = |text: &str| tables::concept(text).is_some_and(|known| known.patterns.starts_with("CALL"));
    if found.iter().filter(|name| is_call(&name.text.to_lowercase())).count() > 1 {
        let is_item = |at: usize| {
            let is_end = |word: Option<&Word>| word.is_none_or(|word| word.is_in(&[",", "and", "or", "nor"]));
            is_end(at.checked_sub(1).and_then(|at| words.get(at))) && is_end(words.get(at + 1))
        };
        let own = words
            .iter()
            .enumerate()
            .filter(|(at, word)| !word.is_code && is_call(&word.lower) && is_item(*at));
        let own: Vec<Name> = own
            .map(|(_, word)| Name {
                text: word.text.clone(),
                is_code: false,
                noun: String::new(),
                is_new: false,
            })
            .filter(|name| !found.contains(name))
            .collect();
        found.extend(own);
    }
    // "No `.pl` or `.pm` files": the noun is that of the whole list.
    if let Some(noun) = found.last().map(|name| name.noun.clone()).filter(|noun| noun.starts_with("file")) {
        let endings = found.iter_mut().filter(|name| name.noun.is_empty() && name.text.starts_with('.'));
        endings.for_each(|name| name.noun.clone_from(&noun));
    }
    found
}

/// Adds the names in an item of a list.
fn in_item(item: &[Word], found: &mut Vec<Name>) {
    let is_new = item.iter().any(|word| word.is_in(&["new", "further", "additional"]));
    // "Neither via npm nor from a CDN": the way by which something comes is not what is meant.
    let is_way = item.first().is_some_and(|word| word.is_in(&["via", "through"]))
        || item.first().is_some_and(|word| word.is("from"))
            && item.get(1).is_some_and(|word| word.is_in(&["a", "an", "the", "any"]));
    // "axios yes, superagent no"
    let is_chosen = match item {
        // "no yarn, pnpm it is"
        [_, .., before, last] if before.is("it") && last.is_in(&["is", "will"]) => true,
        [.., before, last] => {
            !before.is_in(tables::BE) && last.is_in(&["yes", "ok", "okay", "fine", "only", "✅", "👍"])
        }
        _ => false,
    };
    if is_way || is_chosen {
        return;
    }
    let mut rest = item;
    // Behind a preposition, a purpose or a place follows.
    let head = item
        .iter()
        .position(|word| {
            word.is_in(&["for", "in", "with", "when", "at", "because", "from", "on", "to", "as"])
        })
        .filter(|at| *at > 0)
        .and_then(|at| item.get(..at))
        .unwrap_or(item);
    let mut plain = 0;
    let before = found.len();
    while let Some((first, behind)) = rest.split_first() {
        if first.is_code
            && behind.first().is_some_and(|word| word.is("with"))
            && behind.get(1).is_some_and(|word| word.is_in(&["f-strings", "f-string"]))
        {
            found.push(Name {
                text: format!("{}(f\"", first.text.trim_end_matches("()")),
                is_code: true,
                noun: String::new(),
                is_new,
            });
            rest = behind;
            continue;
        }
        if let Some(member) = member_of_module(rest) {
            found.push(Name { text: member, is_code: true, noun: String::new(), is_new });
            rest = rest.get(3..).unwrap_or_default();
            continue;
        }
        if let Some((text, length)) = qualified(rest) {
            found.push(Name { text, is_code: false, noun: String::new(), is_new });
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        if first.is_code && behind.first().is_some_and(is_version) {
            rest = behind.get(1..).unwrap_or_default();
            plain += 5;
            continue;
        }
        if first.is_code {
            let noun =
                behind.first().filter(|word| word.is_in(tables::FILLER)).map(|word| word.lower.clone());
            // "columns of type `money`", "the attribute `x`"
            let before = item.len().checked_sub(rest.len() + 1).and_then(|at| item.get(at));
            let is_column = item.iter().any(|word| word.is_in(&["column", "columns"]));
            let kind = before.filter(|word| word.is_in(CODE_NOUNS));
            let kind = kind.map(|word| if is_column { "column".to_owned() } else { word.lower.clone() });
            let noun = if noun.as_deref().is_some_and(|noun| CODE_NOUNS.contains(&noun)) {
                noun
            } else {
                kind.or(noun)
            };
            found.push(Name {
                text: first.text.clone(),
                is_code: true,
                noun: noun.unwrap_or_default(),
                is_new,
            });
            rest = behind;
            continue;
        }
        let before_it = item.get(..item.len() - rest.len()).unwrap_or_default();
        if is_kind(&first.lower, before_it, behind) {
            // Nothing else in the item can be its name.
            rest = behind.get(1..).unwrap_or_default();
            plain += 5;
            continue;
        }
        if let Some((command, length)) = commanded(rest) {
            found.push(Name { text: command, is_code: true, noun: String::new(), is_new });
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        if let Some(version) = versioned(rest) {
            found.push(Name { text: version, is_code: false, noun: String::new(), is_new });
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        if let Some((name, length)) = known(rest) {
            let behind = rest.get(length..).unwrap_or_default();
            let is_word = length == 1 && !first.text.contains(|c: char| !c.is_ascii_lowercase());
            let is_before_noun = behind.first().is_some_and(is_unknown);
            let is_only_pattern = tables::technology(&name).is_none() && is_word;
            if (is_language(&name) || is_only_pattern) && is_before_noun {
                // "Java serialisation" is not the language, "dynamic allocation" not the keyword.
                rest = behind.get(1..).unwrap_or_default();
                plain += 2;
                continue;
            }
            // "numpy 2"
            let behind_noun =
                behind.get(usize::from(behind.first().is_some_and(|word| word.is_in(tables::FILLER)))..);
            if behind_noun.and_then(<[Word]>::first).is_some_and(is_version) && !first.is_code {
                rest = behind_noun.and_then(|behind| behind.get(1..)).unwrap_or_default();
                plain += 2;
                continue;
            }
            let at = item.len() - rest.len();
            if length == 1 && is_english_here(item.get(..at).unwrap_or_default(), first, behind) {
                rest = behind;
                plain += 2;
                continue;
            }
            let noun = behind
                .first()
                .filter(|word| word.is_in(tables::FILLER))
                .map(|word| word.lower.clone())
                .unwrap_or_default();
            if let Some(longer) = longer_name(first, behind).filter(|_| length == 1) {
                // "jQuery UI" is not jQuery.
                found.push(Name { text: longer, is_code: false, noun: String::new(), is_new });
                rest = behind.get(1..).unwrap_or_default();
                continue;
            }
            // A file keeps the case of its name.
            let name = if length == 1 { first.text.clone() } else { name };
            found.push(Name { text: name, is_code: false, noun, is_new });
            rest = behind;
            continue;
        }
        if looks_like_name(first) && !first.is_in(tables::FILLER) {
            let noun = behind
                .first()
                .filter(|word| word.is_in(tables::FILLER))
                .map(|word| word.lower.clone())
                .unwrap_or_default();
            found.push(Name { text: first.text.clone(), is_code: false, noun, is_new });
        } else if !first.is_in(tables::ADJECTIVE)
            && !first.is_in(tables::FILLER)
            && rest.len() + head.len() > item.len()
        {
            plain += 1;
        }
        rest = behind;
    }
    if found.len() > before {
        let own = found.split_off(before);
        found.extend(chosen(own));
        return;
    }
    if plain > 1
        && plain < 5
        && let Some(text) = capitalised(head)
    {
        // "nor its dashboard Flower", "Play JSON"
        found.push(Name { text, is_code: false, noun: String::new(), is_new });
        return;
    }
    if plain != 1 {
        return;
    }
    // A single word without a table: a name, unless it is a word of English.
    let mut own = head.iter().filter(|word| !word.is_in(tables::ADJECTIVE) && !word.is_in(tables::FILLER));
    if let Some(word) = own.next().filter(|word| is_unknown(word) && !is_word_form(word)) {
        let noun = head
            .last()
            .filter(|last| *last != word && last.is_in(tables::FILLER))
            .map(|last| last.lower.clone())
            .unwrap_or_default();
        // "The fairway" is a thing of the domain: a library has no article, unless a noun follows that names its kind.
        let is_thing =
            head.iter().take_while(|before| *before != word).any(|before| before.is_in(DETERMINERS));
        if is_thing && noun.is_empty() && !word.text.starts_with(char::is_uppercase) {
            return;
        }
        found.push(Name { text: word.text.clone(), is_code: false, noun, is_new });
    }
}

/// Returns the only name in capitals among the words of an item: "its dashboard Flower", "Play JSON".
fn capitalised(head: &[Word]) -> Option<String> {
    let is_name = |word: &Word| {
        word.text.starts_with(char::is_uppercase)
            && word.text.len() > 2
            && word.text.chars().all(|c| c.is_alphanumeric() || c == '-')
            && is_unknown(word)
    };
    let first = head.iter().position(is_name)?;
    let length = head.iter().skip(first).take_while(|word| is_name(word)).count();
    let others = head.iter().skip(first + length).any(is_name);
    let is_noun_behind = head.len() > first + length
        && !head.iter().skip(first + length).all(|word| word.is_in(tables::FILLER));
    // The first word of a sentence has a capital as well.
    if others || is_noun_behind || length > 2 || first == 0 && length < 2 {
        return None;
    }
    let own = head.get(first..first + length)?;
    Some(own.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("-"))
}

/// Returns the name of a product that begins with that of another: "Docker Hub", "jQuery UI".
fn longer_name(first: &Word, behind: &[Word]) -> Option<String> {
    let next = behind.first()?;
    let is_name = |word: &Word| {
        !word.is_code
            && word.text.starts_with(char::is_uppercase)
            && word.text.chars().all(char::is_alphanumeric)
            && word.text.len() > 1
    };
    let is_word = next.is_in(tables::FILLER) || next.is_in(tables::ADJECTIVE) || next.is_in(tables::ENGLISH);
    let is_other = tables::technology(&next.lower).is_some() || tables::concept(&next.lower).is_some();
    (is_name(first) && is_name(next) || first.text.chars().any(char::is_uppercase) && is_name(next))
        .then(|| format!("{}-{}", first.text, next.text))
        .filter(|_| !is_word && !is_other)
}

/// Returns the name of a pattern that begins with code, and its length: "`ADD` with a URL".
fn qualified(words: &[Word]) -> Option<(String, usize)> {
    let first = words
        .first()
        .filter(|first| first.is_code && !first.text.contains("...") && tables::begins_name(&first.lower))?;
    (2..=LONGEST.min(words.len())).rev().find_map(|length| {
        let behind = words.get(1..length).filter(|behind| !behind.iter().any(|word| word.is_code))?;
        let text = std::iter::once(first)
            .chain(behind)
            .map(|word| word.lower.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        tables::concept(&text).is_some().then_some((text, length))
    })
}

/// Whether a name that is a word of English as well is that word here: "the express lane", "we combine them".
fn is_english_here(before: &[Word], word: &Word, behind: &[Word]) -> bool {
    let is_written_as_name = word.is_code || word.text.starts_with(char::is_uppercase);
    if is_written_as_name || !word.is_in(tables::COMMON) {
        return false;
    }
    let next = behind.first();
    let has_noun = next.is_some_and(|next| next.is_in(tables::FILLER));
    // "Pull requests"
    let has_article = before.iter().any(|word| word.is_in(DETERMINERS) || word.is_in(&["pull", "merge"]));
    !has_noun && (has_article || next.is_some_and(is_unknown))
}

/// Chooses from the names of one item those that are forbidden: a language or a framework before a code span or a
/// pattern is only the place where that is used.
fn chosen(own: Vec<Name>) -> Vec<Name> {
    if own.iter().any(|name| name.is_code) {
        return own.into_iter().filter(|name| name.is_code).collect();
    }
    let is_pattern = |name: &Name| tables::concept(&name.text.to_lowercase()).is_some();
    if own.len() > 1 && own.last().is_some_and(is_pattern) {
        return own.into_iter().rev().take(1).collect();
    }
    own.into_iter().take(1).collect()
}

/// Returns the longest name of a table that `words` begin with, and its length.
fn known(words: &[Word]) -> Option<(String, usize)> {
    if !tables::begins_name(words.first()?.lower.trim_end_matches("()")) {
        return None;
    }
    (1..=LONGEST.min(words.len())).rev().find_map(|length| {
        let part = words.get(..length)?;
        if part.iter().any(|word| word.is_code && length > 1) {
            return None;
        }
        let text = part.iter().map(|word| word.lower.trim_end_matches("()")).collect::<Vec<_>>().join(" ");
        // A common word alone is a name only where it is written as one.
        let is_common =
            length == 1 && [tables::ENGLISH, tables::ADJECTIVE].iter().any(|list| list.contains(&text));
        let is_known = tables::technology(&text).is_some() || tables::concept(&text).is_some();
        (is_known && !is_common && !tables::ACTOR.contains(&text)).then_some((text, length))
    })
}

/// Whether a technology is a language, of which only its files are known.
fn is_language(name: &str) -> bool {
    tables::technology(name).is_some_and(|known| {
        known.packages.is_empty()
            && known.images.is_empty()
            && known.hosts.is_empty()
            && !known.files.is_empty()
    })
}

/// Returns a member with its module: "`Any` from typing" is `typing.Any`.
fn member_of_module(words: &[Word]) -> Option<String> {
    let [name, from, module, ..] = words else { return None };
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_module = module.is_code || is_unknown(module) && !tables::is_named_program(&module.lower);
    (name.is_code && from.is("from") && is_module && is_word(&name.text) && is_word(&module.text))
        .then(|| format!("{}.{}", module.text, name.text))
}

/// Returns a command that is not in a code span: `curl -k`, `chmod 777`.
fn commanded(words: &[Word]) -> Option<(String, usize)> {
    let first = words.first().filter(|first| !first.is_code && tables::is_named_program(&first.text))?;
    let options = words.iter().skip(1).take_while(|word| {
        !word.is_code
            && (word.text.len() > 1 && word.text.starts_with('-')
                || word.text.chars().all(|c| c.is_ascii_digit()))
    });
    let options: Vec<&str> = options.map(|word| word.text.as_str()).collect();
    (!options.is_empty()).then(|| (format!("{} {}", first.text, options.join(" ")), options.len() + 1))
}

/// Returns a language with its version: `Python 3.8`.
fn versioned(words: &[Word]) -> Option<String> {
    let (first, version) = (words.first()?, words.get(1)?);
    let is_runtime = first.is_in(&[
        "python", "node", "node.js", "ruby", "java", "php", "go", "dotnet", ".net", "jdk", "postgres",
        "mysql", "debian", "ubuntu",
    ]);
    let is_version = version.text.starts_with(|c: char| c.is_ascii_digit())
        && version.text.chars().all(|c| c.is_ascii_digit() || c == '.');
    (is_runtime && is_version && !first.is_code).then(|| format!("{} {}", first.lower, version.text))
}

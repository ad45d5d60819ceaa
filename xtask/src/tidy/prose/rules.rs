//! The rules, each on one passage.

use std::fmt;

use super::text::{Kind, Passage};

/// A rule of plain English.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    /// A doc comment begins with the thing: a noun or a verb.
    Opening,
    /// Actors and actions have their technical names.
    Word,
    /// A sentence has at most [`LONGEST`] words.
    Length,
    /// `# Errors` lists cases, as "Returns `X` if …".
    Errors,
}

/// Words that a doc comment does not begin with: they put a clause in the place of the thing.
const OPENINGS: &[&str] = &[
    "what",
    "who",
    "whoever",
    "whom",
    "whose",
    "where",
    "how",
    "which",
    "why",
    "it",
    "its",
    "they",
    "their",
    "nobody",
    "somebody",
    "anybody",
    "everybody",
];

/// Words that hide the actor or the technical term.
const WORDS: &[&str] = &[
    "somebody",
    "nobody",
    "anybody",
    "everybody",
    "whoever",
    "whom",
    "people",
    "hear",
    "hears",
    "heard",
    "tell",
    "tells",
    "told",
    "say",
    "says",
    "said",
];

/// Phrases of the same kind.
const PHRASES: &[&str] = &[
    "is none",
    "are none",
    "is gone",
    "are gone",
    "who asked",
    concat!("what ", "comes back"),
    concat!("what ", "it was"),
];

/// Phrases that messages avoid as well: "`x` is not a client" is plainer.
const NEGATIONS: &[&str] = &["` is no", "it is no", "this is no"];

/// Words after a negation that make it plain.
const AFTER_NEGATION: &[&str] = &["longer", "more"];

/// Openings that messages may have: a message follows the name of the thing, as in "`path`: it is empty".
const PRONOUNS: &[&str] = &["it", "its", "they", "their"];

/// The most words in a sentence.
const LONGEST: usize = 30;

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Word => "word",
            Self::Length => "length",
            Self::Errors => "errors",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rules that a passage breaks, each with the words that break it.
pub(super) fn check(passage: &Passage) -> Vec<(Rule, String)> {
    let mut found = Vec::new();
    let words = words(&passage.text);
    if let Some(first) = words.first()
        && passage.kind == Kind::Opening
        && OPENINGS.contains(&&**first)
    {
        found.push((Rule::Opening, excerpt(&passage.text)));
    }
    if passage.kind == Kind::Errors && words.first().is_none_or(|first| first != "returns") {
        found.push((Rule::Errors, excerpt(&passage.text)));
    }
    for word in words.iter().filter(|word| WORDS.contains(&&***word)) {
        found.push((Rule::Word, format!("`{word}` in: {}", excerpt(&passage.text))));
    }
    if passage.kind == Kind::Message {
        found.extend(message(&passage.text, &words));
    }
    let line = words.join(" ");
    for phrase in PHRASES.iter().filter(|phrase| line.contains(**phrase)) {
        found.push((Rule::Word, format!("`{phrase}` in: {}", excerpt(&passage.text))));
    }
    for sentence in sentences(&passage.text).filter(|_| passage.kind != Kind::Message) {
        let count = sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        if count > LONGEST {
            found.push((Rule::Length, format!("{count} words: {}", excerpt(sentence))));
        }
    }
    found
}

/// The rules that only messages have.
fn message(text: &str, words: &[String]) -> Vec<(Rule, String)> {
    let mut found = Vec::new();
    // Headings begin with a capital letter, and questions end with their mark.
    let is_statement = text.starts_with(char::is_lowercase) && !text.ends_with('?');
    if is_statement
        && let Some(first) = words.first()
        && OPENINGS.contains(&&**first)
        && !PRONOUNS.contains(&&**first)
    {
        found.push((Rule::Opening, excerpt(text)));
    }
    for four in words.windows(4) {
        let [subject, verb, no, noun] = four else { continue };
        let phrase = format!("{subject} {verb} {no}");
        if NEGATIONS.contains(&&*phrase) && !AFTER_NEGATION.contains(&&**noun) {
            found.push((
                Rule::Word,
                format!("`{} {verb} {no}` in: {}", subject.replace('`', "…"), excerpt(text)),
            ));
        }
    }
    found
}

/// Words in lower case, without what stands in backticks.
fn words(text: &str) -> Vec<String> {
    let outside = text.split('`').step_by(2).collect::<Vec<_>>().join(" ` ");
    outside
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '`')))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    // A colon or a semicolon ends a claim as well.
    text.split_inclusive(['.', '?', '!', ':', ';'])
}

fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(90).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(kind: Kind, text: &str) -> Vec<Rule> {
        check(&Passage { kind, line: 1, text: text.to_owned() }).into_iter().map(|(rule, _)| rule).collect()
    }

    #[test]
    fn an_opening_names_the_thing() {
        assert_eq!(broken(Kind::Opening, "What a store keeps."), [Rule::Opening]);
        assert_eq!(broken(Kind::Opening, "Its name."), [Rule::Opening]);
        assert!(broken(Kind::Opening, "Reads the next record, whatever it holds.").is_empty());
        assert!(broken(Kind::Opening, "`Where` as a type.").is_empty());
        assert!(broken(Kind::Plain, "It is closed.").is_empty());
    }

    #[test]
    fn words_in_backticks_are_names() {
        assert_eq!(broken(Kind::Plain, "Nobody is told."), [Rule::Word, Rule::Word]);
        assert_eq!(broken(Kind::Plain, "A file that is gone."), [Rule::Word]);
        assert!(broken(Kind::Plain, "The method `tell` returns.").is_empty());
    }

    #[test]
    fn messages_state_a_fact_about_the_thing() {
        assert_eq!(broken(Kind::Message, "where the file is cannot be read"), [Rule::Opening]);
        assert_eq!(broken(Kind::Message, "`x` is no client; there are others"), [Rule::Word]);
        assert_eq!(broken(Kind::Message, "nobody read the file"), [Rule::Word, Rule::Opening]);
        for plain in
            ["it is empty", "`x` is no longer read", "Where I Work", "who is there?", "there is no key"]
        {
            assert!(broken(Kind::Message, plain).is_empty(), "{plain}");
        }
        assert!(broken(Kind::Message, &"word ".repeat(LONGEST + 1)).is_empty());
    }

    #[test]
    fn sentences_are_short() {
        let long = "word ".repeat(LONGEST + 1);
        assert_eq!(broken(Kind::Plain, &long), [Rule::Length]);
        assert!(broken(Kind::Plain, &"word ".repeat(LONGEST)).is_empty());
        assert!(broken(Kind::Plain, &format!("{}. {}", "word ".repeat(20), "word ".repeat(20))).is_empty());
    }

    #[test]
    fn errors_list_cases() {
        assert_eq!(broken(Kind::Errors, "The file is damaged."), [Rule::Errors]);
        assert!(broken(Kind::Errors, "Returns `Damaged` if the file cannot be parsed.").is_empty());
    }
}

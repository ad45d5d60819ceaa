//! Standing wishes in languages other than English.
//!
//! The language of a sentence follows from its script, or from words that few other languages have. Each
//! language is a table of the folder `data`: markers, the words that make an instruction of a clause, and the
//! words that make it a report, a requirement or a task. The grammar over these tables is the same for all
//! languages.

mod clauses;
mod identify;
mod phrase;
mod table;
mod wishes;

use std::ops::Range;

pub(super) use self::identify::Languages;
use super::Mode;
use super::sentence::Sentence;
use super::tokens::{Kind, Token};

/// A language, with its words by their function.
#[derive(Debug)]
struct Language {
    /// Two-letter code.
    code: &'static str,
    roles: &'static [(Role, &'static [&'static str])],
}

/// Function of words and phrases in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Words before an instruction that do not change it.
    Filler,
    /// Words between two clauses.
    Join,
    Always,
    Never,
    FromNowOn,
    Prefer,
    Stop,
    /// Announcements of a fact.
    Remember,
    /// "each time", which needs an instruction.
    Each,
    /// Customs of the team or the user.
    Ours,
    /// First words of an instruction.
    Told,
    /// Ends of an instruction.
    Final,
    /// Words or endings after a marker that make it a report.
    Third,
    /// Words that make a clause a report.
    Report,
    /// Words that make a clause a requirement of a product.
    Product,
    /// Words that limit a wish to one task.
    Task,
    Condition,
    /// Starts of a question that is a request.
    Request,
    /// Phrases that withdraw a wish, or only suppose it.
    Undone,
}

/// A language, with those of its phrases that can be in a sentence.
struct Likely {
    code: &'static str,
    roles: Vec<(Role, Vec<&'static str>)>,
}

impl Likely {
    /// Selects the phrases whose first and last letters are in `text`; returns none without a marker.
    fn select(language: &'static Language, text: &str) -> Option<Self> {
        let pairs = phrase::Pairs::collect(text);
        let select = |phrases: &'static [&'static str]| {
            phrases.iter().copied().filter(|phrase| pairs.can_have(phrase)).collect::<Vec<_>>()
        };
        let is_marker = |role: Role| MARKING.contains(&role);
        let (markers, others): (Vec<_>, Vec<_>) =
            language.roles.iter().partition(|(role, _)| is_marker(*role));
        let mut roles: Vec<_> = markers.into_iter().map(|&(role, phrases)| (role, select(phrases))).collect();
        if roles.iter().all(|(_, phrases)| phrases.is_empty()) {
            return None;
        }
        roles.extend(others.into_iter().map(|&(role, phrases)| (role, select(phrases))));
        Some(Self { code: language.code, roles })
    }

    /// Returns the phrases of a function; a language may have none.
    fn phrases(&self, role: Role) -> &[&'static str] {
        self.roles.iter().find(|(known, _)| *known == role).map_or(&[], |(_, phrases)| phrases)
    }

    /// Whether words have spaces between them.
    fn has_spaces(&self) -> bool {
        !matches!(self.code, "zh" | "ja")
    }

    /// Whether the verb ends its clause, so that an instruction is known by its last word.
    fn is_verb_final(&self) -> bool {
        matches!(self.code, "tr" | "ja" | "ko" | "hi")
    }
}

/// Roles of which a sentence with a wish has a phrase.
const MARKING: [Role; 8] = [
    Role::FromNowOn,
    Role::Never,
    Role::Always,
    Role::Prefer,
    Role::Stop,
    Role::Remember,
    Role::Each,
    Role::Ours,
];

/// A wish, with its position in the message.
pub(super) struct Spoken {
    pub(super) mode: Mode,
    pub(super) span: Range<usize>,
}

/// Returns the wishes of a sentence in one of `languages`.
pub(super) fn wishes(languages: &Languages, sentence: &Sentence<'_>) -> Vec<Spoken> {
    let Some(folded) = languages.folded() else { return Vec::new() };
    let Some(span) = sentence.whole() else { return Vec::new() };
    for language in languages.of_sentence(folded, span.clone()) {
        let Some(language) = Likely::select(language, folded.get(span.clone()).unwrap_or_default()) else {
            continue;
        };
        let wishes = wishes::wishes(&language, folded, sentence);
        if !wishes.is_empty() {
            return wishes;
        }
    }
    Vec::new()
}

/// Returns the message in lower case, with the same byte offsets; quotations and code are blank.
fn fold(message: &str, tokens: &[Token<'_>]) -> String {
    let mut folded = String::with_capacity(message.len());
    let mut quoted = tokens.iter().filter(|token| token.kind == Kind::Quoted).peekable();
    for (at, c) in message.char_indices() {
        while quoted.next_if(|token| token.end <= at).is_some() {}
        if quoted.peek().is_some_and(|token| token.start <= at) {
            folded.extend(std::iter::repeat_n('"', c.len_utf8()));
            continue;
        }
        let mut lower = c.to_lowercase();
        let first = lower.next().filter(|first| first.len_utf8() == c.len_utf8());
        folded.push(first.filter(|_| lower.next().is_none()).unwrap_or(c));
    }
    folded
}

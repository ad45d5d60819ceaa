//! Compares patterns with names that are known in part: a wildcard of a command, a variable that nobody set.
//!
//! Such a name is an *outline*: a path in normal form in which [`Gap::stand_in`] stands for what is not known. A pattern
//! *covers* it if it matches whatever the gaps become, and *meets* it if it matches something they may become.

use super::matcher::MAX_TOKENS;
use super::pattern::Token;
use super::set::{Globs, character};

/// What is not known of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// One character of a name, as a shell's `?`.
    One,
    /// Any part of a name, as a shell's `*`.
    Name,
    /// Nothing, or folders with a slash behind each.
    Folders,
    /// Anything, `..` as well.
    Any,
}

/// Where the private characters that stand for gaps begin.
const FIRST: u32 = 0xE110;

const GAPS: [Gap; 4] = [Gap::One, Gap::Name, Gap::Folders, Gap::Any];

impl Gap {
    /// The private character that stands for it in an outline.
    pub fn stand_in(self) -> char {
        let place = GAPS.iter().zip(FIRST..).find(|(gap, _)| **gap == self);
        place.and_then(|(_, code)| char::from_u32(code)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The gap that a character stands for.
    pub fn of(c: char) -> Option<Self> {
        GAPS.get(usize::try_from(u32::from(c).checked_sub(FIRST)?).ok()?).copied()
    }

    /// As a person writes it.
    pub fn shown(self) -> &'static str {
        match self {
            Self::One => "?",
            Self::Name => "*",
            Self::Folders => "**/",
            Self::Any => "…",
        }
    }

    /// Whether it may hold slashes.
    pub fn is_deep(self) -> bool {
        matches!(self, Self::Folders | Self::Any)
    }
}

/// An outline as a person reads it.
pub fn shown(outline: &str) -> String {
    let mut text = String::with_capacity(outline.len());
    for c in outline.chars() {
        match Gap::of(c) {
            Some(gap) => text.push_str(gap.shown()),
            None => text.push(c),
        }
    }
    text
}

/// Whether an outline may stand for a text.
pub fn may_be(outline: &str, text: &str) -> bool {
    let tokens: Vec<_> = text.chars().map(Token::Char).collect();
    letters(outline).is_none_or(|outline| Places::after(&tokens, &outline).are_at_end())
}

impl Globs {
    /// Whether one of the patterns matches whatever the gaps of an outline become.
    pub fn covers(&self, outline: &str) -> bool {
        let Some(outline) = letters(outline) else { return false };
        let matches = |tokens: &[Token]| {
            let places = outline.iter().fold(Places::start(tokens), |places, letter| places.covered(*letter));
            places.are_at_end()
        };
        self.every().any(|(_, tokens)| matches(&tokens))
    }

    /// The first pattern that matches something that the gaps of an outline may become.
    ///
    /// Without `tails`, patterns that end in `**` are passed over. An outline of more than some hundred characters is
    /// taken to meet them all.
    pub fn meets(&self, outline: &str, tails: bool) -> Option<usize> {
        let Some(outline) = letters(outline) else { return (!self.is_empty()).then_some(0) };
        let is_met = |tokens: &[Token]| {
            let is_tail = matches!(tokens.last(), Some(Token::Deep | Token::DeepLine));
            (tails || !is_tail) && Places::after(tokens, &outline).are_at_end()
        };
        self.every().filter(|(_, tokens)| is_met(tokens)).map(|(index, _)| index).min()
    }

    /// The first pattern of something below a folder that the gaps of an outline may become; as far as the pattern
    /// has no wildcard, as [`find_below`](Self::find_below) has it.
    pub fn meets_below(&self, outline: &str) -> Option<usize> {
        let Some(outline) = letters(outline) else { return (!self.is_empty()).then_some(0) };
        let is_met = |tokens: &[Token]| {
            let end = tokens.iter().position(|token| character(*token).is_none()).unwrap_or(tokens.len());
            Places::after(tokens.get(..end).unwrap_or_default(), &outline).are_before_a_slash()
        };
        self.every().filter(|(_, tokens)| is_met(tokens)).map(|(index, _)| index).min()
    }
}

#[derive(Clone, Copy, Debug)]
enum Letter {
    Char(char),
    /// With whether it begins a name: what a shell fills in there is no dot.
    Gap(Gap, bool),
}

/// The outline read; `None` where it is too long to be compared.
fn letters(outline: &str) -> Option<Vec<Letter>> {
    let outline = outline.trim_end_matches('/');
    let mut begins = true;
    let mut letters = Vec::with_capacity(outline.len());
    let mut characters = outline.chars().peekable();
    while let Some(c) = characters.next() {
        // Two wildcards in a row are one.
        if matches!((letters.last(), Gap::of(c)), (Some(Letter::Gap(Gap::Name, _)), Some(Gap::Name))) {
            continue;
        }
        letters.push(Gap::of(c).map_or(Letter::Char(c), |gap| Letter::Gap(gap, begins)));
        begins = c == '/' || Gap::of(c) == Some(Gap::Folders);
        // It may be the very folder that paths are relative to.
        if Gap::of(c) == Some(Gap::Any) && characters.next_if_eq(&'/').is_some() {
            begins = true;
        }
    }
    (letters.len() <= MAX_TOKENS).then_some(letters)
}

/// The places in the tokens of a pattern that a match may stand at; place `n` is before token `n`.
struct Places<'t> {
    tokens: &'t [Token],
    alive: Vec<bool>,
}

impl<'t> Places<'t> {
    fn none(tokens: &'t [Token]) -> Self {
        Self { tokens, alive: vec![false; tokens.len() + 1] }
    }

    fn start(tokens: &'t [Token]) -> Self {
        let mut places = Self::none(tokens);
        places.enter(0);
        places
    }

    /// Where a match may stand behind an outline.
    fn after(tokens: &'t [Token], outline: &[Letter]) -> Self {
        let mut places = Self::start(tokens);
        for letter in outline {
            // Most patterns end here after a few letters.
            if !places.alive.contains(&true) {
                break;
            }
            places = places.met(*letter);
        }
        places
    }

    fn insert(&mut self, place: usize) {
        if let Some(alive) = self.alive.get_mut(place) {
            *alive = true;
        }
    }

    /// Inserts a place and those that can be reached from it without a character.
    fn enter(&mut self, mut place: usize) {
        self.insert(place);
        while matches!(
            self.tokens.get(place),
            Some(Token::Star | Token::Deep | Token::DeepLine | Token::Folders)
        ) {
            place += 1;
            self.insert(place);
        }
    }

    fn is_alive(&self, place: usize) -> bool {
        self.alive.get(place).copied().unwrap_or_default()
    }

    fn are_at_end(&self) -> bool {
        self.is_alive(self.tokens.len())
    }

    fn are_before_a_slash(&self) -> bool {
        let mut places = self.tokens.iter().enumerate();
        places.any(|(place, token)| *token == Token::Char('/') && self.is_alive(place))
    }

    /// The places behind a character.
    fn character(&self, c: char) -> Self {
        let mut next = Self::none(self.tokens);
        for (place, token) in self.tokens.iter().enumerate().filter(|(place, _)| self.is_alive(*place)) {
            match token {
                Token::Char(expected) if *expected == c => next.enter(place + 1),
                Token::One if c != '/' => next.enter(place + 1),
                Token::Any => next.enter(place + 1),
                Token::Star if c != '/' => next.enter(place),
                Token::Deep | Token::DeepLine => next.enter(place),
                Token::Folders if c == '/' => {
                    next.insert(place);
                    next.enter(place + 1);
                }
                Token::Folders => next.insert(place),
                _ => {}
            }
        }
        next
    }

    /// The places that are right whatever a letter becomes.
    fn covered(&self, letter: Letter) -> Self {
        let gap = match letter {
            Letter::Char(c) => return self.character(c),
            Letter::Gap(gap, _) => gap,
        };
        let mut next = Self::none(self.tokens);
        for (place, token) in self.tokens.iter().enumerate().filter(|(place, _)| self.is_alive(*place)) {
            match (token, gap) {
                (_, Gap::Any) => {}
                (Token::One | Token::Any, Gap::One) => next.enter(place + 1),
                (Token::Star, Gap::One | Gap::Name) | (Token::Folders, Gap::Folders) => next.enter(place),
                (Token::Deep | Token::DeepLine, _) => next.enter(place),
                (Token::Folders, _) => next.insert(place),
                _ => {}
            }
        }
        next
    }

    /// The places that something a letter may become leads to.
    fn met(mut self, letter: Letter) -> Self {
        match letter {
            Letter::Char(c) => self.character(c),
            Letter::Gap(Gap::One, begins) => self.one(begins),
            Letter::Gap(Gap::Name, begins) => {
                let mut more = self.one(begins);
                // Tokens only lead on, so once through them is enough.
                for place in 0..more.tokens.len() {
                    if more.is_alive(place) {
                        more.pass(place, false);
                    }
                }
                for (place, alive) in self.alive.into_iter().enumerate() {
                    if alive {
                        more.insert(place);
                    }
                }
                more
            }
            Letter::Gap(Gap::Folders | Gap::Any, _) => {
                let first = self.alive.iter().position(|alive| *alive).unwrap_or(self.alive.len());
                self.alive.iter_mut().skip(first).for_each(|alive| *alive = true);
                self
            }
        }
    }

    /// The places behind one character of a name, which is no dot where the name `begins`.
    fn one(&self, begins: bool) -> Self {
        let mut next = Self::none(self.tokens);
        for place in (0..self.tokens.len()).filter(|place| self.is_alive(*place)) {
            next.pass(place, begins);
        }
        next
    }

    /// Inserts where one character of a name leads to from a place.
    fn pass(&mut self, place: usize, begins: bool) {
        match self.tokens.get(place) {
            Some(Token::Char('/')) | None => {}
            Some(Token::Char('.')) if begins => {}
            Some(Token::Char(_) | Token::One | Token::Any) => self.enter(place + 1),
            Some(Token::Star | Token::Deep | Token::DeepLine) => self.enter(place),
            Some(Token::Folders) => self.insert(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::GlobOptions;
    use super::*;

    /// `?`, `*`, `**/` and `…` as gaps.
    fn outline(text: &str) -> String {
        let gaps = [Gap::Folders, Gap::Name, Gap::One, Gap::Any];
        gaps.into_iter()
            .fold(text.to_owned(), |text, gap| text.replace(gap.shown(), &gap.stand_in().to_string()))
    }

    fn globs(pattern: &str) -> Globs {
        Globs::compile([pattern], &GlobOptions::default()).unwrap()
    }

    #[test]
    fn a_pattern_covers_what_it_always_matches() {
        for (pattern, text, wanted) in [
            ("src/**", "src/a*", true),
            ("src/**", "src/*/b?", true),
            ("src/**", "src/**/*.rs", true),
            ("src/**/*.rs", "src/**/*.rs", true),
            ("src/**", "s*/a", false),
            ("src/**", "src/…", false),
            ("docs/*.md", "docs/*.md", true),
            ("docs/*.md", "docs/**/*.md", false),
            ("docs/*.md", "docs/*", false),
            ("docs/?.md", "docs/?.md", true),
            ("docs/?.md", "docs/*.md", false),
        ] {
            assert_eq!(globs(pattern).covers(&outline(text)), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_meets_what_it_may_match() {
        for (pattern, text, wanted) in [
            ("hooks.yaml", "hooks.y?ml", true),
            ("hooks.yaml", "h*", true),
            ("hooks.yaml", "*", true),
            ("hooks.yaml", "*.yml", false),
            ("hooks.yaml", "**/*.yaml", true),
            ("hooks.yaml", "**/*.py", false),
            ("hooks.yaml", "…/hooks.yaml", true),
            ("sub/hooks.yaml", "*", false),
            (".claude/settings.json", "*/settings.json", false),
            (".claude/settings.json", ".*/settings.json", true),
            ("secret/**", "secre?/a", true),
            ("secret/**", "src/*", false),
            ("**/*.key", "src/*", true),
            ("**/.env", "src/*", false),
            ("a/*.b", "?/x*", true),
        ] {
            assert_eq!(globs(pattern).meets(&outline(text), true).is_some(), wanted, "{pattern} {text}");
        }
        assert_eq!(globs("secret/**").meets(&outline("**/*.py"), false), None);
        assert_eq!(globs("secret/a").meets(&"?".repeat(600), true), Some(0));
    }

    #[test]
    fn a_folder_known_in_part_has_patterns_below() {
        for (pattern, text, wanted) in [
            (".claude/settings.json", ".cl*", true),
            (".claude/settings.json", ".clx*", false),
            ("gen/x*/y", "g?n", true),
            ("gen/x*/y", "gen/*", false),
            ("hooks.yaml", "h*", false),
        ] {
            assert_eq!(globs(pattern).meets_below(&outline(text)).is_some(), wanted, "{pattern} {text}");
        }
    }
}

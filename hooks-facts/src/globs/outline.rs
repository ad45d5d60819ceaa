//! Compares patterns with partly known names: a wildcard of a command, an unset variable.
//!
//! Such a name is an *outline*: a path in normal form in which [`Gap::stand_in`] stands for the unknown
//! parts. A pattern *covers* an outline if it matches all texts that the gaps may stand for, and *meets* it
//! if it matches at least one of them.

use super::matcher::MAX_TOKENS;
use super::pattern::Token;
use super::set::{Globs, character};

/// Unknown part of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// One character of a name, like a shell's `?`.
    One,
    /// Any part of a name, like a shell's `*`.
    Name,
    /// Nothing, or folders with a slash after each.
    Folders,
    /// Anything, also `..`.
    Any,
    /// Anything: a line of a list of names that the command looks up.
    Listed,
}

/// First of the private characters that stand for gaps.
const FIRST: u32 = 0xE110;

const GAPS: [Gap; 5] = [Gap::One, Gap::Name, Gap::Folders, Gap::Any, Gap::Listed];

impl Gap {
    /// Returns the private character that stands for the gap in an outline.
    pub fn stand_in(self) -> char {
        let place = GAPS.iter().zip(FIRST..).find(|(gap, _)| **gap == self);
        place.and_then(|(_, code)| char::from_u32(code)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Returns the gap that a character stands for.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    /// use hooks_facts::globs::Gap;
    ///
    /// let analysis = Analysis::of_text("rm src/*.o", &Options::default());
    /// let outline = analysis.invocations[0].argv[1].outline();
    /// assert_eq!(outline.chars().find_map(Gap::from_char), Some(Gap::Name));
    /// ```
    pub fn from_char(c: char) -> Option<Self> {
        GAPS.get(usize::try_from(u32::from(c).checked_sub(FIRST)?).ok()?).copied()
    }

    /// Returns the gap in the usual notation.
    pub fn shown(self) -> &'static str {
        match self {
            Self::One => "?",
            Self::Name => "*",
            Self::Folders => "**/",
            Self::Any | Self::Listed => "…",
        }
    }

    /// Returns whether the gap may contain slashes.
    pub fn is_deep(self) -> bool {
        self == Self::Folders || self.is_anything()
    }

    /// Returns whether nothing is known of the part.
    pub fn is_anything(self) -> bool {
        matches!(self, Self::Any | Self::Listed)
    }

    /// Returns whether a character of an outline stands for a part of which nothing is known.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    /// use hooks_facts::globs::Gap;
    ///
    /// let analysis = Analysis::of_text("cat $DAY/a.log logs/*.log", &Options::default());
    /// let unknown = |at: usize| analysis.invocations[0].argv[at].outline().contains(Gap::is_anything_at);
    /// assert!(unknown(1));
    /// assert!(!unknown(2)); // a wildcard stands for a name
    /// ```
    pub fn is_anything_at(c: char) -> bool {
        Self::from_char(c).is_some_and(Self::is_anything)
    }
}

/// Formats an outline for messages.
///
/// ```
/// use hooks_facts::commands::{Analysis, Options};
/// use hooks_facts::globs::shown;
///
/// let analysis = Analysis::of_text("cat logs/$DAY", &Options::default());
/// assert_eq!(shown(&analysis.invocations[0].argv[1].outline()), "logs/…");
/// ```
pub fn shown(outline: &str) -> String {
    let mut text = String::with_capacity(outline.len());
    for c in outline.chars() {
        match Gap::from_char(c) {
            Some(gap) => text.push_str(gap.shown()),
            None => text.push(c),
        }
    }
    text
}

/// Returns whether an outline may stand for a text.
///
/// ```
/// use hooks_facts::commands::{Analysis, Options};
/// use hooks_facts::globs::may_be;
///
/// let analysis = Analysis::of_text("cat logs/$DAY", &Options::default());
/// let outline = analysis.invocations[0].argv[1].outline();
/// assert!(may_be(&outline, "logs/monday.txt"));
/// assert!(!may_be(&outline, "src/main.rs"));
/// ```
pub fn may_be(outline: &str, text: &str) -> bool {
    let tokens: Vec<_> = text.chars().map(Token::Char).collect();
    letters(outline).is_none_or(|outline| Places::after(&tokens, &outline).are_at_end())
}

impl Globs {
    /// Returns whether one of the patterns matches all texts that an outline may stand for.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    /// use hooks_facts::globs::{GlobOptions, Globs};
    ///
    /// // The outline of a name with a wildcard of the shell.
    /// let analysis = Analysis::of_text("rm src/*.rs", &Options::default());
    /// let outline = analysis.invocations[0].argv[1].outline();
    /// let globs = |pattern| Globs::compile([pattern], &GlobOptions::default()).unwrap();
    /// assert!(globs("src/**").covers(&outline));
    /// assert!(!globs("src/a.rs").covers(&outline)); // it may be another file
    /// assert_eq!(globs("src/a.rs").meets(&outline, true), Some(0)); // but it may be this one
    /// assert_eq!(globs("docs/*").meets(&outline, true), None);
    /// ```
    pub fn covers(&self, outline: &str) -> bool {
        let Some(outline) = letters(outline) else { return false };
        let matches = |tokens: &[Token]| {
            let places = outline.iter().fold(Places::start(tokens), |places, letter| places.covered(*letter));
            places.are_at_end()
        };
        self.every().any(|(_, tokens)| matches(&tokens))
    }

    /// Returns the first pattern that matches some text that an outline may stand for.
    ///
    /// Without `tails`, patterns that end with `**` are skipped. An outline of more than some hundred
    /// characters meets all patterns.
    pub fn meets(&self, outline: &str, tails: bool) -> Option<usize> {
        let Some(outline) = letters(outline) else { return (!self.is_empty()).then_some(0) };
        let is_met = |tokens: &[Token]| {
            let is_tail = matches!(tokens.last(), Some(Token::Deep | Token::DeepLine));
            (tails || !is_tail) && Places::after(tokens, &outline).are_at_end()
        };
        self.every().filter(|(_, tokens)| is_met(tokens)).map(|(index, _)| index).min()
    }

    /// Returns the first pattern that an outline names, as far as it is known: of the last part of the outline with a known
    /// name, each known character is one that the pattern names too. `docs/*.md` may be `docs/id_rsa.md`, but does not name
    /// `**/id_rsa*`; `.en?` names `**/.env`.
    ///
    /// ```
    /// use hooks_facts::globs::{Gap, GlobOptions, Globs};
    ///
    /// let globs = Globs::compile(["**/.env", "**/id_rsa*"], &GlobOptions::default()).unwrap();
    /// let (one, name) = (Gap::One.stand_in(), Gap::Name.stand_in());
    /// assert_eq!(globs.names(&format!(".en{one}")), Some(0));
    /// assert_eq!(globs.names(&format!("docs/{name}.md")), None);
    /// assert_eq!(globs.names(&format!("docs/{one}{name}.md")), None);
    /// ```
    pub fn names(&self, outline: &str) -> Option<usize> {
        let Some(outline) = letters(outline) else { return (!self.is_empty()).then_some(0) };
        let (start, end) = last_named(&outline)?;
        // Nothing before it in the name is known.
        let begins = |at: usize| {
            let before = outline.get(start..at);
            before.is_some_and(|before| before.iter().all(|letter| matches!(letter, Letter::Gap(..))))
        };
        let is_met = |tokens: &[Token]| {
            let mut places = Places::start(tokens);
            for (at, letter) in outline.iter().enumerate() {
                if !places.alive.contains(&true) {
                    return false;
                }
                places = match letter {
                    Letter::Char(c) if at >= start && at < end => places.named(*c),
                    Letter::Gap(Gap::Name, _) if begins(at) => places.past_wildcards(false),
                    Letter::Gap(Gap::Folders | Gap::Any | Gap::Listed, _) => places.past_wildcards(true),
                    letter => places.met(*letter),
                };
            }
            places.are_at_end()
        };
        self.every().filter(|(_, tokens)| is_met(tokens)).map(|(index, _)| index).min()
    }

    /// Returns the first pattern for something below a folder that an outline may stand for. As in
    /// [`find_below`](Self::find_below), only the part of the pattern before the first wildcard counts.
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
    /// A gap, and whether it starts a name: a shell's wildcard does not match a dot there.
    Gap(Gap, bool),
}

/// Parses an outline; `None` if it is too long to be compared.
fn letters(outline: &str) -> Option<Vec<Letter>> {
    let outline = outline.trim_end_matches('/');
    let mut begins = true;
    let mut letters = Vec::with_capacity(outline.len());
    let mut characters = outline.chars().peekable();
    while let Some(c) = characters.next() {
        // The line of a list may be anything.
        let c = if c == Gap::Listed.stand_in() { Gap::Any.stand_in() } else { c };
        // Two wildcards in a row count as one.
        if matches!((letters.last(), Gap::from_char(c)), (Some(Letter::Gap(Gap::Name, _)), Some(Gap::Name))) {
            continue;
        }
        letters.push(Gap::from_char(c).map_or(Letter::Char(c), |gap| Letter::Gap(gap, begins)));
        begins = c == '/' || Gap::from_char(c) == Some(Gap::Folders);
        // The gap may be the folder that paths are relative to.
        if Gap::from_char(c) == Some(Gap::Any) && characters.next_if_eq(&'/').is_some() {
            begins = true;
        }
    }
    (letters.len() <= MAX_TOKENS).then_some(letters)
}

/// Returns the positions of the last part of an outline with a known letter or digit; `None` if it has no such part.
fn last_named(outline: &[Letter]) -> Option<(usize, usize)> {
    let is_joint = |letter: &Letter| {
        matches!(letter, Letter::Char('/') | Letter::Gap(Gap::Folders | Gap::Any | Gap::Listed, _))
    };
    let (mut found, mut start, mut is_named) = (None, 0, false);
    for (at, letter) in outline.iter().enumerate() {
        if is_joint(letter) {
            found = if is_named { Some((start, at)) } else { found };
            (start, is_named) = (at + 1, false);
        }
        is_named |= matches!(letter, Letter::Char(c) if c.is_alphanumeric());
    }
    if is_named { Some((start, outline.len())) } else { found }
}

/// Possible positions of a match among the tokens of a pattern; position `n` is before token `n`.
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

    /// Returns the positions after an outline.
    fn after(tokens: &'t [Token], outline: &[Letter]) -> Self {
        let mut places = Self::start(tokens);
        for letter in outline {
            // Most patterns fail after a few letters.
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

    /// Inserts a position and those that can be reached from it without a character.
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

    /// Returns the positions after a character.
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

    /// Returns the positions that are right for every text that a letter may stand for.
    /// After a character that the pattern has to name, or that is below a folder that it names.
    fn named(&self, c: char) -> Self {
        let mut next = Self::none(self.tokens);
        for (place, token) in self.tokens.iter().enumerate().filter(|(place, _)| self.is_alive(*place)) {
            match token {
                Token::Char(expected) if *expected == c => next.enter(place + 1),
                Token::Deep | Token::DeepLine if place > 0 => next.enter(place),
                // Behind characters that were named: `.env.*`.
                Token::Star if self.is_behind_a_name(place) => next.enter(place),
                _ => {}
            }
        }
        next
    }

    fn is_behind_a_name(&self, place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|before| self.tokens.get(before));
        matches!(before, Some(Token::Char(c)) if *c != '/')
    }

    /// After a gap that stands for nothing that the pattern names.
    fn past_wildcards(mut self, crosses: bool) -> Self {
        for place in 0..self.tokens.len() {
            let passes = match self.tokens.get(place) {
                Some(Token::Char('/')) => crosses,
                Some(Token::Char(_)) | None => false,
                Some(_) => true,
            };
            if passes && self.is_alive(place) {
                self.enter(place + 1);
            }
        }
        self
    }

    fn covered(&self, letter: Letter) -> Self {
        let gap = match letter {
            Letter::Char(c) => return self.character(c),
            Letter::Gap(gap, _) => gap,
        };
        let mut next = Self::none(self.tokens);
        for (place, token) in self.tokens.iter().enumerate().filter(|(place, _)| self.is_alive(*place)) {
            match (token, gap) {
                (_, Gap::Any | Gap::Listed) => {}
                (Token::One | Token::Any, Gap::One) => next.enter(place + 1),
                (Token::Star, Gap::One | Gap::Name) | (Token::Folders, Gap::Folders) => next.enter(place),
                (Token::Deep | Token::DeepLine, _) => next.enter(place),
                (Token::Folders, _) => next.insert(place),
                _ => {}
            }
        }
        next
    }

    /// Returns the positions after some text that a letter may stand for.
    fn met(mut self, letter: Letter) -> Self {
        match letter {
            Letter::Char(c) => self.character(c),
            Letter::Gap(Gap::One, begins) => self.one(begins),
            Letter::Gap(Gap::Name, begins) => {
                let mut more = self.one(begins);
                // Tokens only lead forward, so one pass is enough.
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
            Letter::Gap(Gap::Folders | Gap::Any | Gap::Listed, _) => {
                let first = self.alive.iter().position(|alive| *alive).unwrap_or(self.alive.len());
                self.alive.iter_mut().skip(first).for_each(|alive| *alive = true);
                self
            }
        }
    }

    /// Returns the positions after one character of a name, which is not a dot if the name `begins`.
    fn one(&self, begins: bool) -> Self {
        let mut next = Self::none(self.tokens);
        for place in (0..self.tokens.len()).filter(|place| self.is_alive(*place)) {
            next.pass(place, begins);
        }
        next
    }

    /// Inserts the positions after one character of a name, starting at a position.
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

    /// Replaces `?`, `*`, `**/` and `…` by gaps.
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

//! Paths that show how patterns differ.

use std::collections::{HashSet, VecDeque};

use super::dialect::PatternDialect;
use super::pattern::{self, Token};

/// Most patterns that are compared with each other; of more, the first.
const MOST_PATTERNS: usize = 64;
/// Most places in an alternative, which are the bits of a number.
const MOST_TOKENS: usize = 63;
/// Characters that stand for those that no pattern has.
const OTHERS: [char; 6] = ['x', 'q', 'z', 'w', '0', '~'];
/// Beginnings of patterns that are not relative.
const BEGINNINGS: [&str; 3] = ["", "/", "~/"];

/// One path for each way in which a path can match some of the patterns and not the others, as far as `steps` steps of
/// the search find them; the shortest of its kind. Patterns with a mistake are left out.
///
/// A decision that depends only on which patterns match is the same for all paths that match the same ones. So these paths
/// show everything that two lists of these patterns decide differently.
///
/// ```
/// use hooks_facts::globs::{PatternDialect, examples};
///
/// let paths = examples(["src/**", "**/*.md"], PatternDialect::Standard, 10_000);
/// assert_eq!(paths, ["x", ".md", "src/x", "src/.md"]); // neither, the second, the first, both
/// assert_eq!(examples(["app/[a]", "app/[b]"], PatternDialect::Standard, 10_000), ["x", "app/[a]", "app/[b]"]);
/// ```
pub fn examples<P: AsRef<str>>(
    patterns: impl IntoIterator<Item = P>,
    dialect: PatternDialect,
    steps: usize,
) -> Vec<String> {
    let patterns: Vec<P> = patterns.into_iter().take(MOST_PATTERNS).collect();
    let mut found = Vec::new();
    for beginning in BEGINNINGS {
        let is_other = |pattern: &str| BEGINNINGS.iter().skip(1).any(|other| pattern.starts_with(other));
        let group = patterns.iter().map(AsRef::as_ref).filter_map(|pattern: &str| match beginning {
            "" => (!is_other(pattern)).then_some(pattern),
            // A pattern that begins with `**/` matches everywhere.
            _ => pattern.strip_prefix(beginning).or_else(|| pattern.starts_with("**/").then_some(pattern)),
        });
        let group: Vec<&str> = group.collect();
        if beginning.is_empty() || patterns.iter().any(|pattern| pattern.as_ref().starts_with(beginning)) {
            let paths = Search::new(&group, dialect).run(steps);
            found.extend(paths.into_iter().map(|path| format!("{beginning}{path}")));
        }
    }
    found
}

/// Place in the last segment of a path, so that only paths in normal form are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Segment {
    Start,
    Dot,
    Dots,
    Name,
}

/// Everything that decides how a path goes on: for each alternative, the places of the match as bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    places: Vec<u64>,
    segment: Segment,
}

struct Search {
    /// The alternatives of all patterns, with the number of their pattern.
    alternatives: Vec<(usize, Vec<Token>)>,
    letters: Vec<char>,
}

impl Search {
    fn new(patterns: &[&str], dialect: PatternDialect) -> Self {
        let mut alternatives = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let parsed = pattern::parse(pattern, dialect).unwrap_or_default().alternatives;
            let short = parsed.into_iter().filter(|tokens| tokens.len() <= MOST_TOKENS);
            alternatives.extend(short.map(|tokens| (number, tokens)));
        }
        let all = alternatives.iter().flat_map(|(_, tokens)| tokens);
        let mut letters: Vec<char> = all
            .filter_map(|token| match token {
                Token::Char(c) if *c != '/' => Some(*c),
                _ => None,
            })
            .collect();
        letters.sort_unstable();
        letters.dedup();
        let other = OTHERS.into_iter().find(|other| !letters.contains(other));
        // What no pattern names comes first, so that examples are as plain as they can be.
        let letters = other.into_iter().chain(letters).chain(['/']).collect();
        Self { alternatives, letters }
    }

    /// Goes on from each state once, the shortest path first.
    fn run(&self, steps: usize) -> Vec<String> {
        let start = State {
            places: self.alternatives.iter().map(|(_, tokens)| entered(0, tokens)).collect(),
            segment: Segment::Start,
        };
        let mut found: HashSet<u64> = HashSet::new();
        let mut paths = Vec::new();
        let mut seen = HashSet::from([start.clone()]);
        let mut open = VecDeque::from([(start, String::new())]);
        let mut left = steps;
        while let Some((state, path)) = open.pop_front() {
            if state.segment == Segment::Name && found.insert(self.matched(&state)) {
                paths.push(path.clone());
            }
            for letter in &self.letters {
                if left == 0 {
                    return paths;
                }
                let Some(next) = self.next(&state, *letter) else { continue };
                left -= 1;
                if seen.insert(next.clone()) {
                    open.push_back((next, format!("{path}{letter}")));
                }
            }
        }
        paths
    }

    fn next(&self, state: &State, letter: char) -> Option<State> {
        let segment = match (state.segment, letter) {
            (Segment::Name, '/') => Segment::Start,
            (_, '/') => return None,
            (Segment::Start, '.') => Segment::Dot,
            (Segment::Dot, '.') => Segment::Dots,
            _ => Segment::Name,
        };
        let places = self.alternatives.iter().zip(&state.places);
        let places = places.map(|((_, tokens), places)| stepped(*places, tokens, letter)).collect();
        Some(State { places, segment })
    }

    /// The patterns that match here, as bits.
    fn matched(&self, state: &State) -> u64 {
        let all = self.alternatives.iter().zip(&state.places);
        all.filter(|((_, tokens), places)| **places >> tokens.len() & 1 == 1)
            .fold(0, |matched, ((number, _), _)| matched | 1 << number)
    }
}

/// A place, and those that can be reached from it without a character.
fn entered(mut place: usize, tokens: &[Token]) -> u64 {
    let mut places = 1 << place;
    while matches!(tokens.get(place), Some(Token::Star | Token::Deep | Token::DeepLine | Token::Folders)) {
        place += 1;
        places |= 1 << place;
    }
    places
}

/// The places after one more character, as in the matcher.
fn stepped(places: u64, tokens: &[Token], letter: char) -> u64 {
    let here = tokens.iter().enumerate().filter(|(place, _)| places >> place & 1 == 1);
    here.fold(0, |next, (place, token)| {
        next | match token {
            Token::Char(expected) if *expected == letter => entered(place + 1, tokens),
            Token::One if letter != '/' => entered(place + 1, tokens),
            Token::Any => entered(place + 1, tokens),
            Token::Star if letter != '/' => entered(place, tokens),
            Token::Deep | Token::DeepLine => entered(place, tokens),
            Token::Folders if letter == '/' => 1 << place | entered(place + 1, tokens),
            Token::Folders => 1 << place,
            _ => 0,
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{GlobOptions, Globs};
    use super::*;

    fn part() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["a", "b", "*", "?", "**", "*.a", "{a,b}", "a*b", ".a"])
            .prop_map(str::to_owned)
    }

    fn pattern() -> impl Strategy<Value = String> {
        prop::collection::vec(part(), 1..4).prop_map(|parts| parts.join("/"))
    }

    fn matched(globs: &[Globs], path: &str) -> Vec<bool> {
        globs.iter().map(|glob| glob.is_match(path)).collect()
    }

    proptest! {
        /// Whatever a path matches, an example matches the same.
        #[test]
        fn each_way_to_match_has_an_example(
            patterns in prop::collection::vec(pattern(), 1..5),
            path in "[abx.]{1,3}(/[abx.]{1,3}){0,3}",
        ) {
            prop_assume!(path.split('/').all(|name| name != "." && name != ".."));
            let globs: Vec<Globs> = patterns
                .iter()
                .map(|pattern| Globs::compile([pattern], &GlobOptions::default()).unwrap())
                .collect();
            let paths = examples(&patterns, PatternDialect::Standard, 1_000_000);
            let wanted = matched(&globs, &path);
            prop_assert!(paths.iter().any(|one| matched(&globs, one) == wanted), "{:?} {}: {:?}", patterns, path, paths);
            let mut all: Vec<_> = paths.iter().map(|path| matched(&globs, path)).collect();
            let count = all.len();
            all.sort();
            all.dedup();
            prop_assert_eq!(all.len(), count);
        }
    }

    #[test]
    fn patterns_of_other_places_and_dialects_have_examples() {
        let paths = examples(["/etc/*", "**/key", "~/.ssh/**"], PatternDialect::Standard, 100_000);
        for wanted in ["/etc/x", "/etc/key", "/key", "key", "~/.ssh/x", "~/.ssh/key"] {
            assert!(paths.iter().any(|path| path == wanted), "{wanted}: {paths:?}");
        }
        assert_eq!(examples(["a?b"], PatternDialect::Squad, 100_000), ["x", "axb"]);
        assert_eq!(examples(["{a"], PatternDialect::Standard, 100_000), ["x"]);
    }
}

//! List of patterns, compiled to one matcher.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::dialect::PatternDialect;
use super::error::{PatternError, PatternProblem, PatternWarning};
use super::index::LazyIndex;
use super::matcher;
use super::pattern::{self, Problem, Token};
use super::wild::Wild;

/// Options for compiling patterns.
///
/// ```
/// use hooks_facts::globs::{GlobOptions, Globs};
///
/// let options = GlobOptions { case_insensitive: true, root: Some("/repo".to_owned()), ..GlobOptions::default() };
/// let globs = Globs::compile(["/repo/src/**"], &options).unwrap();
/// assert!(globs.is_match("SRC/a.rs"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct GlobOptions {
    /// Syntax of the patterns.
    pub dialect: PatternDialect,
    /// Whether names are compared without regard to case.
    pub case_insensitive: bool,
    /// The root; a pattern for a path below it is converted to a relative one.
    pub root: Option<String>,
}

/// Patterns that are matched together.
///
/// The cost of a look-up hardly grows with their number: patterns are found by letters that a matching path
/// must contain. Only patterns that need the same letters, or none, are compared one by one.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    case_insensitive: bool,
    patterns: usize,
    /// Patterns without a wildcard, by their text.
    literal: HashMap<String, usize>,
    /// Patterns with a wildcard, each once, in the order of the list.
    wild: Vec<Wild>,
    index: LazyIndex,
    warnings: Vec<PatternWarning>,
}

impl Globs {
    /// Compiles patterns; a pattern's index is its position in the list.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    ///
    /// ```
    /// use hooks_facts::globs::{GlobOptions, Globs};
    ///
    /// let errors = Globs::compile(["src/**", "a/{b,c", "../x"], &GlobOptions::default()).unwrap_err();
    /// assert_eq!(errors.len(), 2); // one error for each bad pattern
    /// assert_eq!((errors[0].index, errors[1].index), (1, 2));
    /// assert!(errors[0].to_string().contains("`{` is never closed; write `\\{` for the character"));
    /// ```
    pub fn compile<I>(patterns: I, options: &GlobOptions) -> Result<Self, Vec<PatternError>>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut globs = Self { case_insensitive: options.case_insensitive, ..Self::default() };
        let mut errors = Vec::new();
        for (index, pattern) in patterns.into_iter().enumerate() {
            let pattern = pattern.as_ref();
            globs.patterns = index + 1;
            if let Err((problem, position)) = globs.add(index, pattern, options) {
                errors.push(PatternError { index, pattern: pattern.to_owned(), position, problem });
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        // Of equal patterns, only the first can be found.
        let mut seen = HashSet::new();
        let is_first: Vec<bool> = globs.wild.iter().map(|wild| seen.insert(wild.text())).collect();
        drop(seen);
        let mut is_first = is_first.into_iter();
        globs.wild.retain(|_| is_first.next().unwrap_or(true));
        Ok(globs)
    }

    /// Returns the first pattern in the list that matches a path in normal form.
    ///
    /// The empty path, which is the root itself, matches no pattern.
    ///
    /// ```
    /// use hooks_facts::globs::{GlobOptions, Globs};
    ///
    /// let globs = Globs::compile(["src/*.rs", "src/**"], &GlobOptions::default()).unwrap();
    /// assert_eq!(globs.find("src/a.rs"), Some(0)); // the first that matches
    /// assert_eq!(globs.find("src/a/b.rs"), Some(1));
    /// assert_eq!(globs.find(""), None); // the root itself
    /// ```
    pub fn find(&self, path: &str) -> Option<usize> {
        if self.case_insensitive { self.find_folded(&folded(path)) } else { self.find_folded(path) }
    }

    /// The same for a path that is [`folded`] already, if the patterns are compared without regard to case.
    pub(crate) fn find_folded(&self, path: &str) -> Option<usize> {
        if path.is_empty() || self.patterns == 0 {
            return None;
        }
        let literal = self.literal.get(path).copied();
        let Some(index) = self.index.get(&self.wild) else {
            return first_of(self.wild.iter(), path, literal);
        };
        let mut best = literal;
        index.visit(path, &mut |candidates| {
            best = first_of(candidates.iter().filter_map(|at| self.wild.get(*at)), path, best);
        });
        best
    }

    /// Returns the first pattern in the list for something below a folder in normal form: the part of an
    /// alternative before its first wildcard is below the folder. A pattern with a wildcard in place of the
    /// folder's own name is not found, because the name is unknown. Below the root, which is the empty
    /// folder, all patterns are found.
    ///
    /// Linear in all patterns.
    ///
    /// ```
    /// use hooks_facts::globs::{GlobOptions, Globs};
    ///
    /// let globs = Globs::compile(["*.md", "docs/api/*.md"], &GlobOptions::default()).unwrap();
    /// assert_eq!(globs.find_below("docs"), Some(1)); // removing `docs` removes what the pattern is for
    /// assert_eq!(globs.find_below("src"), None);
    /// ```
    pub fn find_below(&self, folder: &str) -> Option<usize> {
        let folder = folder.trim_end_matches('/');
        if folder.is_empty() {
            return (self.patterns > 0).then_some(0);
        }
        let folder = if self.case_insensitive { Cow::Owned(folded(folder)) } else { Cow::Borrowed(folder) };
        let is_below = |beginning: &str| {
            beginning.strip_prefix(folder.as_ref()).is_some_and(|rest| rest.starts_with('/'))
        };
        let literal = self.literal.iter().filter(|(text, _)| is_below(text)).map(|(_, index)| *index);
        let wild = self.wild.iter().filter(|wild| is_below(&wild.beginning));
        literal.chain(wild.map(|wild| wild.index)).min()
    }

    /// Returns whether a pattern matches a path in normal form.
    ///
    /// ```
    /// use hooks_facts::globs::{GlobOptions, Globs};
    ///
    /// let globs = Globs::compile(["src/**", "*.{md,txt}", "app/[id]/page.ts"], &GlobOptions::default()).unwrap();
    /// assert!(globs.is_match("src/a/b.rs") && !globs.is_match("src"));
    /// assert!(globs.is_match("notes.txt") && !globs.is_match("docs/notes.txt"));
    /// assert!(globs.is_match("app/[id]/page.ts")); // brackets are plain characters
    /// ```
    pub fn is_match(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Returns the number of patterns.
    pub fn len(&self) -> usize {
        self.patterns
    }

    /// Returns whether the list has no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns == 0
    }

    /// Returns warnings about patterns that probably do not mean what their author intended.
    ///
    /// ```
    /// use hooks_facts::globs::{GlobOptions, Globs};
    ///
    /// let globs = Globs::compile(["src/**.rs"], &GlobOptions::default()).unwrap();
    /// assert!(globs.warnings()[0].to_string().contains("`**` beside other characters acts as `*`"));
    /// assert!(!globs.is_match("src/a/b.rs"));
    /// ```
    pub fn warnings(&self) -> &[PatternWarning] {
        &self.warnings
    }

    /// Returns every alternative of every pattern, with its literal start.
    pub(super) fn every(&self) -> impl Iterator<Item = (usize, Vec<Token>)> {
        let whole = |start: &str, rest: &[Token]| {
            start.chars().map(Token::Char).chain(rest.iter().copied()).collect::<Vec<_>>()
        };
        let literal = self.literal.iter().map(move |(text, index)| (*index, whole(text, &[])));
        literal.chain(self.wild.iter().map(move |wild| (wild.index, whole(wild.folder(), &wild.tokens))))
    }

    fn add(&mut self, index: usize, pattern: &str, options: &GlobOptions) -> Result<(), Problem> {
        let relative = below_root(pattern, options).ok_or((PatternProblem::Absolute, 0))?;
        let folded =
            if self.case_insensitive { Cow::Owned(folded(relative)) } else { Cow::Borrowed(relative) };
        let parsed = pattern::parse(&folded, options.dialect)?;
        if let Some(position) = parsed.odd_stars {
            self.warnings.push(PatternWarning { index, pattern: pattern.to_owned(), position });
        }
        for tokens in parsed.alternatives {
            self.insert(index, &tokens)?;
        }
        Ok(())
    }

    fn insert(&mut self, index: usize, tokens: &[Token]) -> Result<(), Problem> {
        let known = tokens.iter().take_while(|token| character(**token).is_some()).count();
        let (known, rest) = tokens.split_at(known);
        let literal = text(known);
        if rest.is_empty() {
            self.literal.entry(literal).or_insert(index);
            return Ok(());
        }
        let folder = literal.rfind('/').map_or(0, |at| at + 1);
        let before = known.iter().rposition(|token| *token == Token::Char('/')).map_or(0, |at| at + 1);
        let tokens = tokens.get(before..).unwrap_or_default().to_vec();
        if tokens.len() > matcher::MAX_TOKENS {
            return Err((PatternProblem::TooLong, 0));
        }
        self.wild.push(Wild::new(index, literal, folder, tokens));
        Ok(())
    }
}

/// The first of `patterns`, which are in the order of the list, that matches a path; `best` unless it stands before that.
fn first_of<'w>(patterns: impl Iterator<Item = &'w Wild>, path: &str, best: Option<usize>) -> Option<usize> {
    let mut before = patterns.take_while(|wild| best.is_none_or(|best| wild.index < best));
    before.find(|wild| wild.matches(path)).map(|wild| wild.index).or(best)
}

pub(super) fn character(token: Token) -> Option<char> {
    match token {
        Token::Char(c) => Some(c),
        _ => None,
    }
}

/// The characters of tokens that stand for themselves.
pub(super) fn text(tokens: &[Token]) -> String {
    let mut text = String::with_capacity(tokens.len());
    text.extend(tokens.iter().filter_map(|token| character(*token)));
    text
}

/// Returns a name in the form in which a case-insensitive file system compares it.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Returns the pattern relative to the root; `None` if it is absolute and not below the root.
fn below_root<'a>(pattern: &'a str, options: &GlobOptions) -> Option<&'a str> {
    let root = options.root.as_deref().unwrap_or_default().trim_end_matches('/');
    let start = pattern
        .get(..root.len())
        .filter(|start| *start == root || (options.case_insensitive && start.eq_ignore_ascii_case(root)));
    let below = start.and_then(|_| pattern.get(root.len()..)).and_then(|rest| rest.strip_prefix('/'));
    match below {
        Some(below) if !root.is_empty() => Some(below),
        _ => (!is_absolute(pattern)).then_some(pattern),
    }
}

/// Returns whether a pattern starts at the file system's root, a drive or a home folder.
fn is_absolute(pattern: &str) -> bool {
    let mut start = pattern.chars();
    match (start.next(), start.next()) {
        (Some('/' | '~'), _) => true,
        (Some(drive), Some(':')) => drive.is_ascii_alphabetic() && matches!(start.next(), Some('/' | '\\')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn globs(patterns: &[&str]) -> Globs {
        Globs::compile(patterns, &GlobOptions::default()).unwrap()
    }

    fn squad(patterns: &[&str]) -> Globs {
        Globs::compile(patterns, &GlobOptions { dialect: PatternDialect::Squad, ..GlobOptions::default() })
            .unwrap()
    }

    #[track_caller]
    fn check(globs: &Globs, yes: &[&str], no: &[&str]) {
        for path in yes {
            assert!(globs.is_match(path), "{path} should match");
        }
        for path in no {
            assert!(!globs.is_match(path), "{path} should not match");
        }
    }

    #[test]
    fn what_begins_below_a_folder_is_found_in_every_alternative() {
        let globs = globs(&["*.lock", "{.claude,conf}/*.json", "gen/x*/y", "a\\*b/c", "Keys/a"]);
        for (folder, wanted) in [
            ("", Some(0)),
            (".claude", Some(1)),
            ("conf/", Some(1)),
            ("con", None),
            ("gen", Some(2)),
            ("gen/x", None),
            ("a*b", Some(3)),
            ("keys", None),
            ("Keys", Some(4)),
            ("Keys/a", None),
        ] {
            assert_eq!(globs.find_below(folder), wanted, "{folder}");
        }
        let options = GlobOptions { case_insensitive: true, ..GlobOptions::default() };
        assert_eq!(Globs::compile(["Keys/a"], &options).unwrap().find_below("kEYS"), Some(0));
        assert_eq!(Globs::default().find_below(""), None);
    }

    #[test]
    fn stars_stay_inside_of_a_segment() {
        check(
            &globs(&["docs/*.md"]),
            &["docs/a.md", "docs/.md", "docs/a.b.md"],
            &["docs/a/b.md", "doc/a.md", "docs/a.mdx"],
        );
        check(&globs(&["src/?.rs"]), &["src/a.rs", "src/é.rs"], &["src/ab.rs", "src/.rs", "src//.rs"]);
        check(&globs(&["p/*/src/**"]), &["p/a/src/x", "p/a/src/x/y"], &["p/a/b/src/x", "p/src/x"]);
    }

    #[test]
    fn double_stars_are_whole_segments() {
        check(
            &globs(&["src/**"]),
            &["src/", "src/a", "src/a/b", "src/.a"],
            &["src", "srcx", "src-x/a", "a/src/b"],
        );
        check(
            &globs(&["src/**/*.ts"]),
            &["src/a.ts", "src/a/b/c.ts"],
            &["src/a.tsx", "src/a.ts/b", "src/ats"],
        );
        check(&globs(&["**/*.md"]), &["README.md", "docs/a.md"], &["README.mdx"]);
        check(&globs(&["**/.env"]), &[".env", "a/.env", "a/b/.env"], &["a.env", "a/b.env", ".env/a"]);
        check(&globs(&["**"]), &["a", "a/b", ".git/config"], &[""]);
    }

    #[test]
    fn everything_else_is_literal() {
        let odd = ["app/[id]/page.tsx", "c++/*.h", "app/(auth)/x.ts", "a|b", "\\!x", "^a$", "x.y", "a,b"];
        let globs = globs(&odd);
        check(
            &globs,
            &["app/[id]/page.tsx", "c++/a.h", "app/(auth)/x.ts", "a|b", "!x", "^a$", "a,b"],
            &["app/i/page.tsx", "ccc/a.h", "a", "xxy"],
        );
    }

    #[test]
    fn braces_and_escapes() {
        let set = globs(&["src/{lib,main}.rs", "{a,b/{c,d}}/**", "\\{x\\}", "\\*"]);
        check(
            &set,
            &["src/lib.rs", "src/main.rs", "a/x", "b/c/x", "b/d/x", "{x}", "*"],
            &["src/x.rs", "b/x", "x", "y"],
        );
    }

    #[test]
    fn squad_reads_patterns_in_its_own_way() {
        check(&squad(&["src\\**"]), &["src/a.ts"], &["lib/a.ts"]);
        check(&squad(&["file?.txt"]), &["file1.txt", "file/.txt"], &["file.txt", "file12.txt"]);
        check(&squad(&["{src,test}/a.ts"]), &["{src,test}/a.ts"], &["src/a.ts"]);
        check(&squad(&["src/*"]), &["src/a\nb.ts"], &["src/a/b"]);
        check(&squad(&["src/**"]), &["src/", "src/a/b"], &["src", "src/a\nb.ts"]);
        check(&squad(&["src/**/*.ts", "**/*.md"]), &["src/index.ts", "README.md"], &["index.ts"]);
        check(&squad(&["lib/", "a**b"]), &["lib/", "ab", "a/x/b"], &["lib", "lib/a"]);
    }

    #[test]
    fn the_first_pattern_of_the_list_is_reported() {
        let set = globs(&["x/**", "src/a*", "src/ab", "**"]);
        assert_eq!(set.find("src/ab"), Some(1));
        assert_eq!(set.find("src/b"), Some(3));
        assert_eq!(globs(&["**", "src/a"]).find("src/a"), Some(0));
    }

    #[test]
    fn case_can_be_disregarded() {
        let options = GlobOptions { case_insensitive: true, ..GlobOptions::default() };
        let set = Globs::compile([".git/**", "Straße"], &options).unwrap();
        check(&set, &[".GIT/config", ".g\u{131}t/x", "STRASSE"], &["git/x"]);
    }

    #[test]
    fn bad_patterns_are_all_reported() {
        let options = GlobOptions { root: Some("/repo".into()), ..GlobOptions::default() };
        let bad = ["", "{a", "a}", "a\\", "src/../x", "/etc/x", "ok/**", "~/x", "C:/x", "/repo-evil/x"];
        let errors = Globs::compile(bad, &options).unwrap_err();
        let problems: Vec<_> = errors.iter().map(|error| (error.index, error.problem)).collect();
        use PatternProblem::*;
        assert_eq!(
            problems,
            [
                (0, Empty),
                (1, UnclosedBrace),
                (2, UnopenedBrace),
                (3, DanglingEscape),
                (4, ParentSegment),
                (5, Absolute),
                (7, Absolute),
                (8, Absolute),
                (9, Absolute),
            ]
        );
        assert_eq!(
            errors[1].to_string(),
            "pattern `{a`: `{` is never closed; write `\\{` for the character (at byte 0)"
        );
        assert_eq!(Globs::compile(["!src/**"], &options).unwrap_err()[0].problem, Negated);
        let explosion = "{a,b}".repeat(40);
        assert_eq!(Globs::compile([&explosion], &options).unwrap_err()[0].problem, TooManyAlternatives);
        let nesting = "{".repeat(4000);
        assert_eq!(Globs::compile([&nesting], &options).unwrap_err()[0].problem, TooManyAlternatives);
        let set = Globs::compile(["/repo/src/**", "./docs//a"], &options).unwrap();
        check(&set, &["src/a", "docs/a"], &["a"]);
    }

    #[test]
    fn a_double_star_inside_of_a_segment_is_warned_about() {
        let set = globs(&["src/a**b", "src/**"]);
        assert_eq!(set.warnings().len(), 1);
        assert_eq!((set.warnings()[0].index, set.warnings()[0].position), (0, 5));
        check(&globs(&["src/a**b"]), &["src/ab", "src/axb"], &["src/a/b"]);
    }

    /// Slow and simple matcher to compare with; recursion is fine on short texts.
    fn obvious(pattern: &[&str], path: &[&str]) -> bool {
        fn segment(pattern: &[char], text: &[char]) -> bool {
            match (pattern.first(), text.first()) {
                (None, None) => true,
                (Some('*'), _) => {
                    segment(&pattern[1..], text) || (!text.is_empty() && segment(pattern, &text[1..]))
                }
                (Some('?'), Some(_)) => segment(&pattern[1..], &text[1..]),
                (Some(a), Some(b)) if a == b => segment(&pattern[1..], &text[1..]),
                _ => false,
            }
        }
        match (pattern.first(), path.first()) {
            (None, None) => true,
            (Some(&"**"), _) if pattern.len() == 1 => !path.is_empty(),
            (Some(&"**"), _) => {
                obvious(&pattern[1..], path) || (!path.is_empty() && obvious(pattern, &path[1..]))
            }
            (Some(a), Some(b)) => {
                let (a, b): (Vec<_>, Vec<_>) = (a.chars().collect(), b.chars().collect());
                segment(&a, &b) && obvious(&pattern[1..], &path[1..])
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_obvious_matcher(
            pattern in prop::collection::vec(prop_oneof![Just("**".to_owned()), "[ab*?.]{1,4}"], 1..5),
            path in prop::collection::vec("[ab.]{1,4}", 1..6),
        ) {
            prop_assume!(pattern.iter().all(|segment| segment == "**" || !segment.contains("**")));
            prop_assume!(pattern.iter().chain(&path).all(|segment| segment != "." && segment != ".."));
            let set = Globs::compile([pattern.join("/")], &GlobOptions::default()).unwrap();
            let (pattern, path): (Vec<_>, Vec<_>) =
                (pattern.iter().map(String::as_str).collect(), path.iter().map(String::as_str).collect());
            prop_assert_eq!(set.is_match(&path.join("/")), obvious(&pattern, &path));
        }

        /// The index finds the same pattern as a comparison with each of them.
        #[test]
        fn agrees_with_one_pattern_after_the_other(
            patterns in prop::collection::vec("[ab]{0,2}(/|[*?]|[*]{2}/|[{]a,b[}]|[ab.]|-c[0-3]-){1,6}[ab.]{0,2}", 1..60),
            paths in prop::collection::vec("[ab.]{0,2}(/|[ab.]|-c[0-3]-|\\n){1,8}", 1..20),
            squad in any::<bool>(),
            case_insensitive in any::<bool>(),
        ) {
            let dialect = if squad { PatternDialect::Squad } else { PatternDialect::Standard };
            let options = GlobOptions { dialect, case_insensitive, root: None };
            let usable = |pattern: &String| Globs::compile([pattern], &options).is_ok();
            let patterns: Vec<_> = patterns.into_iter().filter(usable).collect();
            let set = Globs::compile(&patterns, &options).unwrap();
            let ones: Vec<Vec<Vec<Token>>> = patterns
                .iter()
                .map(|pattern| Globs::compile([pattern], &options).unwrap())
                .map(|one| one.every().map(|(_, tokens)| tokens).collect())
                .collect();
            for path in &paths {
                let matching = set.every().filter(|(_, tokens)| matcher::matches(tokens, path));
                let matches = |tokens: &Vec<Token>| matcher::matches(tokens, path);
                let alone = ones.iter().position(|one| one.iter().any(matches));
                prop_assert_eq!(matching.map(|(index, _)| index).min(), alone);
                prop_assert_eq!(set.find(path), alone, "{:?} {:?}", patterns, path);
            }
        }

        #[test]
        fn any_pattern_is_read(pattern in "(\\PC|[*?{},/\\\\.])*", path in "\\PC*") {
            for dialect in [PatternDialect::Standard, PatternDialect::Squad] {
                let options = GlobOptions { dialect, case_insensitive: true, root: Some("/r".into()) };
                if let Ok(set) = Globs::compile([&pattern], &options) {
                    let _ = set.find(&path);
                }
            }
        }
    }
}

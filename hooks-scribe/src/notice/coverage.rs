//! Files that each agent covers, according to the team's files.

use hooks_facts::globs::{GlobOptions, Globs};
use hooks_team::files::Charter;
use hooks_team::folder::TeamPath;
use hooks_team::{Name, Team, TeamError};

/// Limit on the patterns of one agent. An agent with more patterns gets no notices for the rest.
const MOST: usize = 256;

/// Files covered by agents.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
/// use hooks_scribe::notice::Coverage;
/// use hooks_team::Team;
///
/// let charter = "# Tester\n\n## What I Own\n\n- All of tests/ and `*.sql`\n";
/// let disk = FakeDisk::default().with_file("/p/.squad/agents/tester/charter.md", charter);
/// let (environment, ..) = world(FakeFileSystem::default());
/// let coverage = Coverage::read(&Team::new(Arc::new(disk), "/p/.squad", &environment))?;
/// let covered = |path| coverage.of_file(path).map(|(agent, word)| format!("{agent}: {word}")).next();
/// assert_eq!(covered("tests/all.rs").as_deref(), Some("tester: tests/"));
/// assert_eq!(covered("db/schema.sql").as_deref(), Some("tester: *.sql"));
/// assert_eq!(covered("src/lib.rs"), None);
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    agents: Vec<Covered>,
}

/// Files covered by one agent.
#[derive(Clone, Debug)]
struct Covered {
    agent: Name,
    /// The words as written in the team's files.
    words: Vec<String>,
    /// Patterns of the words.
    patterns: Globs,
    /// Index of the word that each pattern comes from.
    origins: Vec<usize>,
}

impl Coverage {
    /// Reads the coverage of the agents of `team` from its routing and its charters. An unreadable file
    /// covers nothing.
    ///
    /// # Errors
    /// Returns an error if the folder of the agents cannot be read.
    pub fn read(team: &Team) -> Result<Self, TeamError> {
        let routing = team.routing().unwrap_or_default();
        let mut agents = Vec::new();
        for folder in team.folder().list(&TeamPath::new("agents")?)? {
            // Retired agents are skipped, and so are folders that are not an agent's.
            let Ok(agent) = Name::of_agent(&folder) else { continue };
            if folder.starts_with('_') {
                continue;
            }
            let charter = team.charter(&folder).unwrap_or_default();
            let is_agent = |name: &Option<String>| {
                let name = name.as_deref().and_then(|name| Name::of_agent(name).ok());
                name.is_some_and(|name| {
                    let called = charter.name().and_then(|called| Name::of_agent(&called).ok());
                    name == agent || called == Some(name)
                })
            };
            let modules = routing.modules().iter();
            let owned = modules.filter(|module| is_agent(&module.primary) || is_agent(&module.secondary));
            let mut words: Vec<_> = owned.map(|module| module.path.clone()).collect();
            words.extend(stated(&charter));
            words.truncate(MOST);
            agents.extend(Covered::new(agent, words));
        }
        Ok(Self { agents })
    }

    /// The agents that cover the file at `path`, each with the word that matches. The path is relative to the
    /// project and in normal form.
    pub fn of_file(&self, path: &str) -> impl Iterator<Item = (&Name, &str)> {
        self.agents.iter().filter_map(move |covered| {
            let at = covered.patterns.find(path)?;
            let word = covered.words.get(*covered.origins.get(at)?)?;
            Some((&covered.agent, &**word))
        })
    }
}

impl Covered {
    fn new(agent: Name, words: Vec<String>) -> Option<Self> {
        let (mut patterns, mut origins) = (Vec::new(), Vec::new());
        for (origin, word) in words.iter().enumerate() {
            for pattern in patterns_of(word) {
                // An invalid pattern does not exclude the others.
                if Globs::compile([&pattern], &GlobOptions::default()).is_ok() {
                    patterns.push(pattern);
                    origins.push(origin);
                }
            }
        }
        let patterns = Globs::compile(&patterns, &GlobOptions::default()).ok()?;
        (!patterns.is_empty()).then_some(Self { agent, words, patterns, origins })
    }
}

/// Words of a charter that name files.
fn stated(charter: &Charter) -> Vec<String> {
    let boundaries = charter.boundaries();
    let texts = charter.owns().into_iter().chain(boundaries.handles);
    texts.flat_map(|text| words_of(&text)).collect()
}

/// Words in backticks, and other words that are clearly paths.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    // Every second part is inside backticks; if their number is odd, the last part is not closed.
    let parts: Vec<_> = text.split('`').collect();
    for (number, part) in parts.iter().enumerate() {
        let is_code = number % 2 == 1 && number + 1 < parts.len();
        if is_code {
            words.extend(Some(part.trim()).filter(|word| is_word(word)).map(str::to_owned));
            continue;
        }
        let outside = part.split_whitespace();
        let outside = outside
            .map(|word| word.trim_start_matches(is_around).trim_end_matches(|c| is_around(c) || c == '.'));
        words.extend(outside.filter(|word| is_word(word) && is_path(word)).map(str::to_owned));
    }
    words
}

/// Whether a word in backticks can name files.
fn is_word(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "/._-*?{}[]()+@,".contains(c);
    !word.is_empty() && word.len() <= 200 && word.chars().all(is_part) && word.contains(char::is_alphanumeric)
}

/// Whether a word of prose is clearly a path; `and/or` and the end of a sentence are not.
fn is_path(word: &str) -> bool {
    let last = word.rsplit('/').next().unwrap_or(word);
    let has_extension = last.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric())
    });
    word.contains('/') && (word.ends_with('/') || word.contains('*') || has_extension)
}

const fn is_around(c: char) -> bool {
    matches!(c, '(' | ')' | '"' | '\'' | ',' | ';' | ':' | '!' | '<' | '>' | '“' | '”' | '*' | '_')
}

/// Patterns of a word: the file itself, and everything below it, because it may be a folder.
fn patterns_of(word: &str) -> Vec<String> {
    let word = word.trim_start_matches("./").trim_start_matches('/');
    let place = word.trim_end_matches('/');
    if place.is_empty() {
        return Vec::new();
    }
    // A name without a slash matches anywhere.
    let from = if word.contains('/') { "" } else { "**/" };
    let place = format!("{from}{place}");
    if place.ends_with("**") {
        return vec![place];
    }
    vec![format!("{place}/**"), place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_files() {
        let words = |text: &str| words_of(text).join(" ");
        assert_eq!(words("The API in `src/api/` and its tests (tests/api/)."), "src/api/ tests/api/");
        assert_eq!(
            words("CI/CD and/or TCP/IP, e.g. docs/guide.md; src/**/*.rs"),
            "docs/guide.md src/**/*.rs"
        );
        assert_eq!(words("`Cargo.toml`, `parser` and `a sentence in code`"), "Cargo.toml parser");
        assert_eq!(words("an open ` backtick src/x.rs"), "src/x.rs");
    }

    #[test]
    fn what_words_stand_for() {
        let covers = |word: &str, path: &str| {
            let covered = Covered::new(Name::new("a").unwrap(), vec![word.to_owned()]);
            covered.is_some_and(|covered| covered.patterns.is_match(path))
        };
        for (word, yes, no) in [
            ("src/api/", "src/api/a/b.rs", "src/apis/a.rs"),
            ("./src/api", "src/api/b.rs", "lib/src/api/b.rs"),
            ("src/**/*.rs", "src/a/b.rs", "src/a/b.md"),
            ("*.sql", "db/new/a.sql", "db/a.sqlx"),
            ("Cargo.toml", "a/Cargo.toml", "a/Cargo.toml.bak"),
            ("parser", "src/parser/a.rs", "src/parsers.rs"),
            ("app/[id]/**", "app/[id]/page.tsx", "app/i/page.tsx"),
        ] {
            assert!(covers(word, yes), "{word} covers {yes}");
            assert!(!covers(word, no), "{word} does not cover {no}");
        }
        assert!(!covers("/", "a") && !covers("{", "{"));
    }
}

//! Files that each agent covers, according to the team's files.

use hooks_facts::globs::{GlobOptions, Globs};
use hooks_team::{Name, StatedWord, Team, TeamError};

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
        let stated = team.stated_files()?.into_iter();
        Ok(Self { agents: stated.filter_map(|stated| Covered::new(stated.agent, stated.words)).collect() })
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
    fn new(agent: Name, stated: Vec<StatedWord>) -> Option<Self> {
        let (mut words, mut patterns, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        for (origin, stated) in stated.into_iter().enumerate() {
            for pattern in stated.patterns {
                // An invalid pattern does not exclude the others.
                if Globs::compile([&pattern], &GlobOptions::default()).is_ok() {
                    patterns.push(pattern);
                    origins.push(origin);
                }
            }
            words.push(stated.word);
        }
        let patterns = Globs::compile(&patterns, &GlobOptions::default()).ok()?;
        (!patterns.is_empty()).then_some(Self { agent, words, patterns, origins })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::Environment;
    use hooks_core::testing::FakeDisk;

    use super::*;

    #[test]
    fn what_words_stand_for() {
        let covers = |word: &str, path: &str| {
            let charter = format!("# A\n\n## What I Own\n\n- `{word}`\n");
            let disk = FakeDisk::default().with_file("/p/.squad/agents/a/charter.md", charter);
            let team = Team::new(Arc::new(disk), "/p/.squad", &Environment::detached());
            Coverage::read(&team).unwrap().of_file(path).count() == 1
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

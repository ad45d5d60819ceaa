//! What each agent covers, as the team's files say.

use hooks_facts::globs::{GlobOptions, Globs};
use hooks_team::files::Charter;
use hooks_team::folder::Place;
use hooks_team::{Name, Team, TeamError};

/// The most patterns that one agent has. Who owns more is told of less.
const MOST: usize = 256;

/// What is covered, by whom.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    agents: Vec<Covered>,
}

/// One agent's part.
#[derive(Clone, Debug)]
struct Covered {
    agent: Name,
    /// As they are written.
    words: Vec<String>,
    /// What they stand for.
    patterns: Globs,
    /// The word that each pattern came from.
    origins: Vec<usize>,
}

impl Coverage {
    /// What the agents of `team` cover. Reads its routing and its charters; what cannot be read covers nothing.
    ///
    /// # Errors
    /// The folder of the agents cannot be read.
    pub fn of(team: &Team) -> Result<Self, TeamError> {
        let routing = team.routing().unwrap_or_default();
        let mut agents = Vec::new();
        for folder in team.folder().list(&Place::new("agents")?)? {
            // Retired ones are left alone, and what is no agent's folder.
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

    /// Who covers the file at `path`, relative to the project and in normal form, with the words that say so.
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
                // One that is no pattern keeps no other from being one.
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

/// The words of a charter that name files.
fn stated(charter: &Charter) -> Vec<String> {
    let boundaries = charter.boundaries();
    let texts = charter.owns().into_iter().chain(boundaries.handles);
    texts.flat_map(|text| words_of(&text)).collect()
}

/// Words in backticks, and others that are plainly paths.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    // Every second part stands between backticks; the last one is open where their number is odd.
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

/// Whether something in backticks can be a name of files.
fn is_word(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "/._-*?{}[]()+@,".contains(c);
    !word.is_empty() && word.len() <= 200 && word.chars().all(is_part) && word.contains(char::is_alphanumeric)
}

/// Whether a word of prose is plainly a path: `and/or` is none, and neither is the end of a sentence.
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

/// What a word stands for: the file itself, and all below it where it may be a folder.
fn patterns_of(word: &str) -> Vec<String> {
    let word = word.trim_start_matches("./").trim_start_matches('/');
    let place = word.trim_end_matches('/');
    if place.is_empty() {
        return Vec::new();
    }
    // Without a slash in it, it may stand anywhere.
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

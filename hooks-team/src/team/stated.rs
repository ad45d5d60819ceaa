//! Files that each agent covers, as the team's files state them.

use super::{Team, layout};
use crate::error::TeamError;
use crate::files::{BoundaryProblem, Charter, Routing, WrittenBoundary};
use crate::name::Name;

/// Limit on the words of one agent. Words beyond it are dropped.
const MOST: usize = 256;

/// Files that an agent covers, according to its charter and `routing.md`.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::Environment;
/// use hooks_core::testing::FakeDisk;
/// use hooks_team::Team;
///
/// let charter = "# Tester\n\n## What I Own\n\n- All of tests/ and `*.sql`\n";
/// let disk = FakeDisk::default().with_file("/p/.squad/agents/tester/charter.md", charter);
/// let stated = Team::new(Arc::new(disk), "/p/.squad", &Environment::detached()).stated_files()?;
/// assert_eq!(stated[0].agent.as_str(), "tester");
/// let words: Vec<_> = stated[0].words.iter().map(|word| (&*word.word, word.patterns.join(" "))).collect();
/// assert_eq!(words, [("tests/", "tests/** tests".to_owned()), ("*.sql", "**/*.sql/** **/*.sql".to_owned())]);
/// assert!(stated[0].boundaries.is_empty()); // prose is no boundary
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatedFiles {
    /// Folder of the agent.
    pub agent: Name,
    /// Name of the agent in its charter.
    pub called: Option<String>,
    /// Words that name files.
    pub words: Vec<StatedWord>,
    /// Boundaries in the charter. Only these can be enforced.
    pub boundaries: Vec<Result<WrittenBoundary, BoundaryProblem>>,
}

/// A word that names files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatedWord {
    /// The word as written.
    pub word: String,
    /// Patterns of the files, which may be invalid.
    pub patterns: Vec<String>,
    /// File or section with the word.
    pub source: StatedIn,
}

/// Source of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatedIn {
    /// A boundary in the charter.
    Boundary,
    /// The table of modules in `routing.md`.
    Routing,
    /// The prose of the charter.
    Charter,
}

impl Team {
    /// Returns the files that each active agent covers. An unreadable file covers nothing.
    ///
    /// # Errors
    /// Returns an error if the folder of the agents cannot be read.
    pub fn stated_files(&self) -> Result<Vec<StatedFiles>, TeamError> {
        let routing = self.routing().unwrap_or_default();
        let folders = self.folder.list(&layout::agents())?;
        // Retired agents are skipped, and so are folders that are not an agent's.
        let agents = folders.iter().filter(|folder| !folder.starts_with('_'));
        let agents = agents.filter_map(|folder| Some((Name::of_agent(folder).ok()?, folder)));
        let stated = agents.map(|(agent, folder)| {
            StatedFiles::new(agent, &self.charter(folder).unwrap_or_default(), &routing)
        });
        Ok(stated.collect())
    }
}

impl StatedFiles {
    fn new(agent: Name, charter: &Charter, routing: &Routing) -> Self {
        let called = charter.name();
        let slug = called.as_deref().and_then(|called| Name::of_agent(called).ok());
        let is_agent = |name: &Option<String>| {
            let name = name.as_deref().and_then(|name| Name::of_agent(name).ok());
            name.is_some_and(|name| name == agent || slug.as_ref() == Some(&name))
        };
        let boundaries = charter.written_boundaries();
        let exact = boundaries.iter().flatten().flat_map(|boundary| boundary.writes.iter().flatten());
        let exact = exact.map(|pattern| StatedWord {
            word: pattern.clone(),
            patterns: vec![pattern.clone()],
            source: StatedIn::Boundary,
        });
        let modules = routing.modules().iter();
        let owned = modules.filter(|module| is_agent(&module.primary) || is_agent(&module.secondary));
        let owned = owned.map(|module| StatedWord::new(module.path.clone(), StatedIn::Routing));
        let prose = stated(charter).into_iter().map(|word| StatedWord::new(word, StatedIn::Charter));
        let words = exact.chain(owned).chain(prose).take(MOST).collect();
        Self { agent, called, words, boundaries }
    }
}

impl StatedWord {
    fn new(word: String, source: StatedIn) -> Self {
        Self { patterns: patterns_of(&word), word, source }
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
    use crate::text::Document;

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
    fn sources_of_words_in_order() {
        let charter = "# Ada\n\n## What I Own\n\n- `src/api/`\n\n```boundaries\nwrites: [src/**]\n```\n";
        let routing = "## Modules\n\n| Module | Primary |\n|--|--|\n| `lib/` | Ada |\n| `x/` | Bob |\n";
        let (charter, routing) =
            (Charter::new(Document::parse(charter)), Routing::new(Document::parse(routing)));
        let stated = StatedFiles::new(Name::new("core-dev").unwrap(), &charter, &routing);
        let words: Vec<_> = stated.words.iter().map(|word| (&*word.word, word.source)).collect();
        assert_eq!(
            words,
            [("src/**", StatedIn::Boundary), ("lib/", StatedIn::Routing), ("src/api/", StatedIn::Charter)]
        );
        assert_eq!(stated.words[0].patterns, ["src/**"], "a boundary is taken as it is written");
    }
}

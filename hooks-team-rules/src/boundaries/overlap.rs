//! Overlaps of boundaries, their problems, and blocks that are proposed from prose.

use std::{fmt, slice};

use hooks_core::PolicyErrors;
use hooks_facts::calls::{CallReader, PathPatterns};
use hooks_facts::globs::{Gap, GlobOptions, Globs};
use hooks_team::{StatedFiles, StatedIn};

use super::config::BoundariesConfig;

/// Most overlaps that are reported for two agents.
const MOST: usize = 3;

/// Patterns of the files that an agent may write, with their source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scope {
    /// Name of the agent.
    pub agent: String,
    /// Charter or section with the patterns.
    pub source: String,
    /// Patterns of files that the agent may write.
    pub writes: Vec<String>,
    /// Problem of a boundary that cannot be used: the agent may write nothing.
    pub problem: Option<String>,
}

/// Two agents that may write one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// An agent, and its pattern.
    pub one: (String, String),
    /// Another agent, and its pattern.
    pub other: (String, String),
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((one, theirs), (other, its)) = (&self.one, &self.other);
        write!(f, "`{one}` (`{theirs}`) and `{other}` (`{its}`) may write the same files")
    }
}

/// Returns the boundaries of the configuration and of the charters.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::Environment;
/// use hooks_core::testing::FakeDisk;
/// use hooks_team::Team;
/// use hooks_team_rules::boundaries::{BoundariesConfig, overlaps, scopes};
///
/// let charter = |writes: &str| format!("# A\n\n```boundaries\nwrites: [{writes}]\n```\n");
/// let disk = FakeDisk::default()
///     .with_file("/p/.squad/agents/backend/charter.md", charter("src/**"))
///     .with_file("/p/.squad/agents/frontend/charter.md", charter("src/ui/*, web/**"));
/// let team = Team::new(Arc::new(disk), "/p/.squad", &Environment::detached());
/// let all = scopes(&BoundariesConfig::default(), &team.stated_files()?);
/// assert_eq!(
///     overlaps(&all)[0].to_string(),
///     "`backend` (`src/**`) and `frontend` (`src/ui/*`) may write the same files",
/// );
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
pub fn scopes(config: &BoundariesConfig, stated: &[StatedFiles]) -> Vec<Scope> {
    let of_config = config.agents.iter().filter_map(|(agent, boundary)| {
        let (agent, source) = (agent.clone(), format!("boundaries.agents.{agent}"));
        Some(Scope { agent, source, writes: boundary.writes.clone()?, problem: None })
    });
    let of_charters = stated.iter().flat_map(|stated| {
        stated.boundaries.iter().filter_map(|boundary| {
            let agent = stated.agent.to_string();
            let source = config.team.join(format!("agents/{agent}/charter.md")).display().to_string();
            let scope = |writes, problem| Scope { agent, source, writes, problem };
            match boundary {
                Ok(boundary) => {
                    let lists = [&boundary.writes, &boundary.reads];
                    let problem = lists.into_iter().flatten().find_map(|list| problem_of(list));
                    let problem = problem.map(|problem| format!("line {}: {problem}", boundary.line));
                    (boundary.writes.is_some() || problem.is_some())
                        .then(|| scope(boundary.writes.clone().unwrap_or_default(), problem))
                }
                Err(problem) => Some(scope(Vec::new(), Some(problem.to_string()))),
            }
        })
    });
    of_config.chain(of_charters).collect()
}

/// Returns the pairs of agents whose patterns may match one file. Patterns with braces count as wider than they are.
///
/// ```
/// use hooks_team_rules::boundaries::{BoundariesConfig, overlaps, scopes};
/// use serde_json::json;
///
/// let config: BoundariesConfig = serde_json::from_value(json!({"agents": {
///     "backend": {"writes": ["src/api/**"]},
///     "frontend": {"writes": ["src/ui/**"]},
///     "lead": {"writes": ["src/**"]},
/// }}))?;
/// let all = overlaps(&scopes(&config, &[]));
/// assert_eq!(all.len(), 2); // the lead's files are also those of the two others
/// assert!(all.iter().all(|overlap| overlap.other.0 == "lead"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn overlaps(scopes: &[Scope]) -> Vec<Overlap> {
    let mut all = Vec::new();
    for (at, one) in scopes.iter().enumerate() {
        let others =
            scopes.iter().skip(at + 1).filter(|other| !crate::agents::is_same(&one.agent, &other.agent));
        for other in others {
            let pairs =
                one.writes.iter().flat_map(|theirs| other.writes.iter().map(move |its| (theirs, its)));
            let met = pairs.filter(|(theirs, its)| may_meet(theirs, its)).take(MOST);
            all.extend(met.map(|(theirs, its)| Overlap {
                one: (one.agent.clone(), theirs.clone()),
                other: (other.agent.clone(), its.clone()),
            }));
        }
    }
    all
}

/// Returns a block for the charter of an agent, made of the files that its charter and `routing.md` name in prose; `None` if
/// it has a block, or no words that name files. The block is only proposed: a person decides about it.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::Environment;
/// use hooks_core::testing::FakeDisk;
/// use hooks_team::Team;
/// use hooks_team_rules::boundaries::proposed_block;
///
/// let charter = "# Tester\n\n## What I Own\n\n- All of tests/\n";
/// let disk = FakeDisk::default().with_file("/p/.squad/agents/tester/charter.md", charter);
/// let stated = Team::new(Arc::new(disk), "/p/.squad", &Environment::detached()).stated_files()?;
/// assert_eq!(
///     proposed_block(&stated[0], ".squad").as_deref(),
///     Some(
///         "```boundaries\nwrites:\n  - tests/**\n  - .squad/agents/tester/history.md\n  - .squad/decisions/inbox/**\n```\n"
///     ),
/// );
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
pub fn proposed_block(stated: &StatedFiles, team: &str) -> Option<String> {
    let words = stated.words.iter().filter(|word| word.source != StatedIn::Boundary);
    let mut patterns: Vec<String> = Vec::new();
    for word in words {
        // A word that is clearly a folder needs no pattern for a file of that name.
        let is_folder = word.word.ends_with('/');
        let chosen = word.patterns.iter().take(if is_folder { 1 } else { usize::MAX });
        for pattern in chosen.filter(|pattern| problem_of(slice::from_ref(*pattern)).is_none()) {
            if !patterns.contains(pattern) {
                patterns.push(pattern.clone());
            }
        }
    }
    if patterns.is_empty() || !stated.boundaries.is_empty() {
        return None;
    }
    let team = team.trim_end_matches('/');
    patterns.push(format!("{team}/agents/{}/history.md", stated.agent));
    patterns.push(format!("{team}/decisions/inbox/**"));
    let lines = patterns.iter().map(|pattern| format!("  - {}\n", quoted(pattern)));
    Some(format!("```boundaries\nwrites:\n{}```\n", lines.collect::<String>()))
}

/// Returns whether two patterns may match one path.
fn may_meet(one: &str, other: &str) -> bool {
    let meets = |pattern: &str, outline: &str| {
        let globs = Globs::compile([pattern], &GlobOptions::default());
        globs.is_ok_and(|globs| globs.meets(&outline_of(outline), true).is_some())
    };
    // An outline with a gap at the start of a name stands for no hidden name, so both are asked.
    meets(one, other) || meets(other, one)
}

/// Returns the outline of a pattern: `*` and `**` become gaps. Alternatives in braces become a gap too, so it may stand for
/// more than the pattern matches.
fn outline_of(pattern: &str) -> String {
    let mut outline = String::new();
    let (mut characters, mut depth) = (pattern.chars().peekable(), 0_usize);
    while let Some(c) = characters.next() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    outline.push(Gap::Any.stand_in());
                }
            }
            _ if depth > 0 => {}
            '\\' => outline.extend(characters.next()),
            '?' => outline.push(Gap::One.stand_in()),
            '*' if characters.next_if_eq(&'*').is_some() => match characters.next_if_eq(&'/') {
                Some(_) => outline.push(Gap::Folders.stand_in()),
                None => outline.extend([Gap::Folders.stand_in(), Gap::Name.stand_in()]),
            },
            '*' => outline.push(Gap::Name.stand_in()),
            c => outline.push(c),
        }
    }
    outline
}

fn problem_of(patterns: &[String]) -> Option<String> {
    patterns.iter().find_map(|pattern| {
        let mut errors = PolicyErrors::default();
        PathPatterns::allowing(slice::from_ref(pattern), "", &CallReader::default(), &mut errors);
        let first = errors.as_slice().first()?;
        Some(format!("`{pattern}`: {}; {}", first.problem, first.hint))
    })
}

fn quoted(pattern: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '*');
    match pattern.chars().all(is_plain) {
        true => pattern.to_owned(),
        false => format!("\"{}\"", pattern.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_may_match_one_file_overlap() {
        for (one, other, wanted) in [
            ("src/**", "src/ui/*", true),
            ("src/api/**", "src/ui/**", false),
            ("**/*.md", "docs/**", true),
            ("**/*.md", "src/*.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/{a,b}/**", "src/a/x", true),
            ("a/?.rs", "a/bb.rs", false),
            (".github/**", "**/*.yml", true),
        ] {
            assert_eq!(may_meet(one, other), wanted, "{one} {other}");
            assert_eq!(may_meet(other, one), wanted, "{other} {one}");
        }
    }

    #[test]
    fn a_boundary_with_a_bad_pattern_is_reported() {
        use std::sync::Arc;
        let charter = "# A\n\n```boundaries\nwrites: [\"src/{a\"]\n```\n";
        let disk =
            hooks_core::testing::FakeDisk::default().with_file("/p/.squad/agents/a/charter.md", charter);
        let team = hooks_team::Team::new(Arc::new(disk), "/p/.squad", &hooks_core::Environment::detached());
        let all = scopes(&BoundariesConfig::default(), &team.stated_files().unwrap());
        assert!(
            all[0].problem.as_deref().is_some_and(|problem| problem.starts_with("line 3: `src/{a`")),
            "{all:?}"
        );
    }
}

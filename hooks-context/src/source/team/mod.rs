//! Context from a `.squad` folder.
//!
//! | source | content | order |
//! | --- | --- | --- |
//! | `wisdom` | `identity/wisdom.md` | as in the file |
//! | `skills` | those of the agent's domain and task | by words shared with the task, then with the domain |
//! | `ceremonies` | those that are held automatically | as in the file |
//! | `directives` | standing directives of the user, from the inbox and the decisions | the newest first |
//! | `decisions` | those in force for the agent, with the inbox | by relevance for the task, then the agent's own, then the newest |
//! | `now` | `identity/now.md` | as in the file |
//! | `history` | the newest entries of the agent's history | by relevance for the task, then the newest |
//!
//! Parts that change seldom come first, so that a provider's prompt cache stays valid. A file is parsed again
//! only if its content has changed.
//!
//! The decisions that are about the task come first:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::TeamPlace;
//! use hooks_context::source::team::{Limits, Part, sources};
//! use hooks_context::source::{Ask, ContextSource, Here, Moment, Workers};
//! use hooks_core::HookContext;
//! use hooks_core::testing::FakeDisk;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::BoxError> {
//! let decisions = "### 2026-01-02: Blue buttons\n\n### 2026-01-03: Use Postgres\n\
//!                  \n### 2026-01-01: Use MySQL\n**Status:** superseded\n";
//! let disk = Arc::new(FakeDisk::default().with_file("/repo/.squad/decisions.md", decisions));
//! let workers: Arc<dyn Workers> = Arc::new(Here);
//! let all = sources(TeamPlace::below(disk, ".squad"), &workers, Limits::default());
//! let (_, decisions) = all.iter().find(|(part, _)| *part == Part::Decisions).ok_or("it is one of the parts")?;
//!
//! let context = Arc::new(HookContext::new("session-1", "lead").in_dir("/repo"));
//! let ask = Ask::new(context, "designer", Moment::Child).about("Choose the colours of buttons");
//! let section = decisions.load(&Arc::new(ask)).await?;
//! let texts: Vec<_> = section.items.iter().map(|item| &*item.text).collect();
//! assert_eq!(texts, ["### 2026-01-02: Blue buttons", "### 2026-01-03: Use Postgres"]);
//! assert_eq!(section.command.as_deref(), Some("cat .squad/decisions.md"));
//! # Ok(())
//! # }
//! ```

mod cache;
mod ceremonies;
mod decisions;
mod history;
mod identity;
mod skills;

use std::any::Any;
use std::sync::Arc;

use hooks_conversation::text::head;
use hooks_core::beside::offload;
use hooks_core::{BoxError, HookFuture};
use hooks_team::folder::TeamPath;
use hooks_team::text::Document;
use hooks_team::{Name, Team, TeamError};

use self::cache::Cache;
use super::{Ask, ContextSource, Section, Workers};
use crate::TeamPlace;

/// The longest entry, in bytes; a longer one is cut to its first lines.
const LONGEST: usize = 1_600;

/// A part of a team folder.
///
/// ```
/// use hooks_context::source::team::Part;
///
/// assert_eq!(Part::ALL.map(Part::name)[..2], ["wisdom", "skills"]); // parts that change seldom come first
/// assert!(Part::Directives.weight() > Part::History.weight());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Lasting insights of the team.
    Wisdom,
    /// Skills: instructions for recurring work.
    Skills,
    /// Ceremonies that are held automatically.
    Ceremonies,
    /// Standing directives of the user.
    Directives,
    /// Decisions in force.
    Decisions,
    /// Focus and current issues of the team.
    Now,
    /// History of the agent.
    History,
}

impl Part {
    /// All parts, in the order in which they are given.
    pub const ALL: [Self; 7] = [
        Self::Wisdom,
        Self::Skills,
        Self::Ceremonies,
        Self::Directives,
        Self::Decisions,
        Self::Now,
        Self::History,
    ];

    /// Returns the name of the part.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wisdom => "wisdom",
            Self::Skills => "skills",
            Self::Ceremonies => "ceremonies",
            Self::Directives => "directives",
            Self::Decisions => "decisions",
            Self::Now => "now",
            Self::History => "history",
        }
    }

    /// Returns the weight of the part when the budget is too small for all parts.
    pub const fn weight(self) -> u32 {
        match self {
            Self::Directives => 8,
            Self::Decisions => 6,
            Self::History => 4,
            Self::Skills | Self::Now => 2,
            Self::Wisdom | Self::Ceremonies => 1,
        }
    }
}

/// The most entries of each part.
///
/// ```
/// use hooks_context::source::team::Limits;
///
/// let mut limits = Limits::default();
/// limits.decisions = 50;
/// assert_eq!((limits.history, limits.decisions, limits.skills), (20, 50, 12));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Entries of a history; 20 by default.
    pub history: usize,
    /// Decisions; 200 by default.
    pub decisions: usize,
    /// Skills; 12 by default.
    pub skills: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { history: 20, decisions: 200, skills: 12 }
    }
}

/// Returns the sources of one team folder, which share a cache.
pub fn sources(place: TeamPlace, workers: &Arc<dyn Workers>, limits: Limits) -> Vec<(Part, TeamSource)> {
    let shared = Arc::new(Shared { place, cache: Cache::default(), limits });
    Part::ALL
        .into_iter()
        .map(|part| (part, TeamSource { part, shared: Arc::clone(&shared), workers: Arc::clone(workers) }))
        .collect()
}

/// One part of a team folder, as a source.
#[derive(Clone)]
pub struct TeamSource {
    part: Part,
    shared: Arc<Shared>,
    workers: Arc<dyn Workers>,
}

struct Shared {
    place: TeamPlace,
    cache: Cache,
    limits: Limits,
}

/// Team folder, cache and limits for reading a part.
struct Reading<'a> {
    team: &'a Team,
    cache: &'a Cache,
    limits: Limits,
}

impl Reading<'_> {
    /// Returns the result of `make` for the file at `place`; it is made again only if the file has changed.
    fn made<T: Any + Send + Sync>(
        &self,
        place: &TeamPath,
        make: impl FnOnce(Document) -> T,
    ) -> Result<Arc<T>, TeamError> {
        self.cache.get(self.team.folder(), place, make)
    }
}

impl ContextSource for TeamSource {
    fn name(&self) -> &str {
        self.part.name()
    }

    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        let (part, shared, ask) = (self.part, Arc::clone(&self.shared), Arc::clone(ask));
        offload(&*self.workers, move || shared.load(part, &ask))
    }

    fn command(&self, ask: &Ask) -> Option<String> {
        self.shared.command(self.part, ask)
    }
}

impl Shared {
    fn load(&self, part: Part, ask: &Ask) -> Result<Section, BoxError> {
        let Some(team) = self.place.team(&ask.context) else { return Ok(Section::default()) };
        let from = Reading { team: &team, cache: &self.cache, limits: self.limits };
        let section = match part {
            Part::Wisdom => identity::wisdom(&from)?,
            Part::Skills => skills::section(&from, ask),
            Part::Ceremonies => ceremonies::section(&from)?,
            Part::Directives => decisions::directives(&from, ask)?,
            Part::Decisions => decisions::section(&from, ask)?,
            Part::Now => identity::now(&from)?,
            Part::History => history::section(&from, ask)?,
        };
        let more = section.more;
        Ok(section.with_rest(more, self.command(part, ask)))
    }

    fn command(&self, part: Part, ask: &Ask) -> Option<String> {
        let file = match part {
            Part::Wisdom => "identity/wisdom.md".to_owned(),
            Part::Skills => return Some(format!("ls {}", quoted(&self.within("skills")))),
            Part::Ceremonies => "ceremonies.md".to_owned(),
            Part::Directives => return Some(format!("ls {}", quoted(&self.within("decisions/inbox")))),
            Part::Decisions => "decisions.md".to_owned(),
            Part::Now => "identity/now.md".to_owned(),
            // The default folder of an agent; a charter in `team.md` may name another.
            Part::History => format!("agents/{}/history.md", Name::of_agent(&ask.agent).ok()?),
        };
        Some(cat(&self.within(&file)))
    }

    /// Returns the path of `file` relative to the project.
    fn within(&self, file: &str) -> String {
        self.place.name().join(file).display().to_string()
    }
}

impl std::fmt::Debug for TeamSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TeamSource").field("part", &self.part).finish_non_exhaustive()
    }
}

/// Returns the shell command that shows the file at `path`.
pub(crate) fn cat(path: &str) -> String {
    format!("cat {}", quoted(path))
}

/// Quotes `path` as one word for a shell.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// Cuts `text` to its first lines if it is longer than an entry may be.
fn cut(text: &str) -> String {
    let text = text.trim();
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let head = head(text, LONGEST);
    let head = head.rsplit_once('\n').map_or(head, |(lines, _)| lines);
    format!("{}\n[cut]", head.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word() {
        assert_eq!(cat(".squad/decisions.md"), "cat .squad/decisions.md");
        assert_eq!(cat("a b/'c'"), "cat 'a b/'\\''c'\\'''");
    }

    #[test]
    fn long_entries_are_cut_at_a_line() {
        let text = format!("### a\n{}\n{}", "é".repeat(700), "y".repeat(900));
        let short = cut(&text);
        assert!(short.len() < LONGEST + 8 && short.ends_with("é\n[cut]"), "{short}");
        assert_eq!(cut(" a \n"), "a");
    }
}

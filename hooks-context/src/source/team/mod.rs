//! What a `.squad` folder has for an agent.
//!
//! | source | what it gives | most relevant first |
//! | --- | --- | --- |
//! | `wisdom` | `identity/wisdom.md` | as it stands |
//! | `skills` | those of the agent's domain and task | by what they share with both |
//! | `ceremonies` | those that happen by themselves | as they stand |
//! | `directives` | what the user wants from now on, from the inbox and the decisions | the newest |
//! | `decisions` | those in force for the agent, with the inbox | by the task, then its own, then the newest |
//! | `now` | `identity/now.md` | as it stands |
//! | `history` | the newest entries of its own history | by the task, then the newest |
//!
//! What changes seldom stands first, so that what a provider keeps of a prompt stays good. Each file is parsed when its
//! content has changed and not again.

mod cache;
mod ceremonies;
mod decisions;
mod history;
mod identity;
mod skills;

use std::any::Any;
use std::sync::Arc;

use hooks_core::{BoxError, HookFuture};
use hooks_team::beside::offload;
use hooks_team::folder::Place;
use hooks_team::text::Document;
use hooks_team::{Name, Team, TeamError};

use self::cache::Cache;
use super::{Ask, ContextSource, Section, Workers};
use crate::TeamPlace;
use crate::text::head;

/// The longest entry that is given, in bytes; of a longer one its first lines are.
const LONGEST: usize = 1_600;

/// A part of what a team folder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// What holds.
    Wisdom,
    /// How things are done.
    Skills,
    /// Meetings that happen by themselves.
    Ceremonies,
    /// What the user wants from now on.
    Directives,
    /// What was decided.
    Decisions,
    /// What the team is at.
    Now,
    /// What the agent learnt.
    History,
}

impl Part {
    /// All of them, in the order in which they are given.
    pub const ALL: [Self; 7] = [
        Self::Wisdom,
        Self::Skills,
        Self::Ceremonies,
        Self::Directives,
        Self::Decisions,
        Self::Now,
        Self::History,
    ];

    /// Its name.
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

    /// How much it counts where there is not enough room for all.
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

/// How many entries a part has at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Of a history; 20 unless told.
    pub history: usize,
    /// Decisions; 200 unless told.
    pub decisions: usize,
    /// Skills; 12 unless told.
    pub skills: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { history: 20, decisions: 200, skills: 12 }
    }
}

/// The sources of one team folder, which share what they have read.
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

/// What a part is read from.
struct Reading<'a> {
    team: &'a Team,
    cache: &'a Cache,
    limits: Limits,
}

impl Reading<'_> {
    /// What `make` makes of the file at `place`, which is made again where the file has changed.
    fn made<T: Any + Send + Sync>(
        &self,
        place: &Place,
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
            // As a folder is named unless somebody named it otherwise.
            Part::History => format!("agents/{}/history.md", Name::of_agent(&ask.agent).ok()?),
        };
        Some(cat(&self.within(&file)))
    }

    /// A path as it is written from the project on.
    fn within(&self, file: &str) -> String {
        self.place.name().join(file).display().to_string()
    }
}

impl std::fmt::Debug for TeamSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TeamSource").field("part", &self.part).finish_non_exhaustive()
    }
}

/// The command that shows the file at `path`.
pub(crate) fn cat(path: &str) -> String {
    format!("cat {}", quoted(path))
}

/// `path` as a shell reads one word.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// `text`, or its first lines where it is longer than an entry may be.
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

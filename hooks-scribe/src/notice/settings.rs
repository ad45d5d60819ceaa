//! The notices of a team: leaving them, handing them over, and their limits.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::beside::{Workers, offload, offload_then};
use hooks_core::event::{PostToolUse, SessionStart, SubagentStart, TurnStart};
use hooks_core::{
    BoxError, ContextNote, Decision, Event, EventKind, FailureLayer, HookContext, HookFuture, HookRequest,
    HooksBuilder, Judged, Observer, Reason, Settle,
};
use hooks_facts::tools::ToolTable;
use hooks_team::{Name, Team, TeamPlace};
use serde_json::Value;
use tower_layer::Layer;

use super::hand_over::note;
use super::queue::{self, Notice};
use super::{Coverage, NoticeLayer};
use crate::Scribe;
use crate::touched::{SeenFolder, Touched};

/// Name in reports.
pub(super) const NAME: &str = "notices";

/// Limit on the children starting at once whose notices can be put back; beyond it, those of the oldest
/// cannot.
const MOST_CHILDREN: usize = 1_024;

/// Limits of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoticeSettings {
    /// Limit on the files named in one hand-over, the newest; default 20.
    pub most: usize,
    /// Limit on the notices that wait for one agent, the newest; default 200.
    pub keep: usize,
}

impl Default for NoticeSettings {
    fn default() -> Self {
        Self { most: 20, keep: 200 }
    }
}

/// Leaves notices for agents, and hands them over; see [the module](super). Cheap to clone.
#[derive(Clone)]
pub struct Notices(Arc<Shared>);

struct Shared {
    teams: TeamPlace,
    workers: Arc<dyn Workers>,
    settings: NoticeSettings,
    tools: ToolTable,
    scribe: Option<Scribe>,
    /// Notices handed to children that may still be denied, the oldest first.
    given: Mutex<VecDeque<Given>>,
}

/// Notices handed to a child.
struct Given {
    child: String,
    agent: Name,
    notices: Vec<Notice>,
}

impl Notices {
    /// Creates notices for the agents of `teams`; `workers` run the disk access.
    pub fn new(teams: impl Into<TeamPlace>, workers: impl Workers + 'static) -> Self {
        Self(Arc::new(Shared {
            teams: teams.into(),
            workers: Arc::new(workers),
            settings: NoticeSettings::default(),
            tools: ToolTable::default(),
            scribe: None,
            given: Mutex::default(),
        }))
    }

    /// Sets the limits.
    #[must_use]
    pub fn with(self, settings: NoticeSettings) -> Self {
        self.changed(|shared| shared.settings = settings)
    }

    /// Sets the table of tools that write files or run commands.
    #[must_use]
    pub fn knowing(self, tools: ToolTable) -> Self {
        self.changed(|shared| shared.tools = tools)
    }

    /// Makes `scribe` write each notice to the log of the session.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::Hooks;
    /// use hooks_core::beside::Here;
    /// use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// use hooks_scribe::Scribe;
    /// use hooks_scribe::notice::Notices;
    /// use hooks_team::Team;
    ///
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let team = || Team::new(Arc::new(FakeDisk::default().with_directory("/p/.squad")), "/p/.squad", &environment);
    /// let scribe = Scribe::at_once(team(), Here);
    /// let notices = Notices::new(team(), Here).recorded_by(scribe.clone());
    /// let hooks = notices.add_to(scribe.add_to(Hooks::builder())).build();
    /// # drop(hooks);
    /// ```
    #[must_use]
    pub fn recorded_by(self, scribe: Scribe) -> Self {
        self.changed(|shared| shared.scribe = Some(scribe))
    }

    /// Adds the layer to all events it handles.
    #[must_use]
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let layer = NoticeLayer::new(self.clone());
        // The guard lets calls go ahead if a notice fails.
        let guard = FailureLayer::new(NAME).opened();
        builder
            .stack::<PostToolUse, _>(&guard, layer.layer(Settle))
            .hook::<SessionStart, _>(&guard, layer.layer(Settle))
            .hook::<TurnStart, _>(&guard, layer.layer(Settle))
            .stack::<SubagentStart, _>(&guard, layer.layer(Settle))
            .observer::<SubagentStart>(self.clone())
    }

    pub(super) fn tools(&self) -> &ToolTable {
        &self.0.tools
    }

    /// Leaves notices for the agents that cover the files written by a call.
    pub(super) fn leave(
        &self,
        context: Arc<HookContext>,
        tool: String,
        args: Value,
    ) -> HookFuture<'static, Option<ContextNote>> {
        let (this, theirs) = (self.clone(), Arc::clone(&context));
        let left = offload(&*self.0.workers, move || {
            let touched = Touched::by(&theirs, &this.0.tools, &tool, &args);
            let (false, Some(team)) = (touched.files.is_empty(), this.0.teams.team(&theirs)) else {
                return Ok(None);
            };
            this.leave_all(&theirs, &team, &tool, &touched)?;
            Ok(None)
        });
        told(context, PostToolUse::KIND, left)
    }

    /// Hands `agent` its notices.
    pub(super) fn hand_over(
        &self,
        context: Arc<HookContext>,
        agent: String,
        event: EventKind,
        child: Option<String>,
    ) -> HookFuture<'static, Option<ContextNote>> {
        let (this, theirs) = (self.clone(), Arc::clone(&context));
        let taken = offload(&*self.0.workers, move || {
            let (Ok(agent), Some(team)) = (Name::of_agent(&agent), this.0.teams.team(&theirs)) else {
                return Ok(None);
            };
            let notices = queue::take(&team, &agent)?;
            let note = note(&notices, this.0.settings.most);
            if let (Some(child), Some(_)) = (child, &note) {
                keep(&mut this.given(), Given { child, agent, notices });
            }
            Ok(note)
        });
        told(context, event, taken)
    }

    fn leave_all(
        &self,
        context: &HookContext,
        team: &Team,
        tool: &str,
        touched: &Touched,
    ) -> Result<(), BoxError> {
        let author = Name::of_agent(&context.agent_name).ok();
        let Some(project) = SeenFolder::new(context, context.root()) else { return Ok(()) };
        let coverage = Coverage::read(team)?;
        let mut told = BTreeSet::new();
        for file in touched.files.iter().filter_map(|file| project.strip(file)) {
            let mut whom = Vec::new();
            for (agent, covered) in
                coverage.of_file(file).filter(|(agent, _)| Some(*agent) != author.as_ref())
            {
                let notice = Notice::new(context, file, tool, covered);
                queue::leave(team, agent, &notice)?;
                told.insert(agent);
                whom.push(agent.to_string());
            }
            if let Some(scribe) = self.0.scribe.as_ref().filter(|_| !whom.is_empty()) {
                scribe.told(context, team, whom, file)?;
            }
        }
        Ok(told.into_iter().try_for_each(|agent| queue::trim(team, agent, self.0.settings.keep))?)
    }

    fn given(&self) -> MutexGuard<'_, VecDeque<Given>> {
        self.0.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(self, change: impl FnOnce(&mut Shared)) -> Self {
        let Shared { teams, workers, settings, tools, scribe, .. } = &*self.0;
        let mut shared = Shared {
            teams: teams.clone(),
            workers: Arc::clone(workers),
            settings: *settings,
            tools: tools.clone(),
            scribe: scribe.clone(),
            given: Mutex::default(),
        };
        change(&mut shared);
        Self(Arc::new(shared))
    }
}

impl Observer<SubagentStart> for Notices {
    fn name(&self) -> &'static str {
        NAME
    }

    /// A denied child has read nothing: its notices are put back.
    fn observe(&self, request: &HookRequest<SubagentStart>, outcome: &Decision<SubagentStart>) {
        let Some(child) = &request.event().child_id else { return };
        let given = {
            let mut given = self.given();
            let at = given.iter().position(|given| given.child == *child);
            at.and_then(|at| given.remove(at))
        };
        let Some(Given { agent, notices, .. }) = given.filter(|_| !outcome.goes_ahead()) else { return };
        let (this, context) = (self.clone(), Arc::clone(request.context()));
        let theirs = Arc::clone(&context);
        let put_back = move || {
            let Some(team) = this.0.teams.team(&theirs) else { return Ok(()) };
            notices.iter().try_for_each(|notice| queue::leave(&team, &agent, notice))?;
            Ok(queue::trim(&team, &agent, this.0.settings.keep)?)
        };
        offload_then(&*self.0.workers, put_back, move |done| {
            if let Err(error) = done {
                failed(&context, SubagentStart::KIND, &*error);
            }
        });
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// Returns the result of `work`; reports an error to the failure sink.
fn told(
    context: Arc<HookContext>,
    event: EventKind,
    work: HookFuture<'static, Result<Option<ContextNote>, BoxError>>,
) -> HookFuture<'static, Option<ContextNote>> {
    HookFuture::later(async move {
        work.await.unwrap_or_else(|error| {
            failed(&context, event, &*error);
            None
        })
    })
}

fn failed(context: &HookContext, event: EventKind, error: &(dyn std::error::Error + 'static)) {
    context.environment.failures.record(context, event, &Reason::failure(NAME, error));
}

/// Remembers the notices that a child was given, in place of those it was given before.
fn keep(all: &mut VecDeque<Given>, given: Given) {
    all.retain(|other| other.child != given.child);
    if all.len() >= MOST_CHILDREN {
        all.pop_front();
    }
    all.push_back(given);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_child_that_was_given_first_makes_room() {
        let mut all = VecDeque::new();
        for number in 0..2 * MOST_CHILDREN {
            for child in ["again".to_owned(), format!("child-{number}")] {
                keep(
                    &mut all,
                    Given { child, agent: Name::of_agent("backend").unwrap(), notices: Vec::new() },
                );
            }
        }
        assert_eq!(all.len(), MOST_CHILDREN);
        assert_eq!(all.iter().filter(|given| given.child == "again").count(), 1);
        assert_eq!(all.back().unwrap().child, format!("child-{}", 2 * MOST_CHILDREN - 1));
    }
}

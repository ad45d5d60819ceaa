use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tower_layer::Layer;

use super::{
    AgentSessions, Decide, DecideArgs, MemoryArgs, NoRouter, NoSessions, Remember, RouteTask, SkillArgs,
    SquadTools, Status, Tool, UseSkill,
};
use crate::Team;

/// Adds the team's tools to the host's own tools.
#[derive(Clone, Debug)]
pub struct SquadToolsLayer<R = NoRouter> {
    pub(super) team: Team,
    pub(super) decide: Decide,
    pub(super) remember: Remember,
    pub(super) skill: UseSkill,
    pub(super) status: Status,
    pub(super) route: RouteTask<R>,
}

impl SquadToolsLayer {
    /// Offers the tools of `team`, for a host that neither routes tasks nor keeps sessions.
    pub fn new(team: Team) -> Self {
        Self {
            decide: Decide::new(team.clone()),
            remember: Remember::new(team.clone()),
            skill: UseSkill::new(team.clone()),
            status: Status::new(team.clone(), Arc::new(NoSessions)),
            route: RouteTask::unavailable(team.clone()),
            team,
        }
    }
}

impl<R> SquadToolsLayer<R> {
    /// Routes tasks with `router`.
    #[must_use]
    pub fn with_router<T>(self, router: T) -> SquadToolsLayer<T> {
        let Self { team, decide, remember, skill, status, route: _ } = self;
        SquadToolsLayer { route: RouteTask::new(team.clone(), router), team, decide, remember, skill, status }
    }

    /// Sets the source of information about agents at work.
    #[must_use]
    pub fn with_sessions(mut self, sessions: Arc<dyn AgentSessions>) -> Self {
        self.status = Status::new(self.team.clone(), sessions);
        self
    }

    /// Returns the file that a call of a tool would write, so that a host can have its guards judge it before. `None` if it
    /// writes none, or will fail. The random part of a decision's file name is not known yet, and left out.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_core::{Environment, testing::FakeDisk};
    /// use hooks_team::{Team, tools::SquadToolsLayer};
    /// use serde_json::json;
    ///
    /// let disk = Arc::new(FakeDisk::default().with_directory("/repo/.squad"));
    /// let tools = SquadToolsLayer::new(Team::new(disk, "/repo/.squad", &Environment::detached()));
    /// let skill = json!({"skillName": "Release", "operation": "write", "content": "..."});
    /// let file = tools.file_written("squad_skill", &skill);
    /// assert_eq!(file.as_deref(), Some(Path::new("/repo/.squad/skills/release/SKILL.md")));
    /// assert_eq!(tools.file_written("squad_status", &json!({})), None);
    /// ```
    pub fn file_written(&self, tool: &str, arguments: &Value) -> Option<PathBuf> {
        match tool {
            DecideArgs::NAME => self.file_of::<DecideArgs>(arguments),
            MemoryArgs::NAME => self.file_of::<MemoryArgs>(arguments),
            SkillArgs::NAME => self.file_of::<SkillArgs>(arguments),
            _ => None,
        }
    }

    fn file_of<A: Tool>(&self, arguments: &Value) -> Option<PathBuf> {
        let place = A::parse(arguments.clone()).ok()?.writes(&self.team)?;
        Some(self.team.root().join(place.to_string()))
    }
}

impl<S, R: Clone> Layer<S> for SquadToolsLayer<R> {
    type Service = SquadTools<S, R>;

    fn layer(&self, inner: S) -> Self::Service {
        SquadTools::new(self.clone(), inner)
    }
}

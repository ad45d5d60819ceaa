use std::sync::Arc;

use tower_layer::Layer;

use super::{AgentSessions, Decide, NoRouter, NoSessions, Remember, RouteTask, SquadTools, Status, UseSkill};
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
}

impl<S, R: Clone> Layer<S> for SquadToolsLayer<R> {
    type Service = SquadTools<S, R>;

    fn layer(&self, inner: S) -> Self::Service {
        SquadTools::new(self.clone(), inner)
    }
}

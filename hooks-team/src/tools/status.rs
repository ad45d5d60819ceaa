//! `squad_status`: lists the members of the team and the agents at work.

use std::fmt::Write;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::{BoxError, HookFuture};
use schemars::JsonSchema;
use serde::Deserialize;
use tower_service::Service;

use super::{Tool, ToolError, ToolOutput};
use crate::Team;
use crate::name::Name;
use crate::text::one_line;

/// The arguments of `squad_status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[non_exhaustive]
pub struct StatusArgs {
    /// Only this agent.
    #[serde(default)]
    pub agent_name: Option<String>,
    /// Only sessions of this status.
    #[serde(default)]
    pub status: Option<String>,
    /// Lists every session with its task, and all members of the team.
    #[serde(default)]
    pub verbose: bool,
}

/// A host's information about agents at work.
pub trait AgentSessions: Send + Sync {
    /// Returns the most sessions at once, or `None` if the host sets no limit.
    fn capacity(&self) -> Option<usize>;

    /// Returns the current sessions, also those with the status `waiting`; an error if they are not known, which the
    /// model reads.
    fn sessions(&self) -> HookFuture<'static, Result<Vec<AgentSession>, BoxError>>;

    /// Returns the sessions that wait for a place, in the order in which they start.
    fn waiting(&self) -> Vec<AgentSession> {
        Vec::new()
    }
}

/// An agent at work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSession {
    /// Name of the agent.
    pub agent: String,
    /// Id of the session.
    pub session: String,
    /// State of the session (`active`, `idle`, `error`, ...).
    pub status: String,
    /// Task of the agent.
    pub task: Option<String>,
}

impl AgentSession {
    /// Whether the session waits for a place.
    fn waits(&self) -> bool {
        self.status.eq_ignore_ascii_case("waiting")
    }
}

/// Source for a host that keeps no sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSessions;

/// Lists the members of the team and the agents at work.
#[derive(Clone)]
pub struct Status {
    team: Team,
    sessions: Arc<dyn AgentSessions>,
}

impl AgentSessions for NoSessions {
    fn capacity(&self) -> Option<usize> {
        None
    }

    fn sessions(&self) -> HookFuture<'static, Result<Vec<AgentSession>, BoxError>> {
        HookFuture::now(Ok(Vec::new()))
    }
}

impl Tool for StatusArgs {
    const NAME: &'static str = "squad_status";
    const DESCRIPTION: &'static str = "See who is on the team and which agents are at work.";
    const READ_ONLY: bool = true;
}

impl Status {
    /// Uses the members of `team` and the sessions in `sessions`.
    pub fn new(team: Team, sessions: Arc<dyn AgentSessions>) -> Self {
        Self { team, sessions }
    }

    fn answer(&self, args: &StatusArgs, all: &[AgentSession]) -> Result<ToolOutput, ToolError> {
        let wanted = args.agent_name.as_deref().filter(|name| !name.trim().is_empty());
        let wanted = wanted.map(|name| self.team.agent(name)).transpose()?;
        let is_wanted = |name: &str| {
            wanted.as_ref().is_none_or(|wanted| Name::of_agent(name).is_ok_and(|name| name == *wanted))
        };
        let roster = self.team.roster()?;
        let members: Vec<_> = roster
            .members()
            .iter()
            .filter(|member| wanted.as_ref().is_none_or(|wanted| member.agent().as_ref() == Some(wanted)))
            .collect();
        let is_shown = |one: &&AgentSession| {
            let status = args.status.as_deref().map(str::trim);
            is_wanted(&one.agent) && status.is_none_or(|status| one.status.eq_ignore_ascii_case(status))
        };
        let all_waiting = self.sessions.waiting();
        let (mut waiting, sessions): (Vec<_>, Vec<_>) =
            all.iter().filter(is_shown).partition(|one| one.waits());
        waiting.extend(all_waiting.iter().filter(is_shown));

        let capacity = self.sessions.capacity().map_or(String::new(), |capacity| format!(" of {capacity}"));
        let active = members.iter().filter(|member| member.is_active()).count();
        let mut text =
            format!("{} sessions{capacity}; {active} of {} members active\n", sessions.len(), members.len());
        if !waiting.is_empty() {
            writeln!(text, "{} waiting for a place", waiting.len()).unwrap_or_default();
        }
        for one in sessions.iter().chain(&waiting) {
            let task = one
                .task
                .as_deref()
                .filter(|_| args.verbose)
                .map_or(String::new(), |task| format!(": {}", one_line(task)));
            writeln!(text, "- {} ({}, {}){task}", one.agent, one.session, one.status).unwrap_or_default();
        }
        for member in members.iter().filter(|_| args.verbose || wanted.is_some()) {
            writeln!(text, "- {}, {}: {}", member.name, member.role, member.status).unwrap_or_default();
        }
        Ok(ToolOutput::new(text.trim_end()))
    }
}

impl std::fmt::Debug for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Status").field("team", &self.team).finish_non_exhaustive()
    }
}

impl Service<StatusArgs> for Status {
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = HookFuture<'static, Result<ToolOutput, ToolError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, args: StatusArgs) -> Self::Future {
        let this = self.clone();
        HookFuture::later(async move {
            let all = this.sessions.sessions().await.map_err(ToolError::Sessions)?;
            this.answer(&args, &all)
        })
    }
}

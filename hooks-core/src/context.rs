//! The context of an event: session, agent, folder, tenant.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::time::Timestamp;

/// The context that every event has besides its own fields. It is made once per session or call, and shared
/// by `Arc`.
///
/// ```
/// use hooks_core::HookContext;
///
/// let mut context = HookContext::new("session-1", "backend").in_dir("/repo/api").for_tenant("acme");
/// assert_eq!(context.root(), "/repo/api"); // without a team folder, globs start from `cwd`
/// context.team_root = Some("/repo".into());
/// assert_eq!(context.root(), "/repo");
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct HookContext {
    /// Id of the session. Counters and budgets are kept per session.
    #[serde(alias = "sessionId")]
    pub session_id: String,
    /// Name of the agent that acts.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// Id of the subagent that acts, if its client gives it one; `None` for the agent of the session. Several
    /// subagents can have the same name.
    #[serde(alias = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Working folder of the team, from which relative globs start. If it is missing, `cwd` is used.
    #[serde(alias = "teamRoot", skip_serializing_if = "Option::is_none")]
    pub team_root: Option<PathBuf>,
    /// Time of the event, in milliseconds since 1970.
    pub timestamp: Timestamp,
    /// Working directory of the agent, from which relative paths start.
    pub cwd: PathBuf,
    /// Tenant whose hooks, budgets and state apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Id of the session that started this one.
    #[serde(alias = "parentSessionId", skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The repository, as `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of the tool call or model call that the event belongs to. A repeated reservation with the same id
    /// counts once.
    #[serde(alias = "callId", skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Access to the outside world, through traits.
    #[serde(skip)]
    pub environment: Environment,
}

impl HookContext {
    /// A context of `agent` in `session`; all other fields are empty.
    pub fn new(session: impl Into<String>, agent: impl Into<String>) -> Self {
        Self { session_id: session.into(), agent_name: agent.into(), ..Self::default() }
    }

    /// Sets the working directory.
    #[must_use]
    pub fn in_dir(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets the environment, and the timestamp to its current time.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    /// use hooks_core::{Environment, HookContext};
    ///
    /// let clock = Arc::new(StoppedClock(Timestamp(1_000)));
    /// let environment = Environment { clock, ..Environment::detached() };
    /// assert_eq!(HookContext::new("s", "backend").with_environment(environment).timestamp, Timestamp(1_000));
    /// ```
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.timestamp = environment.clock.now();
        self.environment = environment;
        self
    }

    /// Sets the tenant.
    #[must_use]
    pub fn for_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// Returns the folder that relative globs start from.
    pub fn root(&self) -> &std::path::Path {
        self.team_root.as_deref().unwrap_or(&self.cwd)
    }

    /// Returns the same context with the current time, for the call with this id.
    pub(crate) fn for_call(self: &Arc<Self>, call_id: Option<&str>) -> Arc<Self> {
        let mut context = Self::clone(self);
        context.timestamp = context.environment.clock.now();
        if let Some(id) = call_id {
            context.call_id = Some(id.to_owned());
        }
        Arc::new(context)
    }
}

//! Where an event happens: session, agent, folder, tenant.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::time::Timestamp;

/// What every event carries beside its own fields. Made once per session or call and shared by `Arc`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct HookContext {
    /// The session; counters and budgets are kept per session.
    #[serde(alias = "sessionId")]
    pub session_id: String,
    /// The agent that acts.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// The folder the team works in: what relative globs start from. `cwd` where absent.
    #[serde(alias = "teamRoot", skip_serializing_if = "Option::is_none")]
    pub team_root: Option<PathBuf>,
    /// When it happened, in milliseconds since 1970.
    pub timestamp: Timestamp,
    /// The working directory of the agent: what relative paths start from.
    pub cwd: PathBuf,
    /// Whose hooks, budgets and state apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The session that started this one.
    #[serde(alias = "parentSessionId", skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The repository, as `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The tool or model call this event belongs to; reservations are idempotent by it.
    #[serde(alias = "callId", skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The world, through traits.
    #[serde(skip)]
    pub environment: Environment,
}

impl HookContext {
    /// A context of `agent` in `session`, with nothing else known.
    pub fn new(session: impl Into<String>, agent: impl Into<String>) -> Self {
        Self { session_id: session.into(), agent_name: agent.into(), ..Self::default() }
    }

    /// Sets the working directory.
    #[must_use]
    pub fn in_dir(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets the world.
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

    /// The folder that relative globs start from.
    pub fn root(&self) -> &std::path::Path {
        self.team_root.as_deref().unwrap_or(&self.cwd)
    }

    /// The same context, now, for one call.
    pub(crate) fn for_call(self: &Arc<Self>, call_id: Option<&str>) -> Arc<Self> {
        let mut context = Self::clone(self);
        context.timestamp = context.environment.clock.now();
        if let Some(id) = call_id {
            context.call_id = Some(id.to_owned());
        }
        Arc::new(context)
    }
}

//! The agents that a spawn budget has registered, as the team's tools and the routing of tasks ask for them.

use std::sync::Arc;

use hooks_budgets::SpawnBudget;
use hooks_budgets::spawn::{Child, ChildState, Children};
use hooks_core::{BoxError, HookContext, HookFuture};
use hooks_team::tools::{AgentSession, AgentSessions};
use hooks_team_rules::routing::OpenTasks;

/// Agents at work according to the registry of a spawn budget: its children that wait or run.
///
/// ```
/// use std::sync::Arc;
/// use hooks_budgets::{SpawnBudget, SpawnConfig};
/// use hooks_config::{Config, SpawnedAgents};
/// use hooks_core::HookContext;
/// use hooks_core::event::SubagentStart;
/// use hooks_team::tools::AgentSessions;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let hooks = Config::parse("version: 1\nspawn: { concurrent: 4 }", "hooks.yaml")?.hooks();
/// let context = Arc::new(HookContext::new("session-1", "lead").with_environment(hooks_system::system()));
/// hooks.on(context.clone()).subagent_start(SubagentStart::new("tester", "the API")).await.commit();
///
/// // What `squad_status` shows in this session.
/// let budget = hooks.extension::<SpawnBudget>().ok_or("there is a budget")?;
/// let agents = SpawnedAgents::new(budget).at_most(4).in_session(context);
/// let sessions = agents.sessions().await?;
/// assert_eq!((agents.capacity(), &*sessions[0].agent, &*sessions[0].status), (Some(4), "tester", "active"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SpawnedAgents {
    children: Children,
    capacity: Option<usize>,
}

/// [`SpawnedAgents`] of the tree of one session.
#[derive(Clone, Debug)]
pub struct SessionAgents {
    agents: SpawnedAgents,
    context: Arc<HookContext>,
}

impl SpawnedAgents {
    /// The children of `budget`.
    pub fn new(budget: &SpawnBudget) -> Self {
        Self { children: budget.children(), capacity: None }
    }

    /// Sets the most children at once, for reports.
    #[must_use]
    pub fn at_most(self, capacity: usize) -> Self {
        Self { capacity: Some(capacity), ..self }
    }

    /// The children of the tree of a session.
    pub fn in_session(self, context: Arc<HookContext>) -> SessionAgents {
        SessionAgents { agents: self, context }
    }

    fn at_work(&self, context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<Child>, BoxError>> {
        let (children, context) = (self.children.clone(), Arc::clone(context));
        HookFuture::later(async move {
            let mut all = children.tree(&context).await?;
            all.retain(|child| matches!(child.state, ChildState::Waiting | ChildState::Running));
            Ok(all)
        })
    }
}

impl OpenTasks for SpawnedAgents {
    fn agents(&self, context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        let at_work = self.at_work(context);
        HookFuture::later(async move {
            let all = at_work.await?;
            Ok(all.into_iter().filter(|child| !is_only_a_call(child)).map(|child| child.agent).collect())
        })
    }
}

impl AgentSessions for SessionAgents {
    fn capacity(&self) -> Option<usize> {
        self.agents.capacity
    }

    fn sessions(&self) -> HookFuture<'static, Result<Vec<AgentSession>, BoxError>> {
        let at_work = self.agents.at_work(&self.context);
        HookFuture::later(async move { Ok(at_work.await?.into_iter().map(session_of).collect()) })
    }
}

/// Returns whether a call of a tool holds the place of a child that does not exist yet: it may be the call that routes the
/// task.
fn is_only_a_call(child: &Child) -> bool {
    child.state == ChildState::Waiting && child.id.is_none() && child.call.is_some()
}

fn session_of(child: Child) -> AgentSession {
    let status = if child.state == ChildState::Waiting { "waiting" } else { "active" };
    AgentSession {
        agent: child.agent,
        session: child.id.unwrap_or_default(),
        status: status.to_owned(),
        task: Some(child.task).filter(|task| !task.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::event::{PreToolUse, SubagentStart};
    use hooks_team::Team;
    use hooks_team::tools::{Status, StatusArgs};
    use serde_json::json;
    use tower::ServiceExt;

    use super::super::Config;
    use super::*;

    /// A call of a tool holds the place of a child until that starts.
    #[tokio::test]
    async fn the_status_tool_lists_children_that_wait_apart_from_those_at_work() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = Config::parse("version: 1\nspawn: { concurrent: 4 }", "hooks.yaml").unwrap().hooks();
        let context = Arc::new(HookContext::new("s", "lead").with_environment(hooks_system::system()));
        hooks.on(context.clone()).subagent_start(SubagentStart::new("tester", "the API")).await.commit();
        let mut at_call = HookContext::clone(&context);
        at_call.call_id = Some("call-1".to_owned());
        let call = PreToolUse::new("Task", json!({"subagent_type": "docs", "prompt": "write"}));
        hooks.on(at_call).pre_tool_use(call).await.commit();

        let agents = SpawnedAgents::new(hooks.extension::<SpawnBudget>().unwrap()).at_most(4);
        let disk = Arc::new(hooks_system::StdFileSystem);
        let team = Team::new(disk, folder.path(), &hooks_system::system());
        let status = Status::new(team, Arc::new(agents.in_session(context)));
        let text = status.oneshot(StatusArgs::default()).await.unwrap().text;
        assert!(text.starts_with("1 sessions of 4;"), "{text}");
        assert!(text.contains("1 waiting for a place\n- tester (, active)\n- docs (, waiting)"), "{text}");
    }
}

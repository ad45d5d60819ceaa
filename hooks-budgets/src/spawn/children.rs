//! Queries on children, and their signs of life.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hooks_core::event::{Level, Notification};
use hooks_core::time::Timer;
use hooks_core::{HookContext, HookError, HookRequest, Live};

use super::NAME;
use super::budget::SpawnBudget;
use super::child::{Child, ChildState, Known};
use super::keys::hex;
use crate::place::fresh_id;

/// The children that a budget lists: those that wait, run, fell silent or ended a while ago.
#[derive(Clone, Debug)]
pub struct Children(SpawnBudget);

impl Children {
    pub(super) fn new(budget: &SpawnBudget) -> Self {
        Self(budget.clone())
    }

    /// Returns the children that the session of `context` started itself, in order of start.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn started_by(&self, context: &HookContext) -> Result<Vec<Child>, HookError> {
        let all = self.all(context).await?;
        let is_own = |known: &Known| known.entry.session == context.session_id;
        Ok(all.into_iter().filter(is_own).map(Known::into_child).collect())
    }

    /// Returns all children of the tree of `context`. Each child is followed by its own children if it has a
    /// session of its own.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    ///
    /// An agent is notified at its next turn of the others in its tree, without their tasks:
    ///
    /// ```
    /// use hooks_budgets::{BudgetsSettings, SpawnBudget, SpawnConfig};
    /// use hooks_core::event::{SubagentStart, TurnStart};
    /// use hooks_core::{HookContext, Hooks};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let spawn = Some(SpawnConfig::default());
    /// let hooks = Hooks::from_policy(BudgetsSettings { spawn, ..BudgetsSettings::default() })?;
    /// let root = HookContext::new("session-1", "lead");
    /// let mut start = SubagentStart::new("tester", "mail jane@example.com");
    /// start.child_id = Some("session-2".to_owned());
    /// hooks.on(root.clone()).subagent_start(start).await.commit();
    ///
    /// let children = hooks.extension::<SpawnBudget>().ok_or("there is a budget")?.children();
    /// let tree = children.tree(&root).await?;
    /// assert_eq!((tree[0].id.as_deref(), tree[0].depth), (Some("session-2"), 1));
    /// assert_eq!(tree[0].task, "mail [EMAIL_REDACTED]");
    /// let context = hooks.on(root).turn_start(TurnStart::new(1)).await;
    /// assert_eq!(context.additional_context[0].text, "Other agents of this task:\n- tester started, for lead");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn tree(&self, context: &HookContext) -> Result<Vec<Child>, HookError> {
        let all = self.all(context).await?;
        Ok(in_order(all.into_iter().map(Known::into_child).collect()))
    }

    /// Stores a sign of life of a child: it is presumed lost only after another lease without one. Agents
    /// that fire events of their own do not need this.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    ///
    /// Without a sign of life, a child is presumed lost and its place is free:
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_budgets::spawn::ChildState;
    /// use hooks_budgets::{BudgetsSettings, SpawnBudget, SpawnConfig};
    /// use hooks_core::event::SubagentStart;
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_core::{HookContext, Hooks};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (environment, clock, _) = world(FakeFileSystem::default());
    /// let spawn = Some(SpawnConfig { concurrent: Some(1), ..SpawnConfig::default() }); // a lease of 15 minutes
    /// let hooks = Hooks::from_policy(BudgetsSettings { spawn, ..BudgetsSettings::default() })?;
    /// let context = HookContext::new("session-1", "lead").with_environment(environment);
    /// let mut start = SubagentStart::new("tester", "the API");
    /// start.child_id = Some("child-1".to_owned());
    /// hooks.on(context.clone()).subagent_start(start).await.commit();
    ///
    /// let children = hooks.extension::<SpawnBudget>().ok_or("there is a budget")?.children();
    /// clock.advance(Duration::from_secs(600));
    /// children.heartbeat(&context, "child-1").await?;
    /// clock.advance(Duration::from_secs(600));
    /// assert_eq!(children.tree(&context).await?[0].state, ChildState::Running);
    /// clock.advance(Duration::from_secs(600));
    /// assert_eq!(children.tree(&context).await?[0].state, ChildState::Silent);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn heartbeat(&self, context: &HookContext, child: &str) -> Result<(), HookError> {
        let engine = &self.0.0;
        let registry = engine.registry(context).await?;
        let (known, _) = registry.known().await?;
        engine.beat(&registry, &known, |entry| entry.child.as_deref() == Some(child)).await
    }

    /// Runs `work` of a child and stores signs of life meanwhile. If the store fails, the next sign of life
    /// tries again.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use hooks_budgets::spawn::ChildState;
    /// use hooks_budgets::{BudgetsSettings, SpawnBudget, SpawnConfig};
    /// use hooks_core::event::SubagentStart;
    /// use hooks_core::testing::VirtualTime;
    /// use hooks_core::time::Timer;
    /// use hooks_core::{Environment, HookContext, Hooks};
    ///
    /// let time = VirtualTime::default();
    /// let environment = Environment { clock: Arc::new(time.clone()), ..Environment::detached() };
    /// let context = HookContext::new("session-1", "lead").with_environment(environment);
    /// let spawn = Some(SpawnConfig::default());
    /// let hooks = Hooks::from_policy(BudgetsSettings { spawn, ..BudgetsSettings::default() })?;
    /// # time.block_on(async {
    /// let mut start = SubagentStart::new("tester", "the API");
    /// start.child_id = Some("child-1".to_owned());
    /// hooks.on(context.clone()).subagent_start(start).await.commit();
    ///
    /// let children = hooks.extension::<SpawnBudget>().expect("there is a budget").children();
    /// let a_day = time.sleep(Duration::from_secs(24 * 3_600));
    /// children.while_running(&context, "child-1", &time, a_day).await;
    /// assert_eq!(children.tree(&context).await?[0].state, ChildState::Running);
    /// # Ok::<(), hooks_core::HookError>(())
    /// # }).expect("nothing waits but the timer")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn while_running<F: Future>(
        &self,
        context: &HookContext,
        child: &str,
        timer: &dyn Timer,
        work: F,
    ) -> F::Output {
        let pause = (self.0.0.limits.lease / 4).max(Duration::from_millis(100));
        let beats = async {
            loop {
                timer.sleep(pause).await;
                let _heard = self.heartbeat(context, child).await;
            }
        };
        let (mut work, mut beats) = (pin!(work), pin!(beats));
        std::future::poll_fn(|cx| {
            let beats: Poll<Infallible> = beats.as_mut().poll(cx);
            if let Poll::Ready(never) = beats {
                match never {}
            }
            work.as_mut().poll(cx)
        })
        .await
    }

    /// Reports silent children in the tree of `context` to `hooks`, as `notification` events. Each silence is
    /// reported once, by whichever process asks first. Returns the children that were reported now.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use hooks_budgets::{BudgetsSettings, SpawnBudget, SpawnConfig};
    /// use hooks_core::event::SubagentStart;
    /// use hooks_core::testing::{FakeFileSystem, Recorder, world};
    /// use hooks_core::{EventKind, HookContext, Hooks, Live};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (environment, clock, _) = world(FakeFileSystem::default());
    /// let spawn = Some(SpawnConfig::default());
    /// let hooks = Hooks::from_policy(BudgetsSettings { spawn, ..BudgetsSettings::default() })?;
    /// let context = Arc::new(HookContext::new("session-1", "lead").with_environment(environment));
    /// let start = SubagentStart::new("tester", "the API");
    /// hooks.on(context.clone()).subagent_start(start).await.commit();
    /// clock.advance(Duration::from_secs(3_600));
    ///
    /// let recorder = Recorder::default();
    /// let children = hooks.extension::<SpawnBudget>().ok_or("there is a budget")?.children();
    /// let live = Live::new(recorder.clone());
    /// assert_eq!(children.report_silent(&live, &context).await?[0].agent, "tester");
    /// assert!(children.report_silent(&live, &context).await?.is_empty()); // each silence is reported once
    /// assert_eq!(recorder.kinds(), [EventKind::Notification]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn report_silent(
        &self,
        hooks: &Live,
        context: &Arc<HookContext>,
    ) -> Result<Vec<Child>, HookError> {
        let engine = &self.0.0;
        let registry = engine.registry(context).await?;
        let (known, _) = registry.known().await?;
        let mut told = Vec::new();
        for known in known.into_iter().filter(|known| known.state() == ChildState::Silent) {
            // A child that returned and fell silent again is reported again.
            let silence = format!("silent-{}", known.until.unwrap_or_default().0);
            let by = hex(fresh_id(NAME, context));
            if !registry.is_first(&silence, known.id, &by).await? {
                continue;
            }
            let child = known.into_child();
            let notification = Notification::new(Level::Warning, silence_of(&child));
            hooks.tell(HookRequest::new(Arc::clone(context), notification)).await;
            told.push(child);
        }
        Ok(told)
    }

    async fn all(&self, context: &HookContext) -> Result<Vec<Known>, HookError> {
        let (known, _) = self.0.0.registry(context).await?.known().await?;
        Ok(known.into_iter().filter(|known| !(known.has_ended() && known.is_over)).collect())
    }
}

fn silence_of(child: &Child) -> String {
    let agent = if child.agent.is_empty() { "a child" } else { &child.agent };
    let since = child.until.map_or_else(String::new, |until| format!(" since {until}"));
    format!("`{agent}`, started by `{}`, is silent{since} and is taken for lost", child.parent_agent)
}

/// Returns children depth first, in order of entry; without recursion, at any depth of the tree.
fn in_order(children: Vec<Child>) -> Vec<Child> {
    let ids: HashSet<String> = children.iter().filter_map(|child| child.id.clone()).collect();
    let (mut open, mut below) = (Vec::new(), HashMap::<String, Vec<Child>>::new());
    for child in children.into_iter().rev() {
        // A child that is its own parent, which no host reports, counts as a root.
        let is_below =
            ids.contains(&child.parent_session) && child.id.as_ref() != Some(&child.parent_session);
        if is_below {
            below.entry(child.parent_session.clone()).or_default().push(child);
        } else {
            open.push(child);
        }
    }
    let mut ordered = Vec::new();
    while let Some(child) = open.pop() {
        open.extend(child.id.as_ref().and_then(|id| below.remove(id)).unwrap_or_default());
        ordered.push(child);
    }
    // Children in a cycle.
    ordered.extend(below.into_values().flatten());
    ordered
}

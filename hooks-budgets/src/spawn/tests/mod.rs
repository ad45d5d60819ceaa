//! Children that race, are lost, are dropped half-way or are nested, on stores that are slow or fail.

mod calls;
mod cancel;
mod lost;
mod properties;
mod race;
mod registry;
mod rules;
mod tree;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::event::{SubagentStart, SubagentStop};
use hooks_core::state::{Memory, Op, StateStore, StepResult, StoreError};
use hooks_core::testing::{FakeClock, FakeFileSystem, world};
use hooks_core::{Background, Environment, HookContext, HookFuture, Hooks, Judged};

use super::config::SpawnConfig;
use super::{Child, ChildState, SpawnBudget};
use crate::{Budgets, BudgetsSettings};

/// Hooks on a store, in an environment whose clock advances only on request.
struct Desk {
    hooks: Hooks,
    store: Arc<dyn StateStore>,
    environment: Environment,
    clock: Arc<FakeClock>,
}

impl Desk {
    fn new(config: SpawnConfig) -> Self {
        Self::with(config, |store| store)
    }

    /// The same with a store between the hooks and the memory.
    fn with(config: SpawnConfig, store: impl FnOnce(Arc<dyn StateStore>) -> Arc<dyn StateStore>) -> Self {
        let (environment, clock, _) = world(FakeFileSystem::default());
        let store = store(Arc::new(Memory::new(clock.clone())));
        Self { hooks: hooks(config, &store), store, environment, clock }
    }

    fn at(&self, session: &str) -> HookContext {
        HookContext::new(session, "lead").with_environment(self.environment.clone())
    }

    /// Starts a child with this id; returns whether it was created.
    async fn start(&self, session: &str, id: &str) -> bool {
        start(&self.hooks, self.at(session), child("backend", id)).await.is_ok()
    }

    async fn stop(&self, session: &str, id: &str) {
        stop(&self.hooks, self.at(session), id).await;
    }

    async fn children(&self, session: &str) -> Vec<Child> {
        self.hooks.extension::<SpawnBudget>().unwrap().children().tree(&self.at(session)).await.unwrap()
    }

    async fn states(&self, session: &str) -> Vec<ChildState> {
        self.children(session).await.into_iter().map(|child| child.state).collect()
    }
}

fn hooks(config: SpawnConfig, store: &Arc<dyn StateStore>) -> Hooks {
    let policy = BudgetsSettings { spawn: Some(config), ..BudgetsSettings::default() };
    Hooks::from_policy(Budgets::new(policy).with_store(Arc::clone(store))).unwrap()
}

fn child(agent: &str, id: &str) -> SubagentStart {
    let mut start = SubagentStart::new(agent, "do it");
    start.child_id = Some(id.to_owned());
    start
}

/// Starts a child; returns the rule that denied it, if one did.
async fn start(hooks: &Hooks, context: HookContext, start: SubagentStart) -> Result<(), String> {
    let mut decision = hooks.on(context).subagent_start(start).await;
    if decision.outcome.goes_ahead() {
        decision.outcome.take_holds().commit();
        return Ok(());
    }
    Err(decision.outcome.shown_reason().map(|reason| reason.rule.to_string()).unwrap_or_default())
}

async fn stop(hooks: &Hooks, context: HookContext, id: &str) {
    let mut event = SubagentStop::default();
    event.child_id = Some(id.to_owned());
    hooks.on(context).subagent_stop(event).await;
}

fn concurrent(limit: u64) -> SpawnConfig {
    SpawnConfig { concurrent: Some(limit), ..SpawnConfig::default() }
}

const LEASE: Duration = Duration::from_secs(15 * 60);

/// Store that lets other tasks run before and after each operation.
struct Slow(Arc<dyn StateStore>);

impl StateStore for Slow {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let store = Arc::clone(&self.0);
        HookFuture::later(async move {
            tokio::task::yield_now().await;
            let answer = store.apply(op).await;
            tokio::task::yield_now().await;
            answer
        })
    }
}

/// Store that is unavailable for all operations that match `fails`.
struct Away<F>(Arc<dyn StateStore>, F);

impl<F: Fn(&Op) -> bool + Send + Sync> StateStore for Away<F> {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        if self.1(&op) {
            return HookFuture::now(Err(StoreError::Unavailable("it is away".into())));
        }
        self.0.apply(op)
    }
}

/// Keeps background work until `finish` is called.
#[derive(Default)]
struct Kept(Mutex<Vec<HookFuture<'static, ()>>>);

impl Background for Kept {
    fn run(&self, work: HookFuture<'static, ()>) {
        self.0.lock().unwrap().push(work);
    }
}

impl Kept {
    async fn finish(&self) {
        loop {
            let Some(work) = self.0.lock().unwrap().pop() else { return };
            work.await;
        }
    }
}

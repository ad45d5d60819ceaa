//! Child agents.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};

use tower::ServiceExt;
use tower_service::Service;

use super::moment::Moment;
use super::refusal;
use crate::context::HookContext;
use crate::error::{BoxError, HookError};
use crate::event::{ChildStatus, EventKind, SpawnFailed, SubagentSpawned, SubagentStart, SubagentStop};
use crate::future::HookFuture;
use crate::inner_accessors;
use crate::outcome::{Decision, Gate, Judged, Recovery};
use crate::set::{Decided, HooksProvider, Live};
use crate::state::OpId;
use crate::time::Timestamp;

/// A child to create, and where.
#[derive(Clone, Debug)]
pub struct SpawnRequest {
    /// Where: the parent's context.
    pub context: Arc<HookContext>,
    /// Whom, for what.
    pub start: SubagentStart,
}

/// What came of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Spawned<C> {
    /// The child exists; what the hooks add for it.
    Running(Child<C>, Decision<SubagentStart>),
    /// It was not created, for this reason.
    Denied(String, Decision<SubagentStart>),
    /// It could not be created; the error, and what the hooks propose.
    Failed(String, Recovery),
}

/// Governs the creation of children by `S`: `subagent_start` decides (also about model and task), then
/// `subagent_spawned` or `spawn_failed`, and at the child's end `subagent_stop`, also when its handle is dropped.
/// A child without an id gets one, which all events about it have. A question is a refusal. A place in a limit stays taken once the child exists, and is given back where it could
/// not be created. Always ready: a clone of the spawner is made ready once the child is let through.
#[derive(Clone, Debug)]
pub struct GovernSpawn<S> {
    spawner: S,
    hooks: Live,
}

impl<S> GovernSpawn<S> {
    /// Governs `spawner` by `hooks`.
    pub fn new(hooks: impl Into<Live>, spawner: S) -> Self {
        Self { spawner, hooks: hooks.into() }
    }

    inner_accessors!(spawner: S, "The spawner");
}

impl<S, C> Service<SpawnRequest> for GovernSpawn<S>
where
    S: Service<SubagentStart, Response = C, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    C: Send,
{
    type Response = Spawned<C>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Spawned<C>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: SpawnRequest) -> Self::Future {
        let spawner = self.spawner.clone();
        let hooks = self.hooks.clone();
        let moment = Moment::new(hooks.snapshot(), request.context.for_call(None));
        HookFuture::later(async move {
            let Decided { request, mut outcome } = moment.admit(named(request.start, &moment.context)).await;
            if !outcome.goes_ahead() {
                return Ok(Spawned::Denied(refusal(outcome.shown_reason()), outcome));
            }
            let start = request.event().clone();
            let pending = PendingSpawn(Some((moment.clone(), start.clone())));
            let created = spawner.oneshot(start.clone()).await.map_err(|error| error.into().to_string());
            pending.disarm();
            let moment = moment.later();
            match created {
                Ok(child) => {
                    outcome.take_holds().commit();
                    // Before anybody is waited for: dropped from here on, the child still ends.
                    let child = Child::new(child, moment.clone(), hooks, &start);
                    moment.tell(SubagentSpawned::from_start(&start)).await;
                    Ok(Spawned::Running(child, outcome))
                }
                Err(error) => {
                    let recovery = moment.tell(failure(&start, &error)).await;
                    Ok(Spawned::Failed(error, recovery))
                }
            }
        })
    }
}

/// The child with an id of its own, by which what counts knows it again when it ends.
fn named(mut start: SubagentStart, context: &HookContext) -> SubagentStart {
    // Tells children apart also where the random numbers of two contexts are the same.
    static STARTED: AtomicU64 = AtomicU64::new(0);
    if start.child_id.is_none() {
        let (random, number) = (context.environment.random.next_u128(), STARTED.fetch_add(1, Relaxed));
        let id = OpId::of(&["child", &random.to_string(), &number.to_string()]);
        start.child_id = Some(format!("{:032x}", id.0));
    }
    start
}

fn failure(start: &SubagentStart, error: &str) -> SpawnFailed {
    let mut event = SpawnFailed::new(start.agent_name.clone(), error);
    event.current_model.clone_from(&start.model);
    event.child_id.clone_from(&start.child_id);
    event
}

/// A child that runs. Dropped without [`Child::end`], it still fires `subagent_stop`, with an error.
#[derive(Debug)]
pub struct Child<C> {
    handle: C,
    hooks: Live,
    alive: Alive,
}

impl<C> Child<C> {
    fn new(handle: C, moment: Moment, hooks: Live, start: &SubagentStart) -> Self {
        let started = moment.context.environment.clock.now();
        let stop = SubagentStop {
            agent_name: start.agent_name.clone(),
            model: start.model.clone(),
            child_id: start.child_id.clone(),
            status: ChildStatus::Error,
            ..SubagentStop::default()
        };
        Self { handle, hooks, alive: Alive { moment: Some(moment), stop, started } }
    }

    /// What the spawner gave.
    pub const fn get_ref(&self) -> &C {
        &self.handle
    }

    /// What the spawner gave, to change.
    pub const fn get_mut(&mut self) -> &mut C {
        &mut self.handle
    }

    /// The hooks that govern the child: its parent's.
    pub const fn hooks(&self) -> &Live {
        &self.hooks
    }

    /// Narrows the child's hooks further: its parent's stay, these come after them.
    #[must_use]
    pub fn narrowed(mut self, further: impl HooksProvider + 'static) -> Self {
        self.hooks = self.hooks.narrowed(further);
        self
    }

    /// The child ended with `status`. A stop in the answer wants it to go on: the handle comes back with it,
    /// and the child's end is still to come.
    pub async fn end(
        mut self,
        status: ChildStatus,
        response: Option<String>,
    ) -> (Gate<SubagentStop>, Option<Self>) {
        self.alive.stop.status = status;
        self.alive.stop.response = response;
        let Some(moment) = self.alive.moment.clone() else { return (Gate::default(), None) };
        let decided = moment.later().gate(self.alive.stopped()).await;
        if decided.outcome.goes_ahead() {
            self.alive.moment = None;
            return (decided.outcome, None);
        }
        self.alive.stop.status = ChildStatus::Error;
        (decided.outcome, Some(self))
    }

    /// Reports what the child used, for its `subagent_stop`.
    pub fn used(&mut self, tokens: u64, tool_calls: u64, files_modified: Vec<String>) {
        self.alive.stop.tokens_used = tokens;
        self.alive.stop.tool_call_count = tool_calls;
        self.alive.stop.files_modified = files_modified;
    }
}

/// The part of a child that fires its end.
struct Alive {
    moment: Option<Moment>,
    stop: SubagentStop,
    started: Timestamp,
}

impl Alive {
    fn stopped(&self) -> SubagentStop {
        let now = self.moment.as_ref().map_or(self.started, |moment| moment.context.environment.clock.now());
        let duration_ms = u64::try_from(now.since(self.started).as_millis()).unwrap_or(u64::MAX);
        SubagentStop { duration_ms, ..self.stop.clone() }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        let stop = self.stopped();
        let Some(moment) = self.moment.take() else { return };
        let context = Arc::clone(&moment.context);
        Moment::abandon(&context, EventKind::SubagentStop, async move {
            moment.later().gate(stop).await;
        });
    }
}

impl std::fmt::Debug for Alive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Alive").field("stop", &self.stop).finish_non_exhaustive()
    }
}

/// Fires `spawn_failed` where the creation of a child is dropped.
struct PendingSpawn(Option<(Moment, SubagentStart)>);

impl PendingSpawn {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for PendingSpawn {
    fn drop(&mut self) {
        let Some((moment, start)) = self.0.take() else { return };
        let context = Arc::clone(&moment.context);
        Moment::abandon(&context, EventKind::SpawnFailed, async move {
            moment.later().tell(failure(&start, "canceled while the child was created")).await;
        });
    }
}

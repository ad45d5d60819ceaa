//! The driver of child agents.

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
use crate::set::{Ending, EventDecision, HooksProvider, Live};
use crate::state::OpId;
use crate::time::Timestamp;

/// A child to create, with the context of the parent.
#[derive(Clone, Debug)]
pub struct SpawnRequest {
    /// Context of the parent.
    pub context: Arc<HookContext>,
    /// The child and its task.
    pub start: SubagentStart,
}

/// Outcome of the creation of a child.
#[derive(Debug)]
#[non_exhaustive]
pub enum Spawned<C> {
    /// The child was created; the decision has the notes of the hooks.
    Running(Child<C>, Decision<SubagentStart>),
    /// The child was not created, for this reason.
    Denied(String, Decision<SubagentStart>),
    /// The child could not be created, with the error and the proposals of the hooks.
    Failed(String, Recovery),
}

/// Governs the creation of children by `S`. Hooks on `subagent_start` decide, and may change the model and
/// the task; then `subagent_spawned` or `spawn_failed` fires. At the end of the child `subagent_stop` fires,
/// also if its handle is dropped.
///
/// A child without an id gets one, which all events about it have. An ask counts as a refusal. A reservation
/// is committed once the child exists, and given back if it could not be created. The service is always
/// ready: it drives the readiness of a clone of the spawner after the child was allowed.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::drivers::{GovernSpawn, SpawnRequest, Spawned};
/// use hooks_core::event::SubagentStart;
/// use hooks_core::{BoxError, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use tower::{ServiceExt, service_fn};
///
/// let known = policy_fn("known", |request: &HookRequest<SubagentStart>| match &*request.event().agent_name {
///     "tester" => Verdict::NO_OPINION,
///     _ => Verdict::deny(Reason::new("known", "agent", "start the tester")),
/// });
/// let spawner = service_fn(|start: SubagentStart| async move { Ok::<_, BoxError>(format!("process of {}", start.agent_name)) });
/// let spawn = GovernSpawn::new(Hooks::builder().policy(known).build(), spawner);
/// let context = Arc::new(HookContext::new("session-1", "lead"));
/// # futures_util::FutureExt::now_or_never(async {
/// let start = |agent| SpawnRequest { context: Arc::clone(&context), start: SubagentStart::new(agent, "the API") };
/// let child = spawn.clone().oneshot(start("tester")).await.expect("an answer");
/// assert!(matches!(&child, Spawned::Running(child, _) if child.get_ref() == "process of tester"));
/// let denied = spawn.oneshot(start("poet")).await.expect("an answer");
/// assert!(matches!(denied, Spawned::Denied(why, _) if why == "start the tester"));
/// # }).expect("no hook waits");
/// ```
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
            let EventDecision { request, mut outcome } =
                moment.conclude(named(request.start, &moment.context), Ending::Closed).await;
            if !outcome.goes_ahead() {
                return Ok(Spawned::Denied(refusal(outcome.text_for_agent()), outcome));
            }
            let start = request.event().clone();
            let pending = PendingSpawn(Some((moment.clone(), start.clone())));
            let created = spawner.oneshot(start.clone()).await.map_err(|error| error.into().to_string());
            pending.disarm();
            let moment = moment.later();
            match created {
                Ok(child) => {
                    outcome.take_holds().commit();
                    // Made before the next wait: if the future is dropped from here on, the child still fires
                    // its end.
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

/// Gives the child an id if it has none. Limits use the id to recognize the child when it ends.
fn named(mut start: SubagentStart, context: &HookContext) -> SubagentStart {
    // Keeps ids distinct if two contexts have the same random numbers.
    static STARTED: AtomicU64 = AtomicU64::new(0);
    if start.child_id.is_none() {
        let (random, number) = (context.environment.random.next_u128(), STARTED.fetch_add(1, Relaxed));
        let id = OpId::from_parts(&["child", &random.to_string(), &number.to_string()]);
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

/// A running child. If it is dropped without [`Child::end`], it still fires `subagent_stop`, with an error.
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

    /// The handle that the spawner returned.
    pub const fn get_ref(&self) -> &C {
        &self.handle
    }

    /// The handle that the spawner returned, for changes.
    pub const fn get_mut(&mut self) -> &mut C {
        &mut self.handle
    }

    /// The hooks that govern the child: those of its parent, and those added by [`Child::narrowed`].
    pub const fn hooks(&self) -> &Live {
        &self.hooks
    }

    /// Context for the session of the child: its id and its agent, with the session of its parent as
    /// `parent_session_id`. Everything else is that of the parent.
    pub fn context(&self) -> HookContext {
        let parent = self.alive.moment.as_ref().map(|moment| (*moment.context).clone()).unwrap_or_default();
        HookContext {
            session_id: self.alive.stop.child_id.clone().unwrap_or_default(),
            agent_name: self.alive.stop.agent_name.clone(),
            parent_session_id: Some(parent.session_id),
            call_id: None,
            ..parent
        }
    }

    /// Adds hooks for the child. The hooks of its parent stay, and `further` comes after them.
    #[must_use]
    pub fn narrowed(mut self, further: impl HooksProvider + 'static) -> Self {
        self.hooks = self.hooks.narrowed(further);
        self
    }

    /// Reports that the child ended with `status`. If the answer is a stop, the child must go on: the handle
    /// is returned with the answer, and the end of the child is still to be reported.
    pub async fn end(
        mut self,
        status: ChildStatus,
        response: Option<String>,
    ) -> (Gate<SubagentStop>, Option<Self>) {
        self.alive.stop.status = status;
        self.alive.stop.response = response;
        let Some(moment) = self.alive.moment.clone() else { return (Gate::default(), None) };
        let decision = moment.later().gate(self.alive.stopped()).await;
        if decision.outcome.goes_ahead() {
            self.alive.moment = None;
            return (decision.outcome, None);
        }
        self.alive.stop.status = ChildStatus::Error;
        (decision.outcome, Some(self))
    }

    /// Sets the amounts that the child used, for its `subagent_stop`.
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

/// Fires `spawn_failed` if the creation of a child is dropped.
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

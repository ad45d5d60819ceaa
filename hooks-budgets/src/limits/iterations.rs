//! Limit on an agent's calls of its model.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::event::{
    AfterModelCall, BeforeModelCall, MaxIterations, PreToolUse, SubagentSpawned, UserPromptSubmitted,
};
use hooks_core::state::{Key, MAX_AMOUNT, Op, Scope, StateStore, StepResult, StoreError, Window};
use hooks_core::{
    DeciderOutcome, Evidence, Gate, HookContext, HookError, HookFuture, HookRequest, PolicyErrors,
    PromptOutcome, Reason, Reservation, Reserve, ReserveLayer, Stage, Verdict,
};
use hooks_facts::names::folded;
use tower_service::Service;

use super::config::{IterationLimitConfig, IterationSpan};
use crate::counting_store::{CountingStore, beyond_limits};
use crate::place::{LimitPlace, NoPlace, PlaceId, fresh_id, place_id};

const NAME: &str = "iteration-limit";

/// Limits how often an agent calls its model, by a place taken on `before_model_call`. If the user lets the
/// agent continue (`max_iterations`, resumed), it may make the same number of calls again. The number of
/// resumptions in a session can be limited.
///
/// By default, the count starts anew with each message of the user:
///
/// ```
/// use hooks_budgets::{BudgetsSettings, LimitsConfig};
/// use hooks_core::event::{BeforeModelCall, PromptKind, UserPromptSubmitted};
/// use hooks_core::{HookContext, Hooks, Judged};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limits: LimitsConfig = serde_json::from_value(json!({"iterations": {"most": 1}}))?;
/// let hooks = Hooks::from_policy(BudgetsSettings { limits: Some(limits), ..BudgetsSettings::default() })?;
/// let at = hooks.on(HookContext::new("session-1", "backend"));
/// let call = async || {
///     let mut decided = at.before_model_call(BeforeModelCall::new("large", 1, Vec::new())).await;
///     decided.commit();
///     decided.outcome
/// };
/// assert!(call().await.goes_ahead());
/// let denied = call().await;
/// assert_eq!(
///     denied.shown_reason().expect("a denial has a reason").message,
///     "this agent called its model 1 of 1 times for this message",
/// );
/// at.user_prompt_submitted(UserPromptSubmitted::new("and the tests?", PromptKind::FollowUp)).await;
/// assert!(call().await.goes_ahead());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct IterationLimit {
    most: u64,
    resumes: Option<u64>,
    pub(super) span: IterationSpan,
    store: CountingStore,
}

/// Iteration limit around an inner hook.
pub type IterationLimitLayer = ReserveLayer<IterationLimit>;

impl IterationLimit {
    /// Creates a limit that is counted in `store`.
    ///
    /// # Errors
    /// Returns all errors of `config`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::{IterationLimit, IterationLimitConfig};
    /// use hooks_core::{state::Memory, time::StoppedClock};
    /// use serde_json::json;
    ///
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let config: IterationLimitConfig = serde_json::from_value(json!({"most": u64::MAX}))?;
    /// let errors = IterationLimit::new(&config, store).expect_err("no store counts that far");
    /// assert_eq!(errors.as_slice()[0].field, "limits.iterations.most");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(config: &IterationLimitConfig, store: Arc<dyn StateStore>) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let limit = Self::compile(config, CountingStore::Given(store), &mut errors);
        errors.or(limit)
    }

    pub(crate) fn compile(
        config: &IterationLimitConfig,
        store: CountingStore,
        errors: &mut PolicyErrors,
    ) -> Self {
        for (name, number) in [("most", config.most), ("resumes", config.resumes.unwrap_or_default())] {
            if number > MAX_AMOUNT {
                let hint = format!("write at most {MAX_AMOUNT}");
                errors.push(format!("limits.iterations.{name}"), "more than can be counted", hint);
            }
        }
        let IterationLimitConfig { most, per, resumes } = *config;
        Self { most, resumes, span: per, store }
    }

    /// Wraps the limit in a layer around a hook on `before_model_call`. Put it outermost, so that it is asked
    /// last.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::{IterationLimit, IterationLimitConfig};
    /// use hooks_core::event::BeforeModelCall;
    /// use hooks_core::{HookContext, HookRequest, Judged, Settle, state::Memory, time::StoppedClock};
    /// use serde_json::json;
    /// use tower::{Layer, ServiceExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let config: IterationLimitConfig = serde_json::from_value(json!({"most": 1, "per": "session"}))?;
    /// let stack = IterationLimit::new(&config, store)?.layer().layer(Settle);
    /// for goes_ahead in [true, false] {
    ///     let call = BeforeModelCall::new("large", 1, Vec::new());
    ///     let mut judgement = stack.clone().oneshot(HookRequest::new(HookContext::new("session-1", "lead"), call)).await?;
    ///     judgement.take_holds().commit();
    ///     assert_eq!(judgement.goes_ahead(), goes_ahead);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer(&self) -> IterationLimitLayer {
        ReserveLayer::new(self.clone())
    }

    /// Resets the count with this key.
    async fn reset(&self, context: &HookContext, key: Key) -> Result<(), StoreError> {
        let id = fresh_id(key.as_str(), context);
        let op = Op::Correct { id, key, window: Window::SESSION, spent: 0 };
        self.store.for_context(context).apply(op).await.map(drop)
    }

    /// Counts one call for good, even beyond the limit.
    async fn count(&self, context: &HookContext) -> Result<(), StoreError> {
        let (store, key) = (self.store.for_context(context), key(context, "calls"));
        let id = place_id(key.as_str(), context.call_id.as_deref(), "", context).id;
        let scopes = beyond_limits(&[Scope::spent(key, self.most).per(Window::SESSION)]);
        match store.apply(Op::reserve_for_all(id, scopes, 1, A_MOMENT)).await? {
            StepResult::Granted(_) => store.apply(Op::Settle { id, actual: 1 }).await.map(drop),
            // It was counted before, or no further one can be.
            StepResult::Ended { .. } | StepResult::Refused { .. } => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// Resets the count after the user let the agent continue; returns the reason if it may not.
    async fn resume(&self, context: &HookContext) -> Result<Option<Reason>, StoreError> {
        if let Some(resumes) = self.resumes {
            let (store, key) = (self.store.for_context(context), key(context, "resumed"));
            let id = place_id(key.as_str(), context.call_id.as_deref(), "", context).id;
            let scopes = Arc::from([Scope::spent(key, resumes).per(Window::SESSION)]);
            match store.apply(Op::reserve_for_all(id, scopes, 1, A_MOMENT)).await? {
                StepResult::Granted(_) => store.apply(Op::Settle { id, actual: 1 }).await.map(drop)?,
                // The same call was reported twice.
                StepResult::Ended { .. } => return Ok(None),
                StepResult::Refused { used, limit, .. } => return Ok(Some(no_more(used, limit))),
                other => return Err(unexpected(&other)),
            }
        }
        self.reset(context, key(context, "calls")).await?;
        Ok(None)
    }
}

/// Time between two requests to the store. A reservation that is not settled in time is charged all the same.
const A_MOMENT: Duration = Duration::from_secs(60);

impl Reserve<BeforeModelCall> for IterationLimit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<BeforeModelCall>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let context = request.context();
        let key = key(context, "calls");
        let id = call_id(&key, request);
        let scopes = Arc::from([Scope::spent(key, self.most).per(Window::SESSION)]);
        let span = self.span;
        let place = LimitPlace::new(id, scopes, self.store.for_context(context), context, move |no_place| {
            match no_place {
                NoPlace::Refused { used, limit, .. } => reached(used, limit, span),
                NoPlace::TooOften => {
                    let message = "this call was requested and cancelled too often";
                    Reason::new(NAME, "call", message).unless("give each call an id of its own")
                }
            }
        });
        place.take()
    }
}

/// Counts an answer whose call was not announced. The count may exceed the limit; what follows is then denied.
impl Service<HookRequest<AfterModelCall>> for IterationLimit {
    type Response = Gate<AfterModelCall>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Gate<AfterModelCall>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<AfterModelCall>) -> Self::Future {
        if request.stage() == Stage::Judge || !request.event().unannounced {
            return HookFuture::now(Ok(Gate::default()));
        }
        let limit = self.clone();
        HookFuture::later(async move {
            limit.count(request.context()).await.map_err(HookError::other)?;
            Ok(Gate::default())
        })
    }
}

/// Denies tools after more answers than the limit allows. Calls that are announced never exceed it.
#[derive(Clone, Debug)]
pub(super) struct Exceeded(pub(super) IterationLimit);

impl Service<HookRequest<PreToolUse>> for Exceeded {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let limit = self.0.clone();
        HookFuture::later(async move {
            let context = request.context();
            let key = key(context, "calls");
            let op = Op::Used { key, window: Window::SESSION };
            let verdict = match limit.store.for_context(context).apply(op).await.map_err(HookError::other)? {
                StepResult::Used { used, .. } if used > limit.most => {
                    Verdict::deny(reached(used, limit.most, limit.span))
                }
                StepResult::Used { .. } => Verdict::NO_OPINION,
                other => return Err(HookError::other(unexpected(&other))),
            };
            Ok(DeciderOutcome::new(verdict))
        })
    }
}

/// Resets the count after the user allowed it. A stop in the answer ends the run.
impl Service<HookRequest<MaxIterations>> for IterationLimit {
    type Response = Gate<MaxIterations>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Gate<MaxIterations>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<MaxIterations>) -> Self::Future {
        if request.stage() == Stage::Judge || !request.event().resumed {
            return HookFuture::now(Ok(Gate::default()));
        }
        let limit = self.clone();
        HookFuture::later(async move {
            let refused = limit.resume(request.context()).await.map_err(HookError::other)?;
            Ok(refused.map_or_else(Gate::default, |reason| Gate::from(Verdict::deny(reason))))
        })
    }
}

/// Resets the count when the user sends a message.
impl Service<HookRequest<UserPromptSubmitted>> for IterationLimit {
    type Response = PromptOutcome;
    type Error = HookError;
    type Future = HookFuture<'static, Result<PromptOutcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<UserPromptSubmitted>) -> Self::Future {
        if request.stage() == Stage::Judge {
            return HookFuture::now(Ok(PromptOutcome::default()));
        }
        let limit = self.clone();
        HookFuture::later(async move {
            let context = request.context();
            limit.reset(context, key(context, "calls")).await.map_err(HookError::other)?;
            Ok(PromptOutcome::default())
        })
    }
}

/// Resets the count when a child starts, perhaps under the name of an earlier child of the session. A child with
/// an id has a count of its own, which starts at zero.
impl Service<HookRequest<SubagentSpawned>> for IterationLimit {
    type Response = ();
    type Error = HookError;
    type Future = HookFuture<'static, Result<(), HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<SubagentSpawned>) -> Self::Future {
        let limit = self.clone();
        HookFuture::later(async move {
            let (context, event) = (request.context(), request.event());
            // Here the child itself acts, by its id.
            if context.agent_id.is_some() && context.agent_id == event.child_id {
                return Ok(());
            }
            let key = key_by_name(context, "calls", &event.agent_name);
            limit.reset(context, key).await.map_err(HookError::other)
        })
    }
}

fn unexpected(result: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {result:?}, which does not fit the operation"))
}

/// The key of the agent: its id, or its name if it has none.
fn key(context: &HookContext, what: &str) -> Key {
    match &context.agent_id {
        Some(id) => Key::new(context.tenant.as_deref(), &[NAME, what, &context.session_id, "subagent", id]),
        None => key_by_name(context, what, &context.agent_name),
    }
}

fn key_by_name(context: &HookContext, what: &str, agent: &str) -> Key {
    let parts = [NAME, what, &context.session_id, &folded(agent)];
    Key::new(context.tenant.as_deref(), &parts)
}

/// Returns the id of the place of a call. Clients restart their numbers with each turn, so only a call with
/// the same number and the same messages is the same call. A call without messages is counted each time it is
/// reported.
fn call_id(key: &Key, request: &HookRequest<BeforeModelCall>) -> PlaceId {
    let (context, event) = (request.context(), request.event());
    let call = context.call_id.as_deref().filter(|_| !event.messages.is_empty());
    let messages = call.map(|_| serde_json::to_string(&event.messages).unwrap_or_default());
    let what = format!("{} {} {}", event.iteration, event.model, messages.unwrap_or_default());
    place_id(key.as_str(), call, &what, context)
}

fn reached(used: u64, limit: u64, span: IterationSpan) -> Reason {
    let since = match span {
        IterationSpan::Prompt => "for this message",
        IterationSpan::Session => "in this session",
    };
    let message = match limit {
        0 => "this agent may not call its model".to_owned(),
        _ => format!("this agent called its model {used} of {limit} times {since}"),
    };
    Reason::new(NAME, "iterations", message)
        .because(Evidence::Count { used, limit })
        .unless("have a person let it go on (`max_iterations`), or raise `limits.iterations.most`")
}

fn no_more(used: u64, limit: u64) -> Reason {
    let message = format!("a person let this agent go on {used} of {limit} times in this session");
    Reason::new(NAME, "resumes", message)
        .because(Evidence::Count { used, limit })
        .unless("begin another session, or raise `limits.iterations.resumes`")
}

//! Limit on an agent's calls of its model.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::event::{BeforeModelCall, MaxIterations, SubagentSpawned, UserPromptSubmitted};
use hooks_core::state::{Key, MAX_AMOUNT, Op, Scope, StateStore, StepResult, StoreError, Window};
use hooks_core::{
    Evidence, Gate, HookContext, HookError, HookFuture, HookRequest, PolicyErrors, PromptOutcome, Reason,
    Reservation, Reserve, ReserveLayer, Stage, Verdict,
};
use hooks_facts::names::folded;
use tower_service::Service;

use super::config::{IterationLimitConfig, IterationSpan};
use crate::counting_store::CountingStore;
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
    pub fn layer(&self) -> IterationLimitLayer {
        ReserveLayer::new(self.clone())
    }

    /// Resets the count of the agent.
    async fn reset(&self, context: &HookContext, agent: &str) -> Result<(), StoreError> {
        let key = key(context, "calls", agent);
        let id = fresh_id(key.as_str(), context);
        let op = Op::Correct { id, key, window: Window::SESSION, spent: 0 };
        self.store.for_context(context).apply(op).await.map(drop)
    }

    /// Resets the count after the user let the agent continue; returns the reason if it may not.
    async fn resume(&self, context: &HookContext) -> Result<Option<Reason>, StoreError> {
        if let Some(resumes) = self.resumes {
            let (store, key) =
                (self.store.for_context(context), key(context, "resumed", &context.agent_name));
            let id = place_id(key.as_str(), context.call_id.as_deref(), "", context).id;
            let scopes = Arc::from([Scope::spent(key, resumes).per(Window::SESSION)]);
            match store.apply(Op::reserve_for_all(id, scopes, 1, A_MOMENT)).await? {
                StepResult::Granted(_) => store.apply(Op::Settle { id, actual: 1 }).await.map(drop)?,
                // The same call was reported twice.
                StepResult::Ended { .. } => return Ok(None),
                StepResult::Refused { used, limit, .. } => return Ok(Some(no_more(used, limit))),
                other => {
                    let message = format!("it answered {other:?} to a reservation");
                    return Err(StoreError::Unavailable(message));
                }
            }
        }
        self.reset(context, &context.agent_name).await?;
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
        let key = key(context, "calls", &context.agent_name);
        let id = call_id(&key, request);
        let scopes = Arc::from([Scope::spent(key, self.most).per(Window::SESSION)]);
        let span = self.span;
        let place = LimitPlace::new(id, scopes, self.store.for_context(context), context, move |no_place| {
            match no_place {
                NoPlace::Refused { used, limit, .. } => reached(used, limit, span),
                NoPlace::TooOften => {
                    let message = "this call was told and given up too often";
                    Reason::new(NAME, "call", message).unless("give each call an id of its own")
                }
            }
        });
        place.take()
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
            limit.reset(context, &context.agent_name).await.map_err(HookError::other)?;
            Ok(PromptOutcome::default())
        })
    }
}

/// Resets the count when a child starts, perhaps under the name of an earlier child of the session.
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
            let child = &request.event().agent_name;
            limit.reset(request.context(), child).await.map_err(HookError::other)
        })
    }
}

fn key(context: &HookContext, what: &str, agent: &str) -> Key {
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

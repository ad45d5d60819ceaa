//! Stops an agent that repeats the same calls.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::state::{Key, Op, StateStore, StepResult, StoreError};
use hooks_core::{
    DecideLayer, DeciderOutcome, HookContext, HookError, HookFuture, HookRequest, PolicyErrors, Reason,
    ResultPatch, Stage, Verdict,
};
use hooks_facts::names::folded;
use tower_service::Service;

use super::config::{LoopAction, LoopLimitConfig};
use super::history::{Circle, History, Step};
use crate::counting_store::CountingStore;
use crate::place::fresh_id;

const NAME: &str = "loop-limit";

/// Most calls that are remembered.
const MOST_REMEMBERED: u64 = 256;

/// Time for which an agent's latest calls are remembered after the last one.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// Most attempts to store a call while other calls of the agent are stored too.
const MOST_TRIES: usize = 32;

/// Denies a call that would start a round again whose calls had the same arguments and the same results
/// before, or asks the user about it. A decider on `pre_tool_use`, and a hook on `post_tool_use` that stores
/// calls. Agents of a session have separate histories.
///
/// By default, the fourth round is denied. A result that differs is progress:
///
/// ```
/// use hooks_budgets::{BudgetsSettings, LimitsConfig, LoopLimitConfig};
/// use hooks_core::event::{PostToolUse, PreToolUse};
/// use hooks_core::{HookContext, Hooks, Judged};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limits = LimitsConfig { loops: Some(LoopLimitConfig::default()), ..LimitsConfig::default() };
/// let hooks = Hooks::from_policy(BudgetsSettings { limits: Some(limits), ..BudgetsSettings::default() })?;
/// let at = hooks.on(HookContext::new("session-1", "backend"));
/// let poll = || PreToolUse::new("poll", json!({"job": 7}));
/// for result in ["queued", "running", "running", "running"] {
///     assert!(at.pre_tool_use(poll()).await.outcome.goes_ahead());
///     at.post_tool_use(PostToolUse::after(&poll(), json!(result), None, 5)).await;
/// }
/// let denied = at.pre_tool_use(poll()).await.outcome;
/// assert_eq!(
///     denied.shown_reason().expect("a denial has a reason").for_agent(),
///     "this call of `poll` was made 3 times in a row, each time with the same result; do something else",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LoopLimit {
    rounds: usize,
    longest: usize,
    action: LoopAction,
    store: CountingStore,
}

/// Loop limit in front of an inner hook.
pub type LoopLimitLayer = DecideLayer<LoopLimit>;

impl LoopLimit {
    /// Creates a limit whose history is kept in `store`.
    ///
    /// # Errors
    /// Returns all errors of `config`.
    ///
    /// Customised: a round of up to two calls, about which the user is asked before it is repeated:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::{LoopAction, LoopLimit, LoopLimitConfig};
    /// use hooks_core::event::{PostToolUse, PreToolUse};
    /// use hooks_core::{FailureLayer, HookContext, Hooks, Judged, Settle, Strength, state::Memory, time::StoppedClock};
    /// use serde_json::json;
    /// use tower::Layer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let config = LoopLimitConfig { rounds: 1, longest: 2, action: LoopAction::Ask };
    /// let limit = LoopLimit::new(&config, store.clone())?;
    /// let guard = FailureLayer::new("loops");
    /// let hooks = Hooks::builder()
    ///     .stack::<PreToolUse, _>(&guard, limit.layer().layer(Settle))
    ///     .stack::<PostToolUse, _>(&guard, limit)
    ///     .build();
    /// let at = hooks.on(HookContext::new("session-1", "backend"));
    /// for tool in ["edit", "test"] {
    ///     at.post_tool_use(PostToolUse::after(&PreToolUse::new(tool, json!({})), json!("failed"), None, 5)).await;
    /// }
    /// let again = at.pre_tool_use(PreToolUse::new("edit", json!({}))).await.outcome;
    /// assert_eq!(again.strength(), Strength::Ask);
    ///
    /// let endless = LoopLimitConfig { rounds: 200, ..LoopLimitConfig::default() };
    /// let errors = LoopLimit::new(&endless, store).expect_err("the history is shorter");
    /// assert_eq!(errors.as_slice()[0].hint, "keep `rounds` times `longest` to 256");
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(config: &LoopLimitConfig, store: Arc<dyn StateStore>) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let limit = Self::compile(config, CountingStore::Given(store), &mut errors);
        errors.or(limit)
    }

    pub(crate) fn compile(config: &LoopLimitConfig, store: CountingStore, errors: &mut PolicyErrors) -> Self {
        let LoopLimitConfig { rounds, longest, action } = *config;
        for (name, number) in [("rounds", rounds), ("longest", longest)] {
            if number == 0 {
                let hint = "write how many, from 1";
                errors.push(format!("limits.loops.{name}"), "a circle of nothing", hint);
            }
        }
        if rounds.saturating_mul(longest) > MOST_REMEMBERED {
            let problem = format!("{rounds} rounds of {longest} calls are more than are remembered");
            let hint = format!("keep `rounds` times `longest` to {MOST_REMEMBERED}");
            errors.push("limits.loops", problem, hint);
        }
        let [rounds, longest] = [rounds, longest].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        Self { rounds, longest, action, store }
    }

    /// Wraps the limit in a layer around a hook on `pre_tool_use`. The limit also has to be a hook on
    /// `post_tool_use`, to know the calls.
    pub fn layer(&self) -> LoopLimitLayer {
        DecideLayer::new(self.clone())
    }

    async fn judge(&self, request: &HookRequest<PreToolUse>) -> Result<Verdict, StoreError> {
        let (context, event) = (request.context(), request.event());
        let (history, _) = read(&*self.store.for_context(context), key(context)).await?;
        let circle = history.circle(&event.tool_name, &event.tool_args, self.rounds, self.longest);
        Ok(circle.map_or(Verdict::NO_OPINION, |circle| match self.action {
            LoopAction::Deny => Verdict::deny(reason(&event.tool_name, circle)),
            LoopAction::Ask => Verdict::ask(reason(&event.tool_name, circle)),
        }))
    }

    async fn remember(&self, request: &HookRequest<PostToolUse>) -> Result<(), StoreError> {
        let (context, event) = (request.context(), request.event());
        let store = self.store.for_context(context);
        let step = Step::new(&event.tool_name, &event.tool_args, &event.tool_result, event.error.as_deref());
        let key = key(context);
        for _ in 0..MOST_TRIES {
            let (mut history, revision) = read(&*store, key.clone()).await?;
            history.push(step, self.rounds.saturating_mul(self.longest));
            let (id, value) = (fresh_id(key.as_str(), context), history.write().into());
            let op = Op::CompareAndSet { id, key: key.clone(), revision, value, ttl: Some(REMEMBERED) };
            match store.apply(op).await? {
                StepResult::Written(_) => return Ok(()),
                StepResult::Conflict(_) => {}
                other => return Err(bad(&other)),
            }
        }
        Err(StoreError::Unavailable("others write all the time".to_owned()))
    }
}

impl Service<HookRequest<PreToolUse>> for LoopLimit {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let limit = self.clone();
        HookFuture::later(async move {
            limit.judge(&request).await.map(DeciderOutcome::new).map_err(HookError::other)
        })
    }
}

impl Service<HookRequest<PostToolUse>> for LoopLimit {
    type Response = ResultPatch;
    type Error = HookError;
    type Future = HookFuture<'static, Result<ResultPatch, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PostToolUse>) -> Self::Future {
        if request.stage() == Stage::Judge {
            return HookFuture::now(Ok(ResultPatch::default()));
        }
        let limit = self.clone();
        HookFuture::later(async move {
            limit.remember(&request).await.map_err(HookError::other)?;
            Ok(ResultPatch::default())
        })
    }
}

async fn read(store: &dyn StateStore, key: Key) -> Result<(History, u64), StoreError> {
    match store.apply(Op::Get { key }).await? {
        StepResult::Value(Some((text, revision))) => Ok((History::read(&text), revision)),
        StepResult::Value(None) => Ok((History::default(), 0)),
        other => Err(bad(&other)),
    }
}

fn key(context: &HookContext) -> Key {
    Key::new(context.tenant.as_deref(), &[NAME, &context.session_id, &folded(&context.agent_name)])
}

fn reason(tool: &str, circle: Circle) -> Reason {
    let Circle { calls, rounds } = circle;
    let message = match calls {
        1 => {
            format!("this call of `{tool}` was made {rounds} times in a row, each time with the same result")
        }
        _ => format!(
            "with this call of `{tool}` the last {calls} calls would be made again, after {rounds} times with \
             the same results"
        ),
    };
    Reason::new(NAME, "loop", message).instead("do something else").unless("raise `limits.loops.rounds`")
}

fn bad(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which does not fit the operation"))
}

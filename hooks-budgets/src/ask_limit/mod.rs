//! Limits how often the user is asked in a session.
//!
//! For each call of a tool that asks the user (by the table of tool names), takes a place from a limit in a
//! [`StateStore`]. The counter belongs to the session and is shared by its agents, or to the whole tree of
//! sessions. A call that is denied gives its place back, unless attempts count. If a client reports the same
//! call twice, the call takes one place; if that place was given back in between, the call takes another one.
//! If the store fails, the call is denied.
//!
//! ```
//! use hooks_budgets::{AskLimit, AskUserConfig};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, Hooks, Judged};
//! use hooks_facts::calls::CallReader;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let config = AskUserConfig { max_per_session: 1, ..AskUserConfig::default() };
//! let hooks = Hooks::builder().reserve(AskLimit::new(&config, &CallReader::default())).build();
//!
//! for goes_ahead in [true, false] {
//!     let question = PreToolUse::new("ask_user", json!({"question": "which port?"}));
//!     let mut decision = hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(question).await;
//!     decision.outcome.take_holds().commit();
//!     assert_eq!(decision.outcome.goes_ahead(), goes_ahead);
//! }
//! # }
//! ```
//!
//! Customised: a session and its children share the questions. The agent reads what to do without an answer.
//!
//! ```
//! use hooks_budgets::{AskLevel, AskLimit, AskUserConfig};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, Hooks, Judged};
//! use hooks_facts::calls::CallReader;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let config = AskUserConfig { max_per_session: 1, of: AskLevel::Tree, ..AskUserConfig::default() };
//! let hooks = Hooks::builder().reserve(AskLimit::new(&config, &CallReader::default())).build();
//! let ask = async |context: HookContext| {
//!     let mut decided = hooks.on(context).pre_tool_use(PreToolUse::new("ask_user", json!({}))).await;
//!     decided.commit();
//!     decided.outcome
//! };
//! assert!(ask(HookContext::new("session-1", "lead")).await.goes_ahead());
//!
//! let mut child = HookContext::new("session-2", "backend");
//! child.parent_session_id = Some("session-1".to_owned());
//! let denied = ask(child).await;
//! assert_eq!(
//!     denied.shown_reason().expect("a denial has a reason").for_agent(),
//!     "the user was asked 1 of 1 times in this session; go on without an answer",
//! );
//! # }
//! ```

mod config;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::event::PreToolUse;
use hooks_core::state::{Key, Lineage, Scope, StateStore, Window};
use hooks_core::{
    Decision, Evidence, HookError, HookFuture, HookRequest, Judged, Observer, Reason, Reservation, Reserve,
    ReserveLayer,
};
use hooks_facts::calls::CallReader;
use hooks_facts::tools::ToolKind;

pub use self::config::{AskCounting, AskLevel, AskUserConfig};
use crate::counting_store::CountingStore;
use crate::place::{LimitPlace, MOST_GIVEN_BACK, NoPlace, place_id};

const NAME: &str = "ask-limit";

/// Limit on questions to the user; see the [module](self) for an example.
pub struct AskLimit {
    reader: CallReader,
    limit: u64,
    counts: AskCounting,
    of: AskLevel,
    store: CountingStore,
}

/// Ask limit around an inner hook.
pub type AskLimitLayer = ReserveLayer<Arc<AskLimit>>;

impl AskLimit {
    /// Creates a limit that counts in memory and uses the clock of its first call.
    pub fn new(config: &AskUserConfig, reader: &CallReader) -> Self {
        let AskUserConfig { max_per_session: limit, counts, of } = *config;
        Self { reader: reader.clone(), limit, counts, of, store: CountingStore::default() }
    }

    /// Counts in `store`, which may be shared between processes and may be durable.
    ///
    /// A question that one process asked counts in the next:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::{AskLimit, AskUserConfig};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, Hooks, Judged, state::Memory, time::StoppedClock};
    /// use hooks_facts::calls::CallReader;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let config = AskUserConfig { max_per_session: 1, ..AskUserConfig::default() };
    /// for goes_ahead in [true, false] {
    ///     let limit = AskLimit::new(&config, &CallReader::default()).with_store(store.clone());
    ///     let hooks = Hooks::builder().reserve(limit).build();
    ///     let question = PreToolUse::new("ask_user", ().into());
    ///     let mut decided = hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(question).await;
    ///     decided.commit();
    ///     assert_eq!(decided.outcome.goes_ahead(), goes_ahead);
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn StateStore>) -> Self {
        self.store = CountingStore::Given(store);
        self
    }

    pub(crate) fn counting_in(mut self, store: CountingStore) -> Self {
        self.store = store;
        self
    }

    /// Wraps the limit in a layer. Put it outermost, so that it is asked last.
    ///
    /// ```
    /// use hooks_budgets::{AskLimit, AskUserConfig};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Judge, Judged, Verdict, policy_fn};
    /// use hooks_facts::calls::CallReader;
    /// use tower::{Layer, ServiceExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::HookError> {
    /// let no_questions = AskLimit::new(&AskUserConfig::default(), &CallReader::default());
    /// let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
    /// let stack = no_questions.layer().layer(Judge::new(allow));
    /// let call = |tool| HookRequest::new(HookContext::new("session-1", "lead"), PreToolUse::new(tool, ().into()));
    /// assert!(stack.clone().oneshot(call("view")).await?.goes_ahead());
    /// let denied = stack.oneshot(call("ask_user")).await?;
    /// assert_eq!(denied.reasons()[0].message, "the user may not be asked in this session");
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer(self) -> AskLimitLayer {
        ReserveLayer::new(Arc::new(self))
    }

    fn asks(&self, request: &HookRequest<PreToolUse>) -> bool {
        self.reader.read(request).kind() == ToolKind::AskUser
    }

    /// Takes a place for a question.
    fn take(&self, request: &HookRequest<PreToolUse>) -> HookFuture<'static, Result<Reservation, HookError>> {
        let (limit, context) = (self.limit, request.context());
        let store = self.store.for_context(context);
        if self.of == AskLevel::Session {
            return question(limit, store, request, &context.session_id).take();
        }
        let request = request.clone();
        HookFuture::later(async move {
            let root = Lineage::resolve(&*store, request.context()).await.map_err(HookError::other)?.root;
            question(limit, store, &request, &root).take().await
        })
    }
}

impl Reserve<PreToolUse> for AskLimit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        if !self.asks(request) {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        self.take(request)
    }
}

/// Counts denied calls if attempts count.
impl Observer<PreToolUse> for AskLimit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
        let refused_here = || outcome.reasons().iter().any(|reason| reason.policy == NAME);
        if self.counts == AskCounting::Asked || !outcome.is_denied() || !self.asks(request) || refused_here()
        {
            return;
        }
        // A reservation that was refused needs no commit.
        let count = |taken| {
            if let Ok(Reservation::Held(place)) = taken {
                place.commit();
            }
        };
        let mut taking = self.take(request);
        // A store in this process answers at once and needs no background task.
        match Pin::new(&mut taking).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(taken) => count(taken),
            Poll::Pending => {
                if let Some(background) = &request.context().environment.background {
                    background.run(HookFuture::later(async move { count(taking.await) }));
                }
            }
        }
    }
}

impl fmt::Debug for AskLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskLimit")
            .field("limit", &self.limit)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// Creates the place of a question in the limit of `session`.
fn question(
    limit: u64,
    store: Arc<dyn StateStore>,
    request: &HookRequest<PreToolUse>,
    session: &str,
) -> LimitPlace {
    let context = request.context();
    let key = Key::new(context.tenant.as_deref(), &[NAME, session]);
    let call = request.event().tool_use_id.as_ref().or(context.call_id.as_ref());
    let arguments = request.event().tool_args.to_string();
    let id = place_id(key.as_str(), call.map(String::as_str), &arguments, context);
    let scopes = Arc::from([Scope::spent(key, limit).per(Window::SESSION)]);
    LimitPlace::new(id, scopes, store, context, |no_place| match no_place {
        NoPlace::Refused { used, limit, .. } => refusal(used, limit),
        NoPlace::TooOften => asked_too_often(),
    })
}

fn refusal(used: u64, limit: u64) -> Reason {
    let message = match limit {
        0 => "the user may not be asked in this session".to_owned(),
        _ => format!("the user was asked {used} of {limit} times in this session"),
    };
    Reason::new(NAME, "session", message)
        .because(Evidence::Count { used, limit })
        .instead("go on without an answer")
        .unless("raise `ask_user.max_per_session`")
}

fn asked_too_often() -> Reason {
    let message = format!("this call was asked about and given up {MOST_GIVEN_BACK} times");
    Reason::new(NAME, "call", message).unless("ask under a call id of its own")
}

#[cfg(test)]
mod tests;

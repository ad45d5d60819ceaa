//! Deciders: hooks that judge an event and may wait, such as a command, a model, or a network service.
//!
//! A [`Policy`](crate::Policy) cannot wait; a [`Decider`] can. It is a service whose response is an
//! [`DeciderOutcome`]. [`DecideLayer`] puts it in front of an inner hook and keeps law 2: if the arguments are
//! rewritten after the decider judged them, it is asked again.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{DecideLayer, Decision, HookContext, HookError, HookRequest, Judged, DeciderOutcome, Settle};
//! use hooks_core::{Reason, Verdict};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! let remote = service_fn(|request: HookRequest<PreToolUse>| async move {
//!     let command = request.event().tool_args["command"].as_str().unwrap_or_default().to_owned();
//!     let verdict = match command.starts_with("rm ") {
//!         true => Verdict::ask(Reason::new("remote", "removal", "it removes files")),
//!         false => Verdict::ALLOW,
//!     };
//!     Ok::<_, HookError>(DeciderOutcome::<PreToolUse>::new(Decision::from(verdict)))
//! });
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let stack = ServiceBuilder::new().layer(DecideLayer::new(remote)).service(Settle);
//! let call = PreToolUse::new("bash", serde_json::json!({"command": "rm -r target"}));
//! let outcome = stack.oneshot(HookRequest::new(HookContext::new("s", "backend"), call)).await.expect("an answer");
//! assert!(!outcome.goes_ahead() && !outcome.is_denied());
//! assert_eq!(outcome.shown_reason().expect("an ask has a reason").message, "it removes files");
//! # }).expect("no hook waits");
//! ```
//!
//! Customised: a decider in a set. A failure of the service denies the call, and a service that is slow is given up:
//!
//! ```
//! use std::{sync::Arc, time::Duration};
//! use futures_util::FutureExt;
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::FakeTimer;
//! use hooks_core::{DecideLayer, DeciderOutcome, FailureLayer, HookContext, HookError, HookRequest, Hooks, Judged, Settle};
//! use tower::{Layer, service_fn};
//!
//! let slow = service_fn(|_: HookRequest<PreToolUse>| std::future::pending::<Result<DeciderOutcome<PreToolUse>, HookError>>());
//! let timer = FakeTimer::default();
//! let guard = FailureLayer::new("remote").within(Duration::from_secs(5), Arc::new(timer.clone()));
//! let hooks = Hooks::builder().stack::<PreToolUse, _>(&guard, DecideLayer::new(slow).layer(Settle)).build();
//! let at = hooks.on(HookContext::new("s", "backend"));
//! let mut decided = Box::pin(at.pre_tool_use(PreToolUse::new("deploy", serde_json::json!({}))));
//! assert!((&mut decided).now_or_never().is_none());
//! timer.advance(Duration::from_secs(5));
//! assert!(decided.now_or_never().expect("the time is up").outcome.is_denied());
//! ```

pub mod future;
mod layer;
mod service;

pub use self::layer::DecideLayer;
pub use self::service::DecideService;

use std::fmt;

use tower_service::Service;

use crate::error::HookError;
use crate::event::Event;
use crate::outcome::Judged;
use crate::request::HookRequest;
use crate::verdict::Strength;

/// The answer of a decider: an outcome, and optionally a change of the event.
pub struct DeciderOutcome<E: Event> {
    /// Outcome for the event as the decider received it.
    pub outcome: E::Outcome,
    /// Change of the event. It is ignored if the event is final.
    pub rewrite: Option<E::Rewrite>,
}

impl<E: Event> DeciderOutcome<E> {
    /// An opinion that changes nothing.
    pub fn new(outcome: impl Into<E::Outcome>) -> Self {
        Self { outcome: outcome.into(), rewrite: None }
    }

    /// Adds a change of the event.
    ///
    /// ```
    /// use hooks_core::{Decision, DecideLayer, HookContext, HookError, HookRequest, Judged, DeciderOutcome, Settle};
    /// use hooks_core::event::PreToolUse;
    /// use serde_json::json;
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// let dry = service_fn(|_: HookRequest<PreToolUse>| async {
    ///     Ok::<_, HookError>(DeciderOutcome::<PreToolUse>::new(Decision::default()).rewriting(json!({"dry_run": true})))
    /// });
    /// let call = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("deploy", json!({})));
    /// # futures_util::FutureExt::now_or_never(async {
    /// let outcome = DecideLayer::new(dry).layer(Settle).oneshot(call).await.expect("an answer");
    /// let event = outcome.effective().expect("the event was rewritten").event();
    /// assert_eq!(event.tool_args, json!({"dry_run": true}));
    /// # }).expect("no hook waits");
    /// ```
    #[must_use]
    pub fn rewriting(mut self, rewrite: E::Rewrite) -> Self {
        self.rewrite = Some(rewrite);
        self
    }
}

impl<E: Event> DeciderOutcome<E>
where
    E::Outcome: Judged<E>,
{
    /// The outcome for a final event: an allow that comes with a change becomes no opinion.
    fn about_final(mut self) -> E::Outcome {
        if self.rewrite.is_some() && self.outcome.strength() <= Strength::Allow {
            self.outcome.make_stale();
        }
        self.outcome
    }
}

impl<E: Event<Outcome: fmt::Debug>> fmt::Debug for DeciderOutcome<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeciderOutcome")
            .field("outcome", &self.outcome)
            .field("rewrites", &self.rewrite.is_some())
            .finish()
    }
}

/// A service that gives an opinion on an event. This is a trait alias: every such service implements it.
///
/// It may wait. If the event is rewritten after its opinion, it is called a second time, about the final
/// event; so a call must not have an effect that may happen only once. Its error is the error of the stack; a
/// [`FailureLayer`](crate::FailureLayer) outside turns it into an outcome.
pub trait Decider<E: Event>:
    Service<HookRequest<E>, Response = DeciderOutcome<E>, Error = HookError>
{
}

impl<E: Event, D> Decider<E> for D where
    D: Service<HookRequest<E>, Response = DeciderOutcome<E>, Error = HookError>
{
}

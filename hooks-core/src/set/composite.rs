//! Several providers as one.

use std::sync::Arc;

use super::chain::prepare_in_turn;
use super::provider::{DecidingEvent, HooksProvider, InformingEvent, Prepared};
use super::question;
use super::slot::goes_on;
use crate::event::{for_each_event, *};
use crate::future::HookFuture;
use crate::outcome::{
    CompactOutcome, ContextPatch, Decision, Gate, Judged, Outcome, PromptOutcome, Recovery, ResultPatch,
};
use crate::request::HookRequest;

/// A chain of providers. Each provider gets the event as the provider before left it, and all judge the final
/// event. The strongest answer wins (law 1), so an early allow never hides a later deny.
///
/// A composite is a provider itself. Composites can be nested; the grouping makes no difference. A provider
/// that panics counts as a hook that failed (law 3). As long as no provider waits, the composite allocates
/// nothing.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{Composite, HookContext, HookRequest, Hooks, HooksProvider, Judged, Reason, Verdict, policy_fn};
///
/// let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
/// let deny = policy_fn("deny", |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new("deny", "all", "not today")));
/// let composite = Composite::default()
///     .and(Hooks::builder().policy(allow).build())
///     .and(Hooks::builder().policy(deny).build());
/// let call = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
/// assert!(composite.judge_pre_tool_use(&call).is_denied());
/// ```
#[derive(Clone, Default)]
pub struct Composite {
    providers: Vec<Arc<dyn HooksProvider>>,
}

impl Composite {
    /// A chain of `providers`, asked in this order.
    pub fn new(providers: impl IntoIterator<Item = Arc<dyn HooksProvider>>) -> Self {
        Self { providers: providers.into_iter().collect() }
    }

    /// Adds a provider at the end. It can only restrict what the others allow.
    #[must_use]
    pub fn and(mut self, provider: impl HooksProvider + 'static) -> Self {
        self.providers.push(Arc::new(provider));
        self
    }

    fn prepare<E: DecidingEvent>(&self, request: HookRequest<E>) -> HookFuture<'_, Prepared<E>> {
        prepare_in_turn(&self.providers, request, E::Outcome::default(), |provider, request| {
            question::prepare(&**provider, request)
        })
    }

    fn judge<E: DecidingEvent>(&self, request: &HookRequest<E>) -> E::Outcome {
        let mut outcome = E::Outcome::default();
        for provider in &self.providers {
            outcome.merge(question::judge(&**provider, request));
            if !goes_on(&outcome, request) {
                break;
            }
        }
        outcome
    }

    fn reserve<E: DecidingEvent>(&self, request: HookRequest<E>) -> HookFuture<'_, E::Outcome> {
        self.in_turn(request, |outcome| !outcome.is_denied(), question::take_places)
    }

    fn tell<E: InformingEvent>(&self, request: HookRequest<E>) -> HookFuture<'_, E::Outcome> {
        self.in_turn(request, |_| true, question::inform)
    }

    /// Asks each provider in turn, while `goes_on` returns true. The future is ready at once if no provider
    /// waits.
    fn in_turn<'a, E: Event>(
        &'a self,
        request: HookRequest<E>,
        goes_on: fn(&E::Outcome) -> bool,
        ask: fn(&'a dyn HooksProvider, HookRequest<E>) -> HookFuture<'a, E::Outcome>,
    ) -> HookFuture<'a, E::Outcome> {
        let mut outcome = E::Outcome::default();
        let mut rest = self.providers.iter();
        while let Some(provider) = rest.next() {
            match ask(&**provider, request.clone()) {
                HookFuture::Now(answer) => outcome.merge(answer.unwrap_or_default()),
                waiting @ HookFuture::Later(_) => {
                    return HookFuture::later(async move {
                        outcome.merge(waiting.await);
                        for provider in rest {
                            if !goes_on(&outcome) {
                                break;
                            }
                            let answer = ask(&**provider, request.clone()).await;
                            outcome.merge(answer);
                        }
                        outcome
                    });
                }
            }
            if !goes_on(&outcome) {
                break;
            }
        }
        HookFuture::now(outcome)
    }
}

macro_rules! composite {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        impl HooksProvider for Composite {
            fn guards_its_hooks(&self) -> bool {
                true
            }
            $(
                fn $prepare(&self, request: HookRequest<$DType>) -> HookFuture<'_, Prepared<$DType>> {
                    self.prepare(request)
                }
                fn $judge(&self, request: &HookRequest<$DType>) -> $DOutcome {
                    self.judge(request)
                }
                fn $reserve(&self, request: HookRequest<$DType>) -> HookFuture<'_, $DOutcome> {
                    self.reserve(request)
                }
                fn $observe(&self, request: &HookRequest<$DType>, outcome: &$DOutcome) {
                    self.providers.iter().for_each(|provider| question::observe(&**provider, request, outcome));
                }
            )*
            $(
                fn $iname(&self, request: HookRequest<$IType>) -> HookFuture<'_, $IOutcome> {
                    self.tell(request)
                }
            )*
        }
    };
}
for_each_event!(composite);

impl std::fmt::Debug for Composite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Composite({} providers)", self.providers.len())
    }
}

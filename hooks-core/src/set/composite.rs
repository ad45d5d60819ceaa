//! Several providers as one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pastey::paste;

use super::chain::prepare_in_turn;
use super::provider::{DecidingEvent, HooksProvider, InformingEvent, Prepared};
use super::slot::goes_on;
use crate::context::HookContext;
use crate::error::HookError;
use crate::event::{for_each_event, *};
use crate::failure::{failed, guarded, record};
use crate::future::HookFuture;
use crate::outcome::{
    CompactOutcome, ContextPatch, Decision, Gate, Judged, Outcome, PromptOutcome, Recovery, ResultPatch,
};
use crate::request::HookRequest;
use crate::verdict::Reason;

/// A chain of providers. Each sees the event as the one before left it; all judge the final one; the
/// strongest answer stands (law 1), so that an early allow never hides a later deny.
///
/// A composite is a provider: composites nest, and grouping makes no difference.
#[derive(Clone, Default)]
pub struct Composite {
    providers: Vec<Arc<dyn HooksProvider>>,
}

impl Composite {
    /// A chain of `providers`, asked in this order.
    pub fn new(providers: impl IntoIterator<Item = Arc<dyn HooksProvider>>) -> Self {
        Self { providers: providers.into_iter().collect() }
    }

    /// Adds a provider at the end. It can only narrow what the others allow.
    #[must_use]
    pub fn and(mut self, provider: impl HooksProvider + 'static) -> Self {
        self.providers.push(Arc::new(provider));
        self
    }

    fn prepare<E: DecidingEvent>(&self, request: HookRequest<E>) -> HookFuture<'_, Prepared<E>> {
        prepare_in_turn(&self.providers, request, E::Outcome::default(), |provider, request| {
            let kept = request.clone();
            guarded(
                || E::prepare(&**provider, request),
                move |error| Prepared {
                    outcome: panicked::<E>(&kept, &error),
                    request: kept,
                    judged_at: None,
                },
            )
        })
    }

    fn judge<E: DecidingEvent>(&self, request: &HookRequest<E>) -> E::Outcome {
        let mut outcome = E::Outcome::default();
        for provider in &self.providers {
            let judged = catch_unwind(AssertUnwindSafe(|| E::judge(&**provider, request)));
            outcome.merge(
                judged.unwrap_or_else(|panic| panicked::<E>(request, &HookError::from_panic(&*panic))),
            );
            if !goes_on(&outcome, request) {
                break;
            }
        }
        outcome
    }

    fn reserve<E: DecidingEvent>(&self, request: HookRequest<E>) -> HookFuture<'_, E::Outcome> {
        self.in_turn(
            request,
            |outcome| !outcome.is_denied(),
            |provider, request| E::reserve(provider, request),
        )
    }

    fn tell<E: InformingEvent>(&self, request: HookRequest<E>) -> HookFuture<'_, E::Outcome> {
        self.in_turn(request, |_| true, |provider, request| E::tell(provider, request))
    }

    /// Asks each provider in turn, while `goes_on`. Ready at once where nobody waits.
    fn in_turn<'a, E: Event>(
        &'a self,
        request: HookRequest<E>,
        goes_on: fn(&E::Outcome) -> bool,
        ask: fn(&'a dyn HooksProvider, HookRequest<E>) -> HookFuture<'a, E::Outcome>,
    ) -> HookFuture<'a, E::Outcome> {
        let ask = move |provider: &'a dyn HooksProvider, request: &HookRequest<E>| {
            let kept = request.clone();
            guarded(|| ask(provider, request.clone()), move |error| panicked::<E>(&kept, &error))
        };
        let mut outcome = E::Outcome::default();
        let mut rest = self.providers.iter();
        while let Some(provider) = rest.next() {
            match ask(&**provider, &request) {
                HookFuture::Now(answer) => outcome.merge(answer.unwrap_or_default()),
                waiting @ HookFuture::Later(_) => {
                    return HookFuture::later(async move {
                        outcome.merge(waiting.await);
                        for provider in rest {
                            if !goes_on(&outcome) {
                                break;
                            }
                            let answer = ask(&**provider, &request).await;
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

    fn show(&self, show: impl Fn(&dyn HooksProvider), context: &HookContext, event: EventKind) {
        for provider in &self.providers {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| show(&**provider))) {
                record(context, event, &Reason::failure("provider", &HookError::from_panic(&*panic)));
            }
        }
    }
}

/// What a provider that panicked means.
fn panicked<E: Event>(request: &HookRequest<E>, error: &HookError) -> E::Outcome {
    failed::<E>(request.context(), Reason::failure("provider", error), false)
}

macro_rules! composite {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => { paste! {
        impl HooksProvider for Composite {
            $(
                fn [<prepare_ $dname>](&self, request: HookRequest<$DType>) -> HookFuture<'_, Prepared<$DType>> {
                    self.prepare(request)
                }
                fn [<judge_ $dname>](&self, request: &HookRequest<$DType>) -> $DOutcome {
                    self.judge(request)
                }
                fn [<reserve_ $dname>](&self, request: HookRequest<$DType>) -> HookFuture<'_, $DOutcome> {
                    self.reserve(request)
                }
                fn [<observe_ $dname>](&self, request: &HookRequest<$DType>, outcome: &$DOutcome) {
                    self.show(
                        |provider| provider.[<observe_ $dname>](request, outcome),
                        request.context(),
                        EventKind::$DType,
                    );
                }
            )*
            $(
                fn $iname(&self, request: HookRequest<$IType>) -> HookFuture<'_, $IOutcome> {
                    self.tell(request)
                }
            )*
        }
    } };
}
for_each_event!(composite);

impl std::fmt::Debug for Composite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Composite({} providers)", self.providers.len())
    }
}

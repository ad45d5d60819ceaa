//! A set of hooks as plain async functions; generated from the event table.

use std::sync::Arc;

use super::provider::{DecidingEvent, HooksProvider, InformingEvent};
use super::question::{Ending, EventDecision, conclude, tell};
use crate::context::HookContext;
use crate::event::{for_each_event, *};
use crate::outcome::{ContextPatch, Recovery};
use crate::request::{Evaluation, HookRequest};

/// A set of hooks, bound to a context: one plain async function per event, for hosts that do not use tower.
///
/// A decision is complete: the event is rewritten, judged, reserved for and observed. Commit the reservations
/// ([`EventDecision::commit`]) once the event goes ahead; if they are dropped, they are given back. An `ask` is left to the host.
#[derive(Clone)]
pub struct Bound<'a> {
    hooks: &'a dyn HooksProvider,
    context: Arc<HookContext>,
    evaluation: Evaluation,
}

impl<'a> Bound<'a> {
    /// Binds `hooks` to `context`.
    pub fn new(hooks: &'a dyn HooksProvider, context: Arc<HookContext>) -> Self {
        Self { hooks, context, evaluation: Evaluation::default() }
    }

    /// Asks all hooks, also after a denial, so that all reasons are known.
    #[must_use]
    pub fn asking_everyone(mut self) -> Self {
        self.evaluation = Evaluation::Everyone;
        self
    }

    async fn decide_event<E: DecidingEvent>(&self, event: E) -> EventDecision<E> {
        let request = HookRequest::new(Arc::clone(&self.context), event).evaluated(self.evaluation);
        conclude(self.hooks, request, Ending::Open).await
    }

    async fn told<E: InformingEvent>(&self, event: E) -> E::Outcome {
        tell(self.hooks, HookRequest::new(Arc::clone(&self.context), event)).await
    }
}

macro_rules! bound {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        impl Bound<'_> {
            $(
                #[doc = concat!("Fires an event and returns the outcome:", $ddoc, ".")]
                pub async fn $dname(&self, event: $DType) -> EventDecision<$DType> {
                    self.decide_event(event).await
                }
            )*
            $(
                #[doc = concat!("Fires an event that cannot be denied:", $idoc, ".")]
                pub async fn $iname(&self, event: $IType) -> $IOutcome {
                    self.told(event).await
                }
            )*
        }
    };
}
for_each_event!(bound);

impl std::fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("context", &self.context).finish_non_exhaustive()
    }
}

//! A provider that records every event, in order.

use std::sync::{Arc, Mutex, PoisonError};

use crate::event::{for_each_event, *};
use crate::future::HookFuture;
use crate::outcome::{CompactOutcome, ContextPatch, Decision, Gate, PromptOutcome, Recovery, ResultPatch};
use crate::request::HookRequest;
use crate::set::HooksProvider;

/// Records every event at the end of its decision, in order. Clones share the record.
///
/// ```
/// use hooks_core::event::SessionStart;
/// use hooks_core::testing::Recorder;
/// use hooks_core::{EventKind, HookContext, Session};
///
/// # futures_util::FutureExt::now_or_never(async {
/// let recorder = Recorder::default();
/// let context = HookContext::new("session-1", "backend");
/// let (session, _) = Session::start(recorder.clone(), context, SessionStart::default()).await;
/// drop(session); // a dropped session still ends
/// assert_eq!(recorder.kinds(), [EventKind::SessionStart, EventKind::SessionEnd]);
/// # }).expect("no hook waits");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<Vec<Seen>>>);

/// One recorded event.
pub type Seen = WireEvent;

impl Recorder {
    /// Returns the recorded events, in order.
    pub fn seen(&self) -> Vec<Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the kinds of the recorded events, in order.
    pub fn kinds(&self) -> Vec<EventKind> {
        self.seen().iter().map(WireEvent::kind).collect()
    }

    fn keep(&self, event: impl Into<Seen>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.into());
    }
}

macro_rules! recorder {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        impl HooksProvider for Recorder {
            $(
                fn $observe(&self, request: &HookRequest<$DType>, _outcome: &$DOutcome) {
                    self.keep(request.event().clone());
                }
            )*
            $(
                fn $iname(&self, request: HookRequest<$IType>) -> HookFuture<'_, $IOutcome> {
                    self.keep(request.event().clone());
                    HookFuture::now(<$IOutcome>::default())
                }
            )*
        }
    };
}
for_each_event!(recorder);

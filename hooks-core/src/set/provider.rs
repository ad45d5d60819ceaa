//! The object-safe face of a set of hooks; generated from the table of events.

use super::hooks::{Hooks, Slots};
use super::slot::Slot;
use crate::event::{for_each_event, *};
use crate::future::HookFuture;
use crate::outcome::{
    CompactOutcome, ContextPatch, Decision, Gate, Judged, PromptOutcome, Recovery, ResultPatch,
};
use crate::request::HookRequest;

/// What came of asking a provider to prepare an event.
pub struct Prepared<E: Event> {
    /// The event as the provider's rewrites left it.
    pub request: HookRequest<E>,
    /// What its deciders that wait said.
    pub outcome: E::Outcome,
    /// The revision of the event at which they said it; `None` where there are none. Where a later provider
    /// rewrites the event, they are asked again.
    pub judged_at: Option<u32>,
}

impl<E: Event> Prepared<E> {
    /// Nothing to change and nothing to say.
    pub fn unchanged(request: HookRequest<E>) -> Self {
        Self { request, outcome: E::Outcome::default(), judged_at: None }
    }
}

impl<E: Event> std::fmt::Debug for Prepared<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("request", &self.request)
            .field("judged_at", &self.judged_at)
            .finish_non_exhaustive()
    }
}

/// An event that policies decide about.
pub trait DecidingEvent: Event<Outcome: Judged<Self>> {
    /// Has `provider` rewrite the event and ask its deciders that wait.
    fn prepare(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Prepared<Self>>;
    /// Has the policies of `provider` judge the event.
    fn judge(provider: &dyn HooksProvider, request: &HookRequest<Self>) -> Self::Outcome;
    /// Has `provider` take places for the event.
    fn reserve(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Self::Outcome>;
    /// Shows the decided event to the observers of `provider`.
    fn observe(provider: &dyn HooksProvider, request: &HookRequest<Self>, outcome: &Self::Outcome);
    /// The slot of the event.
    #[doc(hidden)]
    fn slot(hooks: &Hooks) -> &Slot<Self>;
    /// The slot of the event, to fill.
    #[doc(hidden)]
    fn slot_mut(slots: &mut Slots) -> &mut Slot<Self>;
}

/// An event that hooks are told of; they may add context or propose a recovery.
pub trait InformingEvent: Event {
    /// Tells `provider`.
    fn tell(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Self::Outcome>;
    /// The slot of the event, to fill.
    #[doc(hidden)]
    fn slot_mut(slots: &mut Slots) -> &mut Slot<Self>;
}

macro_rules! provider {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        /// A set of hooks behind one object-safe face. All methods have defaults that do nothing.
        ///
        /// Per deciding event there are four: `prepare_…` rewrites and asks what waits, `judge_…` is the
        /// synchronous and pure judgement of the final event, `reserve_…` takes places in limits and budgets,
        /// `observe_…` shows the event once all is decided. [`decide`](fn@crate::decide) and
        /// [`reserve`](fn@crate::reserve) call them in the order of law 2. Other events have one method.
        #[expect(unused_variables, reason = "the defaults ignore what they are told")]
        pub trait HooksProvider: Send + Sync {
            /// Whether it turns every panic of its hooks into an outcome by itself, so that its caller need not.
            #[doc(hidden)]
            fn guards_its_hooks(&self) -> bool {
                false
            }
            $(
                #[doc = concat!("Rewrites, and asks what waits:", $ddoc, ".")]
                fn $prepare(&self, request: HookRequest<$DType>) -> HookFuture<'_, Prepared<$DType>> {
                    HookFuture::now(Prepared::unchanged(request))
                }
                #[doc = concat!("Judges:", $ddoc, ".")]
                fn $judge(&self, request: &HookRequest<$DType>) -> $DOutcome {
                    <$DOutcome>::default()
                }
                #[doc = concat!("Takes places:", $ddoc, ".")]
                fn $reserve(&self, request: HookRequest<$DType>) -> HookFuture<'_, $DOutcome> {
                    HookFuture::now(<$DOutcome>::default())
                }
                #[doc = concat!("Sees what was decided:", $ddoc, ".")]
                fn $observe(&self, request: &HookRequest<$DType>, outcome: &$DOutcome) {}
            )*
            $(
                #[doc = concat!("Hears of it:", $idoc, ".")]
                fn $iname(&self, request: HookRequest<$IType>) -> HookFuture<'_, $IOutcome> {
                    HookFuture::now(<$IOutcome>::default())
                }
            )*
        }

        $(
            impl DecidingEvent for $DType {
                fn prepare(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Prepared<Self>> {
                    provider.$prepare(request)
                }
                fn judge(provider: &dyn HooksProvider, request: &HookRequest<Self>) -> $DOutcome {
                    provider.$judge(request)
                }
                fn reserve(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, $DOutcome> {
                    provider.$reserve(request)
                }
                fn observe(provider: &dyn HooksProvider, request: &HookRequest<Self>, outcome: &$DOutcome) {
                    provider.$observe(request, outcome);
                }
                fn slot(hooks: &Hooks) -> &Slot<Self> {
                    &hooks.slots().$dname
                }
                fn slot_mut(slots: &mut Slots) -> &mut Slot<Self> {
                    &mut slots.$dname
                }
            }
        )*
        $(
            impl InformingEvent for $IType {
                fn tell(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, $IOutcome> {
                    provider.$iname(request)
                }
                fn slot_mut(slots: &mut Slots) -> &mut Slot<Self> {
                    &mut slots.$iname
                }
            }
        )*
    };
}
for_each_event!(provider);

//! The object-safe interface of a set of hooks; generated from the event table.

use super::hooks::{Hooks, Slots};
use super::slot::Slot;
use crate::event::{for_each_event, *};
use crate::future::HookFuture;
use crate::outcome::{
    CompactOutcome, ContextPatch, Decision, Gate, Judged, PromptOutcome, Recovery, ResultPatch,
};
use crate::request::HookRequest;

/// The answer of a provider that prepared an event.
pub struct Prepared<E: Event> {
    /// The event after the rewrites of the provider.
    pub request: HookRequest<E>,
    /// Answer of the provider's deciders that wait.
    pub outcome: E::Outcome,
    /// Revision of the event that the deciders answered about; `None` if there are no deciders. If a later
    /// provider rewrites the event, they are asked again.
    pub judged_at: Option<u32>,
}

impl<E: Event> Prepared<E> {
    /// An answer that changes nothing and has no opinion.
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

/// An event that policies judge.
pub trait DecidingEvent: Event<Outcome: Judged<Self>> {
    /// Has `provider` rewrite the event and ask its deciders that wait.
    fn prepare(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Prepared<Self>>;
    /// Has the policies of `provider` judge the event.
    fn judge(provider: &dyn HooksProvider, request: &HookRequest<Self>) -> Self::Outcome;
    /// Has `provider` make reservations for the event.
    fn reserve(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Self::Outcome>;
    /// Shows the decided event to the observers of `provider`.
    fn observe(provider: &dyn HooksProvider, request: &HookRequest<Self>, outcome: &Self::Outcome);
    /// The slot of the event.
    #[doc(hidden)]
    fn slot(hooks: &Hooks) -> &Slot<Self>;
    /// The slot of the event, for writing.
    #[doc(hidden)]
    fn slot_mut(slots: &mut Slots) -> &mut Slot<Self>;
}

/// An event that only informs hooks; they may add context or propose a recovery.
pub trait InformingEvent: Event {
    /// Sends the event to `provider`.
    fn tell(provider: &dyn HooksProvider, request: HookRequest<Self>) -> HookFuture<'_, Self::Outcome>;
    /// The slot of the event, for writing.
    #[doc(hidden)]
    fn slot_mut(slots: &mut Slots) -> &mut Slot<Self>;
}

macro_rules! provider {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        /// A set of hooks behind one object-safe interface. All methods have defaults that do nothing.
        ///
        /// An event that can be denied has four methods. `prepare_…` rewrites the event and asks the deciders
        /// that wait; `judge_…` judges the final event, synchronously and without side effects; `reserve_…`
        /// makes reservations in limits and budgets; `observe_…` shows the event after the decision. The
        /// other events have one method.
        ///
        /// Drivers use [`decide`](fn@crate::decide), [`reserve`](fn@crate::reserve),
        /// [`observe`](fn@crate::observe) and [`tell`](fn@crate::tell), which call these methods in the order
        /// that law 2 requires, and turn a panic into an outcome (law 3).
        #[expect(unused_variables, reason = "the defaults ignore their arguments")]
        pub trait HooksProvider: Send + Sync {
            /// Whether the provider turns every panic of its hooks into an outcome, so that its caller does
            /// not have to.
            #[doc(hidden)]
            fn guards_its_hooks(&self) -> bool {
                false
            }
            $(
                #[doc = concat!("Rewrites the event and asks the hooks that wait:", $ddoc, ".")]
                fn $prepare(&self, request: HookRequest<$DType>) -> HookFuture<'_, Prepared<$DType>> {
                    HookFuture::now(Prepared::unchanged(request))
                }
                #[doc = concat!("Judges the final event:", $ddoc, ".")]
                fn $judge(&self, request: &HookRequest<$DType>) -> $DOutcome {
                    <$DOutcome>::default()
                }
                #[doc = concat!("Reserves from limits and budgets:", $ddoc, ".")]
                fn $reserve(&self, request: HookRequest<$DType>) -> HookFuture<'_, $DOutcome> {
                    HookFuture::now(<$DOutcome>::default())
                }
                #[doc = concat!("Sees what was decided:", $ddoc, ".")]
                fn $observe(&self, request: &HookRequest<$DType>, outcome: &$DOutcome) {}
            )*
            $(
                #[doc = concat!("Handles an event that cannot be denied:", $idoc, ".")]
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

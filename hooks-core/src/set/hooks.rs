//! A set of hooks: one slot per event.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::bound::Bound;
use super::builder::{HooksBuilder, HooksConfig};
use super::close::{Close, CloseError};
use super::provider::{DecidingEvent, HooksProvider, Prepared};
use super::slot::{Explained, Slot};
use crate::context::HookContext;
use crate::event::{for_each_event, *};
use crate::future::HookFuture;
use crate::outcome::{CompactOutcome, ContextPatch, Decision, Gate, PromptOutcome, Recovery, ResultPatch};
use crate::request::{Evaluation, HookRequest, Stage};

/// A set of hooks: what configuration builds. `Clone + Send + Sync`, one pointer wide; swapped whole on reload
/// through [`Live`](crate::Live).
#[derive(Clone, Default)]
pub struct Hooks {
    inner: Arc<Inner>,
}

#[derive(Clone, Default)]
pub(super) struct Inner {
    pub(super) slots: Slots,
    pub(super) extensions: Extensions,
    pub(super) closing: Vec<Arc<dyn Close>>,
}

/// Values that come with a set of hooks, by type.
pub(super) type Extensions = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

macro_rules! slots {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        /// One slot per event.
        #[derive(Clone, Debug, Default)]
        pub struct Slots {
            $( pub(super) $dname: Slot<$DType>, )*
            $( pub(super) $iname: Slot<$IType>, )*
        }

        impl Slots {
            /// The events that somebody hooks.
            pub(super) fn hooked(&self) -> Vec<EventKind> {
                let mut kinds = Vec::new();
                $( if !self.$dname.is_empty() { kinds.push(EventKind::$DType); } )*
                $( if !self.$iname.is_empty() { kinds.push(EventKind::$IType); } )*
                kinds
            }
        }

        impl HooksProvider for Hooks {
            fn guards_its_hooks(&self) -> bool {
                true
            }
            $(
                #[inline]
                fn $prepare(&self, request: HookRequest<$DType>) -> HookFuture<'_, Prepared<$DType>> {
                    self.inner.slots.$dname.prepare(request)
                }
                #[inline]
                fn $judge(&self, request: &HookRequest<$DType>) -> $DOutcome {
                    self.inner.slots.$dname.judge(request)
                }
                #[inline]
                fn $reserve(&self, request: HookRequest<$DType>) -> HookFuture<'_, $DOutcome> {
                    self.inner.slots.$dname.reserve(request)
                }
                #[inline]
                fn $observe(&self, request: &HookRequest<$DType>, outcome: &$DOutcome) {
                    self.inner.slots.$dname.observe(request, outcome);
                }
            )*
            $(
                #[inline]
                fn $iname(&self, request: HookRequest<$IType>) -> HookFuture<'_, $IOutcome> {
                    self.inner.slots.$iname.tell(request)
                }
            )*
        }
    };
}
for_each_event!(slots);

impl Hooks {
    /// Starts a set.
    pub fn builder() -> HooksBuilder {
        HooksBuilder::default()
    }

    /// Builds the set that `config` describes: the default provider. With `hooks-policies`, a `PolicyConfig`
    /// gives the classic policies.
    ///
    /// # Errors
    /// Where the configuration cannot be built: a bad pattern, a limit that makes no sense.
    pub fn from_policy<C: HooksConfig>(config: C) -> Result<Self, C::Error> {
        let mut builder = HooksBuilder::default();
        config.add_to(&mut builder)?;
        Ok(builder.build())
    }

    /// Takes the set apart again, to add further hooks at the end.
    pub fn into_builder(self) -> HooksBuilder {
        HooksBuilder::from_inner(Arc::unwrap_or_clone(self.inner))
    }

    /// What came with the set under this type: a lockout registry, a limit's counters.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.extensions.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The events that somebody hooks.
    pub fn hooked(&self) -> Vec<EventKind> {
        self.inner.slots.hooked()
    }

    /// The hooks on one event.
    pub fn slot<E: DecidingEvent>(&self) -> &Slot<E> {
        E::slot(self)
    }

    /// What each policy alone says about the event, also behind a denial (law 5). Nothing is rewritten,
    /// waited for or counted.
    pub fn explain<E: DecidingEvent>(&self, request: &HookRequest<E>) -> Vec<Explained> {
        let request = request.clone().at(Stage::Judge).evaluated(Evaluation::Everyone);
        self.slot::<E>().explain(&request)
    }

    /// Closes what the set keeps open, one after the other: what was acknowledged is kept, also where the host ends at once.
    /// Await it before `main` returns, behind the last session. Clones share what is closed; what is asked of them later may
    /// be refused.
    ///
    /// # Errors
    /// Lists what could not be closed. The rest is closed all the same.
    pub async fn close(&self) -> Result<(), CloseError> {
        let mut failed = CloseError::default();
        for open in &self.inner.closing {
            if let Err(error) = open.close().await {
                failed.add(open.name(), error);
            }
        }
        failed.or_ok()
    }

    /// The set as one plain async function per event, for hosts that do not speak tower.
    pub fn on(&self, context: impl Into<Arc<HookContext>>) -> Bound<'_> {
        Bound::new(self, context.into())
    }

    pub(super) fn from_inner(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.inner.slots
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("hooked", &self.hooked()).finish_non_exhaustive()
    }
}

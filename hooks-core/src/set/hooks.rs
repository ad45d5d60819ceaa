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
use crate::shadow::Shadow;
use crate::tenant::Selection;

/// A set of hooks, as configuration builds it. It is `Clone + Send + Sync` and one pointer wide. A reload
/// replaces the whole set through [`Live`](crate::Live).
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

/// Values that belong to a set of hooks, by type.
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
            /// The events that have at least one hook.
            pub(super) fn hooked(&self) -> Vec<EventKind> {
                let mut kinds = Vec::new();
                $( if !self.$dname.is_empty() { kinds.push(EventKind::$DType); } )*
                $( if !self.$iname.is_empty() { kinds.push(EventKind::$IType); } )*
                kinds
            }

            /// Adds the hooks of `inner`.
            pub(super) fn add(&mut self, inner: Self) {
                $( self.$dname.add(inner.$dname); )*
                $( self.$iname.add(inner.$iname); )*
            }

            /// Adds the hooks of `inner`; those that judge are in the shadow.
            pub(super) fn add_in_shadow(&mut self, shadow: Shadow, inner: Self) {
                $( shadow.add(&mut self.$dname, inner.$dname); )*
                $( self.$iname.add(inner.$iname); )*
            }

            /// Adds the hooks of `inner`, limited to the events that `selection` selects.
            pub(super) fn add_selected(&mut self, selection: &Selection, inner: Self) {
                $( selection.add(&mut self.$dname, inner.$dname); )*
                $( selection.add(&mut self.$iname, inner.$iname); )*
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
    /// Starts an empty set.
    pub fn builder() -> HooksBuilder {
        HooksBuilder::default()
    }

    /// Builds the set that `config` describes. With `hooks-classic`, a `PolicyConfig` gives the standard
    /// policies.
    ///
    /// # Errors
    /// Returns the error of the configuration if it cannot be built, such as for an invalid pattern or limit.
    pub fn from_policy<C: HooksConfig>(config: C) -> Result<Self, C::Error> {
        let mut builder = HooksBuilder::default();
        config.add_to(&mut builder)?;
        Ok(builder.build())
    }

    /// Turns the set back into a builder, to add further hooks at the end.
    pub fn into_builder(self) -> HooksBuilder {
        HooksBuilder::from_inner(Arc::unwrap_or_clone(self.inner))
    }

    /// Returns the value of this type that was added to the set: a lockout registry, the counters of a limit.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::Hooks;
    ///
    /// struct Version(u32);
    ///
    /// let mut builder = Hooks::builder();
    /// builder.add_extension(Arc::new(Version(3)));
    /// let hooks = builder.build();
    /// assert_eq!(hooks.extension::<Version>().map(|version| version.0), Some(3));
    /// assert!(hooks.extension::<String>().is_none());
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.extensions.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The events that have at least one hook.
    pub fn hooked(&self) -> Vec<EventKind> {
        self.inner.slots.hooked()
    }

    /// The hooks of one event.
    pub fn slot<E: DecidingEvent>(&self) -> &Slot<E> {
        E::slot(self)
    }

    /// Returns the verdict of each single policy on the event, also after a denial (law 5). Nothing is
    /// rewritten or reserved, and nothing waits.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
    ///
    /// let deny = |name| policy_fn(name, move |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new(name, "all", "no")));
    /// let hooks = Hooks::builder().policy(deny("first")).policy(deny("second")).build();
    /// let call = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
    /// assert_eq!(hooks.explain(&call).len(), 2); // the second is asked too
    /// ```
    pub fn explain<E: DecidingEvent>(&self, request: &HookRequest<E>) -> Vec<Explained> {
        let request = request.clone().at(Stage::Judge).evaluated(Evaluation::Everyone);
        self.slot::<E>().explain(&request)
    }

    /// Closes the resources of the set, one after the other, so that acknowledged data is kept even if the
    /// host exits right afterwards. Await it after the last session, before `main` returns. Clones share the
    /// resources; later requests to them may be refused.
    ///
    /// # Errors
    /// Returns a list of the resources that could not be closed. All others are closed.
    pub async fn close(&self) -> Result<(), CloseError> {
        self.close_only(|_| true).await
    }

    /// Closes the resources whose names `is_meant` selects, as [`Hooks::close`] does: after a reload, the next set may
    /// go on with the others.
    ///
    /// # Errors
    /// Returns a list of the selected resources that could not be closed.
    pub async fn close_only(&self, is_meant: impl Fn(&str) -> bool) -> Result<(), CloseError> {
        let mut failed = CloseError::default();
        for open in self.inner.closing.iter().filter(|open| is_meant(open.name())) {
            if let Err(error) = open.close().await {
                failed.add(open.name(), error);
            }
        }
        failed.or_ok()
    }

    /// Number of values that share this set: this one, its clones, and the calls in flight of drivers that use it.
    ///
    /// ```
    /// use hooks_core::{Hooks, Live};
    ///
    /// let hooks = Hooks::default();
    /// let live = Live::new(hooks.clone());
    /// assert_eq!(hooks.holders(), 2);
    /// live.swap(Hooks::default()); // no call is in flight, so nothing else holds the old set
    /// assert_eq!(hooks.holders(), 1);
    /// ```
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// Binds the set to a context: one plain async function per event, for hosts that do not use tower.
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

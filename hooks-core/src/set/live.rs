//! A set of hooks that can be swapped while calls are in flight.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::composite::Composite;
use super::provider::{DecidingEvent, HooksProvider, InformingEvent};
use super::question::{EventDecision, decide, tell};
use crate::request::HookRequest;

/// A shared holder of a set of hooks. All clones hold the same set.
///
/// A call keeps the set that it started with until it ends; a swap affects later calls only. Policies own no
/// counters, so a swap resets none.
///
/// Reading is wait-free. It allocates nothing, except with a holder made by [`Live::narrowed`], which builds
/// a chain of the sets for each call.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, HookRequest, Hooks, Judged, Live, Reason, Verdict, policy_fn};
///
/// let deny = policy_fn("deny", |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new("deny", "all", "not today")));
/// let call = || HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
/// let live = Live::new(Hooks::default());
/// let child = live.narrowed(Hooks::default());
///
/// # futures_util::FutureExt::now_or_never(async {
/// assert!(!live.decide(call()).await.outcome.is_denied());
/// live.swap(Hooks::builder().policy(deny).build());
/// assert!(live.decide(call()).await.outcome.is_denied());
/// assert!(child.decide(call()).await.outcome.is_denied()); // the holder of a child follows
/// # }).expect("no hook waits");
/// ```
#[derive(Clone)]
pub struct Live {
    current: Arc<ArcSwap<Snapshot>>,
    /// The holders that this one restricts, the outermost first: those of the parent agents. If they are
    /// swapped, this one follows. The list is flat, so that many generations cause no recursion.
    within: Vec<Arc<ArcSwap<Snapshot>>>,
}

/// The set of hooks at the start of a call.
#[derive(Clone)]
pub(crate) struct Snapshot(Arc<dyn HooksProvider>);

impl Live {
    /// Holds `hooks`.
    pub fn new(hooks: impl HooksProvider + 'static) -> Self {
        Self { current: Arc::new(ArcSwap::from_pointee(Snapshot(Arc::new(hooks)))), within: Vec::new() }
    }

    /// Replaces the current set by `hooks`.
    pub fn swap(&self, hooks: impl HooksProvider + 'static) {
        self.current.store(Arc::new(Snapshot(Arc::new(hooks))));
    }

    /// Calls `ask` with the current set.
    #[inline]
    pub fn with<T>(&self, ask: impl FnOnce(&dyn HooksProvider) -> T) -> T {
        match self.within.is_empty() {
            true => ask(&*self.current.load().0),
            false => ask(self.snapshot().hooks()),
        }
    }

    /// Has the current set decide about an event. The same set is used until the end of the decision.
    pub async fn decide<E: DecidingEvent>(&self, request: HookRequest<E>) -> EventDecision<E> {
        let snapshot = self.snapshot();
        decide(snapshot.hooks(), request).await
    }

    /// Sends an event that informs to the current set.
    pub async fn tell<E: InformingEvent>(&self, request: HookRequest<E>) -> E::Outcome {
        let snapshot = self.snapshot();
        tell(snapshot.hooks(), request).await
    }

    /// A holder for a child: the hooks of this one, followed by `further`, which can only restrict them.
    #[must_use]
    pub fn narrowed(&self, further: impl HooksProvider + 'static) -> Self {
        let within = self.within.iter().chain([&self.current]).cloned().collect();
        Self { within, ..Self::new(further) }
    }

    /// The current set, to keep.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let own = Snapshot::clone(&self.current.load());
        if self.within.is_empty() {
            return own;
        }
        let outer = self.within.iter().map(|place| Arc::clone(&place.load().0));
        Snapshot(Arc::new(Composite::new(outer.chain([own.0]))))
    }
}

impl Snapshot {
    pub(crate) fn hooks(&self) -> &dyn HooksProvider {
        &*self.0
    }
}

impl<P: HooksProvider + 'static> From<P> for Live {
    fn from(hooks: P) -> Self {
        Self::new(hooks)
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Live")
    }
}

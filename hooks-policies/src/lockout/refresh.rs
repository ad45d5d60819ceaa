//! Updates the registry before a call that writes.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::PreToolUse;
use hooks_core::{DecideLayer, DeciderOutcome, Decision, HookError, HookFuture, HookRequest};
use hooks_facts::calls::{Call, CallReader, NamedPath};
use tower_service::Service;

use super::stored::StoredLockouts;

/// Decider without an opinion of its own. Before a call that writes, or whose effect is unknown, it reads the
/// lockouts from the store, so that [`ReviewerLockout`](super::ReviewerLockout) judges by the current ones.
/// If the store is unavailable for too long, it returns an error, which denies the call.
///
/// Another process locks the agent out, and this process reads that before the next write:
///
/// ```
/// # use std::sync::Arc;
/// use hooks_core::state::Memory;
/// use hooks_core::testing::{FakeFileSystem, VirtualTime, world};
/// # use hooks_core::time::SeededRandom;
/// use hooks_core::{FailureLayer, HookContext, Hooks, Judged, Settle, event::PreToolUse};
/// use hooks_facts::calls::CallReader;
/// use hooks_policies::{Lockout, LockoutRegistry, RefreshLockouts, ReviewerLockout, StoredLockouts};
/// use tower_layer::Layer;
///
/// # let time = VirtualTime::default();
/// let store = Arc::new(Memory::new(Arc::new(time.clone())));
/// let process = || {
/// #     let world = (Arc::new(time.clone()) as _, Arc::new(SeededRandom::new(1)) as _);
///     Arc::new(StoredLockouts::new(store.clone(), None, Arc::new(LockoutRegistry::default()), world))
/// };
/// let (here, elsewhere, reader) = (process(), process(), CallReader::default());
/// let policy = ReviewerLockout::new(&Default::default(), here.registry().clone(), &reader);
/// let refresh = RefreshLockouts::new(here, &reader).layer().layer(Settle);
/// let hooks = Hooks::builder().stack(&FailureLayer::new("lockouts"), refresh).policy(policy).build();
/// # time.block_on(async {
/// elsewhere.lock(Lockout::new("src", "backend"), None).await?;
/// # let (environment, ..) = world(FakeFileSystem::default());
/// # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
/// let write = PreToolUse::new("edit", serde_json::json!({"path": "src/main.rs"}));
/// assert!(hooks.on(context).pre_tool_use(write).await.outcome.is_denied());
/// # Ok::<(), hooks_policies::LockoutError>(())
/// # }).expect("memory answers at once")?;
/// # Ok::<(), hooks_policies::LockoutError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RefreshLockouts {
    lockouts: Arc<StoredLockouts>,
    reader: CallReader,
}

/// Refresh in front of an inner hook, which may be [`Settle`](hooks_core::Settle).
pub type RefreshLockoutsLayer = DecideLayer<RefreshLockouts>;

impl RefreshLockouts {
    /// Refreshes `lockouts` before calls that write, as read by `reader`.
    pub fn new(lockouts: Arc<StoredLockouts>, reader: &CallReader) -> Self {
        Self { lockouts, reader: reader.clone() }
    }

    /// Wraps the refresh in a layer.
    pub fn layer(self) -> RefreshLockoutsLayer {
        DecideLayer::new(self)
    }
}

impl Service<HookRequest<PreToolUse>> for RefreshLockouts {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let no_opinion = || DeciderOutcome::new(Decision::default());
        if !may_write(self.reader.read(&request)) {
            return HookFuture::now(Ok(no_opinion()));
        }
        let lockouts = Arc::clone(&self.lockouts);
        HookFuture::later(async move {
            lockouts.refresh().await.map_err(HookError::other)?;
            Ok(no_opinion())
        })
    }
}

/// Returns whether the lockout may apply: most commands write nothing, and no store is opened for them.
fn may_write(call: Call<'_>) -> bool {
    if !(call.writes_files() || call.kind().runs_commands()) {
        return false;
    }
    let places = call.places();
    let mut named = places.found.iter().chain(&places.partial);
    !places.unusable.is_empty() || !places.unknown.is_empty() || named.any(NamedPath::is_written)
}

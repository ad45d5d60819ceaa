//! Brings the registry up to date before a call that writes.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::PreToolUse;
use hooks_core::{DecideLayer, Decision, HookError, HookFuture, HookRequest, Opinion};
use tower_service::Service;

use super::stored::StoredLockouts;
use crate::facts::{Call, CallReader, Place};

/// A decider without an opinion of its own: before a call that writes, or of which nobody knows, it asks the store who is locked out, so
/// that [`ReviewerLockout`](super::ReviewerLockout) judges by what holds now. A store that is away for too long is an
/// error, which denies.
#[derive(Clone, Debug)]
pub struct RefreshLockouts {
    lockouts: Arc<StoredLockouts>,
    reader: CallReader,
}

/// The refresh in front of an inner hook, which may be [`Settle`](hooks_core::Settle).
pub type RefreshLockoutsLayer = DecideLayer<RefreshLockouts>;

impl RefreshLockouts {
    /// Refreshes `lockouts` before calls that write by the names of `reader`.
    pub fn new(lockouts: Arc<StoredLockouts>, reader: &CallReader) -> Self {
        Self { lockouts, reader: reader.clone() }
    }

    /// The refresh as a layer.
    pub fn layer(self) -> RefreshLockoutsLayer {
        DecideLayer::new(self)
    }
}

impl Service<HookRequest<PreToolUse>> for RefreshLockouts {
    type Response = Opinion<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Opinion<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let no_opinion = || Opinion::new(Decision::default());
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

/// Whether the lockout may have something to say: most commands write nothing, and a store is not opened for them.
fn may_write(call: Call<'_>) -> bool {
    if !(call.writes_files() || call.kind().runs_commands()) {
        return false;
    }
    let places = call.places();
    let mut named = places.found.iter().chain(&places.partial);
    !places.unusable.is_empty() || !places.unknown.is_empty() || named.any(Place::is_written)
}

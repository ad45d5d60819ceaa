//! Work that nobody waits for: done at once where the store answers at once, in the background otherwise.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::{Background, HookFuture};

/// Runs `work`. What has to wait where nothing runs in the background is left undone: whoever asks for that has to be
/// on the safe side without it.
pub(super) fn run(background: Option<&Arc<dyn Background>>, work: impl Future<Output = ()> + Send + 'static) {
    let mut work = Box::pin(work);
    let mut context = Context::from_waker(Waker::noop());
    if let (Poll::Pending, Some(background)) = (work.as_mut().poll(&mut context), background) {
        background.run(HookFuture::Later(work));
    }
}

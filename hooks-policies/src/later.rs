//! Work that is done at once where the store answers at once.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::{Background, HookFuture};

/// Runs `work`, for which nobody waits: what is left of it in the background. What has to wait where nothing runs in
/// the background is left undone: whoever asks for that has to be on the safe side without it.
pub(crate) fn run(background: Option<&Arc<dyn Background>>, work: impl Future<Output = ()> + Send + 'static) {
    if let (HookFuture::Later(work), Some(background)) = (begin(work), background) {
        background.run(HookFuture::Later(work));
    }
}

/// Begins `work`: the answer is there where nothing has to wait.
pub(crate) fn begin<T>(work: impl Future<Output = T> + Send + 'static) -> HookFuture<'static, T> {
    let mut work = Box::pin(work);
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => HookFuture::now(done),
        // Whoever polls it next is woken.
        Poll::Pending => HookFuture::Later(work),
    }
}

//! A future that is often already there.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What the facade's methods return: the answer itself where nothing had to wait (no allocation), a boxed
/// future where something did.
#[must_use = "futures do nothing unless polled"]
pub enum HookFuture<'a, T> {
    /// The answer; `None` once it was taken.
    Now(Option<T>),
    /// A future of it, boxed once.
    Later(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
}

impl<'a, T> HookFuture<'a, T> {
    /// An answer that is there.
    pub fn now(value: T) -> Self {
        Self::Now(Some(value))
    }

    /// An answer that has to be waited for.
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }
}

// The value is only ever moved out, never pinned.
impl<T> Unpin for HookFuture<'_, T> {}

impl<T> Future for HookFuture<'_, T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match self.get_mut() {
            // Polling a future after it was ready is a bug of the caller's; waiting for ever is the
            // answer that neither panics nor invents a value.
            Self::Now(value) => value.take().map_or(Poll::Pending, Poll::Ready),
            Self::Later(future) => future.as_mut().poll(cx),
        }
    }
}

impl<T> fmt::Debug for HookFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Now(_) => "HookFuture::Now",
            Self::Later(_) => "HookFuture::Later",
        })
    }
}

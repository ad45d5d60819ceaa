//! A future that may be ready from the start.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future that the methods of a set of hooks return. If no hook had to wait, it holds the answer itself,
/// without an allocation; otherwise it holds a boxed future.
#[must_use = "futures do nothing unless polled"]
pub enum HookFuture<'a, T> {
    /// The answer; `None` after it was taken.
    Now(Option<T>),
    /// A future of the answer, boxed once.
    Later(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
}

impl<'a, T> HookFuture<'a, T> {
    /// A future that is ready.
    pub fn now(value: T) -> Self {
        Self::Now(Some(value))
    }

    /// A future that has to be polled.
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
            // The caller polled the future after it was ready, which is a bug. Staying pending neither panics
            // nor invents a value.
            Self::Now(value) => value.take().map_or(Poll::Pending, Poll::Ready),
            Self::Later(future) => future.as_mut().poll(cx),
        }
    }
}

/// Waits for `work`. Also returns whether that took a wait: a future that is ready when it is first polled did not wait.
pub(crate) async fn noting_wait<T>(mut work: HookFuture<'_, T>) -> (T, bool) {
    let mut has_waited = false;
    let done = poll_fn(|cx| {
        let polled = Pin::new(&mut work).poll(cx);
        has_waited |= polled.is_pending();
        polled
    });
    let done = done.await;
    (done, has_waited)
}

impl<T> fmt::Debug for HookFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Now(_) => "HookFuture::Now",
            Self::Later(_) => "HookFuture::Later",
        })
    }
}

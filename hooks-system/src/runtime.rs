//! Waiting and background work on a tokio runtime.

use std::time::Duration;

use hooks_core::time::Timer;
use hooks_core::{Background, HookFuture};
use tokio::runtime::Handle;

/// Waits on tokio's timer. Its futures must be polled within a runtime that has time enabled.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        // Created within the future, so that creating it needs no runtime.
        HookFuture::later(async move { tokio::time::sleep(duration).await })
    }
}

/// Runs work on a tokio runtime.
#[derive(Clone, Debug)]
pub struct TokioBackground(Handle);

impl TokioBackground {
    /// Runs work on the runtime of `handle`.
    pub const fn on(handle: Handle) -> Self {
        Self(handle)
    }

    /// Runs work on the current runtime, if there is one.
    pub fn current() -> Option<Self> {
        Handle::try_current().ok().map(Self)
    }
}

impl Background for TokioBackground {
    fn run(&self, work: HookFuture<'static, ()>) {
        // The task continues without its handle, and no task waits for it.
        drop(self.0.spawn(work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_runs_although_nobody_waits() {
        let (done, finished) = tokio::sync::oneshot::channel();
        let background = TokioBackground::current().unwrap();
        background.run(HookFuture::later(async move {
            TokioTimer.sleep(Duration::from_millis(1)).await;
            let _ = done.send(());
        }));
        assert_eq!(finished.await, Ok(()));
    }

    #[test]
    fn without_a_runtime_there_is_none() {
        assert!(TokioBackground::current().is_none());
    }
}

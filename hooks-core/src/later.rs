//! Work that completes at once if the store answers at once.
//!
//! ```
//! use hooks_core::{HookFuture, later};
//!
//! // A store in memory answers at once: the result is there without a wait.
//! assert!(matches!(later::begin(async { 7 }), HookFuture::Now(Some(7))));
//! assert!(matches!(later::begin(std::future::pending::<u8>()), HookFuture::Later(_)));
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::environment::Background;
use crate::future::HookFuture;

/// Runs `work` whose result no caller awaits; if it has to wait, the rest of it runs in the background.
/// Without a background, the rest is dropped: the caller has to be on the safe side in that case.
///
/// A panic of the store counts as an error of the store. It is caught here because places are given back
/// while a thread unwinds, where a second panic would abort the process.
pub fn run(background: Option<&Arc<dyn Background>>, work: impl Future<Output = ()> + Send + 'static) {
    let run = || {
        if let (HookFuture::Later(work), Some(background)) = (begin(work), background) {
            background.run(HookFuture::Later(work));
        }
    };
    // The panic hook of the process has reported it already.
    drop(catch_unwind(AssertUnwindSafe(run)));
}

/// Polls `work` once; returns a ready future if it did not have to wait.
pub fn begin<T>(work: impl Future<Output = T> + Send + 'static) -> HookFuture<'static, T> {
    let mut work = Box::pin(work);
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => HookFuture::now(done),
        // The next poll registers its own waker.
        Poll::Pending => HookFuture::Later(work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives something back to a store that panics.
    struct Falls(Option<Arc<dyn Background>>);

    impl Drop for Falls {
        fn drop(&mut self) {
            run(self.0.as_ref(), async { panic!("in a store") });
            run(self.0.as_ref(), std::future::pending());
        }
    }

    struct Full;

    impl Background for Full {
        fn run(&self, _work: HookFuture<'static, ()>) {
            panic!("in the background");
        }
    }

    #[test]
    fn a_panic_ends_here_also_while_the_thread_unwinds() {
        drop(Falls(Some(Arc::new(Full))));
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _falls = Falls(Some(Arc::new(Full)));
            panic!("somewhere else");
        }));
        assert!(unwound.is_err());
    }
}

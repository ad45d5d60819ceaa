//! Work that is done at once where the store answers at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::{Background, HookFuture};

/// Runs `work`, for which nobody waits: what is left of it in the background. What has to wait where nothing runs in
/// the background is left undone: whoever asks for that has to be on the safe side without it.
///
/// A panic of the store is the same as an error of it. It ends here, because places are given back while a thread unwinds,
/// and a second panic would abort the process.
pub(crate) fn run(background: Option<&Arc<dyn Background>>, work: impl Future<Output = ()> + Send + 'static) {
    let run = || {
        if let (HookFuture::Later(work), Some(background)) = (begin(work), background) {
            background.run(HookFuture::Later(work));
        }
    };
    // The process's panic hook has told of it.
    drop(catch_unwind(AssertUnwindSafe(run)));
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

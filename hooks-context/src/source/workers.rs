//! Who does what waits for a disk or a process, so that nobody else waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use hooks_core::{BoxError, HookFuture};

/// Something to do.
pub type Work = Box<dyn FnOnce() + Send>;

/// Does work that blocks.
pub trait Workers: Send + Sync {
    /// Does `work`, now or later, on whatever thread it likes.
    fn start(&self, work: Work);
}

/// Does it here and now: for tests, and for files that are surely near.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here;

/// Does each on a thread of its own, which outlives whoever waits for it. Where there can be no more threads, it is
/// done here and now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Workers for Here {
    fn start(&self, work: Work) {
        work();
    }
}

impl Workers for Threads {
    fn start(&self, work: Work) {
        let shared = Arc::new(Mutex::new(Some(work)));
        let run = |shared: &Mutex<Option<Work>>| {
            let work = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = work {
                work();
            }
        };
        let on_thread = Arc::clone(&shared);
        let started =
            std::thread::Builder::new().name("hooks-context".to_owned()).spawn(move || run(&on_thread));
        if started.is_err() {
            run(&shared);
        }
    }
}

/// What `work` gives, once `workers` have done it. A panic is an error.
pub(crate) fn offload<T: Send + 'static>(
    workers: &dyn Workers,
    work: impl FnOnce() -> Result<T, BoxError> + Send + 'static,
) -> HookFuture<'static, Result<T, BoxError>> {
    let slot = Arc::new(Mutex::new(Slot { answer: None, waker: None }));
    let theirs = Finish(Arc::clone(&slot));
    workers.start(Box::new(move || {
        let answer = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("it panicked".into()));
        theirs.tell(answer);
    }));
    if let Some(answer) = lock(&slot).answer.take() {
        return HookFuture::now(answer);
    }
    HookFuture::later(std::future::poll_fn(move |cx| {
        let mut slot = lock(&slot);
        match slot.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }))
}

struct Slot<T> {
    answer: Option<Result<T, BoxError>>,
    waker: Option<Waker>,
}

/// Answers for a piece of work, also for one that is dropped undone.
struct Finish<T>(Arc<Mutex<Slot<T>>>);

impl<T> Finish<T> {
    fn tell(&self, answer: Result<T, BoxError>) {
        let mut slot = lock(&self.0);
        slot.answer = Some(answer);
        let waker = slot.waker.take();
        drop(slot);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Drop for Finish<T> {
    fn drop(&mut self) {
        // Whoever waits holds the other end; an answer that was not fetched yet stands.
        let is_open = lock(&self.0).answer.is_none() && Arc::strong_count(&self.0) > 1;
        if is_open {
            self.tell(Err("nobody did it".into()));
        }
    }
}

fn lock<T>(slot: &Mutex<Slot<T>>) -> std::sync::MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// Does nothing.
    struct Idle;

    impl Workers for Idle {
        fn start(&self, _work: Work) {}
    }

    #[tokio::test]
    async fn what_is_done_elsewhere_comes_back() {
        assert_eq!(offload(&Threads, || Ok(1)).await.unwrap(), 1);
        assert_eq!(offload(&Here, || Ok(1)).now_or_never().unwrap().unwrap(), 1);
    }

    #[tokio::test]
    async fn work_that_is_not_done_is_an_error() {
        let error = offload::<()>(&Threads, || panic!("no")).await.unwrap_err();
        assert_eq!(error.to_string(), "it panicked");
        let error = offload(&Idle, || Ok(1)).now_or_never().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "nobody did it");
    }
}

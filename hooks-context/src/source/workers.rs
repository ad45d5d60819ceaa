//! Who does what waits for a disk or a process, so that nobody else waits for it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// Does each on a thread of its own, which outlives whoever waits for it. The process has 64 of them at most; beyond
/// that, work waits for one that is free, 4,096 pieces at most. What is more than that, or finds no thread at all where
/// the system has none left, is not done, which is an error: whoever calls never waits for a disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Workers for Here {
    fn start(&self, work: Work) {
        work();
    }
}

impl Workers for Threads {
    fn start(&self, work: Work) {
        static POOL: Pool = Pool::new(64, 4_096);
        POOL.start(work);
    }
}

/// Threads that are there while there is something to do.
struct Pool {
    most: usize,
    most_waiting: usize,
    state: Mutex<State>,
}

struct State {
    threads: usize,
    waiting: VecDeque<Work>,
}

impl Pool {
    const fn new(most: usize, most_waiting: usize) -> Self {
        Self { most, most_waiting, state: Mutex::new(State { threads: 0, waiting: VecDeque::new() }) }
    }

    fn start(&'static self, work: Work) {
        let mut state = lock(&self.state);
        if state.threads >= self.most {
            if state.waiting.len() < self.most_waiting {
                state.waiting.push_back(work);
            }
            // What is not taken is dropped, and says so.
            return;
        }
        state.threads += 1;
        drop(state);
        let named = std::thread::Builder::new().name("hooks-context".to_owned());
        if named.spawn(move || self.work(work)).is_err() {
            lock(&self.state).threads -= 1;
        }
    }

    /// Does `work`, and whatever waits by then.
    fn work(&self, work: Work) {
        let mut next = Some(work);
        while let Some(work) = next {
            // Whoever waits hears of a panic; the thread is still good.
            drop(catch_unwind(AssertUnwindSafe(work)));
            let mut state = lock(&self.state);
            next = state.waiting.pop_front();
            state.threads -= usize::from(next.is_none());
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
            self.tell(Err("nobody did it: too much is under way".into()));
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert_eq!(error.to_string(), "nobody did it: too much is under way");
    }

    #[test]
    fn what_hangs_takes_no_more_threads_than_there_may_be() {
        static POOL: Pool = Pool::new(2, 3);
        let (release, hung) = std::sync::mpsc::channel::<()>();
        let hung = Arc::new(Mutex::new(hung));
        let (tell, told) = std::sync::mpsc::channel();
        let dropped = Arc::new(());
        for number in 0..9 {
            let (hung, tell, held) = (Arc::clone(&hung), tell.clone(), Arc::clone(&dropped));
            POOL.start(Box::new(move || {
                let _held = held;
                let _released = lock(&hung).recv();
                tell.send(number).unwrap();
                assert!(number != 0, "a panic costs no thread");
            }));
        }
        assert_eq!(lock(&POOL.state).threads, 2);
        // Two are under way and three wait; nobody keeps the others.
        assert_eq!(Arc::strong_count(&dropped), 6);
        drop(release);
        let mut done: Vec<i32> = (0..5).map(|_| told.recv().unwrap()).collect();
        done.sort_unstable();
        assert_eq!(done, [0, 1, 2, 3, 4]);
    }
}

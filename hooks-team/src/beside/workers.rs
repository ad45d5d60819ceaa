//! Who does what waits for a disk or a process, so that nobody else waits for it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::lock;

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

impl<W: Workers + ?Sized> Workers for Arc<W> {
    fn start(&self, work: Work) {
        (**self).start(work);
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
        let named = std::thread::Builder::new().name("hooks-disk".to_owned());
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

#[cfg(test)]
mod tests {
    use super::*;

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

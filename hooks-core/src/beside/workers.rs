//! Workers: the threads that wait for disks and processes, so that callers do not.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::lock;

/// A piece of work.
pub type Work = Box<dyn FnOnce() + Send>;

/// Does work that blocks.
pub trait Workers: Send + Sync {
    /// Does `work`, now or later, on any thread.
    fn start(&self, work: Work);
}

/// Does the work at once on the calling thread: for tests, and for disks that never block for long.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here;

/// Does each piece of work on a thread of its own, which goes on even if the caller no longer waits. A
/// process has at most 64 of these threads. Beyond that, up to 4,096 pieces wait for a free thread. Further
/// work is dropped, and so is work for which the system has no thread left: the caller gets an error and
/// never waits for a disk.
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

/// A pool of threads that exist only while there is work.
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
            // Work beyond the limit is dropped, which reports an error to its caller.
            return;
        }
        state.threads += 1;
        drop(state);
        let named = std::thread::Builder::new().name("hooks-disk".to_owned());
        if named.spawn(move || self.work(work)).is_err() {
            lock(&self.state).threads -= 1;
        }
    }

    /// Does `work`, then the work that waits.
    fn work(&self, work: Work) {
        let mut next = Some(work);
        while let Some(work) = next {
            // The caller gets an error for a panic; the thread goes on.
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
        // Two pieces run and three wait; the others were dropped.
        assert_eq!(Arc::strong_count(&dropped), 6);
        drop(release);
        let mut done: Vec<i32> = (0..5).map(|_| told.recv().unwrap()).collect();
        done.sort_unstable();
        assert_eq!(done, [0, 1, 2, 3, 4]);
    }
}

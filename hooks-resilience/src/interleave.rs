//! Runs a few threads in every order, or in many: one at a time, each from one point to the next. Points are where
//! shared state is about to be touched.
//!
//! This is what loom and shuttle do, as far as code without weak orderings needs it. They have the locks of the code
//! under test replaced, which a plain `cargo test` cannot; and shuttle brings a second version of `rand`.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use hooks_core::time::{Random, SeededRandom};

/// What one thread does.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// Who runs, and how it came about.
#[derive(Default)]
struct Turns {
    /// Those that wait at a point.
    waiting: Vec<usize>,
    /// How many are between two points, or before their first.
    running: usize,
    turn: Option<usize>,
    /// What to choose, then what was: the choice and how many there were.
    wanted: Vec<usize>,
    chosen: Vec<(usize, usize)>,
    /// Chooses beyond what is wanted; the first one without it.
    random: Option<SeededRandom>,
}

#[derive(Default)]
struct Scheduler {
    turns: Mutex<Turns>,
    changed: Condvar,
}

thread_local! {
    static SELF: RefCell<Option<(Arc<Scheduler>, usize)>> = const { RefCell::new(None) };
}

/// Lets others go first. Does nothing outside of [`in_every_order`] and [`in_many_orders`]. Nobody may hold a lock here.
pub(crate) fn point() {
    if let Some((scheduler, own)) = SELF.with_borrow(Clone::clone) {
        scheduler.wait(own);
    }
}

impl Scheduler {
    fn wait(&self, own: usize) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.running -= 1;
        turns.waiting.push(own);
        turns.choose();
        self.changed.notify_all();
        while turns.turn != Some(own) {
            turns = self.changed.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        turns.turn = None;
    }

    fn ended(&self) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.running -= 1;
        turns.choose();
        self.changed.notify_all();
    }
}

impl Turns {
    /// Says who goes next, once all others wait.
    fn choose(&mut self) {
        if self.running > 0 || self.waiting.is_empty() {
            return;
        }
        // In the same order at every run, so that a choice means the same.
        self.waiting.sort_unstable();
        let count = self.waiting.len();
        let free = || self.random.as_ref().map_or(0, |random| random.next_u64() as usize % count);
        let choice = self.wanted.get(self.chosen.len()).copied().unwrap_or_else(free);
        self.chosen.push((choice, count));
        self.turn = Some(self.waiting.remove(choice));
        self.running = 1;
    }
}

/// Ends its thread's part, also where that panics.
struct Ended(Arc<Scheduler>);

impl Drop for Ended {
    fn drop(&mut self) {
        SELF.take();
        self.0.ended();
    }
}

fn run(threads: Vec<Work>, wanted: Vec<usize>, random: Option<SeededRandom>) -> Vec<(usize, usize)> {
    let scheduler = Arc::new(Scheduler::default());
    {
        let mut turns = scheduler.turns.lock().unwrap();
        (turns.running, turns.wanted, turns.random) = (threads.len(), wanted, random);
    }
    std::thread::scope(|scope| {
        for (own, work) in threads.into_iter().enumerate() {
            let scheduler = Arc::clone(&scheduler);
            scope.spawn(move || {
                SELF.set(Some((Arc::clone(&scheduler), own)));
                let _ended = Ended(scheduler);
                point();
                work();
            });
        }
    });
    let turns = scheduler.turns.lock().unwrap_or_else(PoisonError::into_inner);
    turns.chosen.clone()
}

/// Runs what `setup` makes in every order there is, and after each asks the check it made. How many orders there were.
pub(crate) fn in_every_order<C: FnOnce()>(setup: impl Fn() -> (Vec<Work>, C)) -> usize {
    let (mut wanted, mut orders) = (Vec::new(), 0);
    loop {
        let (threads, check) = setup();
        let mut chosen = run(threads, wanted, None);
        check();
        orders += 1;
        while chosen.last().is_some_and(|(choice, count)| choice + 1 == *count) {
            chosen.pop();
        }
        let Some((last, before)) = chosen.split_last() else { return orders };
        wanted = before.iter().map(|(choice, _)| *choice).chain([last.0 + 1]).collect();
    }
}

/// The same in so many orders, drawn from seeds that are the same at every run.
pub(crate) fn in_many_orders<C: FnOnce()>(orders: u64, setup: impl Fn() -> (Vec<Work>, C)) {
    for seed in 0..orders {
        let (threads, check) = setup();
        run(threads, Vec::new(), Some(SeededRandom::new(seed)));
        check();
    }
}

#[test]
fn every_order_is_tried() {
    let orders = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    let count = in_every_order(|| {
        let log = Arc::new(Mutex::new(String::new()));
        let thread = |name| {
            let log = Arc::clone(&log);
            Box::new(move || {
                log.lock().unwrap().push(name);
                point();
                log.lock().unwrap().push(name);
            }) as Work
        };
        let threads = vec![thread('a'), thread('b')];
        let orders = Arc::clone(&orders);
        (threads, move || {
            orders.lock().unwrap().insert(log.lock().unwrap().clone());
        })
    });
    assert_eq!((count, orders.lock().unwrap().len()), (6, 6));
}

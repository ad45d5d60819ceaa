//! Reservations that belong to an outcome.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

/// A reservation for one event, in a limit or a budget. If it is dropped, the amount is given back; if it is
/// committed, the event went ahead and the amount stays taken.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use hooks_core::Hold;
///
/// struct Tokens(Arc<AtomicU64>, u64);
///
/// impl Hold for Tokens {
///     fn commit(mut self: Box<Self>) {
///         self.1 = 0; // nothing to give back
///     }
/// }
///
/// impl Drop for Tokens {
///     fn drop(&mut self) {
///         self.0.fetch_sub(self.1, Ordering::Relaxed);
///     }
/// }
///
/// let used = Arc::new(AtomicU64::new(30));
/// Box::new(Tokens(Arc::clone(&used), 10)).commit();
/// assert_eq!(used.load(Ordering::Relaxed), 30);
/// drop(Tokens(Arc::clone(&used), 20));
/// assert_eq!(used.load(Ordering::Relaxed), 10);
/// ```
pub trait Hold: Send + Sync {
    /// Keeps the amount taken: the event goes ahead.
    fn commit(self: Box<Self>);
}

/// All reservations for one event.
///
/// If one of them panics, the others are still committed or given back, and the first panic continues
/// afterwards. If the thread is already unwinding, the panic is swallowed, since a second one would abort the
/// process.
#[derive(Default)]
#[must_use = "reservations are returned when this is dropped"]
pub struct Holds(Vec<Box<dyn Hold>>);

impl Holds {
    /// Commits all reservations: the event goes ahead.
    pub fn commit(mut self) {
        each(std::mem::take(&mut self.0), Hold::commit);
    }

    /// Whether there are no reservations.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, hold: Box<dyn Hold>) {
        self.0.push(hold);
    }

    pub(crate) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }
}

impl Drop for Holds {
    fn drop(&mut self) {
        each(std::mem::take(&mut self.0), drop);
    }
}

/// Ends every hold, also after one of them panicked, and then resumes the first panic.
fn each(holds: Vec<Box<dyn Hold>>, end: impl Fn(Box<dyn Hold>)) {
    let mut first: Option<Box<dyn Any + Send>> = None;
    for hold in holds {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| end(hold))) {
            first.get_or_insert(panic);
        }
    }
    if let Some(panic) = first.filter(|_| !thread::panicking()) {
        resume_unwind(panic);
    }
}

impl fmt::Debug for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Holds({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts each end, and panics.
    struct Falls(Arc<AtomicUsize>);

    impl Hold for Falls {
        fn commit(self: Box<Self>) {
            // The drop of `self` panics while this panic unwinds.
            panic!("in a commit");
        }
    }

    impl Drop for Falls {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
            if !thread::panicking() {
                panic!("in a drop");
            }
        }
    }

    fn holds(ended: &Arc<AtomicUsize>) -> Holds {
        let mut holds = Holds::default();
        (0..3).for_each(|_| holds.push(Box::new(Falls(Arc::clone(ended)))));
        holds
    }

    #[test]
    fn a_hold_that_panics_keeps_no_other_from_its_end() {
        let ended = Arc::new(AtomicUsize::new(0));
        for end in [Holds::commit, drop::<Holds>] {
            assert!(catch_unwind(AssertUnwindSafe(|| end(holds(&ended)))).is_err(), "the panic goes on");
            assert_eq!(ended.swap(0, Ordering::Relaxed), 3);
        }
    }

    #[test]
    fn holds_that_panic_while_the_thread_unwinds_do_not_abort_it() {
        let ended = Arc::new(AtomicUsize::new(0));
        struct Always;
        impl Hold for Always {
            fn commit(self: Box<Self>) {}
        }
        impl Drop for Always {
            fn drop(&mut self) {
                panic!("in a drop, also while it unwinds");
            }
        }
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let mut held = holds(&ended);
            held.push(Box::new(Always));
            panic!("somewhere else");
        }));
        assert!(unwound.is_err());
        assert_eq!(ended.load(Ordering::Relaxed), 3);
    }
}

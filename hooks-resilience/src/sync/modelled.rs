//! Primitives of the standard library or of loom, depending on where they are created.
//!
//! So a plain `cargo test` explores the crate's own types, without a special build. Loom also models weak
//! orderings: a relaxed load sees any value that it may.

use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, atomic::Ordering};

/// The work of one thread.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// Whether a loom model runs on this thread. All threads of a model run on the one that started it.
    static IS_MODELLED: Cell<bool> = const { Cell::new(false) };
}

/// Runs the threads of `setup` in every order with at most `interruptions` interruptions, and after each
/// order runs the check that `setup` returned. Returns the number of orders.
pub(crate) fn in_every_order<C: FnOnce()>(
    interruptions: usize,
    setup: impl Fn() -> (Vec<Work>, C) + Send + Sync + 'static,
) -> usize {
    struct Off;
    impl Drop for Off {
        fn drop(&mut self) {
            IS_MODELLED.set(false);
        }
    }
    let orders = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&orders);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(interruptions);
    IS_MODELLED.set(true);
    let _off = Off;
    model.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let (threads, check) = setup();
        let threads: Vec<_> = threads.into_iter().map(loom::thread::spawn).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        check();
    });
    orders.load(Ordering::Relaxed)
}

/// A lock.
pub(crate) enum Mutex<T> {
    Std(std::sync::Mutex<T>),
    Loom(loom::sync::Mutex<T>),
}

/// A guard of a lock.
pub(crate) enum MutexGuard<'a, T> {
    Std(std::sync::MutexGuard<'a, T>),
    Loom(loom::sync::MutexGuard<'a, T>),
}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        match IS_MODELLED.get() {
            false => Self::Std(std::sync::Mutex::new(value)),
            true => Self::Loom(loom::sync::Mutex::new(value)),
        }
    }

    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        fn either<G, H>(locked: LockResult<G>, guard: impl Fn(G) -> H) -> LockResult<H> {
            locked.map(&guard).map_err(|poisoned| PoisonError::new(guard(poisoned.into_inner())))
        }
        match self {
            Self::Std(lock) => either(lock.lock(), MutexGuard::Std),
            Self::Loom(lock) => either(lock.lock(), MutexGuard::Loom),
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Std(guard) => guard,
            Self::Loom(guard) => guard,
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Std(guard) => guard,
            Self::Loom(guard) => guard,
        }
    }
}

macro_rules! atomic {
    ($name:ident of $value:ty { $($method:ident($($argument:ident: $of:ty),*) -> $result:ty;)* }) => {
        pub(crate) enum $name {
            Std(std::sync::atomic::$name),
            Loom(loom::sync::atomic::$name),
        }

        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                match IS_MODELLED.get() {
                    false => Self::Std(std::sync::atomic::$name::new(value)),
                    true => Self::Loom(loom::sync::atomic::$name::new(value)),
                }
            }

            $(pub(crate) fn $method(&self, $($argument: $of),*) -> $result {
                match self {
                    Self::Std(atomic) => atomic.$method($($argument),*),
                    Self::Loom(atomic) => atomic.$method($($argument),*),
                }
            })*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

atomic!(AtomicBool of bool {
    load(order: Ordering) -> bool;
    store(value: bool, order: Ordering) -> ();
    swap(value: bool, order: Ordering) -> bool;
});

atomic!(AtomicU64 of u64 {
    load(order: Ordering) -> u64;
    store(value: u64, order: Ordering) -> ();
    fetch_max(value: u64, order: Ordering) -> u64;
    fetch_add(value: u64, order: Ordering) -> u64;
});

atomic!(AtomicUsize of usize {
    load(order: Ordering) -> usize;
    fetch_sub(value: usize, order: Ordering) -> usize;
    fetch_update(set: Ordering, fetch: Ordering, change: impl FnMut(usize) -> Option<usize>) -> Result<usize, usize>;
});

/// Loom finds a bug that only another order shows: two threads that read and then write lose a write.
#[test]
#[should_panic = "a write was lost"]
fn an_order_that_loses_a_write_is_found() {
    in_every_order(1, || {
        let count = std::sync::Arc::new(AtomicU64::new(0));
        let add = || {
            let count = std::sync::Arc::clone(&count);
            Box::new(move || count.store(count.load(Ordering::SeqCst) + 1, Ordering::SeqCst)) as Work
        };
        let threads = vec![add(), add()];
        (threads, move || assert_eq!(count.load(Ordering::SeqCst), 2, "a write was lost"))
    });
}

//! Blocking work that is done while an agent goes on.
//!
//! [`Workers`] do work that blocks; [`offload`] waits for the result, [`offload_then`] does not. A layer
//! whose future is a [`ResponseFuture`] runs such work while its inner hook runs.

mod future;
mod offload;
mod workers;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use self::future::ResponseFuture;
pub use self::offload::{offload, offload_then};
pub use self::workers::{Here, Threads, Work, Workers};

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

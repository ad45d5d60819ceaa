//! Work on a disk that is done beside what an agent waits for.
//!
//! [`Workers`] do what blocks; [`offload`] waits for what they give, [`offload_then`] does not. A layer whose future is a
//! [`ResponseFuture`] has it done while it asks its inner hook.

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

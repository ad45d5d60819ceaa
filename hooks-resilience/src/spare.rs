//! An instance of an inner service that is kept for further attempts.
//!
//! A layer that may call more than once needs its own instance for further attempts, because the ready one
//! stays with the service. Cloning a stack for each call costs more than the rest of a successful call. So
//! one clone is kept for all calls, and cloned again for the few that need it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// State shared by all services of a layer, with an instance of the inner service. Clones of a service share
/// it.
pub(crate) struct Spare<S, T> {
    shared: Arc<T>,
    /// Locked only for cloning, so the service need not be `Sync`.
    instance: OnceLock<Mutex<S>>,
}

impl<S, T> Spare<S, T> {
    /// Creates it without an instance; [`keep`](Self::keep) adds one.
    pub(crate) fn new(shared: Arc<T>) -> Arc<Self> {
        Arc::new(Self { shared, instance: OnceLock::new() })
    }

    /// The shared state without the instance, for an inner service that is about to change.
    pub(crate) fn emptied(&self) -> Arc<Self> {
        Self::new(Arc::clone(&self.shared))
    }

    /// The state shared by all services of the layer.
    pub(crate) fn shared(&self) -> &Arc<T> {
        &self.shared
    }
}

impl<S: Clone, T> Spare<S, T> {
    /// Keeps a clone of `inner` unless there is one already. Called before each call, so that a further
    /// attempt finds an instance.
    pub(crate) fn keep(&self, inner: &S) {
        self.instance.get_or_init(|| Mutex::new(inner.clone()));
    }

    /// An instance that is not ready yet; `None` if none was kept.
    pub(crate) fn instance(&self) -> Option<S> {
        Some(self.instance.get()?.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl<S, T> Deref for Spare<S, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.shared
    }
}

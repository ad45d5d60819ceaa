//! The instance of an inner service that is kept for further attempts.
//!
//! A layer that may call more than once needs an instance of its own for it: the one that was made ready stays with the
//! service. To clone a stack for each call, in case it fails, costs more than the rest of a call that does not. So one
//! clone is kept for all calls, and cloned again for the few that need it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What all services of a layer share, and an instance of what they are around. Clones of a service share it.
pub(crate) struct Spare<S, T> {
    shared: Arc<T>,
    /// Locked only to be cloned: so it need not be `Sync`.
    instance: OnceLock<Mutex<S>>,
}

impl<S, T> Spare<S, T> {
    /// Without an instance: [`keep`](Self::keep) takes one.
    pub(crate) fn new(shared: Arc<T>) -> Arc<Self> {
        Arc::new(Self { shared, instance: OnceLock::new() })
    }

    /// The same for an inner service that is about to change.
    pub(crate) fn emptied(&self) -> Arc<Self> {
        Self::new(Arc::clone(&self.shared))
    }

    /// What all services of the layer share.
    pub(crate) fn shared(&self) -> &Arc<T> {
        &self.shared
    }
}

impl<S: Clone, T> Spare<S, T> {
    /// Keeps a clone of `inner` where there is none yet. Before each call, so that a further attempt finds one.
    pub(crate) fn keep(&self, inner: &S) {
        self.instance.get_or_init(|| Mutex::new(inner.clone()));
    }

    /// An instance that nobody made ready; none where none was kept.
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
